//! The messages from the server to the client: notifications and questions, of one request or of a
//! whole session.
use std::sync::Arc;
use std::time::{Duration, Instant};

use overt_wire::era::Version;
use overt_wire::json::Json;
use overt_wire::{BoxFuture, ClientSink, Closed, Message, Method, Watch};

use super::call::{Call, Details, Direction};
use super::observer::Text;
use super::observers::Observers;

/// A sink that shows the observers everything that passes through it.
pub(super) struct ObservedSink {
    inner: Arc<dyn ClientSink>,
    observers: Arc<Observers>,
    session: u64,
    version: Version,
}

/// The observed sink of a session. Dropping it reports the end of the session.
struct ObservedSession(ObservedSink);

/// Starts to watch a session that is seen for the first time.
pub(super) fn watch(observers: &Arc<Observers>, inner: &Arc<dyn ClientSink>, version: Version) -> Watch {
    let number = observers.session_began();
    let watched = ObservedSink::new(observers, Arc::clone(inner), number, version);
    Watch { number, sink: Arc::new(ObservedSession(watched)) }
}

// === impl ObservedSink ===

impl ObservedSink {
    pub(super) fn new(
        observers: &Arc<Observers>,
        inner: Arc<dyn ClientSink>,
        session: u64,
        version: Version,
    ) -> Self {
        Self { inner, observers: Arc::clone(observers), session, version }
    }

    fn call(&self, method: Method<'_>, bytes: usize, details: impl FnOnce() -> Details) -> Call {
        Call {
            direction: Direction::ToClient,
            session: self.session,
            version: self.version,
            method: method.as_static(),
            started: Instant::now(),
            bytes,
            details: self.observers.needs.details.then(|| Box::new(details())),
            span: None,
        }
    }
}

impl ClientSink for ObservedSink {
    fn notify(&self, message: Message) -> BoxFuture<'_, Result<(), Closed>> {
        if let Some(method) = message.method() {
            let call = self.call(method, message.text().len(), || Details::of_message(&message));
            self.observers.notified(&call, &message);
        }
        self.inner.notify(message)
    }

    fn request(&self, method: &str, params: Option<Json<'_>>) -> BoxFuture<'_, Result<Message, Closed>> {
        let text = Text::Question { method, params };
        let call = self.call(Method::of(method), text.len(), || Details::of_question(method));
        let pending = self.observers.begin(call, text);
        let answer = self.inner.request(method, params);
        Box::pin(async move {
            let answer = answer.await;
            pending.end(answer.as_ref().ok());
            answer
        })
    }

    fn pause(&self, retry: Duration) {
        self.inner.pause(retry);
    }
}

// === impl ObservedSession ===

impl ClientSink for ObservedSession {
    fn notify(&self, message: Message) -> BoxFuture<'_, Result<(), Closed>> {
        self.0.notify(message)
    }

    fn request(&self, method: &str, params: Option<Json<'_>>) -> BoxFuture<'_, Result<Message, Closed>> {
        self.0.request(method, params)
    }

    fn pause(&self, retry: Duration) {
        self.0.pause(retry);
    }
}

impl Drop for ObservedSession {
    fn drop(&mut self) {
        self.0.observers.session_ended(self.0.session);
    }
}
