//! All observers of a handler, and their combined needs.
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use overt_wire::Message;

use super::{Call, End, Observer, ObserverNeeds, Outcome, Text};

/// The observers of one handler.
pub(super) struct Observers {
    observers: Box<[Arc<dyn Observer>]>,
    pub(super) needs: ObserverNeeds,
    sessions: AtomicU64,
}

/// A request that has begun. The observers are told of its end exactly once, however it ends.
pub(super) struct Pending<'a> {
    observers: &'a Observers,
    call: Call,
    ended: bool,
}

// === impl Observers ===

impl Observers {
    pub(super) fn new(observers: Vec<Arc<dyn Observer>>) -> Self {
        let needs =
            observers.iter().map(|observer| observer.needs()).fold(ObserverNeeds::default(), |all, one| {
                ObserverNeeds { details: all.details || one.details, spans: all.spans || one.spans }
            });
        Self { observers: observers.into(), needs, sessions: AtomicU64::new(0) }
    }

    pub(super) fn begin<'a>(&'a self, call: Call, text: Text<'_>) -> Pending<'a> {
        self.each(|observer| observer.began(&call, text));
        Pending { observers: self, call, ended: false }
    }

    pub(super) fn notified(&self, call: &Call, message: &Message) {
        self.each(|observer| observer.notified(call, message));
    }

    /// Announces a new session and returns its number.
    pub(super) fn session_began(&self) -> u64 {
        let number = self.sessions.fetch_add(1, Ordering::Relaxed) + 1;
        self.each(|observer| observer.session_began(number));
        number
    }

    pub(super) fn session_ended(&self, number: u64) {
        self.each(|observer| observer.session_ended(number));
    }

    fn each(&self, tell: impl Fn(&dyn Observer)) {
        self.observers.iter().for_each(|observer| tell(observer.as_ref()));
    }
}

// === impl Pending ===

impl Pending<'_> {
    pub(super) fn end(mut self, answer: Option<&Message>) {
        let outcome = answer.map_or(Outcome::Cancelled, |answer| Outcome::of(self.call.method, answer));
        self.tell(outcome, answer);
    }

    fn tell(&mut self, outcome: Outcome, answer: Option<&Message>) {
        self.ended = true;
        let end = End { outcome, took: self.call.started.elapsed(), answer };
        self.observers.each(|observer| observer.ended(&self.call, &end));
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        if !self.ended {
            self.tell(Outcome::dropped(), None);
        }
    }
}
