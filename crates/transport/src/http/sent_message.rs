//! A message with its position in a stream of a session, and the event id with which a client
//! resumes after it.
use std::time::Duration;

use overt_wire::Message;

/// An item to send on a connection.
#[derive(Debug, Clone)]
pub(super) enum Item {
    Event(SentMessage),
    /// Tells the client to reconnect after this time, and ends the connection.
    Pause(Duration),
}

/// One message with its position in a stream.
#[derive(Debug, Clone)]
pub(super) struct SentMessage {
    pub(super) stream: u64,
    pub(super) number: u64,
    pub(super) message: Message,
    /// Whether this is the answer that ends its stream.
    pub(super) last: bool,
}

impl SentMessage {
    /// The event id with which a client resumes after this message.
    pub(super) fn event_id(&self) -> String {
        event_id(self.stream, self.number)
    }
}

pub(super) fn event_id(stream: u64, number: u64) -> String {
    format!("{stream}-{number}")
}

/// Parses an event id that this server wrote.
pub(super) fn parse_event_id(id: &str) -> Option<(u64, u64)> {
    let (stream, number) = id.split_once('-')?;
    Some((stream.parse().ok()?, number.parse().ok()?))
}
