//! Server-Sent Events: splits a byte stream into events, and writes events.
use std::fmt::Write as _;

/// One event, without comments and unknown fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    /// The `event` field; empty means `message`.
    pub name: String,
    pub data: String,
    pub id: Option<String>,
    /// Milliseconds to wait before reconnecting.
    pub retry: Option<u64>,
}

/// An event, or one of its lines, was over the limit. The rest of the stream can't be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is longer than {limit} bytes")]
pub struct SseTooLong {
    pub limit: usize,
}

/// Splits a byte stream into events: takes chunks and returns the events that are complete.
#[derive(Debug)]
pub struct SseFramer {
    limit: usize,
    line: Vec<u8>,
    event: Event,
    /// Whether the event has a `data` field; it may be empty.
    has_data: bool,
    has_fields: bool,
    after_cr: bool,
    at_start: bool,
    /// An event was too long, so nothing more is read.
    failed: bool,
}

impl SseFramer {
    pub fn with_limit(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            event: Event::default(),
            has_data: false,
            has_fields: false,
            after_cr: false,
            at_start: true,
            failed: false,
        }
    }

    /// Returns the events that the chunk completes. If an event is too long, this returns the
    /// events before it first, and the next call fails.
    pub fn push(&mut self, mut chunk: &[u8]) -> Result<Vec<Event>, SseTooLong> {
        let mut events = Vec::new();
        while !chunk.is_empty() && !self.failed {
            if std::mem::take(&mut self.after_cr) && chunk[0] == b'\n' {
                chunk = &chunk[1..];
                continue;
            }
            let end = memchr::memchr2(b'\n', b'\r', chunk);
            let part = &chunk[..end.unwrap_or(chunk.len())];
            if self.is_too_long(part) {
                self.failed = true;
                break;
            }
            self.line.extend_from_slice(part);
            let Some(end) = end else { break };
            self.after_cr = chunk[end] == b'\r';
            chunk = &chunk[end + 1..];
            let line = std::mem::take(&mut self.line);
            events.extend(self.end_of_line(&line));
        }
        if self.failed && events.is_empty() { Err(SseTooLong { limit: self.limit }) } else { Ok(events) }
    }

    fn is_too_long(&self, part: &[u8]) -> bool {
        // Field names and line breaks are small compared to the data, so one sum is good enough.
        self.line.len() + part.len() + self.event.data.len() > self.limit.saturating_add(64)
    }

    fn end_of_line(&mut self, line: &[u8]) -> Option<Event> {
        let mut line = line;
        if std::mem::take(&mut self.at_start) {
            line = line.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(line);
        }
        if line.is_empty() {
            return self.end_of_event();
        }
        let (field, value) = match memchr::memchr(b':', line) {
            Some(0) => return None, // a comment
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &b""[..]),
        };
        let value = String::from_utf8_lossy(value.strip_prefix(b" ").unwrap_or(value));
        match field {
            b"data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(&value);
                self.has_data = true;
            }
            b"event" => self.event.name = value.into_owned(),
            b"id" if !value.contains('\0') => self.event.id = Some(value.into_owned()),
            // `parse` alone would accept a plus sign.
            b"retry" if value.bytes().all(|byte| byte.is_ascii_digit()) => match value.parse() {
                Ok(retry) => self.event.retry = Some(retry),
                Err(_) => return None,
            },
            _ => return None,
        }
        self.has_fields = true;
        None
    }

    fn end_of_event(&mut self) -> Option<Event> {
        self.has_data = false;
        // An event without data still carries an id or a retry time, which the caller needs.
        let event = std::mem::take(&mut self.event);
        std::mem::take(&mut self.has_fields).then_some(event)
    }
}

/// Writes one event as text. Every reader treats a carriage return in the data as a line break, so
/// it arrives as `\n`; in JSON both are white space. A line break in a name or id would begin a new
/// field, so it is removed.
pub fn write_event(event: &Event) -> String {
    let mut out = String::with_capacity(event.data.len() + 48);
    if !event.name.is_empty() {
        let _ = writeln!(out, "event: {}", event.name.replace(['\n', '\r'], ""));
    }
    if let Some(id) = &event.id {
        // Readers ignore an id that contains a zero byte.
        let _ = writeln!(out, "id: {}", id.replace(['\n', '\r', '\0'], ""));
    }
    if let Some(retry) = event.retry {
        let _ = writeln!(out, "retry: {retry}");
    }
    let mut data = event.data.as_str();
    while let Some(end) = memchr::memchr2(b'\n', b'\r', data.as_bytes()) {
        let _ = writeln!(out, "data: {}", &data[..end]);
        let end = end + if data[end..].starts_with("\r\n") { 2 } else { 1 };
        data = &data[end..];
    }
    let _ = writeln!(out, "data: {data}\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(text: &[u8], split: usize) -> Vec<Event> {
        let mut framer = SseFramer::with_limit(1000);
        let mut out = framer.push(&text[..split]).unwrap();
        out.extend(framer.push(&text[split..]).unwrap());
        out
    }

    #[test]
    fn rpc_18_any_split_gives_the_same_events() {
        let text = "\u{FEFF}: hi\r\nevent: message\r\nid: 7\r\ndata: {\"a\":\r\ndata: \"é\"}\r\n\r\nretry: 5\nid\n\nnope: 1\n\ndata:x\n\n".as_bytes();
        let whole = events(text, 0);
        assert_eq!(whole.len(), 3);
        assert_eq!(whole[0].data, "{\"a\":\n\"é\"}");
        assert_eq!(whole[0].id.as_deref(), Some("7"));
        assert_eq!((whole[1].retry, whole[1].id.as_deref()), (Some(5), Some("")));
        assert_eq!(whole[2].data, "x");
        for split in 0..text.len() {
            assert_eq!(events(text, split), whole, "split at {split}");
        }
    }

    #[test]
    fn up_06_endless_line_is_refused() {
        let mut framer = SseFramer::with_limit(1000);
        let mut pushed = 0;
        while framer.push(&[b'x'; 100]).is_ok() {
            pushed += 100;
            assert!(pushed < 2000);
        }
    }

    #[test]
    fn written_events_are_read_back() {
        let event =
            Event { name: "message".into(), data: "a\nb".into(), id: Some("1".into()), retry: Some(3) };
        assert_eq!(events(write_event(&event).as_bytes(), 5), [event]);
    }
}
