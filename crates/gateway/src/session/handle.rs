//! The handle of a session, for calls and for the pool.
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

/// A session with the upstream, for one client or for several. A call uses the open connection that
/// it finds here, and asks the owner for one only if there is none.
pub(crate) struct UpstreamSession {
    pub(crate) upstream: Arc<Upstream>,
    /// The client as it is described to the upstream.
    pub(crate) caller: Arc<Caller>,
    /// The client, if the session is for only one.
    client: Option<Weak<Session>>,
    /// Whether all clients share the session.
    is_for_everyone: AtomicBool,
    /// The number of calls in progress.
    users: AtomicUsize,
    state: watch::Receiver<State>,
    commands: mpsc::Sender<Command>,
    /// The clients that listen for changes.
    pub(crate) listeners: Listeners,
    last_used: Mutex<Instant>,
    /// The place of this session in the limit. Dropping the session frees it.
    place: Mutex<Option<OwnedSemaphorePermit>>,
}

/// The state of a session.
#[derive(Clone)]
pub(super) enum State {
    /// The conversation is not open yet, or lost.
    Down,
    Ready(Arc<Connection>),
    /// The session has ended for good.
    Closed,
}

/// A command for the owner.
pub(super) enum Command {
    /// A call needs the conversation.
    Connect(oneshot::Sender<Result<Arc<Connection>, ErrorObject>>),
    /// The upstream no longer knows this conversation.
    Discard(Arc<Connection>),
    /// The upstream no longer answers in this conversation.
    GiveUp(Arc<Connection>),
    /// A client has changed a setting with its own request.
    Note(Setting),
    /// A request needs a setting. The sender is dropped when the upstream has been told.
    ApplySetting(Setting, Option<oneshot::Sender<()>>),
    Close(oneshot::Sender<()>),
}

/// The users of a session.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Audience<'a> {
    /// One client that has a session with us.
    Client(&'a Arc<Session>),
    /// Clients with the same profile, which can't be distinguished.
    Alike,
    Everyone,
}

/// Marks a session as used by a call until it is dropped.
pub(crate) struct SessionUse<'a>(&'a UpstreamSession);

/// The most commands that may wait for the owner, which never does slow work.
const COMMANDS: usize = 256;

impl UpstreamSession {
    /// Makes the handle of a session, and the receiver of its owner's commands.
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

    /// Returns the conversation, and opens it if necessary.
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

    /// Prevents the session from being ended as idle while the guard exists.
    pub(crate) fn in_use(&self) -> SessionUse<'_> {
        self.users.fetch_add(1, Ordering::AcqRel);
        SessionUse(self)
    }

    async fn opened(&self) -> Result<Arc<Connection>, ErrorObject> {
        let (waiter, opened) = oneshot::channel();
        let _ = self.commands.send(Command::Connect(waiter)).await;
        opened.await.unwrap_or_else(|_| Err(closed(&self.upstream)))
    }

    /// Returns the conversation, if it has the era that the client was answered in.
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

    /// Returns the conversation, if it can be used.
    pub(crate) fn live(&self) -> Option<Arc<Connection>> {
        match &*self.state.borrow() {
            State::Ready(connection) if connection.is_usable() => Some(Arc::clone(connection)),
            _ => None,
        }
    }

    /// Discards a conversation that the upstream no longer knows. The next call uses another one.
    pub(crate) async fn discard(&self, connection: &Arc<Connection>) {
        connection.discard();
        let _ = self.commands.send(Command::Discard(Arc::clone(connection))).await;
    }

    /// Records that a call was answered.
    pub(crate) fn answered(&self, connection: &Connection) {
        connection.answered();
        self.upstream.answered();
    }

    /// Records a call that got no answer in time. After several of them, the upstream counts as
    /// stuck (UP-03).
    pub(crate) async fn not_answered(&self, connection: &Arc<Connection>) {
        if connection.not_answered() == self.upstream.options.gateway_limits.max_silent_calls {
            connection.discard();
            let _ = self.commands.send(Command::GiveUp(Arc::clone(connection))).await;
        }
    }

    /// Records a setting that a client changed with its own request.
    pub(crate) async fn note(&self, setting: Setting) {
        let _ = self.commands.send(Command::Note(setting)).await;
    }

    /// Changes a setting of a legacy upstream for a request. Returns when the upstream has been
    /// told.
    pub(crate) async fn apply_setting(&self, setting: Setting) {
        let (done, applied) = oneshot::channel();
        if self.commands.send(Command::ApplySetting(setting, Some(done))).await.is_ok() {
            let _ = applied.await;
        }
    }

    /// Changes a setting of a legacy upstream without waiting for it.
    pub(crate) fn apply_setting_later(&self, setting: Setting) {
        if let Err(mpsc::error::TrySendError::Full(command)) =
            self.commands.try_send(Command::ApplySetting(setting, None))
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let commands = self.commands.clone();
            runtime.spawn(async move { drop(commands.send(command).await) });
        }
    }

    /// Makes the session available to all clients.
    pub(crate) fn share(&self) {
        self.is_for_everyone.store(true, Ordering::Release);
    }

    pub(crate) fn is_for_everyone(&self) -> bool {
        self.is_for_everyone.load(Ordering::Acquire)
    }

    /// Whether the session is for a single client, which has a session with us.
    pub(crate) fn is_one_client(&self) -> bool {
        self.client.is_some() && !self.is_for_everyone()
    }

    /// Returns the only client of the session.
    pub(crate) fn client(&self) -> Option<Arc<Session>> {
        self.client.as_ref().filter(|_| !self.is_for_everyone()).and_then(Weak::upgrade)
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.live().map_or(0, |connection| connection.routes.len())
    }

    /// Whether a client waits for notifications, so that a lost conversation is reopened without a
    /// call.
    pub(super) fn has_listeners(&self) -> bool {
        self.client().is_some() || !self.listeners.is_empty()
    }

    /// Returns how long the session has been idle. `None` while it is in use.
    pub(crate) fn idle_for(&self) -> Option<Duration> {
        let used = *self.last_used.lock().unwrap_or_else(PoisonError::into_inner);
        let is_used = self.users.load(Ordering::Acquire) > 0;
        (!is_used && self.in_flight() == 0 && self.listeners.is_empty()).then(|| used.elapsed())
    }

    /// Takes its place, for the session that replaces it.
    pub(crate) fn give_place(&self) -> Option<OwnedSemaphorePermit> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Ends the conversation gracefully and closes the session.
    pub(crate) async fn close(&self) {
        let (done, closed) = oneshot::channel();
        if self.commands.send(Command::Close(done)).await.is_ok() {
            let _ = closed.await;
        }
    }

    /// Records that the tools have changed.
    pub(crate) fn tools_changed(&self) {
        if let Some(connection) = self.live() {
            connection.tools_changed();
        }
        self.upstream.counters.tools_changed.fetch_add(1, Ordering::Relaxed);
    }

    /// Passes on a notification that belongs to no call.
    pub(crate) async fn announce(&self, message: Message) {
        if message.method() == Some(Method::ToolsChanged) {
            self.tools_changed();
        }
        self.listeners.tell(&message);
        // A modern client gets only notifications that it asked for.
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

/// Returns the error for a call to a session that is being closed.
pub(crate) fn closed(upstream: &Upstream) -> ErrorObject {
    failure::full(upstream.label(), "the session with it is being closed")
}
