//! Reads the requested part of a text, and facts about the rest. Every read is bounded: the size of
//! a file says nothing about what a call costs (B-17, FS-15).
use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

use super::super::work::Stop;
use super::kind::{Encoding, MOST_HEAD};
use super::lines::{Bounds, Lines, Phase};
use super::source::{BLOCK, Bytes, Source, read_at};
use super::unreadable::Unreadable;

/// The requested part of a text, and limits on its size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    pub(crate) start: Start,
    pub(crate) most_lines: usize,
    pub(crate) most_bytes: usize,
    pub(crate) most_line_bytes: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// From this line on, counted from 1.
    Line(u64),
    /// The last `most_lines` lines.
    End,
}

/// The requested lines, and facts about the rest of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text {
    pub(crate) content: String,
    /// The number of the first returned line. `None` if the lines before it were not counted.
    pub(crate) first: Option<u64>,
    pub(crate) count: usize,
    /// The number of lines in the whole file. `None` if they were not counted.
    pub(crate) total: Option<u64>,
    pub(crate) has_more: bool,
    pub(crate) cut: Option<Cut>,
    pub(crate) line_ending: LineEnding,
}

/// What is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Cut {
    // There are more lines than requested.
    #[serde(rename = "limit")]
    Lines,
    // There are more lines than one call returns.
    Bytes,
    // A line is longer than the part of it that one call returns.
    LineBytes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LineEnding {
    Lf,
    Crlf,
    Mixed,
    None,
}

/// Largest file, in bytes, whose lines are counted.
pub(crate) const MOST_COUNTED: u64 = 16 << 20;
/// Most bytes of a file that are searched for a line.
const MOST_SKIPPED: u64 = 1 << 30;

/// Reads the first bytes of a file, by which `kind_of` detects what it is.
pub(crate) fn head_of(file: &dyn Bytes, size: u64) -> Result<Cow<'_, [u8]>, Unreadable> {
    let length = usize::try_from(size).unwrap_or(usize::MAX).min(MOST_HEAD);
    if let Some(bytes) = file.in_memory() {
        return Ok(Cow::Borrowed(&bytes[..length.min(bytes.len())]));
    }
    let mut head = vec![0; length];
    let read = read_at(file, &mut head, 0)?;
    head.truncate(read);
    Ok(Cow::Owned(head))
}

/// Reads a binary file, up to the size that it had when it was opened. The caller must have bounded
/// that size.
pub(crate) fn read_binary(file: &dyn Bytes, size: usize) -> Result<Vec<u8>, Unreadable> {
    let mut bytes = vec![0; size];
    let read = read_at(file, &mut bytes, 0)?;
    bytes.truncate(read);
    Ok(bytes)
}

/// Reads the requested lines. `size` is the size of the file when it was opened.
pub(crate) fn read_text(
    file: &dyn Bytes,
    size: u64,
    encoding: Encoding,
    window: &Window,
    stop: &Stop,
) -> Result<Text, Unreadable> {
    match window.start {
        Start::Line(first) => forward(file, size, encoding, window, first, stop),
        Start::End if encoding.is_decoded() || size <= MOST_COUNTED => {
            by_count(file, size, encoding, window, stop)
        }
        Start::End => backward(file, size, encoding, window, stop),
    }
}

/// Counts the lines of a text. `None` if it is larger than `MOST_COUNTED`.
pub(crate) fn count_lines(
    file: &dyn Bytes,
    size: u64,
    encoding: Encoding,
    stop: &Stop,
) -> Result<Option<u64>, Unreadable> {
    if size > MOST_COUNTED {
        return Ok(None);
    }
    let mut source = Source::new(file, encoding, 0, size);
    let mut lines = Lines::new(Bounds { first: u64::MAX, most_lines: 1, most_bytes: 0, most_line_bytes: 0 });
    while let Some(block) = source.next()? {
        lines.count_rest(block);
        check(stop)?;
    }
    Ok(Some(lines.total()))
}

fn forward(
    file: &dyn Bytes,
    size: u64,
    encoding: Encoding,
    window: &Window,
    first: u64,
    stop: &Stop,
) -> Result<Text, Unreadable> {
    let mut source = Source::new(file, encoding, 0, size);
    let mut lines = Lines::new(bounds(window, first));
    lines.expect(usize::try_from(size).unwrap_or(usize::MAX));
    let mut has_more = false;
    while let Some(block) = source.next()? {
        let is_left = lines.take(block);
        match lines.phase() {
            Phase::Before if source.at() > MOST_SKIPPED => {
                return Err(Unreadable::TooFar { bytes: MOST_SKIPPED });
            }
            // The unread rest of a cut line may be of any length.
            Phase::Within if lines.is_cutting() && source.at() > MOST_SKIPPED => {
                has_more = true;
                break;
            }
            Phase::Before | Phase::Within => check(stop)?,
            Phase::Enough | Phase::Full => {
                has_more = is_left || !source.is_at_end();
                break;
            }
        }
    }
    lines.finish();
    let total = match has_more {
        true if size > MOST_COUNTED => None,
        true => {
            while let Some(block) = source.next()? {
                lines.count_rest(block);
                check(stop)?;
            }
            Some(lines.total())
        }
        false => Some(lines.total()),
    };
    if lines.phase() == Phase::Before && first > 1 {
        return Err(Unreadable::PastEnd { lines: lines.total() });
    }
    if first > 1 && lines.count == 0 && lines.phase() == Phase::Within {
        return Err(Unreadable::PastEnd { lines: first - 1 });
    }
    finished(lines, Some(first), total, has_more)
}

/// Reads the last lines of a text whose lines can be counted: a first pass finds where they begin,
/// and a second one reads them.
fn by_count(
    file: &dyn Bytes,
    size: u64,
    encoding: Encoding,
    window: &Window,
    stop: &Stop,
) -> Result<Text, Unreadable> {
    let mut source = Source::new(file, encoding, 0, size);
    let mut tail = Tail::new(window);
    while let Some(block) = source.next()? {
        tail.take(block);
        check(stop)?;
        if source.at() > MOST_SKIPPED {
            return Err(Unreadable::TooFar { bytes: MOST_SKIPPED });
        }
    }
    let (first, is_full) = tail.first();
    let mut text = forward(file, size, encoding, window, first, stop)?;
    if first > 1 {
        let cut = if is_full { Cut::Bytes } else { Cut::Lines };
        text.cut = Some(text.cut.unwrap_or(cut));
    }
    Ok(text)
}

/// Reads the last lines of a large UTF-8 text, searching backwards from its end. The numbers of
/// these lines stay unknown.
fn backward(
    file: &dyn Bytes,
    size: u64,
    encoding: Encoding,
    window: &Window,
    stop: &Stop,
) -> Result<Text, Unreadable> {
    let most = window.most_bytes as u64;
    let from = size.saturating_sub(most).max(encoding.mark_bytes());
    let length = usize::try_from(size - from).unwrap_or(usize::MAX);
    let mut end = vec![0; length];
    let read = read_at(file, &mut end, from)?;
    end.truncate(read);
    check(stop)?;
    // The start of each line, from the last one. A line break at the very end starts no line.
    let body = end.strip_suffix(b"\n").unwrap_or(&end);
    let starts = memchr::memrchr_iter(b'\n', body).map(|at| at + 1);
    let begin = starts.take(window.most_lines).enumerate().last();
    let (begin, cut) = match begin {
        Some((index, begin)) if index + 1 == window.most_lines => (begin, Cut::Lines),
        Some((_, begin)) => (begin, Cut::Bytes),
        // One line fills the whole buffer, so its end is returned.
        None => {
            let begin = end.len().saturating_sub(window.most_line_bytes);
            let is_inside = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
            (begin + end[begin..].iter().take(3).take_while(|byte| is_inside(byte)).count(), Cut::LineBytes)
        }
    };
    let mut lines = Lines::new(Bounds { most_lines: usize::MAX, ..bounds(window, 1) });
    lines.take(&end[begin..]);
    lines.finish();
    let mut text = finished(lines, None, None, false)?;
    text.cut = Some(text.cut.unwrap_or(cut));
    Ok(text)
}

fn finished(
    lines: Lines,
    first: Option<u64>,
    total: Option<u64>,
    has_more: bool,
) -> Result<Text, Unreadable> {
    let cut_lines = lines.cut_lines + usize::from(lines.is_cutting() && lines.phase() == Phase::Within);
    let cut = match lines.phase() {
        _ if cut_lines > 0 => Some(Cut::LineBytes),
        Phase::Full => Some(Cut::Bytes),
        _ if has_more => Some(Cut::Lines),
        _ => None,
    };
    let line_ending = match (lines.lf, lines.crlf) {
        (0, 0) => LineEnding::None,
        (_, 0) => LineEnding::Lf,
        (0, _) => LineEnding::Crlf,
        _ => LineEnding::Mixed,
    };
    let content = String::from_utf8(lines.text).map_err(|_| Unreadable::NotText)?;
    if memchr::memchr(0, content.as_bytes()).is_some() {
        return Err(Unreadable::NotText);
    }
    Ok(Text { content, first, count: lines.count, total, has_more, cut, line_ending })
}

fn bounds(window: &Window, first: u64) -> Bounds {
    Bounds {
        first,
        most_lines: window.most_lines,
        most_bytes: window.most_bytes,
        most_line_bytes: window.most_line_bytes,
    }
}

fn check(stop: &Stop) -> Result<(), Unreadable> {
    if stop.is_set() { Err(Unreadable::Stopped) } else { Ok(()) }
}

/// Finds where the last lines of a text begin, while the text is read from its start. Only the
/// lengths of these lines are kept.
struct Tail {
    lengths: std::collections::VecDeque<usize>,
    /// The sum of the kept lengths.
    bytes: usize,
    most_lines: usize,
    most_bytes: usize,
    most_line_bytes: usize,
    open: usize,
    lines: u64,
}

impl Tail {
    fn new(window: &Window) -> Self {
        Self {
            lengths: std::collections::VecDeque::new(),
            bytes: 0,
            most_lines: window.most_lines,
            most_bytes: window.most_bytes,
            most_line_bytes: window.most_line_bytes.min(window.most_bytes),
            open: 0,
            lines: 0,
        }
    }

    fn take(&mut self, block: &[u8]) {
        let mut at = 0;
        for end in memchr::memchr_iter(b'\n', block) {
            self.open += end + 1 - at;
            at = end + 1;
            self.end_line();
        }
        self.open += block.len() - at;
    }

    fn end_line(&mut self) {
        let length = self.open.min(self.most_line_bytes);
        self.open = 0;
        self.lines += 1;
        self.bytes += length;
        self.lengths.push_back(length);
        while self.lengths.len() > self.most_lines || (self.bytes > self.most_bytes && self.lengths.len() > 1)
        {
            self.bytes -= self.lengths.pop_front().unwrap_or(0);
        }
    }

    /// Returns the number of the first kept line, and whether fewer lines than requested fit.
    fn first(mut self) -> (u64, bool) {
        if self.open > 0 {
            self.end_line();
        }
        let is_full = self.lengths.len() < self.most_lines && self.lines > self.lengths.len() as u64;
        (self.lines - self.lengths.len() as u64 + 1, is_full)
    }
}

const _: () = assert!(MOST_HEAD <= BLOCK);
