//! One conversation with the upstream, held for one client or for clients that are alike; opened again when it is
//! lost, with everything that the client had set in it.
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};
use std::time::{Duration, Instant};

use overt_transport::client::{Client, ClientError, Protocol};
use overt_transport::time_budget::TimeBudget;
use overt_wire::era::{Era, LogLevel};
use overt_wire::json::{Json, JsonBuf, Object};
use overt_wire::{DeadlineControl, ErrorObject, Id, Message, Method, Session};
use tokio::sync::OwnedSemaphorePermit;

use crate::ears::Ears;
use crate::failure;
use crate::listeners::Listeners;
use crate::route::Routes;
use crate::tools::Tools;
use crate::upstream::{Upstream, Who};

/// A place in which a conversation is held.
pub(crate) struct Lane {
    pub(crate) upstream: Arc<Upstream>,
    pub(crate) who: Who,
    /// How to ask for the conversation.
    protocol: Protocol,
    /// The client, if the lane has only one.
    owner: RwLock<Option<Weak<Session>>>,
    /// Gives the place back when the lane is gone.
    _place: OwnedSemaphorePermit,
    /// One attempt to connect at a time.
    connecting: tokio::sync::Mutex<()>,
    current: RwLock<Option<Arc<Connection>>>,
    /// What a new conversation must be told before it is like the old one.
    pub(crate) standing: Mutex<Standing>,
    /// Open `subscriptions/listen` of modern clients before a legacy upstream.
    pub(crate) listeners: Listeners,
    /// What is known of the upstream's tools.
    pub(crate) tools: Tools,
    /// Held by a call that may be asked questions, where lanes are shared.
    asking: AtomicBool,
    /// Calls in a row that got no answer in time.
    silent: AtomicUsize,
    used: Mutex<Instant>,
    closed: AtomicBool,
    /// There was a conversation before.
    opened: AtomicBool,
    /// One change of what is watched at a time, so that the last one told is the last one wanted.
    pub(crate) watching: tokio::sync::Mutex<()>,
}

/// A live conversation.
pub(crate) struct Connection {
    pub(crate) client: Client,
    pub(crate) routes: Arc<Routes>,
    since: Instant,
}

/// What clients have set in a legacy conversation.
#[derive(Debug, Default)]
pub(crate) struct Standing {
    pub(crate) level: Option<LogLevel>,
    /// Resources that are watched, and by how many.
    pub(crate) watched: BTreeMap<String, usize>,
}

/// Exclusive use of a lane. Dropped before the answer, it takes the conversation out of use: the upstream may still ask
/// something for the call that was given up, and that must not reach the next client.
pub(crate) struct Asking {
    lane: Arc<Lane>,
    done: bool,
}

/// How long a conversation may take to be told what stands.
const RESTORE_DEADLINE: Duration = Duration::from_secs(10);

// === impl Lane ===

impl Lane {
    /// A lane for one client, or for all that are alike; refused when there are too many.
    pub(crate) fn open(
        upstream: &Arc<Upstream>,
        who: Who,
        protocol: Protocol,
        owner: Option<&Arc<Session>>,
    ) -> Result<Arc<Self>, ErrorObject> {
        let place = upstream.place()?;
        Ok(Arc::new(Self {
            upstream: Arc::clone(upstream),
            who,
            protocol,
            owner: RwLock::new(owner.map(Arc::downgrade)),
            _place: place,
            connecting: tokio::sync::Mutex::default(),
            current: RwLock::default(),
            standing: Mutex::default(),
            listeners: Listeners::default(),
            asking: AtomicBool::new(false),
            silent: AtomicUsize::new(0),
            tools: Tools::default(),
            used: Mutex::new(Instant::now()),
            closed: AtomicBool::new(false),
            opened: AtomicBool::new(false),
            watching: tokio::sync::Mutex::default(),
        }))
    }

    /// From here on the lane is for every client.
    pub(crate) fn share(&self) {
        *self.owner.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The conversation, opened if there is none.
    pub(crate) async fn connection(self: &Arc<Self>) -> Result<Arc<Connection>, ErrorObject> {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        match self.live() {
            Some(connection) => Ok(connection),
            // In a task of its own: whoever asked first may go away, and others wait for it too.
            None => {
                let lane = Arc::clone(self);
                let opened = tokio::spawn(async move { lane.open_anew().await }).await;
                opened.unwrap_or_else(|_| Err(ErrorObject::internal()))
            }
        }
    }

    async fn open_anew(self: &Arc<Self>) -> Result<Arc<Connection>, ErrorObject> {
        let _one = self.connecting.lock().await;
        if let Some(connection) = self.live() {
            return Ok(connection);
        }
        if self.closed.load(Ordering::Acquire) {
            return Err(failure::full(self.upstream.label(), "the conversation with it is being closed"));
        }
        self.current.write().unwrap_or_else(PoisonError::into_inner).take();
        let routes = Arc::new(Routes::default());
        let ears = Arc::new(Ears::new(Arc::downgrade(self), Arc::clone(&routes), &self.upstream));
        let client = self.upstream.connect(&self.who, self.protocol, ears).await?;
        let connection = Arc::new(Connection { client, routes, since: Instant::now() });
        self.tools.forget();
        self.restore(&connection).await;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&connection));
        if self.closed.load(Ordering::Acquire) {
            // Closed in the meantime; nobody else will end it.
            self.close().await;
        }
        self.watch(&connection);
        if self.opened.swap(true, Ordering::AcqRel) {
            self.announce_changes(&connection).await;
        }
        Ok(connection)
    }

    /// The conversation, if it can be used.
    pub(crate) fn live(&self) -> Option<Arc<Connection>> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        current.as_ref().filter(|connection| connection.client.is_open()).cloned()
    }

    /// The conversation can't be used any more: the next call opens another one.
    pub(crate) fn give_up(&self, connection: &Arc<Connection>) {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if current.as_ref().is_some_and(|current| Arc::ptr_eq(current, connection)) {
            *current = None;
        }
    }

    /// A call got no answer in time. After several of them the upstream counts as stuck (UP-03).
    pub(crate) fn was_silent(&self, connection: &Arc<Connection>) {
        let silent = self.silent.fetch_add(1, Ordering::Relaxed) + 1;
        if silent >= self.upstream.options.holdings.max_silent_calls {
            self.silent.store(0, Ordering::Relaxed);
            self.upstream.lost(connection.since.elapsed(), "it does not answer any more");
            self.give_up(connection);
            // A stuck program would live on for as long as somebody listens to it.
            if self.upstream.is_command() {
                connection.client.abandon();
            }
        }
    }

    pub(crate) fn answered(&self) {
        if self.silent.load(Ordering::Relaxed) > 0 {
            self.silent.store(0, Ordering::Relaxed);
        }
        self.upstream.answered();
    }

    /// Takes the lane for a call that may be asked questions; nothing if another one has it.
    pub(crate) fn take(self: &Arc<Self>) -> Option<Asking> {
        let free = self.asking.compare_exchange(false, true, Ordering::AcqRel, Ordering::Acquire).is_ok();
        free.then(|| Asking { lane: Arc::clone(self), done: false })
    }

    pub(crate) fn is_one_client(&self) -> bool {
        self.owner.read().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    pub(crate) fn session(&self) -> Option<Arc<Session>> {
        self.owner.read().unwrap_or_else(PoisonError::into_inner).as_ref().and_then(Weak::upgrade)
    }

    /// Lists the tools, so that what a call says about them can be checked.
    pub(crate) async fn list_tools(self: &Arc<Self>) -> Result<(), ErrorObject> {
        let connection = self.connection().await?;
        let listed = connection.client.list(Method::ToolsList.name(), "tools").await;
        match listed {
            Ok(tools) => {
                self.tools.learn(tools.iter().map(JsonBuf::as_json));
                if let Some(pins) = &self.upstream.options.pins {
                    pins.observe(&tools).await;
                }
                Ok(())
            }
            Err(error) => Err(failure::of(&error, self.upstream.label())),
        }
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.live().map_or(0, |connection| connection.routes.len())
    }

    /// Whether nobody has needed it for that long.
    pub(crate) fn is_idle(&self, for_long: Duration) -> bool {
        let used = *self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.elapsed() > for_long
            && self.in_flight() == 0
            && self.listeners.is_empty()
            && !self.asking.load(Ordering::Acquire)
    }

    /// Ends the conversation in the polite way.
    pub(crate) async fn close(&self) {
        self.closed.store(true, Ordering::Release);
        let connection = self.current.write().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(connection) = connection {
            connection.client.finish().await;
        }
    }

    /// Hears of the end of the conversation, and opens a new one for a client that may be waiting for news.
    fn watch(self: &Arc<Self>, connection: &Arc<Connection>) {
        let (lane, ended) = (Arc::downgrade(self), connection.client.ended());
        let connection = Arc::downgrade(connection);
        tokio::spawn(async move {
            let reason = ended.await;
            let (Some(lane), Some(connection)) = (lane.upgrade(), connection.upgrade()) else { return };
            if lane.closed.load(Ordering::Acquire) {
                return;
            }
            lane.upstream.lost(connection.since.elapsed(), &reason);
            drop(connection);
            // Without a client that waits for news the next call is soon enough.
            if lane.session().is_some() || !lane.listeners.is_empty() {
                let _ = lane.connection().await;
            }
        });
    }

    /// Tells a new legacy conversation what clients had set in the old one.
    async fn restore(&self, connection: &Connection) {
        if connection.client.server().version.era() == Era::Modern {
            return;
        }
        let wanted: Vec<(Method<'_>, JsonBuf)> = {
            let standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
            let level = standing.level.map(|level| Object::new().string("level", level.as_str()).finish());
            let level = level.map(|params| (Method::SetLevel, params));
            let watched = standing.watched.keys().map(|uri| Object::new().string("uri", uri).finish());
            level.into_iter().chain(watched.map(|params| (Method::ResourcesSubscribe, params))).collect()
        };
        for (method, params) in wanted {
            let request =
                Message::request(&connection.client.new_id(), method.name(), Some(params.as_json()));
            let told = connection.carry(&request, RESTORE_DEADLINE).await;
            tracing::debug!(%method, ok = told.is_ok(), "told the new conversation");
        }
    }

    /// A server that was started anew may offer something else than before.
    async fn announce_changes(&self, connection: &Connection) {
        let capabilities = connection.client.server().capabilities.as_json();
        for (capability, method) in [
            ("tools", Method::ToolsChanged),
            ("prompts", Method::PromptsChanged),
            ("resources", Method::ResourcesChanged),
        ] {
            let told = capabilities.get(capability).get("listChanged").value().and_then(Json::bool);
            if told == Some(true) {
                self.news(Message::notification(method.name(), None)).await;
            }
        }
    }

    /// The tools are not what they were.
    pub(crate) fn forget_tools(&self) {
        self.tools.forget();
        self.upstream.counters.tools_changed.fetch_add(1, Ordering::Relaxed);
    }

    /// Passes on what belongs to no call.
    pub(crate) async fn news(&self, message: Message) {
        if message.method() == Some(Method::ToolsChanged) {
            self.forget_tools();
        }
        self.listeners.tell(&message);
        // A modern client hears only what it asked for.
        if self.who.version.era() == Era::Legacy
            && let Some(session) = self.session()
            && self.upstream.task_events.may_deliver(&session, &message)
        {
            let _ = session.outlet().notify(message).await;
        }
    }
}

impl Asking {
    /// The call was answered.
    pub(crate) fn done(mut self) {
        self.done = true;
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        if !self.done {
            *self.lane.current.write().unwrap_or_else(PoisonError::into_inner) = None;
        }
        self.lane.asking.store(false, Ordering::Release);
    }
}

// === impl Connection ===

impl Connection {
    pub(crate) fn era(&self) -> Era {
        self.client.server().version.era()
    }

    /// The answer to a request of our own, if it comes in time.
    pub(crate) async fn carry(&self, request: &Message, patience: Duration) -> Result<Message, ClientError> {
        self.carry_within(TimeBudget::without_pauses(patience), &DeadlineControl::default(), request).await
    }

    /// The answer to a request, if it comes within its budget. The time in which `deadline` is paused does not count.
    pub(crate) async fn carry_within(
        &self,
        budget: TimeBudget,
        deadline: &DeadlineControl,
        request: &Message,
    ) -> Result<Message, ClientError> {
        budget.run(deadline, self.client.carry(request)).await.unwrap_or_else(|_| {
            let method = request.method().map_or("", Method::name).to_owned();
            Err(ClientError::TimedOut { method, after: budget.work, dropped: None })
        })
    }

    pub(crate) fn new_id(&self) -> Id {
        self.client.new_id()
    }
}
