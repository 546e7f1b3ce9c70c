//! Collects the lines of one file while it is searched. All matches are counted; lines are kept as
//! long as they fit.
use std::io;

use grep_matcher::{Match, Matcher as _};
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};

use super::budget::Budget;
use super::gather::{REDUCED_LINES, Stage};
use super::line::{Line, MOST_RANGES};

/// The hits in one file so far.
#[derive(Debug)]
pub(super) struct Lines<'a> {
    matcher: &'a RegexMatcher,
    budget: &'a Budget,
    keep: MatchDetail,
    /// Most bytes of lines that are kept of one file.
    room: usize,
    pub(super) kept: Vec<Line>,
    /// How many of the kept lines match.
    matching: usize,
    /// The approximate size of an answer with all kept lines.
    pub(super) weight: usize,
    /// The number of matches, not of lines.
    pub(super) count: u64,
    pub(super) is_binary: bool,
    ranges: Vec<(usize, usize)>,
}

/// How much the caller wants to know about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MatchDetail {
    /// Whether it has a match.
    First,
    /// How many matches it has.
    Count,
    Lines(Stage),
}

impl<'a> Lines<'a> {
    pub(super) fn new(matcher: &'a RegexMatcher, budget: &'a Budget, keep: MatchDetail, room: usize) -> Self {
        let (kept, ranges) = (Vec::new(), Vec::new());
        Self { matcher, budget, keep, room, kept, matching: 0, weight: 0, count: 0, is_binary: false, ranges }
    }

    fn wants_more_lines(&self) -> bool {
        match self.keep {
            MatchDetail::First | MatchDetail::Count | MatchDetail::Lines(Stage::Summary) => false,
            MatchDetail::Lines(Stage::Full) if self.weight <= self.room => true,
            // The room is exceeded, so an answer can have only the first lines.
            MatchDetail::Lines(_) => self.matching < REDUCED_LINES,
        }
    }

    fn keep(&mut self, line: Line) {
        self.weight += line.weight();
        self.matching += usize::from(line.is_match());
        self.kept.push(line);
    }
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.budget.check()?;
        if self.keep == MatchDetail::First {
            self.count = 1;
            return Ok(false);
        }
        let bytes = without_ending(found.bytes());
        let (ranges, mut count) = (&mut self.ranges, 0);
        ranges.clear();
        let each = |range: Match| {
            if ranges.len() < MOST_RANGES {
                ranges.push((range.start(), range.end()));
            }
            count += 1;
            true
        };
        self.matcher.find_iter(bytes, each).map_err(io::Error::other)?;
        if ranges.is_empty() {
            // The match includes the end of the line.
            ranges.push((0, bytes.len()));
        }
        self.count += count.max(1);
        if self.wants_more_lines() {
            let line = Line::new(found.line_number().unwrap_or(0), bytes, &self.ranges);
            self.keep(line);
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, beside: &SinkContext<'_>) -> io::Result<bool> {
        if self.keep == MatchDetail::Lines(Stage::Full) && self.weight <= self.room {
            let bytes = without_ending(beside.bytes());
            self.keep(Line::new(beside.line_number().unwrap_or(0), bytes, &[]));
        }
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.is_binary = true;
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, end: &SinkFinish) -> io::Result<()> {
        self.is_binary |= end.binary_byte_offset().is_some();
        Ok(())
    }
}

fn without_ending(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    bytes.strip_suffix(b"\r").unwrap_or(bytes)
}
