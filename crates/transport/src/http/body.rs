//! Response bodies: one piece of text, the event stream of a session, or a request that is still being answered.
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::Frame;
use overt_wire::frame::{Event, write_event};
use overt_wire::{BoxFuture, Message};
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::replay::{Item, Sent, event_id};

pub(super) enum Body {
    Full(Option<Bytes>),
    Session(SessionEvents),
    Request(RequestEvents),
}

/// What a legacy session sends on one connection.
pub(super) struct SessionEvents {
    items: mpsc::Receiver<Item>,
    /// Taken from `items` before it was clear that there would be a stream.
    first: Option<Item>,
    prime: Option<String>,
    keep_alive: Interval,
    ended: bool,
}

/// The notifications and the answer of one modern request. Dropping it drops the work.
pub(super) struct RequestEvents {
    notes: mpsc::Receiver<Message>,
    first: Option<Message>,
    work: Option<BoxFuture<'static, Option<Message>>>,
    answer: Option<Message>,
    keep_alive: Interval,
}

// === impl Body ===

impl Body {
    pub(super) fn empty() -> Self {
        Self::Full(None)
    }

    pub(super) fn bytes(bytes: Bytes) -> Self {
        Self::Full(Some(bytes))
    }

    pub(super) fn message(message: Message) -> Self {
        Self::bytes(Bytes::from(message.into_text()))
    }
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let text = match self.get_mut() {
            Self::Full(text) => return Poll::Ready(text.take().map(|text| Ok(Frame::data(text)))),
            Self::Session(events) => events.poll_text(context),
            Self::Request(events) => events.poll_text(context),
        };
        text.map(|text| text.map(|text| Ok(Frame::data(Bytes::from(text)))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Full(None))
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        match self {
            Self::Full(text) => hyper::body::SizeHint::with_exact(text.as_ref().map_or(0, Bytes::len) as u64),
            Self::Session(_) | Self::Request(_) => hyper::body::SizeHint::default(),
        }
    }
}

// === impl SessionEvents ===

impl SessionEvents {
    /// `prime` names the stream if the client understands an empty first event (2025-11-25).
    pub(super) fn new(
        items: mpsc::Receiver<Item>,
        first: Option<Item>,
        prime: Option<u64>,
        keep_alive: Duration,
    ) -> Self {
        let prime =
            prime.map(|stream| write_event(&Event { id: Some(event_id(stream, 0)), ..Event::default() }));
        Self { items, first, prime, keep_alive: beat(keep_alive), ended: false }
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
            None => self.items.poll_recv(context),
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

fn session_event(sent: &Sent) -> String {
    let data = sent.message.text().to_owned();
    write_event(&Event { name: "message".into(), data, id: Some(sent.event_id()), retry: None })
}

// === impl RequestEvents ===

impl RequestEvents {
    pub(super) fn new(
        first: Message,
        notes: mpsc::Receiver<Message>,
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
        // Looked at after the work, so that what it said on the way comes before its answer.
        if let Poll::Ready(Some(note)) = self.notes.poll_recv(context) {
            return Poll::Ready(Some(request_event(&note)));
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

/// A comment now and then keeps proxies from closing a silent stream.
fn poll_beat(interval: &mut Interval, context: &mut Context<'_>) -> Poll<Option<String>> {
    interval.poll_tick(context).map(|_| Some(":\n\n".to_owned()))
}
