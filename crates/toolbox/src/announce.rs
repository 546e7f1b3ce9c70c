//! Announces changes: to every session of the older era, and to the open `subscriptions/listen` of
//! the newer one.
use std::collections::HashMap;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use overt_wire::json::JsonBuf;
use overt_wire::{ErrorObject, Message, Session};
use tokio::sync::mpsc;

use super::announcement::{Announcement, Filter, MOST_URIS};
use super::watch::Watch;

/// Announces changes to the clients that subscribed. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    subscriptions: Arc<Subscriptions>,
}

#[derive(Debug, Default)]
struct Subscriptions {
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
    announcements: mpsc::Sender<Announcement>,
}

/// How much it matters that the announcement of a task arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Urgency {
    /// The state changed.
    Now,
    /// Only the words changed: told as long as there is plenty of room.
    CanWait,
}

/// An open listener. Dropping it takes the listener out, however its request ends.
#[derive(Debug)]
pub(super) struct OpenListener {
    subscriptions: Arc<Subscriptions>,
    number: u64,
    announced: mpsc::Receiver<Announcement>,
}

/// Open listeners of all clients.
const MOST_LISTENERS: usize = 1000;
/// Announcements that wait for one listener. More are dropped: the client looks at the state
/// anyway.
const QUEUE: usize = 256;

// === impl Changes ===

impl Changes {
    /// The list of tools is not what it was.
    pub async fn tools(&self) {
        self.announce(Announcement::Tools).await;
    }

    /// The list of prompts is not what it was.
    pub async fn prompts(&self) {
        self.announce(Announcement::Prompts).await;
    }

    /// The list of resources is not what it was.
    pub async fn resources(&self) {
        self.announce(Announcement::Resources).await;
    }

    /// One resource is not what it was.
    pub async fn resource(&self, uri: &str) {
        self.announce(Announcement::Resource(uri.to_owned())).await;
    }

    /// The state of a task changed. `detail` makes that state, and is called only if a client
    /// listens.
    pub(super) fn task(&self, id: &str, urgency: Urgency, detail: impl FnOnce() -> JsonBuf) {
        let listeners: Vec<mpsc::Sender<Announcement>> = {
            let state = self.subscriptions.lock();
            let wanting = state.listeners.values().filter(|listener| listener.wanted.tasks.contains(id));
            wanting.map(|listener| listener.announcements.clone()).collect()
        };
        let has_room = |listener: &mpsc::Sender<Announcement>| {
            urgency == Urgency::Now || listener.capacity() > QUEUE / 2
        };
        if listeners.iter().any(has_room) {
            let announcement = Announcement::Task { id: id.to_owned(), detail: detail() };
            for listener in listeners.iter().filter(|listener| has_room(listener)) {
                let _ = listener.try_send(announcement.clone());
            }
        }
    }

    async fn announce(&self, announcement: Announcement) {
        let sessions: Vec<Arc<Session>> = {
            let state = self.subscriptions.lock();
            for listener in state.listeners.values().filter(|listener| listener.wanted.wants(&announcement)) {
                let _ = listener.announcements.try_send(announcement.clone());
            }
            let subscribers = state.sessions.values().filter(|subscriber| match &announcement {
                Announcement::Resource(uri) => subscriber.uris.contains_key(uri),
                Announcement::Tools | Announcement::Prompts | Announcement::Resources => true,
                // The older era has no tasks.
                Announcement::Task { .. } => false,
            });
            subscribers.map(|subscriber| Arc::clone(&subscriber.session)).collect()
        };
        notify_all(&sessions, &announcement.message(None)).await;
    }

    /// The list of resources is not what it was, for this session alone.
    pub(super) async fn resources_of(&self, session: &Session) {
        let known =
            self.subscriptions.lock().sessions.get(session.id()).map(|known| Arc::clone(&known.session));
        if let Some(session) = known {
            notify_all(&[session], &Announcement::Resources.message(None)).await;
        }
    }

    pub(super) fn opened(&self, session: &Arc<Session>) {
        let subscriber = Subscriber { session: Arc::clone(session), uris: HashMap::new() };
        self.subscriptions.lock().sessions.entry(session.id().to_owned()).or_insert(subscriber);
    }

    pub(super) fn closed(&self, session: &Session) {
        self.subscriptions.lock().sessions.remove(session.id());
    }

    pub(super) fn subscribe(
        &self,
        session: &Session,
        uri: &str,
        watch: Option<Watch>,
    ) -> Result<(), ErrorObject> {
        let mut state = self.subscriptions.lock();
        let Some(subscriber) = state.sessions.get_mut(session.id()) else { return Ok(()) };
        if subscriber.uris.len() >= MOST_URIS && !subscriber.uris.contains_key(uri) {
            let message = format!("a client may subscribe to at most {MOST_URIS} resources");
            return Err(ErrorObject::invalid_params(message));
        }
        subscriber.uris.insert(uri.to_owned(), watch);
        Ok(())
    }

    pub(super) fn unsubscribe(&self, session: &Session, uri: &str) {
        if let Some(subscriber) = self.subscriptions.lock().sessions.get_mut(session.id()) {
            subscriber.uris.remove(uri);
        }
    }

    /// Registers a listener. None if there are too many, or the server is stopping.
    pub(super) fn listen(&self, wanted: Filter, watches: Vec<Watch>) -> Option<OpenListener> {
        let (announcements, announced) = mpsc::channel(QUEUE);
        let number = self.subscriptions.next.fetch_add(1, Ordering::Relaxed);
        let mut state = self.subscriptions.lock();
        if state.closed || state.listeners.len() >= MOST_LISTENERS {
            return None;
        }
        state.listeners.insert(number, Listener { wanted, _watches: watches, announcements });
        Some(OpenListener { subscriptions: Arc::clone(&self.subscriptions), number, announced })
    }

    /// Ends every open listener.
    pub(super) fn shutdown(&self) {
        let mut state = self.subscriptions.lock();
        state.closed = true;
        state.listeners.clear();
    }
}

/// Notifies each session, without waiting for any.
async fn notify_all(sessions: &[Arc<Session>], message: &Message) {
    for session in sessions {
        let mut notified = tokio::task::unconstrained(session.sink().notify(message.clone()));
        // Asked once and not waited for: a client that doesn't read must not hold up the others
        // (RPC-16).
        let _ = poll_fn(|context| Poll::Ready(Pin::new(&mut notified).poll(context))).await;
    }
}

impl Subscriptions {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenListener {
    /// The next announcement; none when the server stops.
    pub(super) async fn next(&mut self) -> Option<Announcement> {
        self.announced.recv().await
    }
}

impl Drop for OpenListener {
    fn drop(&mut self) {
        self.subscriptions.lock().listeners.remove(&self.number);
    }
}
