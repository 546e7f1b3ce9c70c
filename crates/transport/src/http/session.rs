//! The sessions of legacy clients and their state.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use overt_wire::json::{Json, JsonBuf};
use overt_wire::{BoxFuture, ClientSink, Closed, Handler, Message, NoClient, Principal, Session};

use tokio::sync::Notify;

use super::replay::{STANDALONE, Streams};
use crate::limits::Limits;
use crate::serve::{ByteBudget, InFlight, Questions, random_name};

/// One session of a legacy client over HTTP.
pub(super) struct HttpSession {
    pub(super) session: Arc<Session>,
    pub(super) in_flight: Arc<InFlight>,
    pub(super) mailbox: Arc<Mailbox>,
    used: Mutex<Instant>,
}

/// Messages from the server to the client of a session.
pub(super) struct Mailbox {
    streams: Mutex<Streams>,
    /// Signals a new message on any stream. Each waiting task checks whether its own stream has
    /// one.
    pub(super) message_added: Notify,
    pub(super) questions: Arc<Questions>,
}

/// All open sessions by id. Ids are random, and a client can't choose one (HTTP-09).
pub(super) struct Sessions {
    limits: Limits,
    handler: Arc<dyn Handler>,
    /// Counts the bytes that all sessions keep for clients that reconnect.
    replay: Arc<ByteBudget>,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    open: HashMap<String, Arc<HttpSession>>,
    /// Number of sessions whose handshake is in progress.
    opening: usize,
}

/// A session that is being opened. If it is dropped before it is open, it is closed, because the
/// handler may already know it.
pub(super) struct OpeningSession<'a> {
    sessions: &'a Sessions,
    pub(super) session: Arc<HttpSession>,
    is_open: bool,
}

/// The session of a connection, for clients that keep none themselves. They can't be sent anything
/// outside their requests.
#[derive(Default)]
pub(super) struct ConnectionSession(Mutex<Option<Arc<Session>>>);

/// Sends messages on one stream of a session.
struct StreamSink {
    mailbox: Arc<Mailbox>,
    stream: u64,
}

// === impl HttpSession ===

impl HttpSession {
    fn new(limits: &Limits, principal: Principal, replay: Arc<ByteBudget>) -> Arc<Self> {
        let streams = Streams::new(limits, replay);
        let questions = Questions::new(limits.max_pending_questions, limits.question_deadlines());
        let mailbox =
            Arc::new(Mailbox { streams: Mutex::new(streams), message_added: Notify::new(), questions });
        let session = Session::new(random_name(), principal, mailbox.sink(STANDALONE));
        let in_flight = Arc::new(InFlight::new(limits));
        Arc::new(Self { session, in_flight, mailbox, used: Mutex::new(Instant::now()) })
    }

    fn last_used(&self) -> Instant {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether no message is being handled and no stream has a connection.
    fn is_idle(&self) -> bool {
        self.in_flight.is_empty() && !self.mailbox.streams().has_connection()
    }

    fn close(&self, handler: &dyn Handler) {
        self.in_flight.cancel_all();
        self.mailbox.questions.close();
        self.mailbox.streams().disconnect();
        handler.closed(&self.session);
    }
}

// === impl ConnectionSession ===

impl ConnectionSession {
    /// Returns the session of this principal. A connection that begins to carry requests of another
    /// principal, such as one of a proxy, gets another session.
    pub(super) fn of(&self, principal: Principal) -> Arc<Session> {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*current {
            Some(session) if *session.principal() == principal => Arc::clone(session),
            _ => {
                let session = Session::of_connection(random_name(), principal, Arc::new(NoClient));
                Arc::clone(current.insert(session))
            }
        }
    }
}

// === impl Mailbox ===

impl Mailbox {
    pub(super) fn streams(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn sink(self: &Arc<Self>, stream: u64) -> Arc<dyn ClientSink> {
        Arc::new(StreamSink { mailbox: Arc::clone(self), stream })
    }
}

// === impl Sessions ===

impl Sessions {
    pub(super) fn new(limits: Limits, handler: Arc<dyn Handler>) -> Self {
        let replay = ByteBudget::new(limits.max_total_replay_bytes);
        Self { limits, handler, replay, table: Mutex::default() }
    }

    /// Starts a new session. If the limit is reached, the idle session that was used least recently
    /// is closed (G-56). `None` if no session is idle.
    pub(super) fn begin(&self, principal: Principal) -> Option<OpeningSession<'_>> {
        let mut table = self.lock();
        let is_full = table.open.len() + table.opening >= self.limits.max_sessions;
        let evicted = if is_full { Some(table.take_idle(|_| true)?) } else { None };
        table.opening += 1;
        drop(table);
        if let Some(evicted) = evicted {
            tracing::info!("too many sessions: the one that was idle for longest is closed");
            evicted.close(&self.handler);
        }
        let session = HttpSession::new(&self.limits, principal, Arc::clone(&self.replay));
        Some(OpeningSession { sessions: self, session, is_open: false })
    }

    /// Returns the session with this id, if it is one of this principal. To every other principal
    /// it does not exist.
    pub(super) fn find(&self, id: &str, principal: &Principal) -> Option<Arc<HttpSession>> {
        let found =
            self.lock().open.get(id).filter(|found| found.session.principal() == principal).cloned()?;
        *found.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        Some(found)
    }

    /// Closes the session with this id.
    pub(super) fn end(&self, id: &str) {
        let found = self.lock().open.remove(id);
        if let Some(session) = found {
            session.close(&self.handler);
        }
    }

    /// Closes sessions that were idle for too long.
    pub(super) fn sweep(&self) {
        let is_old = |session: &HttpSession| session.last_used().elapsed() > self.limits.session_idle;
        loop {
            let idle = self.lock().take_idle(is_old);
            match idle {
                Some(session) => session.close(&self.handler),
                None => return,
            }
        }
    }

    /// Sends the answer that ends a stream of a session. If all sessions together keep too much,
    /// events that were taken are dropped first, then idle sessions are closed.
    pub(super) fn push_answer(&self, session: &HttpSession, stream: u64, reply: Message) {
        let bytes = reply.text().len();
        if !self.replay.has_room_for(bytes) {
            self.make_room(bytes, session);
        }
        session.mailbox.streams().push_answer(stream, reply);
    }

    fn make_room(&self, bytes: usize, own: &HttpSession) {
        let mut all: Vec<Arc<HttpSession>> = self.lock().open.values().cloned().collect();
        all.sort_by_key(|session| session.last_used());
        for session in &all {
            if self.replay.has_room_for(bytes) {
                return;
            }
            session.mailbox.streams().drop_taken();
        }
        drop(all);
        while !self.replay.has_room_for(bytes) {
            let is_other = |session: &HttpSession| !std::ptr::eq(session, own);
            let Some(idle) = self.lock().take_idle(is_other) else { return };
            tracing::info!("too much is kept for clients that may come back: an idle session is closed");
            idle.close(&self.handler);
        }
    }

    /// Ends all standalone streams, so that connections can drain. Requests still get their
    /// answers.
    pub(super) fn disconnect_standalone(&self) {
        for session in self.lock().open.values() {
            session.mailbox.streams().disconnect_standalone();
        }
    }

    pub(super) fn close_all(&self) {
        let all: Vec<_> = self.lock().open.drain().map(|(_, session)| session).collect();
        for session in all {
            session.close(&self.handler);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Removes the idle session that was used least recently among those that `wanted` accepts.
    fn take_idle(&mut self, wanted: impl Fn(&HttpSession) -> bool) -> Option<Arc<HttpSession>> {
        let idle = self.open.values().filter(|session| wanted(session) && session.is_idle());
        let id = idle.min_by_key(|session| session.last_used())?.session.id().to_owned();
        self.open.remove(&id)
    }
}

// === impl OpeningSession ===

impl OpeningSession<'_> {
    /// Opens the session, so that the client can use it.
    pub(super) fn open(mut self) -> Arc<HttpSession> {
        self.is_open = true;
        let session = Arc::clone(&self.session);
        self.sessions.lock().open.insert(session.session.id().to_owned(), Arc::clone(&session));
        session
    }
}

impl Drop for OpeningSession<'_> {
    fn drop(&mut self) {
        self.sessions.lock().opening -= 1;
        if !self.is_open {
            self.session.close(&self.sessions.handler);
        }
    }
}

// === impl StreamSink ===

impl ClientSink for StreamSink {
    fn notify(&self, message: Message) -> BoxFuture<'_, Result<(), Closed>> {
        // Never waits: messages that the client does not take are kept, up to the limits of
        // `Streams`.
        self.mailbox.streams().push(self.stream, message);
        self.mailbox.message_added.notify_waiters();
        Box::pin(std::future::ready(Ok(())))
    }

    fn request(&self, method: &str, params: Option<Json<'_>>) -> BoxFuture<'_, Result<Message, Closed>> {
        let (method, params): (_, Option<JsonBuf>) = (method.to_owned(), params.map(Json::to_buf));
        let questions = Arc::clone(&self.mailbox.questions);
        let withdraw = |message| self.mailbox.streams().push(self.stream, message);
        Box::pin(questions.ask(method, params, |message| self.notify(message), withdraw))
    }

    fn pause(&self, retry: Duration) {
        self.mailbox.streams().pause(self.stream, retry);
        self.mailbox.message_added.notify_waiters();
    }
}
