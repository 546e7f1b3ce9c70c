//! Splits a byte stream into lines without ever holding more than the limit, and puts messages on one line.
use std::borrow::Cow;

/// A complete line, or the news that one was too long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineFrame {
    /// The line without its line break. Blank lines are left out.
    Line(Vec<u8>),
    /// A line over the limit; its bytes are thrown away up to the next line break.
    TooLong { limit: usize },
}

/// Feed it chunks with [`push`](Self::push), take lines with [`next_line`](Self::next_line).
#[derive(Debug)]
pub struct LineFramer {
    limit: usize,
    buffer: Vec<u8>,
    /// Bytes of `buffer` that have been handed out.
    taken: usize,
    /// Bytes of `buffer` that hold no line break.
    searched: usize,
    /// Inside a line that was reported as too long.
    skipping: bool,
}

impl LineFramer {
    pub fn with_limit(limit: usize) -> Self {
        Self { limit, buffer: Vec::new(), taken: 0, searched: 0, skipping: false }
    }

    pub fn push(&mut self, chunk: &[u8]) {
        if self.taken > 0 {
            self.buffer.drain(..self.taken);
            self.searched -= self.taken;
            self.taken = 0;
        }
        self.buffer.extend_from_slice(chunk);
    }

    /// The next complete line, if one has arrived.
    pub fn next_line(&mut self) -> Option<LineFrame> {
        loop {
            let Some(found) = memchr::memchr(b'\n', &self.buffer[self.searched..]) else {
                self.searched = self.buffer.len();
                return self.shorten();
            };
            let end = self.searched + found;
            let line = without_cr(&self.buffer[self.taken..end]);
            let frame = if std::mem::take(&mut self.skipping) {
                None
            } else if line.len() > self.limit {
                Some(LineFrame::TooLong { limit: self.limit })
            } else if line.trim_ascii().is_empty() {
                None
            } else {
                Some(LineFrame::Line(line.to_vec()))
            };
            self.taken = end + 1;
            self.searched = end + 1;
            if frame.is_some() {
                return frame;
            }
        }
    }

    /// What stands after the last line break, when the stream has ended.
    pub fn finish(mut self) -> Option<LineFrame> {
        self.push(b"\n");
        self.next_line()
    }

    /// Gives up a line that is over the limit although its end is not in sight.
    fn shorten(&mut self) -> Option<LineFrame> {
        // A carriage return at the end may turn out to be part of the line break.
        let pending = without_cr(&self.buffer[self.taken..]);
        if self.skipping || pending.len() > self.limit {
            let first = !std::mem::replace(&mut self.skipping, true);
            self.buffer.clear();
            (self.taken, self.searched) = (0, 0);
            return first.then_some(LineFrame::TooLong { limit: self.limit });
        }
        None
    }
}

fn without_cr(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// A JSON text on one line. A line break in JSON is white space between tokens, never part of a string, so a
/// space in its place means the same.
pub fn one_line(text: &str) -> Cow<'_, str> {
    if memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace(['\n', '\r'], " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(limit: usize, chunks: &[&[u8]]) -> Vec<LineFrame> {
        let mut framer = LineFramer::with_limit(limit);
        let mut out = Vec::new();
        for chunk in chunks {
            framer.push(chunk);
            out.extend(std::iter::from_fn(|| framer.next_line()));
        }
        out.extend(framer.finish());
        out
    }

    fn line(text: &str) -> LineFrame {
        LineFrame::Line(text.as_bytes().to_vec())
    }

    #[test]
    fn rpc_01_blank_lines_and_crlf() {
        assert_eq!(frames(10, &[b"a\r\n\n  \n", b"b", b"c\nd"]), [line("a"), line("bc"), line("d")]);
    }

    #[test]
    fn rpc_03_long_line_is_skipped_and_reported_once() {
        let long = LineFrame::TooLong { limit: 4 };
        assert_eq!(frames(4, &[b"12345", b"6789", b"0\nok\n"]), [long.clone(), line("ok")]);
        assert_eq!(frames(4, &[b"12345\nok\n1234\n"]), [long, line("ok"), line("1234")]);
    }

    #[test]
    fn rpc_03_memory_stays_under_the_limit() {
        let mut framer = LineFramer::with_limit(1000);
        for _ in 0..1000 {
            framer.push(&[b'x'; 500]);
            let _ = framer.next_line();
            assert!(framer.buffer.len() <= 1500);
        }
    }

    #[test]
    fn rpc_18_any_split_gives_the_same_lines() {
        let text = "{\"é\":1}\r\nsecond\n\nthird".as_bytes();
        let whole = frames(100, &[text]);
        for at in 0..text.len() {
            assert_eq!(frames(100, &[&text[..at], &text[at..]]), whole, "split at {at}");
        }
    }
}
