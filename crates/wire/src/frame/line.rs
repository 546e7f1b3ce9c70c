//! Splits a byte stream into lines without ever holding more than the limit, and writes messages on
//! one line.
use std::borrow::Cow;

use super::request_id::RequestIdFinder;

/// A complete line, or a sign that one was too long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineFrame {
    /// The line without its line break. Blank lines are skipped.
    Line(Vec<u8>),
    /// A line over the limit. Its bytes are discarded up to the next line break. `id` is the text
    /// of the request's id, if the line was a request.
    TooLong { limit: usize, id: Option<String> },
}

/// Lines of at least this many bytes are moved out of the buffer instead of copied.
const LONG: usize = 64 << 10;
/// From this many bytes on, the buffer reserves the whole limit at once. Memory that is never
/// written costs nothing, and a growing buffer exists twice while it is copied.
const HUGE: usize = 1 << 20;
/// From this many bytes on, the buffer no longer reserves the whole limit.
const MOST_RESERVED: usize = 64 << 20;

/// Splits a byte stream into lines: pass chunks to [`push`](Self::push), take lines with
/// [`next_line`](Self::next_line).
#[derive(Debug)]
pub struct LineFramer {
    limit: usize,
    buffer: Vec<u8>,
    /// Bytes of `buffer` that were already returned.
    taken: usize,
    /// Bytes of `buffer` that have been searched for a line break.
    searched: usize,
    /// Set while the current line is over the limit. Searches the line for its id.
    skipping: Option<RequestIdFinder>,
}

impl LineFramer {
    pub fn with_limit(limit: usize) -> Self {
        Self { limit, buffer: Vec::new(), taken: 0, searched: 0, skipping: None }
    }

    pub fn push(&mut self, chunk: &[u8]) {
        if self.taken > 0 {
            self.buffer.drain(..self.taken);
            self.searched -= self.taken;
            self.taken = 0;
        }
        let (wanted, room) = (self.buffer.len() + chunk.len(), self.limit.saturating_add(LONG));
        if wanted > self.buffer.capacity() && (HUGE..room.min(MOST_RESERVED)).contains(&wanted) {
            self.buffer.reserve_exact(room - self.buffer.len());
        }
        self.buffer.extend_from_slice(chunk);
    }

    /// The next complete line, if one has arrived.
    pub fn next_line(&mut self) -> Option<LineFrame> {
        loop {
            let Some(found) = memchr::memchr(b'\n', &self.buffer[self.searched..]) else {
                self.searched = self.buffer.len();
                self.shorten();
                return None;
            };
            let end = self.searched + found;
            if let Some(line) = self.take_long(end) {
                return Some(LineFrame::Line(line));
            }
            let line = without_cr(&self.buffer[self.taken..end]);
            let frame = if self.skipping.is_some() || line.len() > self.limit {
                let mut finder = self.skipping.take().unwrap_or_default();
                finder.push(line);
                Some(LineFrame::TooLong { limit: self.limit, id: finder.finish() })
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

    /// Takes a long line that starts the buffer, by moving the buffer instead of copying it.
    /// Returns `None` for every other line.
    fn take_long(&mut self, end: usize) -> Option<Vec<u8>> {
        let is_given = self.skipping.is_none() && without_cr(&self.buffer[..end]).len() <= self.limit;
        if self.taken > 0 || end < LONG || !is_given || self.buffer[..end].trim_ascii().is_empty() {
            return None;
        }
        let rest = self.buffer.split_off(end + 1);
        let mut line = std::mem::replace(&mut self.buffer, rest);
        line.truncate(without_cr(&line[..end]).len());
        self.searched = 0;
        Some(line)
    }

    /// Whether the line that is arriving is already over the limit. It is reported when it ends.
    pub fn is_over_limit(&self) -> bool {
        self.skipping.is_some()
    }

    /// Returns the text after the last line break, when the stream has ended.
    pub fn finish(mut self) -> Option<LineFrame> {
        self.push(b"\n");
        self.next_line()
    }

    /// Discards the bytes of a line that is over the limit before its end has arrived.
    fn shorten(&mut self) {
        // A carriage return at the end may turn out to be part of the line break.
        let pending = without_cr(&self.buffer[self.taken..]);
        if self.skipping.is_some() || pending.len() > self.limit {
            self.skipping.get_or_insert_default().push(&self.buffer[self.taken..]);
            self.buffer.clear();
            (self.taken, self.searched) = (0, 0);
        }
    }
}

fn without_cr(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Returns a JSON text on one line. A line break in JSON is white space between tokens and never
/// part of a string, so a space means the same.
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
        let long = LineFrame::TooLong { limit: 4, id: None };
        assert_eq!(frames(4, &[b"12345", b"6789", b"0\nok\n"]), [long.clone(), line("ok")]);
        assert_eq!(frames(4, &[b"12345\nok\n1234\n"]), [long, line("ok"), line("1234")]);
    }

    /// I-12: the sender of a line that is too long gets an answer with its id, even if the id comes
    /// last in the line.
    #[test]
    fn i_12_a_long_line_has_its_id() {
        let wanted = [LineFrame::TooLong { limit: 10, id: Some("7".to_owned()) }, line("ok")];
        assert_eq!(
            frames(10, &[b"{\"method\":\"m\",\"params\":\"xxxxxx", b"xxxxxxxxxxx", b"\",\"id\":7}\r\nok\n"]),
            wanted
        );
        assert_eq!(frames(10, &[b"{\"id\":7,\"method\":\"xxxxxx\"}\nok\n"]), wanted);
    }

    #[test]
    fn long_lines_are_taken_whole() {
        let long = "x".repeat(LONG + 1);
        let text = format!("{long}\r\nb\n{long}\n");
        for size in [1000, LONG, text.len()] {
            let chunks: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
            assert_eq!(frames(1 << 20, &chunks), [line(&long), line("b"), line(&long)], "{size}");
        }
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
