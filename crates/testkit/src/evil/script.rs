//! Bytes to write, and when: the arguments of the tool `say`.
use std::io::{self, Write};
use std::time::Duration;

use serde_json::Value;

/// Parts that are written one after the other.
#[derive(Debug, Clone)]
pub struct Script(Vec<Part>);

#[derive(Debug, Clone)]
struct Part {
    wait: Duration,
    bytes: Vec<u8>,
    times: u64,
    /// Close the connection so that the other side sees a reset.
    reset: bool,
}

/// How a script ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Done,
    /// The connection must be reset.
    Reset,
}

/// The most bytes that are written at once. Between two pieces other threads may write.
const PIECE: usize = 64 << 10;

impl Script {
    /// Reads `parts`. Each is a text, or an object with `text` or `bytes`, and with `times`,
    /// `wait_ms` or `reset`. `$id` in a text is replaced with the id of the call. A message must
    /// end with an explicit `\n`.
    pub fn read(arguments: &Value, id: &Value) -> Self {
        let parts = arguments["parts"].as_array().map_or(&[][..], Vec::as_slice);
        Self(parts.iter().map(|part| Part::read(part, &id.to_string())).collect())
    }

    /// Returns a script that writes exactly these bytes.
    pub fn of(bytes: Vec<u8>) -> Self {
        Self(vec![Part { wait: Duration::ZERO, bytes, times: 1, reset: false }])
    }

    /// Writes everything. `place` returns the output for each piece.
    pub fn run<W: Write>(&self, mut place: impl FnMut() -> W) -> io::Result<Ending> {
        for part in &self.0 {
            std::thread::sleep(part.wait);
            if part.reset {
                return Ok(Ending::Reset);
            }
            // Combine as many repetitions as fit into a piece, so that a gigabyte does not take a
            // billion writes.
            let fit = (PIECE / part.bytes.len().max(1)).max(1);
            let piece = part.bytes.repeat(fit.min(usize::try_from(part.times).unwrap_or(fit)));
            let mut left = part.times;
            while left > 0 {
                let now = left.min(fit as u64);
                let length = part.bytes.len() * usize::try_from(now).unwrap_or(fit);
                let mut place = place();
                place.write_all(&piece[..length])?;
                place.flush()?;
                left -= now;
            }
        }
        Ok(Ending::Done)
    }
}

impl Part {
    fn read(part: &Value, id: &str) -> Self {
        let text = |text: &str| text.replace("$id", id).into_bytes();
        if let Some(plain) = part.as_str() {
            return Self { wait: Duration::ZERO, bytes: text(plain), times: 1, reset: false };
        }
        let bytes = match part["bytes"].as_array() {
            Some(bytes) => bytes.iter().filter_map(|byte| u8::try_from(byte.as_u64()?).ok()).collect(),
            None => text(part["text"].as_str().unwrap_or_default()),
        };
        Self {
            wait: Duration::from_millis(part["wait_ms"].as_u64().unwrap_or(0)),
            bytes,
            times: part["times"].as_u64().unwrap_or(1),
            reset: part["reset"] == true,
        }
    }
}
