//! Exact replacements in a text. A line break in `find` matches every kind of line break, and the
//! replacement gets the kind of line break that the file has there.
use std::borrow::Cow;

use memchr::memmem;

use super::super::work::Stop;
use super::nearest_match;

/// One replacement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edit<'a> {
    pub(crate) find: &'a str,
    pub(crate) replace: &'a str,
    /// The required number of matches. `None`: any number, but at least one.
    pub(crate) expected: Option<usize>,
}

/// Limits for applying edits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds<'a> {
    /// Maximum size of the text in bytes, after each edit.
    pub(crate) most: u64,
    pub(crate) stop: &'a Stop,
}

/// The reason why a list of edits does not fit the text. No edit is applied then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EditError {
    /// The index of the edit, from 0.
    pub(crate) index: usize,
    pub(crate) what: EditMismatch,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EditMismatch {
    Empty,
    /// No match. `near` describes the nearest places.
    NotFound {
        near: String,
    },
    /// The number of matches differs from the expected one. `lines` says where they begin.
    Count {
        found: usize,
        lines: Vec<usize>,
    },
    /// More matches than one edit can replace. `found` counts all of them, unless `is_all` is
    /// false.
    TooMany {
        found: usize,
        is_all: bool,
    },
    /// The number of matches is right, but some of them overlap.
    Overlap {
        lines: Vec<usize>,
    },
    /// The text would exceed the maximum size.
    TooLarge,
    /// The call was given up.
    Stopped,
}

/// Most matches that one edit replaces.
pub(crate) const MOST_MATCHES: usize = 10_000;
/// Most bytes that are compared while counting overlapping matches.
const MOST_COMPARED: usize = 1 << 30;
/// Most lines that an error names.
const MOST_LINES: usize = 20;

/// Applies the edits one after the other. Returns the resulting text and the number of matches.
pub(crate) fn apply_edits(
    text: &str,
    edits: &[Edit<'_>],
    bounds: Bounds<'_>,
) -> Result<(String, usize), EditError> {
    let mut text = text.to_owned();
    let mut count = 0;
    for (index, edit) in edits.iter().enumerate() {
        let (next, matches) = apply(&text, *edit, bounds).map_err(|what| EditError { index, what })?;
        text = next;
        count += matches;
    }
    Ok((text, count))
}

fn apply(text: &str, edit: Edit<'_>, bounds: Bounds<'_>) -> Result<(String, usize), EditMismatch> {
    if bounds.stop.is_set() {
        return Err(EditMismatch::Stopped);
    }
    if edit.find.is_empty() {
        return Err(EditMismatch::Empty);
    }
    let folded = Folded::of(text);
    let find = fold(edit.find);
    let Matches { starts, count, is_all } = matches(folded.text.as_bytes(), find.as_bytes());
    if count > MOST_MATCHES || !is_all {
        return Err(EditMismatch::TooMany { found: count, is_all });
    }
    let lines = || lines(&folded.text, &starts);
    if starts.is_empty() {
        return Err(EditMismatch::NotFound {
            near: nearest_match::describe(&folded.text, &find, bounds.stop),
        });
    }
    if edit.expected.is_some_and(|expected| expected != starts.len()) {
        return Err(EditMismatch::Count { found: starts.len(), lines: lines() });
    }
    if starts.windows(2).any(|pair| pair[1] - pair[0] < find.len()) {
        return Err(EditMismatch::Overlap { lines: lines() });
    }
    // Line breaks that become CRLF add bytes. The loop below counts those.
    let fits = |bytes: usize| if bytes as u64 <= bounds.most { Ok(()) } else { Err(EditMismatch::TooLarge) };
    let gone = starts.iter().map(|start| folded.original(*start + find.len()) - folded.original(*start));
    let kept = text.len() - gone.sum::<usize>();
    fits(kept.saturating_add(fold(edit.replace).len().saturating_mul(starts.len())))?;
    let mut next = String::with_capacity(text.len() + edit.replace.len());
    let mut breaks = LineBreaks::of(text);
    // An edit that differs only in line breaks is meant to change line breaks (I-11).
    let converts = edit.find != edit.replace && find == fold(edit.replace);
    let mut done = 0;
    for start in &starts {
        let (from, to) = (folded.original(*start), folded.original(*start + find.len()));
        next.push_str(&text[done..from]);
        match converts {
            true => next.push_str(edit.replace),
            false => next.push_str(&breaks.ended(edit.replace, from)),
        }
        fits(next.len())?;
        done = to;
    }
    next.push_str(&text[done..]);
    fits(next.len())?;
    Ok((next, starts.len()))
}

/// A text whose line breaks are all `\n`, with the way back to the original.
struct Folded<'a> {
    text: Cow<'a, str>,
    /// Positions in `text` of each `\n` whose `\r` was left out.
    left_out: Vec<usize>,
}

impl<'a> Folded<'a> {
    fn of(text: &'a str) -> Self {
        let pairs = memmem::find_iter(text.as_bytes(), b"\r\n");
        let left_out: Vec<_> = pairs.enumerate().map(|(before, at)| at - before).collect();
        let text = if left_out.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(fold(text)) };
        Self { text, left_out }
    }

    /// Returns the position in the original. A position right before a line break is before both of
    /// its bytes.
    fn original(&self, at: usize) -> usize {
        at + self.left_out.partition_point(|place| *place < at)
    }
}

fn fold(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// The matches of a text.
struct Matches {
    /// Where the first `MOST_MATCHES` matches begin.
    starts: Vec<usize>,
    /// The number of matches, overlaps included (B-12).
    count: usize,
    /// Whether all matches were counted.
    is_all: bool,
}

/// Finds and counts all matches. The count does not stop at `MOST_MATCHES`, because a capped number
/// would be believed (I-02). It stops only if comparing takes too long, and then `is_all` is false.
fn matches(text: &[u8], find: &[u8]) -> Matches {
    let finder = memmem::Finder::new(find);
    let mut found = Matches { starts: Vec::new(), count: 0, is_all: true };
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| finder.find(rest)) {
        if found.starts.len() < MOST_MATCHES {
            found.starts.push(from + at);
        }
        found.count += 1;
        from += at + 1;
        // Long self-overlapping texts would be compared again and again.
        if found.count.saturating_mul(find.len()) > MOST_COMPARED {
            found.is_all = false;
            break;
        }
    }
    found
}

/// The line breaks of a text. Positions must be asked for in ascending order.
struct LineBreaks<'a> {
    text: &'a str,
    /// The next line break after the latest position that was asked for.
    next: Option<usize>,
    last: Option<usize>,
}

impl<'a> LineBreaks<'a> {
    fn of(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        Self { text, next: memchr::memchr(b'\n', bytes), last: memchr::memrchr(b'\n', bytes) }
    }

    /// Returns the replacement with the line breaks of its place (B-13): those of the first break
    /// in the replaced text, else of the next one after it, else of the last one before it.
    fn ended<'b>(&mut self, replace: &'b str, from: usize) -> Cow<'b, str> {
        if !replace.contains('\n') {
            return Cow::Borrowed(replace);
        }
        if self.next.is_some_and(|next| next < from) {
            self.next = memchr::memchr(b'\n', &self.text.as_bytes()[from..]).map(|at| from + at);
        }
        let is_crlf = self.next.or(self.last).is_some_and(|at| self.text[..at].ends_with('\r'));
        match (is_crlf, replace.contains('\r')) {
            (true, _) => Cow::Owned(super::text::with_crlf(replace)),
            // A model that read CRLF elsewhere would bring it into this file.
            (false, true) if self.last.is_some() => Cow::Owned(fold(replace)),
            (false, _) => Cow::Borrowed(replace),
        }
    }
}

/// Returns the lines in which matches begin, from 1.
fn lines(text: &str, starts: &[usize]) -> Vec<usize> {
    let line = |at: &usize| memchr::memchr_iter(b'\n', &text.as_bytes()[..*at]).count() + 1;
    starts.iter().take(MOST_LINES).map(line).collect()
}

#[cfg(test)]
mod tests;
