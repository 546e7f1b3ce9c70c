//! Steps from value to value through checked text without decoding the values. The text may
//! continue after the value that is walked.
use std::ops::Range;

use super::key::Key;
use super::string;

/// Iterates over the members of an object in the order of the text.
#[derive(Debug, Clone)]
pub struct Members<'a> {
    text: &'a str,
    at: usize,
}

/// Iterates over the elements of an array in order.
#[derive(Debug, Clone)]
pub struct Elements<'a> {
    text: &'a str,
    at: usize,
}

/// The position of a member in the text of its object.
pub(crate) struct MemberStart<'a> {
    pub(crate) key: Key<'a>,
    /// Position of the opening quote of the name.
    pub(crate) name: usize,
    pub(crate) value: usize,
}

// === impl Members ===

impl<'a> Members<'a> {
    /// The members of the object at the start of the text. Empty if the text starts with another
    /// value.
    pub(crate) fn of(text: &'a str) -> Self {
        // At the end of the text there is no next member.
        Self { text, at: if text.starts_with('{') { 1 } else { text.len() } }
    }

    /// The next member. The caller must skip its value before it asks for another member.
    pub(crate) fn next_start(&mut self) -> Option<MemberStart<'a>> {
        let bytes = self.text.as_bytes();
        let name = skip_separators(bytes, self.at);
        if bytes.get(name) != Some(&b'"') {
            return None;
        }
        let name_end = skip_string(bytes, name);
        let value = skip_separators(bytes, name_end);
        self.at = value;
        Some(MemberStart { key: Key(&self.text[name + 1..name_end - 1]), name, value })
    }

    /// Skips the value of the member that `next_start` returned last, and returns its end.
    pub(crate) fn skip_value(&mut self) -> usize {
        self.at = skip_value(self.text.as_bytes(), self.at);
        self.at
    }

    pub(super) fn text_at(&self, span: Range<usize>) -> &'a str {
        &self.text[span]
    }
}

// === impl Elements ===

impl<'a> Elements<'a> {
    /// The elements of the array at the start of the text. Empty if the text starts with another
    /// value.
    pub(crate) fn of(text: &'a str) -> Self {
        Self { text, at: if text.starts_with('[') { 1 } else { text.len() } }
    }

    /// The range of the next element in the array's text.
    pub(crate) fn next_span(&mut self) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        let start = skip_separators(bytes, self.at);
        if matches!(bytes.get(start), None | Some(b']')) {
            return None;
        }
        self.at = skip_value(bytes, start);
        Some(start..self.at)
    }

    pub(super) fn text_at(&self, span: Range<usize>) -> &'a str {
        &self.text[span]
    }
}

/// Skips white space, commas and colons. In checked text they occur only where they are allowed.
fn skip_separators(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\n' | b'\r' | b'\t' | b',' | b':')) {
        at += 1;
    }
    at
}

/// Returns the end of the value that begins at `start` in a checked text.
pub(crate) fn skip_value(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    let mut depth = 0_usize;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = skip_string(bytes, at),
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                at += 1;
            }
            _ if depth == 0 => at += scalar_len(&bytes[at..]),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    at
}

/// Returns the end of the string whose opening quote is at `start`, or the end of the text if the
/// string is not closed.
pub(crate) fn skip_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    // Most names and words are short. In a long text, line breaks and other escapes are frequent,
    // and quotes are rare.
    if let Some(end) = string::short_end(bytes, at) {
        return end + 1;
    }
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr(b'"', rest)) {
        at += found;
        let slashes = bytes[start + 1..at].iter().rev().take_while(|byte| **byte == b'\\').count();
        // Two backslashes stand for one; a single one escapes the quote.
        if slashes.is_multiple_of(2) {
            return at + 1;
        }
        at += 1;
    }
    bytes.len()
}

fn scalar_len(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .position(|byte| matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t' | b':'))
        .unwrap_or(bytes.len())
}

/// The nesting depth of a checked value; `{}` has depth 1.
pub(crate) fn depth(value: &str) -> usize {
    let bytes = value.as_bytes();
    let (mut at, mut depth, mut deepest) = (0, 0_usize, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = skip_string(bytes, at);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
        at += 1;
    }
    deepest
}
