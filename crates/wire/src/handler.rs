//! The interface between a transport and the layers: [`Handler`], its requests and sessions.
//! Dropping the future of a call cancels the call.
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

use crate::deadline::DeadlineControl;
use crate::document::{Document, DocumentRequest, NoDocument};
use crate::era::{Caller, Era, LogLevel, key};
use crate::error::ErrorObject;
use crate::json::{Json, JsonBuf};
use crate::message::Message;
use crate::principal::Principal;
use crate::trace_parent::TraceParent;

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Answers the messages of a client.
pub trait Handler: Send + Sync + 'static {
    /// Handles one request or notification. A request is answered with one message, a notification
    /// with `None`.
    fn call(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>>;

    /// Returns the document at a path outside the MCP endpoint. The reader is not authenticated, so
    /// every document is public.
    fn document(&self, _request: DocumentRequest) -> BoxFuture<'_, Result<Document, NoDocument>> {
        Box::pin(std::future::ready(Err(NoDocument::NotFound)))
    }

    /// Called when a session has ended. The handler can discard what it keeps for the session.
    fn closed(&self, _session: &Arc<Session>) {}

    /// Called before the process ends. Requests that stay open indefinitely should be answered now.
    fn shutdown(&self) {}
}

/// One message from a client, the client's identity, and the way to reply.
#[derive(Clone)]
pub struct Exchange {
    pub message: Message,
    pub caller: Arc<Caller>,
    pub session: Arc<Session>,
    /// Sends what belongs to this exchange: progress, log messages, questions to the client.
    pub sink: Arc<dyn ClientSink>,
    /// Pauses the deadline of the request while a person decides, and extends it when there is
    /// progress.
    pub deadline: DeadlineControl,
    /// The `Mcp-Param-*` headers by lower-case name. `None` unless the request came over modern
    /// HTTP, which alone has these headers.
    pub param_headers: Option<ParamHeaders>,
    /// The URL of the MCP endpoint as this client reached it. `None` where the transport has no
    /// URLs.
    pub reached_at: Option<Arc<str>>,
    /// The `traceparent` header. `None` where the transport has no headers. A value in the message
    /// itself takes precedence.
    pub trace_parent: Option<TraceParent>,
}

pub type ParamHeaders = Arc<[(String, String)]>;

/// Sends messages to the client while a request is being answered, or while a session lives.
pub trait ClientSink: Send + Sync {
    fn notify(&self, message: Message) -> BoxFuture<'_, Result<(), Closed>>;

    /// Sends a request to the client and waits for its answer. Only legacy clients can be asked
    /// this way.
    fn request(&self, method: &str, params: Option<Json<'_>>) -> BoxFuture<'_, Result<Message, Closed>>;

    /// Tells the client to reconnect later for the rest, where the transport supports it (SSE with
    /// event ids).
    fn pause(&self, _retry: Duration) {}
}

/// A sink for requests that have no reachable client.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoClient;

/// The client can no longer be reached, or did not answer in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the client can't be reached")]
pub struct Closed;

/// State that is kept between the messages of a client. A modern client needs none of it, but gets
/// a session per connection so that lower layers have one in every case. All messages of a session
/// are made by one principal.
pub struct Session {
    id: String,
    principal: Principal,
    phase: RwLock<Phase>,
    log_level: AtomicU8,
    sink: Arc<dyn ClientSink>,
    is_one_client: bool,
    has_input_ended: AtomicBool,
    watch: OnceLock<Watch>,
}

/// What a layer that observes the conversation adds to a session, once.
pub struct Watch {
    /// Identifies the session in logs. Unlike the session id, it gives no access.
    pub number: u64,
    /// Wraps the session's own sink, so that outgoing messages are seen. It is dropped with the
    /// session.
    pub sink: Arc<dyn ClientSink>,
}

/// The progress of a legacy session's handshake.
#[derive(Debug, Clone)]
pub enum Phase {
    New,
    /// `initialize` was answered; the client has not sent `initialized` yet.
    Greeted(Arc<Caller>),
    Ready(Arc<Caller>),
}

// === impl NoClient ===

impl ClientSink for NoClient {
    fn notify(&self, _message: Message) -> BoxFuture<'_, Result<(), Closed>> {
        Box::pin(std::future::ready(Err(Closed)))
    }

    fn request(&self, _method: &str, _params: Option<Json<'_>>) -> BoxFuture<'_, Result<Message, Closed>> {
        Box::pin(std::future::ready(Err(Closed)))
    }
}

// === impl Exchange ===

impl Exchange {
    /// Identifies the caller. A modern request that does not identify its client properly is
    /// refused.
    pub fn new(
        message: Message,
        session: Arc<Session>,
        sink: Arc<dyn ClientSink>,
    ) -> Result<Self, ErrorObject> {
        let caller = match Caller::era_of(&message) {
            Era::Modern if message.id().is_some() => Arc::new(Caller::of_modern(&message)?),
            _ => session.caller(),
        };
        Ok(Self {
            message,
            caller,
            session,
            sink,
            deadline: DeadlineControl::default(),
            param_headers: None,
            reached_at: None,
            trace_parent: None,
        })
    }

    /// Who makes this request.
    pub fn principal(&self) -> &Principal {
        self.session.principal()
    }

    /// The token with which the client asks for progress notifications.
    pub fn progress_token(&self) -> Option<JsonBuf> {
        let token = self.message.meta().get(key::PROGRESS_TOKEN).value()?;
        (token.is_string() || token.integer().is_some()).then(|| token.to_buf())
    }

    /// The least severe log level that the client wants; `None` if it wants no log messages.
    pub fn log_level(&self) -> Option<LogLevel> {
        match self.caller.era() {
            Era::Legacy => Some(self.session.log_level()),
            Era::Modern => {
                self.message.meta().get(key::LOG_LEVEL).string().and_then(|level| LogLevel::parse(&level))
            }
        }
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange").field("message", &self.message).field("caller", &self.caller).finish()
    }
}

// === impl Session ===

impl Session {
    /// `id` must be hard to guess, because it identifies the client.
    pub fn new(id: String, principal: Principal, sink: Arc<dyn ClientSink>) -> Arc<Self> {
        Self::with(id, principal, sink, true)
    }

    /// Creates a session for clients without sessions. One connection may carry messages of several
    /// clients of this principal, and one client may use several connections.
    pub fn of_connection(id: String, principal: Principal, sink: Arc<dyn ClientSink>) -> Arc<Self> {
        Self::with(id, principal, sink, false)
    }

    fn with(id: String, principal: Principal, sink: Arc<dyn ClientSink>, is_one_client: bool) -> Arc<Self> {
        let (phase, log_level) = (RwLock::new(Phase::New), AtomicU8::new(LogLevel::Debug as u8));
        let has_input_ended = AtomicBool::new(false);
        let watch = OnceLock::new();
        Arc::new(Self { id, principal, phase, log_level, sink, is_one_client, has_input_ended, watch })
    }

    /// Who makes the requests of this session.
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    /// Whether all messages in this session come from the same client.
    pub fn is_one_client(&self) -> bool {
        self.is_one_client
    }

    /// Notes that the client sends nothing more. It still reads answers.
    pub fn end_input(&self) {
        self.has_input_ended.store(true, Ordering::Relaxed);
    }

    /// Whether the client can no longer answer questions.
    pub fn has_input_ended(&self) -> bool {
        self.has_input_ended.load(Ordering::Relaxed)
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    /// The sink for messages that belong to no request.
    pub fn sink(&self) -> &Arc<dyn ClientSink> {
        self.watch.get().map_or(&self.sink, |watch| &watch.sink)
    }

    /// The watch of this session. The first caller creates it from the session's sink.
    pub fn watch(&self, make: impl FnOnce(&Arc<dyn ClientSink>) -> Watch) -> &Watch {
        self.watch.get_or_init(|| make(&self.sink))
    }

    pub fn phase(&self) -> Phase {
        self.phase.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn set_phase(&self, phase: Phase) {
        *self.phase.write().unwrap_or_else(PoisonError::into_inner) = phase;
    }

    pub fn log_level(&self) -> LogLevel {
        let level = self.log_level.load(Ordering::Relaxed) as usize;
        LogLevel::ALL.get(level).copied().unwrap_or(LogLevel::Debug)
    }

    pub fn set_log_level(&self, level: LogLevel) {
        self.log_level.store(level as u8, Ordering::Relaxed);
    }

    fn caller(&self) -> Arc<Caller> {
        match self.phase() {
            Phase::New => Arc::new(Caller::unknown()),
            Phase::Greeted(caller) | Phase::Ready(caller) => caller,
        }
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The id works like a credential, so it stays out of logs.
        f.debug_struct("Session").field("phase", &self.phase()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("number", &self.number).finish_non_exhaustive()
    }
}

impl<H: Handler + ?Sized> Handler for Arc<H> {
    fn call(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        (**self).call(exchange)
    }

    fn document(&self, request: DocumentRequest) -> BoxFuture<'_, Result<Document, NoDocument>> {
        (**self).document(request)
    }

    fn closed(&self, session: &Arc<Session>) {
        (**self).closed(session);
    }

    fn shutdown(&self) {
        (**self).shutdown();
    }
}
