//! Requests that wait for their answers on one connection, and the reason why the connection ended.
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use overt_wire::{BoxFuture, Id, Message, MessageError};
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use super::error::{ClientError, Delivery};

/// The waiting requests of one connection. An answer completes a request only if it was sent on
/// this connection and still waits (UP-04).
pub(in crate::client) struct Calls {
    /// `None` when the connection is closed.
    waiting: Mutex<Option<WaitingCalls>>,
    ending: watch::Sender<Option<Ending>>,
}

type WaitingCalls = HashMap<Id, oneshot::Sender<Result<Message, ClientError>>>;

/// Why the connection ended, and the last error output of the server.
#[derive(Debug, Clone)]
pub(in crate::client) struct Ending {
    pub(in crate::client) reason: String,
    pub(in crate::client) stderr: String,
}

/// How long to wait for the explanation after a connection has ended.
const REASON_DEADLINE: Duration = Duration::from_secs(1);

impl Calls {
    pub(in crate::client) fn new() -> Self {
        Self { waiting: Mutex::new(Some(HashMap::new())), ending: watch::Sender::new(None) }
    }

    pub(in crate::client) fn expect(
        &self,
        id: &Id,
    ) -> Option<oneshot::Receiver<Result<Message, ClientError>>> {
        let (sender, receiver) = oneshot::channel();
        self.lock().as_mut()?.insert(id.clone(), sender);
        Some(receiver)
    }

    /// Passes an answer to the request that waits for it. Returns false if no request does.
    pub(in crate::client) fn complete(&self, message: Message) -> bool {
        let waiter = message.id().and_then(|id| self.lock().as_mut()?.remove(id));
        waiter.is_some_and(|waiter| waiter.send(Ok(message)).is_ok())
    }

    /// Fails the request that a broken answer was meant for, because it will get no other answer.
    pub(in crate::client) fn refuse(&self, broken: &MessageError) {
        let waiter = broken.id.as_ref().and_then(|id| self.lock().as_mut()?.remove(id));
        if let Some(waiter) = waiter {
            let _ = waiter.send(Err(ClientError::Protocol { what: broken.error.message.clone() }));
        }
    }

    /// Stops waiting for an answer. Returns whether the answer was still missing.
    pub(in crate::client) fn forget(&self, id: &Id) -> bool {
        self.lock().as_mut().is_some_and(|waiting| waiting.remove(id).is_some())
    }

    /// Fails all waiting requests at once (UP-02). The first explanation is kept.
    pub(in crate::client) fn close(&self, ending: Ending) {
        tracing::debug!(reason = ending.reason, "connection closed");
        self.ending.send_if_modified(|current| {
            let first = current.is_none();
            current.get_or_insert(ending);
            first
        });
        // Dropping the senders wakes the waiting requests, and they find the explanation above.
        drop(self.lock().take());
    }

    /// Number of requests that wait for their answers.
    pub(in crate::client) fn waiting(&self) -> usize {
        self.lock().as_ref().map_or(0, HashMap::len)
    }

    /// The error that explains why the connection has ended. `delivery` says whether the request
    /// was sent on it.
    pub(in crate::client) async fn ended(&self, delivery: Delivery) -> ClientError {
        let mut ending = self.ending.subscribe();
        let known = timeout(REASON_DEADLINE, ending.wait_for(Option::is_some)).await;
        let known = known.ok().and_then(|known| known.ok()?.clone());
        let Ending { reason, stderr } = known.unwrap_or_else(|| Ending::of("it is being closed"));
        ClientError::Closed { reason, stderr, delivery }
    }

    pub(in crate::client) fn is_open(&self) -> bool {
        self.lock().is_some()
    }

    /// Waits for the end of the connection, and returns the reason.
    pub(in crate::client) fn reason(&self) -> BoxFuture<'static, String> {
        let mut ending = self.ending.subscribe();
        Box::pin(async move {
            let known = ending.wait_for(Option::is_some).await;
            known.ok().and_then(|known| known.clone()).map_or_else(String::new, |ending| ending.reason)
        })
    }

    fn lock(&self) -> MutexGuard<'_, Option<WaitingCalls>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ending {
    pub(in crate::client) fn of(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), stderr: String::new() }
    }
}
