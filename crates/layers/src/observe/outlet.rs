//! What goes from the server to the client: notifications and questions, of a request or of a whole session.
use std::sync::Arc;
use std::time::{Duration, Instant};

use overt_wire::era::Version;
use overt_wire::json::Json;
use overt_wire::{BoxFuture, Closed, Message, Method, Outlet, Watch};

use super::call::{Call, Details, Direction};
use super::crowd::Crowd;
use super::observer::Text;

/// Stands before an outlet and shows what passes.
pub(super) struct Watched {
    inner: Arc<dyn Outlet>,
    crowd: Arc<Crowd>,
    session: u64,
    version: Version,
}

/// Stands before the outlet of a session. The session ends when it is dropped.
struct WatchedSession(Watched);

/// The watch of a session that is seen for the first time.
pub(super) fn watch(crowd: &Arc<Crowd>, inner: &Arc<dyn Outlet>, version: Version) -> Watch {
    let number = crowd.session_began();
    let watched = Watched::new(crowd, Arc::clone(inner), number, version);
    Watch { number, outlet: Arc::new(WatchedSession(watched)) }
}

// === impl Watched ===

impl Watched {
    pub(super) fn new(crowd: &Arc<Crowd>, inner: Arc<dyn Outlet>, session: u64, version: Version) -> Self {
        Self { inner, crowd: Arc::clone(crowd), session, version }
    }

    fn call(&self, method: Method<'_>, bytes: usize, details: impl FnOnce() -> Details) -> Call {
        Call {
            direction: Direction::ToClient,
            session: self.session,
            version: self.version,
            method: method.known(),
            started: Instant::now(),
            bytes,
            details: self.crowd.needs.details.then(|| Box::new(details())),
            span: None,
        }
    }
}

impl Outlet for Watched {
    fn notify(&self, message: Message) -> BoxFuture<'_, Result<(), Closed>> {
        if let Some(method) = message.method() {
            let call = self.call(method, message.text().len(), || Details::of_message(&message));
            self.crowd.notified(&call, &message);
        }
        self.inner.notify(message)
    }

    fn request(&self, method: &str, params: Option<Json<'_>>) -> BoxFuture<'_, Result<Message, Closed>> {
        let text = Text::Question { method, params };
        let call = self.call(Method::of(method), text.len(), || Details::of_question(method));
        let pending = self.crowd.begin(call, text);
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

// === impl WatchedSession ===

impl Outlet for WatchedSession {
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

impl Drop for WatchedSession {
    fn drop(&mut self) {
        self.0.crowd.session_ended(self.0.session);
    }
}
