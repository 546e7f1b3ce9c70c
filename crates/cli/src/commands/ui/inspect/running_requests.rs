//! The running requests of the page, so that each can be cancelled.
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// The most requests of the page that run at the same time.
pub(super) const MOST_RUNNING: usize = 64;

/// The senders that cancel each running request, by the page's id.
#[derive(Debug, Default)]
pub(super) struct RunningRequests(Mutex<HashMap<String, oneshot::Sender<()>>>);

/// The slot of one request. Dropping it frees the slot, even if the page has disconnected.
#[derive(Debug)]
pub(super) struct RequestSlot<'a> {
    running: &'a RunningRequests,
    id: &'a str,
    /// Resolves when the request is cancelled.
    pub(super) cancelled: oneshot::Receiver<()>,
}

impl RunningRequests {
    /// Reserves a slot. Returns `None` if the id is in use or too many requests run.
    pub(super) fn begin<'a>(&'a self, id: &'a str) -> Option<RequestSlot<'a>> {
        let mut running = self.lock();
        if running.len() >= MOST_RUNNING || running.contains_key(id) {
            return None;
        }
        let (cancel, cancelled) = oneshot::channel();
        running.insert(id.to_owned(), cancel);
        Some(RequestSlot { running: self, id, cancelled })
    }

    /// Cancels a request. Returns whether it was running. Its slot stays in use until it has ended.
    pub(super) fn cancel(&self, id: &str) -> bool {
        let (never, _) = oneshot::channel();
        let cancel = self.lock().get_mut(id).map(|cancel| std::mem::replace(cancel, never));
        cancel.is_some_and(|cancel| cancel.send(()).is_ok())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, oneshot::Sender<()>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RequestSlot<'_> {
    fn drop(&mut self) {
        self.running.lock().remove(self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_free_when_its_request_is_gone() {
        let running = RunningRequests::default();
        let ids: Vec<String> = (0..=MOST_RUNNING).map(|number| number.to_string()).collect();
        let mut places: Vec<_> = ids[..MOST_RUNNING].iter().map(|id| running.begin(id).unwrap()).collect();
        assert!(running.begin(&ids[MOST_RUNNING]).is_none(), "too many");
        drop(places.pop());
        assert!(running.begin("0").is_none(), "the id is in use");
        assert!(running.begin(&ids[MOST_RUNNING]).is_some());
    }

    #[test]
    fn a_request_is_cancelled_once() {
        let running = RunningRequests::default();
        let mut place = running.begin("a").unwrap();
        assert!(!running.cancel("b"));
        assert!(running.cancel("a"));
        assert_eq!(place.cancelled.try_recv(), Ok(()));
        assert!(!running.cancel("a"));
    }
}
