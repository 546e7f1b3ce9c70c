//! Collects some lines of a text that arrives in blocks. Only requested lines are kept; those
//! before and after are counted.
use memchr::{memchr, memchr_iter, memrchr};

/// Which lines to collect, and limits on their size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// The first line to collect, counted from 1.
    pub(super) first: u64,
    pub(super) most_lines: usize,
    pub(super) most_bytes: usize,
    pub(super) most_line_bytes: usize,
}

/// Most bytes that are reserved before anything was read.
const MOST_RESERVED: usize = 4 << 20;

/// The lines collected so far.
#[derive(Debug)]
pub(super) struct Lines {
    bounds: Bounds,
    /// The number of the current line.
    pub(super) line: u64,
    /// Whether any byte of the current line was seen.
    has_begun: bool,
    pub(super) text: Vec<u8>,
    /// Where the current line begins in `text`.
    line_start: usize,
    pub(super) count: usize,
    /// Lines of which only the beginning was kept.
    pub(super) cut_lines: usize,
    is_cutting: bool,
    phase: Phase,
    pub(super) crlf: usize,
    pub(super) lf: usize,
}

/// The progress of the collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Before,
    Within,
    /// All requested lines were collected.
    Enough,
    /// The next line would exceed `most_bytes`.
    Full,
}

impl Lines {
    pub(super) fn new(bounds: Bounds) -> Self {
        let phase = if bounds.first <= 1 { Phase::Within } else { Phase::Before };
        Self {
            bounds,
            line: 1,
            has_begun: false,
            text: Vec::new(),
            line_start: 0,
            count: 0,
            cut_lines: 0,
            is_cutting: false,
            phase,
            crlf: 0,
            lf: 0,
        }
    }

    /// Reserves memory for about this many bytes.
    pub(super) fn expect(&mut self, bytes: usize) {
        if self.phase == Phase::Within {
            self.text.reserve(bytes.min(self.bounds.most_bytes).min(MOST_RESERVED));
        }
    }

    pub(super) fn phase(&self) -> Phase {
        self.phase
    }

    /// Takes a block. Counts the lines that it does not keep. Returns whether the collection ended
    /// before the end of the block.
    pub(super) fn take(&mut self, block: &[u8]) -> bool {
        let mut at = 0;
        if self.phase == Phase::Before {
            at = self.skip(block);
        }
        if self.phase == Phase::Within && self.take_whole(&block[at..]) {
            return false;
        }
        while self.phase == Phase::Within && at < block.len() {
            let rest = &block[at..];
            let end = memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            self.append(&rest[..end]);
            if self.phase != Phase::Full {
                at += end;
            }
        }
        self.count_rest(&block[at..]);
        at < block.len()
    }

    /// Takes a block in one piece, if it is so small that nothing of it is cut. This is so for most
    /// files.
    fn take_whole(&mut self, block: &[u8]) -> bool {
        let Bounds { most_lines, most_bytes, most_line_bytes, .. } = self.bounds;
        let line = self.text.len() - self.line_start + block.len();
        if self.is_cutting || line > most_line_bytes || self.text.len() + block.len() > most_bytes {
            return false;
        }
        let count = memchr_iter(b'\n', block).count();
        if self.count + count >= most_lines {
            return false;
        }
        let splits_crlf = self.text.last() == Some(&b'\r') && block.first() == Some(&b'\n');
        let crlf = usize::from(splits_crlf)
            + memchr_iter(b'\r', block).filter(|at| block.get(at + 1) == Some(&b'\n')).count();
        let line_start = memrchr(b'\n', block).map_or(self.line_start, |end| self.text.len() + end + 1);
        self.text.extend_from_slice(block);
        (self.line_start, self.has_begun) = (line_start, line_start < self.text.len());
        self.line += count as u64;
        self.count += count;
        self.crlf += crlf;
        self.lf += count - crlf;
        true
    }

    /// Ends the text. A last line without a line break counts too.
    pub(super) fn finish(&mut self) {
        if self.phase == Phase::Within && self.has_begun {
            self.count += 1;
        }
    }

    /// Skips to the first requested line. Returns how many bytes were skipped.
    fn skip(&mut self, block: &[u8]) -> usize {
        let missing = usize::try_from(self.bounds.first - self.line).unwrap_or(usize::MAX);
        match memchr_iter(b'\n', block).nth(missing - 1) {
            Some(end) => {
                self.line = self.bounds.first;
                self.has_begun = false;
                self.phase = Phase::Within;
                end + 1
            }
            None => {
                self.count_rest(block);
                block.len()
            }
        }
    }

    /// Counts the lines of a block without keeping any.
    pub(super) fn count_rest(&mut self, block: &[u8]) {
        let Some(last) = block.last() else { return };
        self.line += memchr_iter(b'\n', block).count() as u64;
        self.has_begun = *last != b'\n';
    }

    /// The number of all lines, after the whole text was seen.
    pub(super) fn total(&self) -> u64 {
        self.line - 1 + u64::from(self.has_begun)
    }

    fn append(&mut self, part: &[u8]) {
        let ends = part.last() == Some(&b'\n');
        let body = if ends { &part[..part.len() - 1] } else { part };
        self.has_begun = true;
        let room = self.bounds.most_line_bytes.min(self.bounds.most_bytes);
        let have = self.text.len() - self.line_start;
        if !self.is_cutting && have + body.len() > room {
            self.text.extend_from_slice(&body[..room.saturating_sub(have)]);
            let whole = whole_characters(&self.text[self.line_start..]);
            self.text.truncate(self.line_start + whole);
            self.is_cutting = true;
        } else if !self.is_cutting {
            self.text.extend_from_slice(body);
        }
        if self.text.len() > self.bounds.most_bytes {
            self.text.truncate(self.line_start);
            self.phase = Phase::Full;
            return;
        }
        if !ends {
            return;
        }
        let is_crlf = !self.is_cutting && self.text[self.line_start..].last() == Some(&b'\r');
        *(if is_crlf { &mut self.crlf } else { &mut self.lf }) += 1;
        self.text.push(b'\n');
        self.cut_lines += usize::from(self.is_cutting);
        self.is_cutting = false;
        self.line_start = self.text.len();
        self.has_begun = false;
        self.line += 1;
        self.count += 1;
        if self.count == self.bounds.most_lines {
            self.phase = Phase::Enough;
        }
    }

    /// Whether the line at the end of the text was cut.
    pub(super) fn is_cutting(&self) -> bool {
        self.is_cutting
    }
}

/// Returns the length of the longest prefix that does not split a character.
pub(super) fn whole_characters(bytes: &[u8]) -> usize {
    let tail = bytes.len().saturating_sub(3);
    let begun = bytes[tail..].iter().rposition(|byte| byte & 0b1100_0000 != 0b1000_0000);
    let Some(start) = begun.map(|index| tail + index) else { return bytes.len() };
    let wanted = match bytes[start] {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xFF => 4,
        _ => 1,
    };
    if start + wanted > bytes.len() { start } else { bytes.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_block_ends_makes_no_difference() {
        let text = b"a\r\nb\rc\n\r\n\n\rd";
        let most = Bounds { first: 1, most_lines: 100, most_bytes: 100, most_line_bytes: 100 };
        for split in 0..=text.len() {
            let mut lines = Lines::new(most);
            let (first, rest) = text.split_at(split);
            assert!(!lines.take(first) && !lines.take(rest));
            lines.finish();
            assert_eq!(lines.text, text);
            assert_eq!((lines.count, lines.total()), (5, 5), "{split}");
            assert_eq!((lines.crlf, lines.lf), (2, 2), "{split}");
        }
    }
}
