//! Text that waits until the client reads it. Short messages are joined, long ones are kept as they
//! are.
use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{self, IoSlice};

use overt_wire::Message;
use overt_wire::frame::one_line;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};

/// Outgoing messages, one per line.
#[derive(Debug, Default)]
pub(crate) struct WriteBuffer {
    pieces: VecDeque<Piece>,
    /// Bytes of the first piece that were already written.
    written: usize,
    /// Bytes of all pieces that are not written yet.
    bytes: usize,
    /// An empty buffer for the next short messages.
    spare: Vec<u8>,
}

#[derive(Debug)]
enum Piece {
    /// Short messages with their line breaks.
    Together(Vec<u8>),
    /// A long message. Its line break follows.
    Alone(Message),
}

/// Messages of at least this many bytes are not copied.
const LONG: usize = 4 << 10;
/// The most slices that are written at once: 16 long messages with their line breaks.
const MOST_SLICES: usize = 32;
/// The buffer keeps at most this many bytes of capacity, so that a burst of messages does not hold
/// memory forever.
const MOST_SPARE: usize = 1 << 20;

impl WriteBuffer {
    pub(crate) fn push(&mut self, message: Message) {
        // Line breaks between tokens are legal JSON, but here they would split the message in two.
        let line = one_line(message.text());
        self.bytes += line.len() + 1;
        if line.len() >= LONG && matches!(line, Cow::Borrowed(_)) {
            return self.pieces.push_back(Piece::Alone(message));
        }
        let together = self.together();
        together.reserve(line.len() + 1);
        together.extend_from_slice(line.as_bytes());
        together.push(b'\n');
    }

    /// The buffer to which short messages are appended.
    fn together(&mut self) -> &mut Vec<u8> {
        if !matches!(self.pieces.back(), Some(Piece::Together(_))) {
            self.pieces.push_back(Piece::Together(std::mem::take(&mut self.spare)));
        }
        match self.pieces.back_mut() {
            Some(Piece::Together(text)) => text,
            // Unreachable: the piece was added just now.
            Some(Piece::Alone(_)) | None => &mut self.spare,
        }
    }

    /// Writes as much as the peer takes now. The caller passes the returned count to
    /// [`advance`](Self::advance).
    pub(crate) async fn write_to(&self, writer: &mut (impl AsyncWrite + Unpin)) -> io::Result<usize> {
        let mut slices = [IoSlice::new(&[]); MOST_SLICES];
        let count = self.fill(&mut slices);
        writer.write_vectored(&slices[..count]).await
    }

    /// Fills `slices` with the next bytes to write, and returns how many slices there are. A long
    /// message comes together with its line break, so that the client wakes up only once.
    fn fill<'a>(&'a self, slices: &mut [IoSlice<'a>]) -> usize {
        let mut written = self.written;
        let parts = self.pieces.iter().flat_map(Piece::parts).filter_map(|part| {
            let (done, rest) = part.split_at(written.min(part.len()));
            written -= done.len();
            (!rest.is_empty()).then_some(rest)
        });
        slices.iter_mut().zip(parts).map(|(slice, part)| *slice = IoSlice::new(part)).count()
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    pub(crate) fn advance(&mut self, count: usize) {
        self.bytes -= count;
        self.written += count;
        while let Some(length) = self.pieces.front().map(Piece::len)
            && length <= self.written
        {
            self.written -= length;
            if let Some(Piece::Together(mut text)) = self.pieces.pop_front() {
                text.clear();
                text.shrink_to(MOST_SPARE);
                self.spare = text;
            }
        }
    }
}

impl Piece {
    fn parts(&self) -> [&[u8]; 2] {
        match self {
            Self::Together(text) => [text, b""],
            Self::Alone(message) => [message.text().as_bytes(), b"\n"],
        }
    }

    fn len(&self) -> usize {
        self.parts().map(<[u8]>::len).iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use overt_wire::json::Object;

    use super::*;

    /// Returns at most this many of the next bytes.
    fn next(buffer: &WriteBuffer, most: usize) -> Vec<u8> {
        let mut slices = [IoSlice::new(&[]); MOST_SLICES];
        let count = buffer.fill(&mut slices);
        slices[..count].iter().flat_map(|slice| slice.iter().copied()).take(most).collect()
    }

    /// Every byte comes out once and in order, even if little is taken at a time.
    #[test]
    fn what_is_pushed_comes_out_as_lines() {
        let lengths = [3, LONG, LONG + 7, 10, 0, 3 * LONG, 1];
        let message = |length: usize| {
            let params = Object::new().string("text", &"x".repeat(length)).finish();
            Message::notification("n", Some(params.as_json()))
        };
        for step in [1, 1000, LONG, usize::MAX] {
            let (mut buffer, mut out, mut wanted) = (WriteBuffer::default(), Vec::new(), String::new());
            for length in lengths.into_iter().cycle().take(20) {
                buffer.push(message(length));
                wanted += &format!("{}\n", message(length).text());
                assert_eq!(out.len() + buffer.len(), wanted.len());
                for _ in 0..2 {
                    let taken = next(&buffer, step);
                    buffer.advance(taken.len());
                    out.extend(taken);
                }
            }
            while buffer.len() > 0 {
                let taken = next(&buffer, step.max(1000));
                buffer.advance(taken.len());
                out.extend(taken);
            }
            assert!(out == wanted.as_bytes(), "{step}");
            assert!(buffer.pieces.is_empty(), "{step}");
        }
    }

    #[test]
    fn a_long_message_that_is_more_than_a_line_becomes_one() {
        let text = format!("{{\"jsonrpc\":\"2.0\",\n\"method\":\"{}\"}}", "m".repeat(200));
        let text = text.replace(",\n", &format!(",{}", "\n".repeat(LONG)));
        let limits = overt_wire::json::Limits::default();
        let mut buffer = WriteBuffer::default();
        buffer.push(Message::parse(text.into_bytes(), &limits).unwrap());
        let out = next(&buffer, usize::MAX);
        assert_eq!(out.iter().filter(|byte| **byte == b'\n').count(), 1);
    }
}
