//! Wakes calls that wait for a person when a change may permit them: a grant or an answer in any
//! process, a new policy, or other tools. One task per server listens for changes, and only while a
//! call waits.
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use crate::description::Tools;
use crate::grants::StateStore;

/// Wakes the waiting calls of one server. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct Wakers {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    changes: watch::Sender<u64>,
    waiting: Mutex<WaitingCalls>,
}

#[derive(Debug, Default)]
struct WaitingCalls {
    calls: usize,
    /// Whether the task runs.
    is_looking: bool,
}

/// Notifies one waiting call of changes.
#[derive(Debug)]
pub(super) struct Subscription {
    changes: watch::Receiver<u64>,
    inner: Arc<Inner>,
}

/// How often the task looks whether the tools changed, while a call waits.
const INTERVAL: Duration = Duration::from_millis(100);

impl Wakers {
    pub(super) fn new() -> Self {
        Self { inner: Arc::new(Inner { changes: watch::channel(0).0, waiting: Mutex::default() }) }
    }

    /// Wakes all waiting calls after a change in this process.
    pub(super) fn wake(&self) {
        self.inner.changes.send_modify(|count| *count += 1);
    }

    /// Returns a subscription that wakes the caller on every later change.
    pub(super) fn subscribe(&self, store: &Arc<dyn StateStore>, tools: &Arc<dyn Tools>) -> Subscription {
        let inner = Arc::clone(&self.inner);
        let changes = inner.changes.subscribe();
        let mut waiting = inner.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.calls += 1;
        if !std::mem::replace(&mut waiting.is_looking, true) {
            // Subscribed here, so that no change after this is missed.
            let answers = store.changes();
            tokio::spawn(wake_on_changes(Arc::clone(&inner), answers, Arc::clone(tools)));
        }
        drop(waiting);
        Subscription { changes, inner }
    }
}

impl Subscription {
    pub(super) async fn changed(&mut self) {
        if self.changes.changed().await.is_err() {
            // Unreachable: `inner` keeps the sender alive as long as this subscription.
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        let mut waiting = self.inner.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.calls = waiting.calls.saturating_sub(1);
    }
}

async fn wake_on_changes(inner: Arc<Inner>, mut answers: watch::Receiver<u64>, tools: Arc<dyn Tools>) {
    let mut generation = tools.generation();
    loop {
        let is_answered = tokio::select! {
            changed = answers.changed() => changed.is_ok(),
            () = tokio::time::sleep(INTERVAL) => false,
        };
        {
            let mut waiting = inner.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            if waiting.calls == 0 {
                waiting.is_looking = false;
                return;
            }
        }
        let now = tools.generation();
        if is_answered || std::mem::replace(&mut generation, now) != now {
            inner.changes.send_modify(|count| *count += 1);
        }
    }
}
