//! The pattern of a search, compiled by an engine that takes linear time, with limits on its memory
//! (FS-39).
use grep_matcher::LineTerminator;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};

use super::super::error::{FileError, code};

const MOST_BYTES: usize = 64 << 10;
/// Most bytes of a compiled pattern, and of its tables at run time.
const MOST_COMPILED: usize = 16 << 20;
/// Longest line in bytes; with `multiline`, the largest file.
pub(crate) const MOST_HELD: usize = 16 << 20;

/// What a caller wants to find.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PatternOptions<'a> {
    pub(crate) pattern: &'a str,
    /// Whether the pattern is plain text.
    pub(crate) literal: bool,
    /// `None`: case matters if the pattern has upper-case letters.
    pub(crate) case_sensitive: Option<bool>,
    /// Whether a match can span several lines.
    pub(crate) multiline: bool,
    pub(crate) before: usize,
    pub(crate) after: usize,
    /// Most matching lines per file.
    pub(crate) max_count: Option<u64>,
}

/// A compiled pattern, and the settings with which files are searched for it.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    pub(super) matcher: RegexMatcher,
    pub(super) multiline: bool,
    /// Whether the pattern has letters that other encodings write differently.
    pub(super) is_beyond_ascii: bool,
    ending: LineTerminator,
    before: usize,
    after: usize,
    max_count: Option<u64>,
}

impl Pattern {
    pub(crate) fn compile(wanted: &PatternOptions<'_>) -> Result<Self, FileError> {
        let PatternOptions { pattern, literal, multiline, .. } = *wanted;
        if pattern.len() > MOST_BYTES {
            let problem =
                format!("the pattern has {} bytes, and at most {MOST_BYTES} are allowed", pattern.len());
            return Err(wrong(problem, "Search for a part of it."));
        }
        // `$` matches before either kind of line ending.
        let ending = if !literal && pattern.contains('$') && !pattern.contains("\\r") {
            LineTerminator::crlf()
        } else {
            LineTerminator::byte(b'\n')
        };
        let mut builder = RegexMatcherBuilder::new();
        builder
            .multi_line(true)
            .fixed_strings(literal)
            .size_limit(MOST_COMPILED)
            .dfa_size_limit(MOST_COMPILED)
            .crlf(ending.is_crlf());
        match wanted.case_sensitive {
            Some(is_sensitive) => builder.case_insensitive(!is_sensitive),
            None => builder.case_smart(true),
        };
        if !multiline && !ending.is_crlf() {
            builder.line_terminator(Some(b'\n'));
        } else if multiline {
            builder.line_terminator(None);
        }
        let matcher = builder.build(pattern).map_err(|error| {
            wrong(
                format!("the pattern is not a valid regular expression: {error}"),
                "Correct it; set `literal` to true if it is plain text, and `multiline` to true if it spans lines. \
                 Backreferences and look-around are not supported.",
            )
        })?;
        let PatternOptions { before, after, max_count, .. } = *wanted;
        Ok(Self {
            matcher,
            multiline,
            is_beyond_ascii: !pattern.is_ascii(),
            ending,
            before,
            after,
            max_count,
        })
    }

    pub(super) fn searcher(&self) -> Searcher {
        SearcherBuilder::new()
            .line_terminator(self.ending)
            .line_number(true)
            .multi_line(self.multiline)
            .before_context(self.before)
            .after_context(self.after)
            .max_matches(self.max_count)
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(MOST_HELD))
            .build()
    }
}

fn wrong(problem: impl Into<String>, next: &str) -> FileError {
    FileError::new(code::INVALID_PATTERN, problem, next)
}
