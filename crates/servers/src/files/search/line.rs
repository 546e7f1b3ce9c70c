//! A line as the client gets it: cut if it is long, with the ranges that matched.
use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

/// Most characters that are returned of one line, and how many of them come before the first match.
const MOST_SHOWN: usize = 400;
const SHOWN_BEFORE: usize = 100;
/// Most matches that are marked in one line.
pub(super) const MOST_RANGES: usize = 20;

/// A line that matches, or one beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Line {
    /// Counted from 1.
    pub(crate) line: u64,
    /// Without its ending.
    pub(crate) text: String,
    /// What matched: `[start, end)` in characters of `text`, from 0. None on lines around a match.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) ranges: Vec<(usize, usize)>,
    /// Characters of the line before `text`, where it was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cut_before: Option<usize>,
    /// Characters of the line after `text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cut_after: Option<usize>,
}

impl Line {
    /// Makes a line for the client, cut if it is long. `ranges` are in bytes.
    pub(super) fn new(line: u64, bytes: &[u8], ranges: &[(usize, usize)]) -> Self {
        let text = decoded(bytes);
        let first = ranges.first().map_or(0, |&(start, _)| chars_before(bytes, start));
        let is_short = text.len() <= MOST_SHOWN;
        let total = if is_short { 0 } else { text.chars().count() };
        if is_short || total <= MOST_SHOWN {
            let ranges =
                ranges.iter().map(|&(from, to)| (chars_before(bytes, from), chars_before(bytes, to)));
            let ranges = ranges.collect();
            return Self { line, ranges, text: text.into_owned(), cut_before: None, cut_after: None };
        }
        let from = first.saturating_sub(SHOWN_BEFORE).min(total - MOST_SHOWN);
        let shown: String = text.chars().skip(from).take(MOST_SHOWN).collect();
        let within = |at: usize| chars_before(bytes, at).saturating_sub(from).min(MOST_SHOWN);
        let ranges = ranges.iter().map(|&(start, end)| (within(start), within(end)));
        let rest = total - from - MOST_SHOWN;
        Self {
            line,
            ranges: ranges.filter(|&(start, _)| start < MOST_SHOWN).collect(),
            text: shown,
            cut_before: (from > 0).then_some(from),
            cut_after: (rest > 0).then_some(rest),
        }
    }

    pub(super) fn is_match(&self) -> bool {
        !self.ranges.is_empty()
    }

    /// The approximate number of bytes that the line takes in an answer.
    pub(super) fn weight(&self) -> usize {
        self.text.len() + 32 + 8 * self.ranges.len()
    }
}

fn chars_before(bytes: &[u8], at: usize) -> usize {
    let at = at.min(bytes.len());
    match std::str::from_utf8(bytes) {
        Ok(_) => String::from_utf8_lossy(&bytes[..at]).chars().count(),
        // In windows-1252, each byte is one letter.
        Err(_) => at,
    }
}

/// Decodes a line. A line that is not UTF-8 is taken for windows-1252, in which every byte is a
/// letter.
fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0,
    }
}
