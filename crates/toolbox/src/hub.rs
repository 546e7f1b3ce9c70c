//! Who hears of changes: every session of the older era, and the open `subscriptions/listen` of the newer one.
use std::collections::{HashMap, HashSet};
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use overt_wire::era::key;
use overt_wire::json::{JsonBuf, Object};
use overt_wire::{ErrorObject, Exchange, Message, Session};
use tokio::sync::mpsc;

use super::news::{Change, Filter, MOST_URIS, known_tasks, subscription_meta};
use super::resource::Watch;
use super::task::{Task, Tasks};

/// Announces changes to whoever wants to know. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    hub: Arc<Hub>,
}

#[derive(Debug, Default)]
struct Hub {
    state: Mutex<State>,
    next: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    sessions: HashMap<String, Subscriber>,
    listeners: HashMap<u64, Listener>,
    closed: bool,
}

#[derive(Debug)]
struct Subscriber {
    session: Arc<Session>,
    /// What each subscription keeps going.
    uris: HashMap<String, Option<Watch>>,
}

#[derive(Debug)]
struct Listener {
    wanted: Filter,
    /// Held for as long as the request is open.
    _watches: Vec<Watch>,
    notes: mpsc::Sender<Change>,
}

/// How much it matters that news of a task arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Urgency {
    /// The state changed.
    Now,
    /// Only the words changed: told as long as there is plenty of room.
    CanWait,
}

/// Takes a listener out when its request ends, however it ends.
struct Listening {
    hub: Arc<Hub>,
    number: u64,
}

/// Open listeners of all clients.
const MOST_LISTENERS: usize = 1000;
/// Changes that wait for one listener; more are dropped, for the client will look anyway.
const QUEUE: usize = 256;

// === impl Changes ===

impl Changes {
    /// The list of tools is not what it was.
    pub async fn tools(&self) {
        self.announce(Change::Tools).await;
    }

    /// The list of prompts is not what it was.
    pub async fn prompts(&self) {
        self.announce(Change::Prompts).await;
    }

    /// The list of resources is not what it was.
    pub async fn resources(&self) {
        self.announce(Change::Resources).await;
    }

    /// One resource is not what it was.
    pub async fn resource(&self, uri: &str) {
        self.announce(Change::Resource(uri.to_owned())).await;
    }

    /// A task is not where it was.
    pub(super) fn task(&self, task: &Arc<Task>, urgency: Urgency) {
        let state = self.hub.lock();
        let wanting = state.listeners.values().filter(|listener| listener.wanted.tasks.contains(&task.id));
        for listener in wanting {
            if urgency == Urgency::Now || listener.notes.capacity() > QUEUE / 2 {
                let _ = listener.notes.try_send(Change::Task(Arc::clone(task)));
            }
        }
    }

    async fn announce(&self, change: Change) {
        let sessions: Vec<Arc<Session>> = {
            let state = self.hub.lock();
            for listener in state.listeners.values().filter(|listener| listener.wanted.wants(&change)) {
                let _ = listener.notes.try_send(change.clone());
            }
            let told = state.sessions.values().filter(|subscriber| match &change {
                Change::Resource(uri) => subscriber.uris.contains_key(uri),
                Change::Tools | Change::Prompts | Change::Resources => true,
                // The older era has no tasks.
                Change::Task(_) => false,
            });
            told.map(|subscriber| Arc::clone(&subscriber.session)).collect()
        };
        tell(&sessions, &change.message(None)).await;
    }

    /// The list of resources is not what it was, for this session alone.
    pub(super) async fn resources_of(&self, session: &Session) {
        let known = self.hub.lock().sessions.get(session.id()).map(|known| Arc::clone(&known.session));
        if let Some(session) = known {
            tell(&[session], &Change::Resources.message(None)).await;
        }
    }

    pub(super) fn opened(&self, session: &Arc<Session>) {
        let subscriber = Subscriber { session: Arc::clone(session), uris: HashMap::new() };
        self.hub.lock().sessions.entry(session.id().to_owned()).or_insert(subscriber);
    }

    pub(super) fn closed(&self, session: &Session) {
        self.hub.lock().sessions.remove(session.id());
    }

    pub(super) fn subscribe(
        &self,
        session: &Session,
        uri: &str,
        watch: Option<Watch>,
    ) -> Result<(), ErrorObject> {
        let mut state = self.hub.lock();
        let Some(subscriber) = state.sessions.get_mut(session.id()) else { return Ok(()) };
        if subscriber.uris.len() >= MOST_URIS && !subscriber.uris.contains_key(uri) {
            let message = format!("a client may subscribe to at most {MOST_URIS} resources");
            return Err(ErrorObject::invalid_params(message));
        }
        subscriber.uris.insert(uri.to_owned(), watch);
        Ok(())
    }

    pub(super) fn unsubscribe(&self, session: &Session, uri: &str) {
        if let Some(subscriber) = self.hub.lock().sessions.get_mut(session.id()) {
            subscriber.uris.remove(uri);
        }
    }

    /// Answers `subscriptions/listen`: acknowledges, passes changes on, and ends when the server stops.
    /// Where a task stands that somebody wants to hear of is told at once, for it may have ended already.
    pub(super) async fn listen(
        &self,
        exchange: &Exchange,
        (mut wanted, watches): (Filter, Vec<Watch>),
        server: &JsonBuf,
        tasks: Option<&Tasks>,
    ) -> Result<JsonBuf, ErrorObject> {
        let Some(id) = exchange.message.id() else { return Err(ErrorObject::internal()) };
        wanted.tasks = match tasks {
            Some(tasks) => known_tasks(exchange, tasks)?,
            None => HashSet::new(),
        };
        let watched: Vec<String> = wanted.tasks.iter().cloned().collect();
        let acknowledged = wanted.acknowledgement(id);
        let (notes, mut noted) = mpsc::channel(QUEUE);
        let number = self.hub.next.fetch_add(1, Ordering::Relaxed);
        {
            let mut state = self.hub.lock();
            if state.closed || state.listeners.len() >= MOST_LISTENERS {
                let message = "too many subscriptions are open; try again later";
                return Err(ErrorObject::new(overt_wire::error::code::OVERLOADED, message));
            }
            state.listeners.insert(number, Listener { wanted, _watches: watches, notes });
        }
        let _listening = Listening { hub: Arc::clone(&self.hub), number };
        let mut reachable = exchange.outlet.notify(acknowledged).await.is_ok();
        for task in watched.iter().filter_map(|watched| tasks?.find(watched)) {
            reachable =
                reachable && exchange.outlet.notify(Change::Task(task).message(Some(id))).await.is_ok();
        }
        while reachable {
            let Some(change) = noted.recv().await else { break };
            reachable = exchange.outlet.notify(change.message(Some(id))).await.is_ok();
        }
        if reachable {
            // The specification wants both: the notice that the subscription is over, and an answer.
            let params =
                Object::new().raw("requestId", id.token()).string("reason", "the server is stopping");
            let params = params.json("_meta", subscription_meta(id).as_json()).finish();
            let notice = Message::notification("notifications/cancelled", Some(params.as_json()));
            let _ = exchange.outlet.notify(notice).await;
        }
        let meta = Object::new()
            .raw(key::SUBSCRIPTION_ID, id.token())
            .json(key::SERVER_INFO, server.as_json())
            .finish();
        Ok(Object::new().string("resultType", "complete").json("_meta", meta.as_json()).finish())
    }

    /// Ends every open listener.
    pub(super) fn shutdown(&self) {
        let mut state = self.hub.lock();
        state.closed = true;
        state.listeners.clear();
    }
}

/// Tells each session, without waiting for any.
async fn tell(sessions: &[Arc<Session>], message: &Message) {
    for session in sessions {
        let mut told = tokio::task::unconstrained(session.outlet().notify(message.clone()));
        // Asked once and not waited for: a client that doesn't read must not hold up the others (RPC-16).
        let _ = poll_fn(|context| Poll::Ready(Pin::new(&mut told).poll(context))).await;
    }
}

impl Hub {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.hub.lock().listeners.remove(&self.number);
    }
}
