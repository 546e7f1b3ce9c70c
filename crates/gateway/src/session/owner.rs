//! The task that owns a session. It opens the conversation, restores the clients' settings, reopens
//! a lost conversation, and ends it. It carries no calls and never waits for a client.
use std::collections::VecDeque;
use std::future::pending;
use std::sync::{Arc, Weak};
use std::time::Duration;

use overt_transport::client::Protocol;
use overt_wire::era::{Caller, Era};
use overt_wire::json::Json;
use overt_wire::{BoxFuture, ErrorObject, Message, Method};
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot, watch};
use tokio::time::{sleep, timeout};

use super::connection::Connection;
use super::handle::{Audience, Command, State, UpstreamSession, closed};
use super::settings::{Setting, Settings};
use crate::failure;
use crate::inbound::Inbound;
use crate::route::Routes;
use crate::upstream::Upstream;

/// The state of the task.
struct Owner {
    upstream: Arc<Upstream>,
    /// The client as it is described to the upstream.
    caller: Arc<Caller>,
    protocol: Protocol,
    session: Weak<UpstreamSession>,
    commands: mpsc::Receiver<Command>,
    state: watch::Sender<State>,
    settings: Settings,
    /// Calls that wait for the conversation.
    waiting: Vec<Waiter>,
    connecting: Option<BoxFuture<'static, Result<Arc<Connection>, ErrorObject>>>,
    /// Completes when the conversation is lost.
    ended: Option<BoxFuture<'static, String>>,
    /// Settings that the upstream must be told, one at a time.
    pending_settings: VecDeque<(Setting, Option<oneshot::Sender<()>>)>,
    telling: Option<BoxFuture<'static, ()>>,
    /// Completes when a conversation with listeners should be reopened.
    retry: Option<BoxFuture<'static, ()>>,
    was_connected: bool,
}

type Waiter = oneshot::Sender<Result<Arc<Connection>, ErrorObject>>;

/// How long restoring all settings in a new conversation may take.
const RESTORE_DEADLINE: Duration = Duration::from_secs(10);
/// The shortest pause before a lost conversation is reopened without a call.
const SHORTEST_RETRY: Duration = Duration::from_millis(500);
/// The most calls that may wait for the conversation.
const MOST_WAITING: usize = 4096;

impl UpstreamSession {
    /// Starts a session and its owner. The conversation is opened when the first call needs it.
    pub(crate) fn start(
        upstream: &Arc<Upstream>,
        caller: Arc<Caller>,
        protocol: Protocol,
        audience: Audience<'_>,
        place: OwnedSemaphorePermit,
    ) -> Arc<Self> {
        let (state, seen) = watch::channel(State::Down);
        let (session, commands) = Self::new(upstream, caller, audience, place, seen);
        tokio::spawn(Owner::new(&session, protocol, commands, state).run());
        session
    }
}

impl Owner {
    fn new(
        session: &Arc<UpstreamSession>,
        protocol: Protocol,
        commands: mpsc::Receiver<Command>,
        state: watch::Sender<State>,
    ) -> Self {
        Self {
            upstream: Arc::clone(&session.upstream),
            caller: Arc::clone(&session.caller),
            protocol,
            session: Arc::downgrade(session),
            commands,
            state,
            settings: Settings::default(),
            waiting: Vec::new(),
            connecting: None,
            ended: None,
            pending_settings: VecDeque::new(),
            telling: None,
            retry: None,
            was_connected: false,
        }
    }

    async fn run(mut self) {
        loop {
            tokio::select! {
                biased;
                command = self.commands.recv() => match command {
                    Some(Command::Close(done)) => {
                        self.end().await;
                        return drop(done);
                    }
                    Some(command) => self.run_command(command),
                    None => return self.end().await,
                },
                reason = done(&mut self.ended) => self.lost(&reason),
                opened = done(&mut self.connecting) => self.opened(&opened),
                () = done(&mut self.telling) => self.tell_next(),
                () = done(&mut self.retry) => self.connect(),
            }
        }
    }

    fn run_command(&mut self, command: Command) {
        match command {
            Command::Connect(waiter) => self.wait(waiter),
            Command::Discard(connection) => self.discard(&connection),
            Command::GiveUp(connection) => {
                if self.is_current(&connection) {
                    self.upstream.lost(connection.age(), "it does not answer any more");
                    self.discard(&connection);
                }
                // A stuck program would otherwise keep running as long as it has listeners.
                if self.upstream.is_command() {
                    connection.client.abandon();
                }
            }
            Command::Note(setting) => self.settings.note(setting),
            Command::ApplySetting(setting, done) => {
                if let Some(setting) = self.settings.require(setting) {
                    // The last change of a setting counts. So the queue is never longer than the
                    // list of settings.
                    self.pending_settings.retain(|(older, _)| !older.is_about_same(&setting));
                    self.pending_settings.push_back((setting, done));
                    self.tell_next();
                }
            }
            // `run` handles it.
            Command::Close(_) => {}
        }
    }

    /// Answers a call that needs the conversation, or lets it wait.
    fn wait(&mut self, waiter: Waiter) {
        if let State::Ready(connection) = &*self.state.borrow()
            && connection.is_usable()
        {
            let _ = waiter.send(Ok(Arc::clone(connection)));
            return;
        }
        self.waiting.retain(|waiter| !waiter.is_closed());
        if self.waiting.len() >= MOST_WAITING {
            let what = format!("{MOST_WAITING} calls wait for it to start; try again later");
            let _ = waiter.send(Err(failure::full(self.upstream.label(), &what)));
            return;
        }
        self.waiting.push(waiter);
        self.connect();
    }

    /// Starts to open the conversation, unless this is already in progress.
    fn connect(&mut self) {
        self.retry = None;
        if self.connecting.is_some() {
            return;
        }
        let (upstream, caller, protocol) =
            (Arc::clone(&self.upstream), Arc::clone(&self.caller), self.protocol);
        let (session, settings) = (Weak::clone(&self.session), self.settings.all());
        self.connecting = Some(Box::pin(async move {
            let routes = Arc::new(Routes::default());
            let inbound = Arc::new(Inbound::new(session, Arc::clone(&routes), &upstream));
            let client = upstream.connect(&caller, protocol, inbound).await?;
            let connection = Arc::new(Connection::new(client, routes));
            let restore = async {
                for setting in settings {
                    tell(&connection, &setting, RESTORE_DEADLINE).await;
                }
            };
            let _ = timeout(RESTORE_DEADLINE, restore).await;
            Ok(connection)
        }));
    }

    fn opened(&mut self, opened: &Result<Arc<Connection>, ErrorObject>) {
        match opened {
            Ok(connection) => {
                self.ended = Some(connection.client.ended());
                // A server that supports both eras gets the same era again when the session is
                // reopened: its state is for the clients of this session.
                if connection.era() == Era::Legacy {
                    self.protocol = Protocol::Legacy;
                }
                self.state.send_replace(State::Ready(Arc::clone(connection)));
                if std::mem::replace(&mut self.was_connected, true) {
                    self.upstream.restarted();
                    self.announce_changes(connection);
                }
                self.tell_next();
            }
            Err(_) => {
                // The next conversation is told all settings anyway.
                self.pending_settings.clear();
                self.retry_for_listeners();
            }
        }
        for waiter in self.waiting.drain(..) {
            let _ = waiter.send(opened.clone());
        }
    }

    /// Handles a conversation that ended unexpectedly.
    fn lost(&mut self, reason: &str) {
        let State::Ready(connection) = self.state.send_replace(State::Down) else { return };
        self.upstream.lost(connection.age(), reason);
        // If no client waits for notifications, the next call reopens the conversation.
        if self.has_listeners() {
            self.connect();
        }
    }

    /// Discards the conversation. If a client waits for notifications, another one is opened at
    /// once, otherwise by the next call.
    fn discard(&mut self, connection: &Arc<Connection>) {
        if self.is_current(connection) {
            self.ended = None;
            self.state.send_replace(State::Down);
            if self.has_listeners() {
                self.connect();
            }
        }
    }

    fn is_current(&self, connection: &Arc<Connection>) -> bool {
        matches!(&*self.state.borrow(), State::Ready(current) if Arc::ptr_eq(current, connection))
    }

    fn has_listeners(&self) -> bool {
        self.session.upgrade().is_some_and(|session| session.has_listeners())
    }

    fn retry_for_listeners(&mut self) {
        if self.has_listeners() {
            let pause = self.upstream.pause().max(SHORTEST_RETRY);
            self.retry = Some(Box::pin(sleep(pause)));
        }
    }

    /// Tells the upstream the next setting, unless it is just being told one. A conversation that
    /// is opened later is told all settings.
    fn tell_next(&mut self) {
        if self.telling.is_some() {
            return;
        }
        let State::Ready(connection) = self.state.borrow().clone() else {
            if self.connecting.is_none() {
                self.pending_settings.clear();
            }
            return;
        };
        let Some((setting, done)) = self.pending_settings.pop_front() else { return };
        let patience = self.upstream.options.limits.request_deadline;
        self.telling = Some(Box::pin(async move {
            tell(&connection, &setting, patience).await;
            drop(done);
        }));
    }

    /// Announces changes to clients: a restarted server may offer other tools, prompts or
    /// resources.
    fn announce_changes(&self, connection: &Connection) {
        let Some(session) = self.session.upgrade() else { return };
        let capabilities = connection.client.server().capabilities.as_json();
        let changed = [
            ("tools", Method::ToolsChanged),
            ("prompts", Method::PromptsChanged),
            ("resources", Method::ResourcesChanged),
        ];
        let announces = |capability: &str| {
            capabilities.get(capability).get("listChanged").value().and_then(Json::bool) == Some(true)
        };
        let announced: Vec<_> = changed.into_iter().filter(|(capability, _)| announces(capability)).collect();
        tokio::spawn(async move {
            for (_, method) in announced {
                session.announce(Message::notification(method.name(), None)).await;
            }
        });
    }

    /// Ends the conversation gracefully.
    async fn end(&mut self) {
        self.connecting = None;
        self.ended = None;
        for waiter in self.waiting.drain(..) {
            let _ = waiter.send(Err(closed(&self.upstream)));
        }
        if let State::Ready(connection) = self.state.send_replace(State::Closed) {
            connection.client.finish().await;
        }
    }
}

/// Waits for an optional future, and removes it when it is done. Never completes if there is none.
async fn done<T>(future: &mut Option<BoxFuture<'static, T>>) -> T {
    let Some(running) = future else { return pending().await };
    let value = running.await;
    *future = None;
    value
}

/// Tells a legacy upstream a setting. A failure is not retried: the next conversation is told all
/// settings.
async fn tell(connection: &Connection, setting: &Setting, patience: Duration) {
    let server = connection.client.server();
    if connection.era() == Era::Modern || server.capabilities.as_json().get(setting.capability()).is_absent()
    {
        return;
    }
    let (method, params) = setting.request();
    let request = Message::request(&connection.new_id(), method.name(), Some(params.as_json()));
    let answer = connection.ask(&request, patience).await;
    tracing::debug!(%method, ok = answer.is_ok(), "told the upstream a setting");
}
