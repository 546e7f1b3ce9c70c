//! Announces changes: to every legacy session, and to the open `subscriptions/listen` requests of
//! modern clients.
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
    /// The subscribed addresses, each with the watch that reports its changes, if it has one.
    uris: HashMap<String, Option<Watch>>,
}

#[derive(Debug)]
struct Listener {
    wanted: Filter,
    /// Dropped when the request ends, which stops the watching.
    _watches: Vec<Watch>,
    announcements: mpsc::Sender<Announcement>,
}

/// How important it is that the announcement of a task arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Urgency {
    /// The state of the task changed. The announcement is dropped only if the queue is full.
    Now,
    /// Only the status message changed. It is sent only while more than half of the queue is free.
    CanWait,
}

/// An open listener. Dropping it unregisters the listener, however its request ends.
#[derive(Debug)]
pub(super) struct OpenListener {
    subscriptions: Arc<Subscriptions>,
    number: u64,
    announced: mpsc::Receiver<Announcement>,
}

/// The most listeners that may be open at once, for all clients together.
const MOST_LISTENERS: usize = 1000;
/// The most announcements that may wait for one listener. Further ones are dropped, because the
/// client reads the current state anyway.
const QUEUE: usize = 256;

// === impl Changes ===

impl Changes {
    /// Announces that the list of tools changed.
    pub async fn tools(&self) {
        self.announce(Announcement::Tools).await;
    }

    /// Announces that the list of prompts changed.
    pub async fn prompts(&self) {
        self.announce(Announcement::Prompts).await;
    }

    /// Announces that the list of resources changed.
    pub async fn resources(&self) {
        self.announce(Announcement::Resources).await;
    }

    /// Announces that one resource changed.
    pub async fn resource(&self, uri: &str) {
        self.announce(Announcement::Resource(uri.to_owned())).await;
    }

    /// Announces that the state of a task changed. `detail` produces that state, and is called only
    /// if a client listens and has room.
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
                // The legacy era has no tasks.
                Announcement::Task { .. } => false,
            });
            subscribers.map(|subscriber| Arc::clone(&subscriber.session)).collect()
        };
        notify_all(&sessions, &announcement.message(None)).await;
    }

    /// Announces to one session only that the list of resources changed.
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

    /// Registers a listener. Returns `None` if there are too many, or if the server is stopping.
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

/// Notifies each session without waiting for any of them.
async fn notify_all(sessions: &[Arc<Session>], message: &Message) {
    for session in sessions {
        let mut notified = tokio::task::unconstrained(session.sink().notify(message.clone()));
        // Poll once and do not wait: a client that doesn't read must not delay the others (RPC-16).
        let _ = poll_fn(|context| Poll::Ready(Pin::new(&mut notified).poll(context))).await;
    }
}

impl Subscriptions {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenListener {
    /// Returns the next announcement, or `None` when the server stops.
    pub(super) async fn next(&mut self) -> Option<Announcement> {
        self.announced.recv().await
    }
}

impl Drop for OpenListener {
    fn drop(&mut self) {
        self.subscriptions.lock().listeners.remove(&self.number);
    }
}
