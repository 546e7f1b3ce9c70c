//! Messages that a client sends before its `initialize` is answered. They wait, so that a client
//! may write the whole handshake at once (G-55).
use std::collections::VecDeque;

use overt_wire::era::{Caller, Era};
use overt_wire::{Id, Kind, Message, Method};

/// Messages that wait for the handshake, in order of arrival.
#[derive(Debug)]
pub(crate) struct DeferredMessages {
    waiting: VecDeque<Message>,
    bytes: usize,
    most: usize,
    most_bytes: usize,
}

impl DeferredMessages {
    pub(crate) fn new(most: usize, most_bytes: usize) -> Self {
        Self { waiting: VecDeque::new(), bytes: 0, most, most_bytes }
    }

    /// Whether a message belongs to the session that is being opened. A ping, an answer, a
    /// cancellation and a modern request do not.
    pub(crate) fn must_wait(message: &Message) -> bool {
        match message.kind() {
            Kind::Result | Kind::Error => false,
            Kind::Notification => message.method() != Some(Method::Cancelled),
            Kind::Request => message.method() != Some(Method::Ping) && Caller::era_of(message) == Era::Legacy,
        }
    }

    /// Whether one more message may wait. If not, nothing more is read.
    pub(crate) fn has_room(&self) -> bool {
        self.waiting.len() < self.most && self.bytes < self.most_bytes
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(crate) fn add(&mut self, message: Message) {
        self.bytes += message.text().len();
        self.waiting.push_back(message);
    }

    pub(crate) fn next(&mut self) -> Option<Message> {
        let message = self.waiting.pop_front()?;
        self.bytes -= message.text().len();
        Some(message)
    }

    /// Removes a waiting request. Returns false if no request with this id waits.
    pub(crate) fn cancel(&mut self, id: &Id) -> bool {
        let before = self.waiting.len();
        self.waiting.retain(|message| message.kind() != Kind::Request || message.id() != Some(id));
        self.bytes = self.waiting.iter().map(|message| message.text().len()).sum();
        self.waiting.len() < before
    }
}
