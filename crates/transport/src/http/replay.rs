//! The events of one session. Each is kept until a connection has taken it. If there is room, it is
//! kept longer for a client that reconnects.
use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use overt_wire::error::{ErrorObject, code};
use overt_wire::json::Object;
use overt_wire::{Kind, Message};

use super::kept_stream::{Connection, KeptEvent, Stream, bytes_of};
use super::sent_message::{Item, SentMessage};
use crate::limits::Limits;
use crate::serve::ByteBudget;

#[cfg(test)]
mod tests;

/// The stream that belongs to no request. A client opens it with GET.
pub(super) const STANDALONE: u64 = 0;

/// All streams of a session, with one limit for all their kept events.
///
/// When there is no room, events that a connection has taken are dropped first, then notifications
/// that no connection has taken. An answer that no connection has taken is never dropped (G-49).
#[derive(Debug)]
pub(super) struct Streams {
    most_events: usize,
    most_bytes: usize,
    /// Counts the bytes that all sessions keep together.
    total: Arc<ByteBudget>,
    kept_events: usize,
    kept_bytes: usize,
    next_stream: u64,
    next_sequence: u64,
    next_connection: u64,
    streams: BTreeMap<u64, Stream>,
}

/// The position of a connection in a stream.
#[derive(Debug)]
pub(super) struct Cursor {
    pub(super) stream: u64,
    key: u64,
    after: u64,
}

/// Classes of events, in the order in which they are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    TakenNotification,
    TakenAnswer,
    Notification,
}

// === impl Streams ===

impl Streams {
    pub(super) fn new(limits: &Limits, total: Arc<ByteBudget>) -> Self {
        Self {
            most_events: limits.max_replay_events,
            most_bytes: limits.max_replay_bytes,
            total,
            kept_events: 0,
            kept_bytes: 0,
            next_stream: STANDALONE + 1,
            next_sequence: 0,
            next_connection: 0,
            streams: BTreeMap::new(),
        }
    }

    /// Returns the number of a new request's stream. The stream uses no memory until a message is
    /// sent.
    pub(super) fn number(&mut self) -> u64 {
        self.next_stream += 1;
        self.next_stream - 1
    }

    pub(super) fn has(&self, stream: u64) -> bool {
        self.streams.contains_key(&stream)
    }

    /// Whether answers that no connection has taken use up the session's limits.
    pub(super) fn is_full(&self) -> bool {
        let waiting = self.waiting_answers();
        let bytes: usize = waiting.clone().map(bytes_of).sum();
        bytes >= self.most_bytes || waiting.count() >= self.most_events
    }

    /// Sends a message on a stream: to its connection, or to a later one.
    pub(super) fn push(&mut self, stream: u64, message: Message) {
        self.keep(stream, message, false);
    }

    /// Sends the answer that ends a stream. If no connection waits for it and it is too large to
    /// keep, an error that says so replaces it.
    pub(super) fn push_answer(&mut self, stream: u64, reply: Message) {
        let has_connection = self.streams.get(&stream).is_some_and(|entry| entry.connection.is_some());
        let reply = if has_connection || self.can_keep(&reply) { reply } else { not_kept(&reply) };
        self.keep(stream, reply, true);
    }

    fn keep(&mut self, stream: u64, message: Message, last: bool) {
        let bytes = message.text().len();
        let entry = self.streams.entry(stream).or_default();
        entry.last += 1;
        entry.done |= last;
        let sent = SentMessage { stream, number: entry.last, message, last };
        entry.kept.push_back(KeptEvent::new(sent, self.next_sequence, self.total.charge(bytes)));
        entry.wake();
        self.next_sequence += 1;
        self.kept_events += 1;
        self.kept_bytes += bytes;
        while self.is_over() && self.drop_one(Class::Notification) {}
    }

    /// Ends the connection of a stream and asks its client to reconnect after `retry`.
    pub(super) fn pause(&mut self, stream: u64, retry: Duration) {
        let entry = self.streams.entry(stream).or_default();
        entry.pause = Some(retry);
        entry.wake();
    }

    /// Connects to a stream, starting with the first kept event that no connection has taken. This
    /// must happen before the answer can arrive, because a finished stream may be forgotten once
    /// its answer was taken.
    pub(super) fn attach(&mut self, stream: u64) -> Cursor {
        let after = self.streams.entry(stream).or_default().taken;
        self.connect(stream, after)
    }

    /// Connects to a stream, starting with the first kept event after `after`. `None` if the stream
    /// no longer exists.
    pub(super) fn resume(&mut self, stream: u64, after: u64) -> Option<Cursor> {
        let entry = match stream {
            STANDALONE => self.streams.entry(stream).or_default(),
            _ => self.streams.get_mut(&stream)?,
        };
        if after > entry.last {
            return None;
        }
        // Events after `after` that were taken did not arrive.
        entry.taken = after;
        Some(self.connect(stream, after))
    }

    fn connect(&mut self, stream: u64, after: u64) -> Cursor {
        let key = self.next_connection;
        self.next_connection += 1;
        let entry = self.streams.entry(stream).or_default();
        // The previous connection of the stream ends.
        entry.wake();
        entry.connection = Some(Connection { key, waker: None });
        Cursor { stream, key, after }
    }

    /// The next item to send on a connection. `None` when the connection should end.
    pub(super) fn poll_next(&mut self, cursor: &mut Cursor, context: &Context<'_>) -> Poll<Option<Item>> {
        let Some(entry) = self.streams.get_mut(&cursor.stream) else { return Poll::Ready(None) };
        let Some(connection) = entry.connection.as_mut().filter(|own| own.key == cursor.key) else {
            return Poll::Ready(None);
        };
        if let Some(next) = entry.kept.iter().find(|kept| kept.sent.number > cursor.after) {
            cursor.after = next.sent.number;
            entry.taken = entry.taken.max(cursor.after);
            return Poll::Ready(Some(Item::Event(next.sent.clone())));
        }
        if let Some(retry) = entry.pause.take() {
            entry.connection = None;
            return Poll::Ready(Some(Item::Pause(retry)));
        }
        if entry.done || entry.closing {
            entry.connection = None;
            return Poll::Ready(None);
        }
        connection.waker = Some(context.waker().clone());
        Poll::Pending
    }

    /// Removes a closed connection. Events that it did not take wait for the next connection.
    pub(super) fn detach(&mut self, cursor: &Cursor) {
        if let Some(entry) = self.streams.get_mut(&cursor.stream)
            && entry.connection.as_ref().is_some_and(|own| own.key == cursor.key)
        {
            entry.connection = None;
        }
    }

    /// Drops a stream whose answer was sent in one piece.
    pub(super) fn forget(&mut self, stream: u64) {
        if let Some(mut entry) = self.streams.remove(&stream) {
            entry.wake();
            self.kept_events -= entry.kept.len();
            self.kept_bytes -= entry.kept.iter().map(bytes_of).sum::<usize>();
        }
    }

    /// Ends a stream that will have no answer. A stream that has its answer is kept.
    pub(super) fn give_up(&mut self, stream: u64) {
        if self.streams.get(&stream).is_some_and(|entry| !entry.done) {
            self.forget(stream);
        }
    }

    pub(super) fn has_connection(&self) -> bool {
        self.streams.values().any(|stream| stream.connection.is_some())
    }

    /// Ends the connection of the standalone stream, which would otherwise stay open forever.
    pub(super) fn disconnect_standalone(&mut self) {
        if let Some(stream) = self.streams.get_mut(&STANDALONE) {
            stream.close();
        }
    }

    /// Ends every connection.
    pub(super) fn disconnect(&mut self) {
        self.streams.values_mut().for_each(Stream::close);
    }

    /// Drops all events that a connection has taken.
    pub(super) fn drop_taken(&mut self) {
        while self.drop_one(Class::TakenAnswer) {}
    }

    fn can_keep(&self, reply: &Message) -> bool {
        let bytes = reply.text().len();
        let waiting: usize = self.waiting_answers().map(bytes_of).sum();
        waiting.saturating_add(bytes) <= self.most_bytes && self.total.has_room_for(bytes)
    }

    fn waiting_answers(&self) -> impl Iterator<Item = &KeptEvent> + Clone {
        let answers = |entry: &'_ Stream| entry.done && entry.taken < entry.last;
        self.streams.values().filter(move |entry| answers(entry)).filter_map(|entry| entry.kept.back())
    }

    fn is_over(&self) -> bool {
        self.kept_events > self.most_events
            || self.kept_bytes > self.most_bytes
            || !self.total.has_room_for(0)
    }

    /// Drops the oldest event of the first class that has an event, up to the class `last`. Returns
    /// false if there is no such event.
    fn drop_one(&mut self, last: Class) -> bool {
        let candidates = self.streams.values().flat_map(|entry| {
            let class = |kept: &KeptEvent| match (kept.sent.number <= entry.taken, kept.sent.last) {
                (true, false) => Some(Class::TakenNotification),
                (true, true) => Some(Class::TakenAnswer),
                (false, false) => Some(Class::Notification),
                (false, true) => None,
            };
            entry.kept.iter().filter_map(move |kept| Some((class(kept)?, kept.sequence, kept.sent.stream)))
        });
        let Some((_, sequence, stream)) = candidates.filter(|(class, ..)| *class <= last).min() else {
            return false;
        };
        let Some(entry) = self.streams.get_mut(&stream) else { return false };
        if let Some(at) = entry.kept.iter().position(|kept| kept.sequence == sequence)
            && let Some(dropped) = entry.kept.remove(at)
        {
            self.kept_events -= 1;
            self.kept_bytes -= bytes_of(&dropped);
        }
        if entry.done && entry.kept.is_empty() {
            self.forget(stream);
        }
        true
    }
}

/// The error that replaces an answer that can't be kept.
fn not_kept(reply: &Message) -> Message {
    let bytes = reply.text().len();
    let executed = if reply.kind() == Kind::Result { "yes" } else { "unknown" };
    let data = Object::new()
        .string("code", "ANSWER_NOT_KEPT")
        .string("executed", executed)
        .value("bytes", &bytes)
        .finish();
    let message = format!(
        "the request was answered with {bytes} bytes while no connection waited for them, and there was no room to keep \
         them. Read the answers of earlier requests, or ask for less"
    );
    Message::error(reply.id(), &ErrorObject::new(code::OVERLOADED, message).with_data(data))
}
