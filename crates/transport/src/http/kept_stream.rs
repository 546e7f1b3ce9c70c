//! One stream of a session: its kept events, and the connection that receives them.
use std::collections::VecDeque;
use std::task::Waker;
use std::time::Duration;

use super::sent_message::SentMessage;
use crate::serve::Charge;

/// One stream of a session.
#[derive(Debug, Default)]
pub(super) struct Stream {
    pub(super) kept: VecDeque<KeptEvent>,
    /// Number of the last event. Events are numbered from 1.
    pub(super) last: u64,
    /// Number of the last event that a connection took.
    pub(super) taken: u64,
    pub(super) connection: Option<Connection>,
    /// Whether the answer was sent, so that no more events will come.
    pub(super) done: bool,
    /// Whether a connection ends as soon as it has taken all events.
    pub(super) closing: bool,
    pub(super) pause: Option<Duration>,
}

/// The connection that receives the events of a stream.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) key: u64,
    pub(super) waker: Option<Waker>,
}

/// An event that is kept for the connection that takes it, or for a client that reconnects.
#[derive(Debug)]
pub(super) struct KeptEvent {
    pub(super) sent: SentMessage,
    /// Position among all events of the session.
    pub(super) sequence: u64,
    _charge: Charge,
}

impl Stream {
    pub(super) fn wake(&mut self) {
        if let Some(waker) = self.connection.as_mut().and_then(|connection| connection.waker.take()) {
            waker.wake();
        }
    }

    pub(super) fn close(&mut self) {
        self.closing = true;
        self.wake();
    }
}

impl KeptEvent {
    pub(super) fn new(sent: SentMessage, sequence: u64, charge: Charge) -> Self {
        Self { sent, sequence, _charge: charge }
    }
}

pub(super) fn bytes_of(kept: &KeptEvent) -> usize {
    kept.sent.message.text().len()
}
