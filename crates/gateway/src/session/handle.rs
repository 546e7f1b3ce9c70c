//! What calls and the pool see of a session.
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use overt_wire::era::{Caller, Era};
use overt_wire::error::code;
use overt_wire::{ErrorObject, Message, Method, Session};
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot, watch};
use tokio::time::Instant;

use super::connection::Connection;
use super::settings::Setting;
use crate::failure;
use crate::listeners::Listeners;
use crate::upstream::Upstream;

/// A session with the upstream, for one client or for several. A call takes the connection that it
/// finds here; only where there is none does it ask the owner for one.
pub(crate) struct UpstreamSession {
    pub(crate) upstream: Arc<Upstream>,
    /// What the upstream is told about the client.
    pub(crate) caller: Arc<Caller>,
    /// The client, if there is only one.
    client: Option<Weak<Session>>,
    /// Whether clients share it that have nothing in common.
    is_for_everyone: AtomicBool,
    /// Calls that are on their way.
    users: AtomicUsize,
    state: watch::Receiver<State>,
    commands: mpsc::Sender<Command>,
    /// Who wants to hear of changes.
    pub(crate) listeners: Listeners,
    last_used: Mutex<Instant>,
    /// One of the places for sessions; it is free again when the session is gone.
    place: Mutex<Option<OwnedSemaphorePermit>>,
}

/// How a session stands.
#[derive(Clone)]
pub(super) enum State {
    /// Not opened yet, or lost.
    Down,
    Ready(Arc<Connection>),
    /// For good.
    Closed,
}

/// What the owner is told.
pub(super) enum Command {
    /// A call needs the conversation.
    Connect(oneshot::Sender<Result<Arc<Connection>, ErrorObject>>),
    /// The upstream does not know this conversation any more.
    Discard(Arc<Connection>),
    /// Nothing is answered in this conversation any more.
    GiveUp(Arc<Connection>),
    /// A client has set something with a request of its own.
    Note(Setting),
    /// A request wants something to be set. The sender is dropped when the upstream has been told.
    Wish(Setting, Option<oneshot::Sender<()>>),
    Close(oneshot::Sender<()>),
}

/// Who uses a session.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Audience<'a> {
    /// One client that has a session with us.
    Client(&'a Arc<Session>),
    /// Clients of the same profile, which can't be told apart.
    Alike,
    Everyone,
}

/// A call that uses a session.
pub(crate) struct SessionUse<'a>(&'a UpstreamSession);

/// Commands that may wait for the owner, who does nothing that takes time.
const COMMANDS: usize = 256;

impl UpstreamSession {
    /// The session as its users see it, and the commands that its owner gets.
    pub(super) fn new(
        upstream: &Arc<Upstream>,
        caller: Arc<Caller>,
        audience: Audience<'_>,
        place: OwnedSemaphorePermit,
        state: watch::Receiver<State>,
    ) -> (Arc<Self>, mpsc::Receiver<Command>) {
        let client = match audience {
            Audience::Client(client) => Some(client),
            Audience::Alike | Audience::Everyone => None,
        };
        let (commands, received) = mpsc::channel(COMMANDS);
        let session = Arc::new(Self {
            upstream: Arc::clone(upstream),
            caller,
            client: client.map(Arc::downgrade),
            is_for_everyone: AtomicBool::new(matches!(audience, Audience::Everyone)),
            users: AtomicUsize::new(0),
            state,
            commands,
            listeners: Listeners::default(),
            last_used: Mutex::new(Instant::now()),
            place: Mutex::new(Some(place)),
        });
        (session, received)
    }

    /// The conversation, opened if there is none.
    pub(crate) async fn connection(&self) -> Result<Arc<Connection>, ErrorObject> {
        self.touch();
        match self.live() {
            Some(connection) => Ok(connection),
            None => Box::pin(self.opened()).await,
        }
    }

    pub(crate) fn touch(&self) {
        *self.last_used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Keeps the session from being ended as idle, for as long as the guard exists.
    pub(crate) fn in_use(&self) -> SessionUse<'_> {
        self.users.fetch_add(1, Ordering::AcqRel);
        SessionUse(self)
    }

    async fn opened(&self) -> Result<Arc<Connection>, ErrorObject> {
        let (waiter, opened) = oneshot::channel();
        let _ = self.commands.send(Command::Connect(waiter)).await;
        opened.await.unwrap_or_else(|_| Err(closed(&self.upstream)))
    }

    /// The conversation, if it is still in the era that the client was answered in.
    pub(crate) async fn connection_in(&self, era: Era) -> Result<Arc<Connection>, ErrorObject> {
        let connection = self.connection().await?;
        if connection.era() == era {
            return Ok(connection);
        }
        Err(ErrorObject::new(
            code::UPSTREAM_DOWN,
            "the server behind Overt was replaced by one of another protocol version; open a new session",
        ))
    }

    /// The conversation, if it can be used.
    pub(crate) fn live(&self) -> Option<Arc<Connection>> {
        match &*self.state.borrow() {
            State::Ready(connection) if connection.is_usable() => Some(Arc::clone(connection)),
            _ => None,
        }
    }

    /// The upstream does not know the conversation any more: the next call opens another one.
    pub(crate) async fn discard(&self, connection: &Arc<Connection>) {
        connection.discard();
        let _ = self.commands.send(Command::Discard(Arc::clone(connection))).await;
    }

    /// A call was answered.
    pub(crate) fn answered(&self, connection: &Connection) {
        connection.answered();
        self.upstream.answered();
    }

    /// A call got no answer in time. After several of them the upstream counts as stuck (UP-03).
    pub(crate) async fn not_answered(&self, connection: &Arc<Connection>) {
        if connection.not_answered() == self.upstream.options.gateway_limits.max_silent_calls {
            connection.discard();
            let _ = self.commands.send(Command::GiveUp(Arc::clone(connection))).await;
        }
    }

    /// A client has set something with a request of its own, which was answered.
    pub(crate) async fn note(&self, setting: Setting) {
        let _ = self.commands.send(Command::Note(setting)).await;
    }

    /// A request wants something to be set at a legacy upstream. Returns when the upstream has been
    /// told.
    pub(crate) async fn wish(&self, setting: Setting) {
        let (done, applied) = oneshot::channel();
        if self.commands.send(Command::Wish(setting, Some(done))).await.is_ok() {
            let _ = applied.await;
        }
    }

    /// Sets something at a legacy upstream without waiting for it.
    pub(crate) fn wish_later(&self, setting: Setting) {
        if let Err(mpsc::error::TrySendError::Full(command)) =
            self.commands.try_send(Command::Wish(setting, None))
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let commands = self.commands.clone();
            runtime.spawn(async move { drop(commands.send(command).await) });
        }
    }

    /// From here on the session is for every client.
    pub(crate) fn share(&self) {
        self.is_for_everyone.store(true, Ordering::Release);
    }

    pub(crate) fn is_for_everyone(&self) -> bool {
        self.is_for_everyone.load(Ordering::Acquire)
    }

    /// Whether it has a single client, which has a session with us.
    pub(crate) fn is_one_client(&self) -> bool {
        self.client.is_some() && !self.is_for_everyone()
    }

    /// Its only client.
    pub(crate) fn client(&self) -> Option<Arc<Session>> {
        self.client.as_ref().filter(|_| !self.is_for_everyone()).and_then(Weak::upgrade)
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.live().map_or(0, |connection| connection.routes.len())
    }

    /// Whether a client waits for notifications, so that a lost conversation is opened again
    /// without a call.
    pub(super) fn has_listeners(&self) -> bool {
        self.client().is_some() || !self.listeners.is_empty()
    }

    /// How long it has been idle; none while it is in use.
    pub(crate) fn idle_for(&self) -> Option<Duration> {
        let used = *self.last_used.lock().unwrap_or_else(PoisonError::into_inner);
        let is_used = self.users.load(Ordering::Acquire) > 0;
        (!is_used && self.in_flight() == 0 && self.listeners.is_empty()).then(|| used.elapsed())
    }

    /// Its place, for the session that comes instead of it.
    pub(crate) fn give_place(&self) -> Option<OwnedSemaphorePermit> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Ends the conversation in the polite way, for good.
    pub(crate) async fn close(&self) {
        let (done, closed) = oneshot::channel();
        if self.commands.send(Command::Close(done)).await.is_ok() {
            let _ = closed.await;
        }
    }

    /// The tools are not what they were.
    pub(crate) fn tools_changed(&self) {
        if let Some(connection) = self.live() {
            connection.tools_changed();
        }
        self.upstream.counters.tools_changed.fetch_add(1, Ordering::Relaxed);
    }

    /// Passes on what belongs to no call.
    pub(crate) async fn announce(&self, message: Message) {
        if message.method() == Some(Method::ToolsChanged) {
            self.tools_changed();
        }
        self.listeners.tell(&message);
        // A modern client hears only what it asked for.
        if self.caller.era() == Era::Legacy
            && let Some(client) = self.client()
            && self.upstream.task_events.may_deliver(&client, &message)
        {
            let _ = client.sink().notify(message).await;
        }
    }
}

impl Drop for SessionUse<'_> {
    fn drop(&mut self) {
        self.0.touch();
        self.0.users.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The error for a call that comes too late.
pub(crate) fn closed(upstream: &Upstream) -> ErrorObject {
    failure::full(upstream.label(), "the session with it is being closed")
}
