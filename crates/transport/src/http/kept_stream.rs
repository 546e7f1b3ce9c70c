//! One stream of a session: the events that are kept of it, and the connection that takes them.
use std::collections::VecDeque;
use std::task::Waker;
use std::time::Duration;

use super::sent_message::SentMessage;
use crate::serve::Charge;

/// One stream of a session.
#[derive(Debug, Default)]
pub(super) struct Stream {
    pub(super) kept: VecDeque<KeptEvent>,
    /// Number of the last event; events count from 1.
    pub(super) last: u64,
    /// Number of the last event that a connection took.
    pub(super) taken: u64,
    pub(super) connection: Option<Connection>,
    /// The answer has been given: nothing more will come.
    pub(super) done: bool,
    /// No connection stays open for what may come.
    pub(super) closing: bool,
    pub(super) pause: Option<Duration>,
}

/// The connection that gets the events of a stream.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) key: u64,
    pub(super) waker: Option<Waker>,
}

/// An event that is kept for the connection that takes it, or for a client that comes back.
#[derive(Debug)]
pub(super) struct KeptEvent {
    pub(super) sent: SentMessage,
    /// Place among all events of the session.
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
