//! The member names of open objects, and the search for duplicates. It sorts and does not hash,
//! because an attacker can't choose names that make sorting slow.
use std::borrow::Cow;

use super::span::Span;
use super::string::unescape;

/// A member name in the text that is being scanned.
#[derive(Clone, Copy)]
pub(super) struct Name {
    span: Span,
    /// The first eight bytes, padded with zeros. No name contains a zero byte, so two names of at
    /// most eight bytes are equal exactly if their heads are equal.
    head: u64,
}

impl Name {
    pub(super) fn new(text: &str, span: Span) -> Self {
        let bytes = text.as_bytes();
        let range = span.range();
        let head = match bytes[range.start..].first_chunk::<8>() {
            Some(chunk) => u64::from_le_bytes(*chunk) & low_bytes(range.len()),
            None => bytes[range].iter().rev().fold(0, |head, byte| head << 8 | u64::from(*byte)),
        };
        Self { span, head }
    }

    fn raw(self, text: &str) -> &str {
        &text[self.span.range()]
    }

    fn at(self) -> usize {
        self.span.range().start
    }

    fn equals(self, other: Self, text: &str) -> bool {
        self.head == other.head && self.raw(text) == other.raw(text)
    }
}

/// A mask for the first `count` bytes of a word.
fn low_bytes(count: usize) -> u64 {
    if count >= 8 { u64::MAX } else { (1 << (8 * count)) - 1 }
}

/// Returns the position of the second occurrence of a duplicate name.
///
/// It sorts instead of hashing, so no choice of names makes it slow.
pub(super) fn duplicate(text: &str, names: &mut [Name]) -> Option<usize> {
    /// Up to this many names, comparing every pair is faster than sorting.
    const FEW: usize = 16;
    if names.len() <= FEW {
        let twice = |(index, later): (usize, &Name)| {
            let again = names[..index].iter().any(|earlier| earlier.equals(*later, text));
            again.then_some(later.at())
        };
        return names.iter().enumerate().find_map(twice);
    }
    names.sort_unstable_by(|a, b| a.head.cmp(&b.head).then_with(|| a.raw(text).cmp(b.raw(text))));
    let pair = names.windows(2).find(|pair| pair[0].equals(pair[1], text))?;
    Some(pair[0].at().max(pair[1].at()))
}

/// Finds a duplicate among names that may contain escapes. Two names are equal if they decode to
/// the same string.
pub(super) fn duplicate_meaning(text: &str, names: &mut [Name]) -> Option<usize> {
    if !names.iter().any(|name| name.raw(text).contains('\\')) {
        return duplicate(text, names);
    }
    let mut meant: Vec<(Cow<'_, str>, usize)> =
        names.iter().map(|name| (unescape(name.raw(text)), name.at())).collect();
    meant.sort_unstable();
    meant.windows(2).find(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1].1)
}
