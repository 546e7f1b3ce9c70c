//! A message with its place in a stream of a session, and the id by which a client asks for what
//! comes after it.
use std::time::Duration;

use overt_wire::Message;

/// What a connection gets to send.
#[derive(Debug, Clone)]
pub(super) enum Item {
    Event(SentMessage),
    /// Tell the client to come back after this time, and end the connection.
    Pause(Duration),
}

/// One message with its place.
#[derive(Debug, Clone)]
pub(super) struct SentMessage {
    pub(super) stream: u64,
    pub(super) number: u64,
    pub(super) message: Message,
    /// Whether it is the answer with which its stream ends.
    pub(super) last: bool,
}

impl SentMessage {
    /// The id by which a client asks for what comes after this event.
    pub(super) fn event_id(&self) -> String {
        event_id(self.stream, self.number)
    }
}

pub(super) fn event_id(stream: u64, number: u64) -> String {
    format!("{stream}-{number}")
}

/// Reads an event id of ours.
pub(super) fn parse_event_id(id: &str) -> Option<(u64, u64)> {
    let (stream, number) = id.split_once('-')?;
    Some((stream.parse().ok()?, number.parse().ok()?))
}
