//! The event streams of one session: what is sent live, and what is kept for a client that comes back.
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use overt_wire::Message;
use tokio::sync::mpsc;

/// The stream that belongs to no request; a client opens it with GET.
pub(super) const STANDALONE: u64 = 0;

/// All streams of a session, with one bound for everything they keep together.
#[derive(Debug)]
pub(super) struct Streams {
    most_events: usize,
    most_bytes: usize,
    queue: usize,
    kept_events: usize,
    kept_bytes: usize,
    next: u64,
    streams: BTreeMap<u64, Stream>,
}

#[derive(Debug, Default)]
struct Stream {
    kept: VecDeque<Sent>,
    /// Number of the last event; events count from 1.
    last: u64,
    /// Number of the last event that a connection took.
    taken: u64,
    live: Option<mpsc::Sender<Item>>,
    /// The answer has been given: nothing more will come.
    done: bool,
    pause: Option<Duration>,
}

/// What a connection gets to send.
#[derive(Debug, Clone)]
pub(super) enum Item {
    Event(Sent),
    /// Tell the client to come back after this time, and end the connection.
    Pause(Duration),
}

/// One message with its place.
#[derive(Debug, Clone)]
pub(super) struct Sent {
    pub(super) stream: u64,
    pub(super) number: u64,
    pub(super) message: Message,
    /// Whether it is the answer with which its stream ends.
    pub(super) last: bool,
}

// === impl Streams ===

impl Streams {
    pub(super) fn new(most_events: usize, most_bytes: usize, queue: usize) -> Self {
        let streams = BTreeMap::new();
        Self { most_events, most_bytes, queue, kept_events: 0, kept_bytes: 0, next: STANDALONE + 1, streams }
    }

    /// A number for the stream of a new request. It costs nothing until something is sent.
    pub(super) fn number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    pub(super) fn has(&self, stream: u64) -> bool {
        self.streams.contains_key(&stream)
    }

    /// Sends a message on a stream: to the connection that is there, and to the one that may come.
    pub(super) fn push(&mut self, stream: u64, message: Message, last: bool) {
        let entry = self.streams.entry(stream).or_default();
        entry.last += 1;
        let sent = Sent { stream, number: entry.last, message, last };
        self.kept_events += 1;
        self.kept_bytes += sent.message.text().len();
        entry.kept.push_back(sent.clone());
        entry.send(Item::Event(sent));
        if last {
            entry.done = true;
            entry.live = None;
        }
        self.forget_oldest();
    }

    /// Lets the client of a stream go; it comes back after `retry`.
    pub(super) fn pause(&mut self, stream: u64, retry: Duration) {
        let entry = self.streams.entry(stream).or_default();
        if entry.live.is_some() {
            entry.send(Item::Pause(retry));
            entry.live = None;
        } else {
            entry.pause = Some(retry);
        }
    }

    /// Connects to a stream from the first event that nobody took, as far as it is still kept. Do it before the
    /// answer may come: a stream that has given its answer can be forgotten at any time.
    pub(super) fn attach(&mut self, stream: u64) -> mpsc::Receiver<Item> {
        let entry = self.streams.entry(stream).or_default();
        let after = entry.taken;
        self.connect(stream, after)
    }

    /// Connects to a stream from the event after `after`. `None` when the stream or the events in between are
    /// gone.
    pub(super) fn resume(&mut self, stream: u64, after: u64) -> Option<mpsc::Receiver<Item>> {
        let entry = match stream {
            STANDALONE => self.streams.entry(stream).or_default(),
            _ => self.streams.get_mut(&stream)?,
        };
        let first_kept = entry.kept.front().map_or(entry.last + 1, |sent| sent.number);
        if after > entry.last || after + 1 < first_kept {
            return None;
        }
        Some(self.connect(stream, after))
    }

    fn connect(&mut self, stream: u64, after: u64) -> mpsc::Receiver<Item> {
        let entry = self.streams.entry(stream).or_default();
        let missed: Vec<Sent> = entry.kept.iter().filter(|sent| sent.number > after).cloned().collect();
        let (live, items) = mpsc::channel(self.queue + missed.len() + 1);
        entry.live = Some(live);
        for sent in missed {
            entry.send(Item::Event(sent));
        }
        if let Some(retry) = entry.pause.take() {
            entry.send(Item::Pause(retry));
            entry.live = None;
        }
        if entry.done {
            entry.live = None;
        }
        items
    }

    /// Drops a stream whose answer went out in one piece.
    pub(super) fn forget(&mut self, stream: u64) {
        if let Some(entry) = self.streams.remove(&stream) {
            self.kept_events -= entry.kept.len();
            self.kept_bytes -= entry.kept.iter().map(|sent| sent.message.text().len()).sum::<usize>();
        }
    }

    /// Ends a stream that will have no answer; one that has it is kept.
    pub(super) fn give_up(&mut self, stream: u64) {
        if self.streams.get(&stream).is_some_and(|entry| !entry.done) {
            self.forget(stream);
        }
    }

    pub(super) fn has_live(&self) -> bool {
        self.streams.values().any(|stream| stream.live.as_ref().is_some_and(|live| !live.is_closed()))
    }

    /// Ends the connection that waits for what belongs to no request: it would stay open for ever.
    pub(super) fn disconnect_standing(&mut self) {
        if let Some(stream) = self.streams.get_mut(&STANDALONE) {
            stream.live = None;
        }
    }

    /// Ends every connection.
    pub(super) fn disconnect(&mut self) {
        for stream in self.streams.values_mut() {
            stream.live = None;
        }
    }

    fn forget_oldest(&mut self) {
        while self.kept_events > self.most_events || self.kept_bytes > self.most_bytes {
            let Some((number, stream)) = self.streams.iter_mut().find(|(_, stream)| !stream.kept.is_empty())
            else {
                return;
            };
            let number = *number;
            if let Some(sent) = stream.kept.pop_front() {
                self.kept_events -= 1;
                self.kept_bytes -= sent.message.text().len();
            }
            if stream.done && stream.kept.is_empty() {
                self.streams.remove(&number);
            }
        }
    }
}

impl Stream {
    /// Gives an item to the connection. One that is gone or can't keep up is let go; what it missed is kept.
    fn send(&mut self, item: Item) {
        let number = match &item {
            Item::Event(sent) => Some(sent.number),
            Item::Pause(_) => None,
        };
        let Some(live) = &self.live else { return };
        match live.try_send(item) {
            Ok(()) => self.taken = number.unwrap_or(self.taken),
            Err(_) => self.live = None,
        }
    }
}

// === impl Sent ===

impl Sent {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn note(n: u64) -> Message {
        Message::notification(&format!("notifications/{n}"), None)
    }

    fn numbers(items: &mut mpsc::Receiver<Item>) -> Vec<u64> {
        std::iter::from_fn(|| items.try_recv().ok())
            .filter_map(|item| match item {
                Item::Event(sent) => Some(sent.number),
                Item::Pause(_) => None,
            })
            .collect()
    }

    #[test]
    fn http_14_a_client_that_comes_back_gets_what_it_missed() {
        let mut streams = Streams::new(10, 10_000, 4);
        let stream = streams.number();
        let mut first = streams.attach(stream);
        streams.push(stream, note(1), false);
        streams.push(stream, note(2), false);
        assert_eq!(numbers(&mut first), [1, 2]);
        drop(first);
        streams.push(stream, note(3), true);
        assert_eq!(numbers(&mut streams.resume(stream, 1).unwrap()), [2, 3]);
        assert!(streams.resume(stream, 9).is_none());
        assert!(streams.resume(77, 0).is_none());
    }

    #[test]
    fn http_14_the_ring_is_bounded_and_says_what_is_gone() {
        let mut streams = Streams::new(3, 10_000, 4);
        for n in 1..=10 {
            streams.push(STANDALONE, note(n), false);
        }
        assert_eq!(streams.kept_events, 3);
        assert!(streams.resume(STANDALONE, 2).is_none());
        assert_eq!(numbers(&mut streams.resume(STANDALONE, 7).unwrap()), [8, 9, 10]);
        let mut bytes = Streams::new(1000, 200, 4);
        for n in 1..=100 {
            bytes.push(STANDALONE, note(n), false);
        }
        assert!(bytes.kept_bytes <= 200);
    }

    #[test]
    fn rpc_16_a_connection_that_does_not_read_is_let_go() {
        let mut streams = Streams::new(1000, 1 << 20, 4);
        let mut slow = streams.attach(STANDALONE);
        for n in 1..=50 {
            streams.push(STANDALONE, note(n), false);
        }
        assert!(!streams.has_live());
        let got = numbers(&mut slow);
        let rest = numbers(&mut streams.attach(STANDALONE));
        assert_eq!(got.into_iter().chain(rest).collect::<Vec<_>>(), (1..=50).collect::<Vec<_>>());
    }
}
