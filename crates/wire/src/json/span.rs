//! A range of bytes in a text.
use std::ops::Range;

/// A range of bytes in a text. It uses 32 bits per bound because texts are at most 4 GiB long and
/// many spans are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}
