//! The sessions of legacy clients: who has one, and what it holds.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use overt_wire::json::{Json, JsonBuf};
use overt_wire::{BoxFuture, Closed, Handler, Message, Outlet, Session};

use tokio::sync::Notify;

use super::replay::{STANDALONE, Streams};
use crate::limits::Limits;
use crate::serve::{InFlight, Questions, random_name};

/// One session of a legacy client over HTTP.
pub(super) struct HttpSession {
    pub(super) session: Arc<Session>,
    pub(super) in_flight: InFlight,
    pub(super) mailbox: Arc<Mailbox>,
    used: Mutex<Instant>,
}

/// What goes from the server to the client of a session.
pub(super) struct Mailbox {
    streams: Mutex<Streams>,
    /// Something was put on a stream; whoever waits looks whether it is his.
    pub(super) spoken: Notify,
    pub(super) questions: Arc<Questions>,
}

/// All sessions by id. Ids are random: a client can't choose one (HTTP-09).
pub(super) struct Sessions {
    limits: Limits,
    open: Mutex<HashMap<String, Arc<HttpSession>>>,
}

/// Sends on one stream of a session.
struct StreamOutlet {
    mailbox: Arc<Mailbox>,
    stream: u64,
}

// === impl HttpSession ===

impl HttpSession {
    pub(super) fn new(limits: &Limits) -> Arc<Self> {
        let streams =
            Streams::new(limits.max_replay_events, limits.max_replay_bytes, limits.max_queued_messages);
        let questions = Questions::new(limits.max_pending_questions, limits.question_deadlines());
        let mailbox = Arc::new(Mailbox { streams: Mutex::new(streams), spoken: Notify::new(), questions });
        let session = Session::new(random_name(), mailbox.outlet(STANDALONE));
        let in_flight = InFlight::new(limits.max_in_flight);
        Arc::new(Self { session, in_flight, mailbox, used: Mutex::new(Instant::now()) })
    }

    fn is_idle(&self, for_long: Duration) -> bool {
        let used = *self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.elapsed() > for_long && self.in_flight.is_empty() && !self.mailbox.streams().has_live()
    }

    fn close(&self, handler: &dyn Handler) {
        self.in_flight.cancel_all();
        self.mailbox.questions.close();
        self.mailbox.streams().disconnect();
        handler.closed(&self.session);
    }
}

// === impl Mailbox ===

impl Mailbox {
    pub(super) fn streams(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn outlet(self: &Arc<Self>, stream: u64) -> Arc<dyn Outlet> {
        Arc::new(StreamOutlet { mailbox: Arc::clone(self), stream })
    }
}

// === impl Sessions ===

impl Sessions {
    pub(super) fn new(limits: Limits) -> Self {
        Self { limits, open: Mutex::default() }
    }

    pub(super) fn is_full(&self) -> bool {
        self.lock().len() >= self.limits.max_sessions
    }

    /// Makes a session known. False when there are too many.
    pub(super) fn add(&self, session: &Arc<HttpSession>) -> bool {
        let mut open = self.lock();
        if open.len() >= self.limits.max_sessions {
            return false;
        }
        open.insert(session.session.id().to_owned(), Arc::clone(session));
        true
    }

    pub(super) fn find(&self, id: &str) -> Option<Arc<HttpSession>> {
        let found = self.lock().get(id).cloned()?;
        *found.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        Some(found)
    }

    /// Ends one session. False when there is none of that id.
    pub(super) fn end(&self, id: &str, handler: &dyn Handler) -> bool {
        let found = self.lock().remove(id);
        match found {
            Some(session) => {
                session.close(handler);
                true
            }
            None => false,
        }
    }

    /// Ends the sessions that nobody has used for long.
    pub(super) fn sweep(&self, handler: &dyn Handler) {
        let idle: Vec<Arc<HttpSession>> = {
            let mut open = self.lock();
            let idle = open
                .values()
                .filter(|session| session.is_idle(self.limits.session_idle))
                .cloned()
                .collect::<Vec<_>>();
            open.retain(|_, session| !idle.iter().any(|gone| Arc::ptr_eq(gone, session)));
            idle
        };
        for session in idle {
            session.close(handler);
        }
    }

    /// Ends the streams that belong to no request, so that connections can drain. Requests still get their answers.
    pub(super) fn disconnect_standing(&self) {
        for session in self.lock().values() {
            session.mailbox.streams().disconnect_standing();
        }
    }

    pub(super) fn close_all(&self, handler: &dyn Handler) {
        let all: Vec<_> = self.lock().drain().map(|(_, session)| session).collect();
        for session in all {
            session.close(handler);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<HttpSession>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl StreamOutlet ===

impl Outlet for StreamOutlet {
    fn notify(&self, message: Message) -> BoxFuture<'_, Result<(), Closed>> {
        // Never waits: what the client doesn't take is kept, up to the bound of the ring.
        self.mailbox.streams().push(self.stream, message, false);
        self.mailbox.spoken.notify_waiters();
        Box::pin(std::future::ready(Ok(())))
    }

    fn request(&self, method: &str, params: Option<Json<'_>>) -> BoxFuture<'_, Result<Message, Closed>> {
        let (method, params): (_, Option<JsonBuf>) = (method.to_owned(), params.map(Json::to_buf));
        let questions = Arc::clone(&self.mailbox.questions);
        let withdraw = |message| self.mailbox.streams().push(self.stream, message, false);
        Box::pin(questions.ask(method, params, |message| self.notify(message), withdraw))
    }

    fn pause(&self, retry: Duration) {
        self.mailbox.streams().pause(self.stream, retry);
        self.mailbox.spoken.notify_waiters();
    }
}
