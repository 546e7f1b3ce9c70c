//! The clients that listen for changes of the upstream. A legacy upstream announces changes once
//! per connection, so the gateway distributes them.
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use overt_wire::{ClientSink, Closed, Id, Message};
use tokio::sync::mpsc;

use crate::translate::subscription::{Filter, marked};

/// The listeners in one session.
#[derive(Default)]
pub(crate) struct Listeners {
    open: Mutex<BTreeMap<u64, Listener>>,
    next: AtomicU64,
}

struct Listener {
    interest: Interest,
    notifications: mpsc::Sender<Message>,
}

enum Interest {
    /// A subscription of a modern client, with the id of its request.
    Subscribed(Id, Filter),
    /// A legacy client, which hears all changes.
    All,
}

/// Removes a listener when its request ends.
pub(crate) struct ListenerGuard<'a> {
    listeners: &'a Listeners,
    number: u64,
}

/// The most notifications that wait for one listener. Further ones are dropped, because a single
/// notification makes a client refresh.
const QUEUE: usize = 256;
/// The most listeners in one session.
const MOST_LISTENERS: usize = 256;

// === impl Listeners ===

impl Listeners {
    /// Starts to collect the notifications of a subscription. Returns `None` if there are too many
    /// listeners.
    pub(crate) fn subscribe(
        &self,
        id: &Id,
        wanted: Filter,
    ) -> Option<(ListenerGuard<'_>, mpsc::Receiver<Message>)> {
        let (number, notifications) = self.add(Interest::Subscribed(id.clone(), wanted))?;
        Some((ListenerGuard { listeners: self, number }, notifications))
    }

    /// Starts to collect all notifications, until the receiver is dropped. Returns `None` if there
    /// are too many listeners.
    pub(crate) fn hear_all(&self) -> Option<mpsc::Receiver<Message>> {
        self.add(Interest::All).map(|(_, notifications)| notifications)
    }

    fn add(&self, interest: Interest) -> Option<(u64, mpsc::Receiver<Message>)> {
        let (notifications, receiver) = mpsc::channel(QUEUE);
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let mut open = self.lock();
        open.retain(|_, listener| !listener.notifications.is_closed());
        if open.len() >= MOST_LISTENERS {
            return None;
        }
        open.insert(number, Listener { interest, notifications });
        Some((number, receiver))
    }

    pub(crate) fn tell(&self, message: &Message) {
        for listener in self.lock().values() {
            let notification = match &listener.interest {
                Interest::Subscribed(id, wanted) if wanted.wants(message) => marked(message, id),
                Interest::Subscribed(..) => None,
                Interest::All => Some(message.clone()),
            };
            if let Some(notification) = notification {
                let _ = listener.notifications.try_send(notification);
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lock().values().all(|listener| listener.notifications.is_closed())
    }

    /// Ends every subscription. Each listener notices that its channel is closed.
    pub(crate) fn close(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Listener>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ListenerGuard<'_> {
    fn drop(&mut self) {
        self.listeners.lock().remove(&self.number);
    }
}

/// Passes notifications on until the client has gone or the channel is closed.
pub(crate) async fn follow(
    mut notifications: mpsc::Receiver<Message>,
    sink: &Arc<dyn ClientSink>,
) -> Result<(), Closed> {
    while let Some(message) = notifications.recv().await {
        sink.notify(message).await?;
    }
    Ok(())
}
