//! Response bodies: one piece of text, the event stream of a session, or the events of a request
//! that is still being answered.
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::Frame;
use overt_wire::frame::{Event, write_event};
use overt_wire::{BoxFuture, Message};
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::attached::Attached;
use super::sent_message::{Item, SentMessage, event_id};
use crate::serve::{ByteBudget, Charge, Queued};

/// A response body. Its long pieces count towards the bytes of all clients until they are written.
pub(super) struct Body {
    content: Content,
    budget: Option<Arc<ByteBudget>>,
}

enum Content {
    Full(Option<Bytes>),
    Session(SessionEvents),
    Request(RequestEvents),
}

/// A piece of text that is counted until it is dropped.
struct CountedPiece {
    bytes: Bytes,
    _charge: Charge,
}

/// The events that a legacy session sends on one connection.
pub(super) struct SessionEvents {
    events: Attached,
    /// An event that was taken from `events` before it was known that the response is a stream.
    first: Option<Item>,
    prime: Option<String>,
    keep_alive: Interval,
    ended: bool,
}

/// The notifications and the answer of one modern request. Dropping it cancels the request.
pub(super) struct RequestEvents {
    notes: mpsc::Receiver<Queued>,
    first: Option<Message>,
    work: Option<BoxFuture<'static, Option<Message>>>,
    answer: Option<Message>,
    keep_alive: Interval,
}

/// Shorter pieces, in bytes, are not counted, because the number of connections is limited.
pub(super) const LONG: usize = 64 << 10;

// === impl Body ===

impl Body {
    pub(super) fn empty() -> Self {
        Self::of(Content::Full(None))
    }

    pub(super) fn bytes(bytes: Bytes) -> Self {
        Self::of(Content::Full(Some(bytes)))
    }

    pub(super) fn message(message: Message) -> Self {
        Self::bytes(Bytes::from(message.into_text()))
    }

    pub(super) fn session(events: SessionEvents) -> Self {
        Self::of(Content::Session(events))
    }

    pub(super) fn request(events: RequestEvents) -> Self {
        Self::of(Content::Request(events))
    }

    fn of(content: Content) -> Self {
        Self { content, budget: None }
    }

    /// Counts the pieces of this body towards the bytes of all clients.
    pub(super) fn charge_to(&mut self, budget: &Arc<ByteBudget>) {
        self.budget = Some(Arc::clone(budget));
    }

    fn counted(&self, bytes: Bytes) -> Bytes {
        match &self.budget {
            Some(budget) if bytes.len() >= LONG => {
                let charge = budget.charge(bytes.len());
                Bytes::from_owner(CountedPiece { bytes, _charge: charge })
            }
            _ => bytes,
        }
    }
}

impl AsRef<[u8]> for CountedPiece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let body = self.get_mut();
        let bytes = match &mut body.content {
            Content::Full(bytes) => Poll::Ready(bytes.take()),
            Content::Session(events) => events.poll_text(context).map(|text| text.map(Bytes::from)),
            Content::Request(events) => events.poll_text(context).map(|text| text.map(Bytes::from)),
        };
        bytes.map(|bytes| bytes.map(|bytes| Ok(Frame::data(body.counted(bytes)))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.content, Content::Full(None))
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        match &self.content {
            Content::Full(bytes) => {
                hyper::body::SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64)
            }
            Content::Session(_) | Content::Request(_) => hyper::body::SizeHint::default(),
        }
    }
}

// === impl SessionEvents ===

impl SessionEvents {
    /// `prime` is the stream's number if the client understands an empty first event (2025-11-25).
    pub(super) fn new(
        events: Attached,
        first: Option<Item>,
        prime: Option<u64>,
        keep_alive: Duration,
    ) -> Self {
        let prime =
            prime.map(|stream| write_event(&Event { id: Some(event_id(stream, 0)), ..Event::default() }));
        Self { events, first, prime, keep_alive: beat(keep_alive), ended: false }
    }

    fn poll_text(&mut self, context: &mut Context<'_>) -> Poll<Option<String>> {
        if self.ended {
            return Poll::Ready(None);
        }
        if let Some(prime) = self.prime.take() {
            return Poll::Ready(Some(prime));
        }
        let item = match self.first.take() {
            Some(item) => Poll::Ready(Some(item)),
            None => self.events.poll_next(context),
        };
        match item {
            Poll::Ready(Some(Item::Event(sent))) => {
                self.ended = sent.last;
                Poll::Ready(Some(session_event(&sent)))
            }
            Poll::Ready(Some(Item::Pause(retry))) => {
                self.ended = true;
                let retry = Some(u64::try_from(retry.as_millis()).unwrap_or(u64::MAX));
                Poll::Ready(Some(write_event(&Event { retry, ..Event::default() })))
            }
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => poll_beat(&mut self.keep_alive, context),
        }
    }
}

fn session_event(sent: &SentMessage) -> String {
    let data = sent.message.text().to_owned();
    write_event(&Event { name: "message".into(), data, id: Some(sent.event_id()), retry: None })
}

// === impl RequestEvents ===

impl RequestEvents {
    pub(super) fn new(
        first: Message,
        notes: mpsc::Receiver<Queued>,
        work: BoxFuture<'static, Option<Message>>,
        keep_alive: Duration,
    ) -> Self {
        Self { notes, first: Some(first), work: Some(work), answer: None, keep_alive: beat(keep_alive) }
    }

    fn poll_text(&mut self, context: &mut Context<'_>) -> Poll<Option<String>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(request_event(&first)));
        }
        if let Some(work) = &mut self.work
            && let Poll::Ready(answer) = work.as_mut().poll(context)
        {
            self.work = None;
            self.answer = answer;
        }
        // Polled after the work, so that notifications of the work come before its answer.
        if let Poll::Ready(Some(note)) = self.notes.poll_recv(context) {
            return Poll::Ready(Some(request_event(&note.message)));
        }
        if let Some(answer) = self.answer.take() {
            return Poll::Ready(Some(request_event(&answer)));
        }
        if self.work.is_none() {
            return Poll::Ready(None);
        }
        poll_beat(&mut self.keep_alive, context)
    }
}

fn request_event(message: &Message) -> String {
    write_event(&Event { name: "message".into(), data: message.text().to_owned(), ..Event::default() })
}

fn beat(every: Duration) -> Interval {
    let mut interval = interval_at(Instant::now() + every, every);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}

/// Sends a comment from time to time, so that proxies do not close a silent stream.
fn poll_beat(interval: &mut Interval, context: &mut Context<'_>) -> Poll<Option<String>> {
    interval.poll_tick(context).map(|_| Some(":\n\n".to_owned()))
}
