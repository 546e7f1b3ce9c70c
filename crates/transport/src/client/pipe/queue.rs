//! The lines that wait to be written to a server, limited in number and in bytes.
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use overt_wire::Id;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::limits::Limits;

/// A queue of lines, written in order. Cancellations are written first.
pub(super) struct Queue {
    state: Mutex<State>,
    /// Wakes the writer.
    filled: Notify,
    /// Permits for the queued bytes. A line costs its length but at least `least_cost`, which also
    /// limits the number of lines.
    room: Arc<Semaphore>,
    max_bytes: usize,
    least_cost: usize,
    /// Limits the notifications that wait for room at the same time.
    waiting_notifications: Semaphore,
}

#[derive(Default)]
struct State {
    cancellations: VecDeque<String>,
    lines: VecDeque<Line>,
    /// The request that is being written.
    writing: Option<Id>,
    closed: bool,
}

/// One line to write.
pub(super) struct Line {
    pub(super) text: String,
    /// The id, if the line is a request.
    request: Option<Id>,
    _room: Option<OwnedSemaphorePermit>,
}

/// Why a line was not queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotQueued {
    /// The queue is closed.
    Closed,
    /// There was no room in time.
    Full { limit: usize },
}

/// How long a request waits for room before it is refused.
const REQUEST_PATIENCE: Duration = Duration::from_secs(5);
/// The most cancellations that wait to be written. Each belongs to a request that was written, so a
/// server that keeps reading never misses one.
const MAX_CANCELLATIONS: usize = 1024;

impl Queue {
    pub(super) fn new(limits: &Limits) -> Self {
        let max_bytes = limits.max_queued_bytes.clamp(1, u32::MAX as usize >> 3);
        let messages = limits.max_queued_messages.max(1);
        Self {
            state: Mutex::default(),
            filled: Notify::new(),
            room: Arc::new(Semaphore::new(max_bytes)),
            max_bytes,
            least_cost: (max_bytes / messages).max(1),
            waiting_notifications: Semaphore::new(messages),
        }
    }

    /// Adds a request. Waits briefly for room.
    pub(super) async fn push_request(&self, id: &Id, text: String) -> Result<(), NotQueued> {
        let room = self.room_for(&text, REQUEST_PATIENCE).await?;
        self.push(Line { text, request: Some(id.clone()), _room: Some(room) })
    }

    /// Adds a message that is not a request. Waits for room up to `patience`. If too many are
    /// waiting already, refuses it at once.
    pub(super) async fn push_other(&self, text: String, patience: Duration) -> Result<(), NotQueued> {
        let full = NotQueued::Full { limit: self.max_bytes };
        let _waiting = self.waiting_notifications.try_acquire().map_err(|_| full)?;
        let room = self.room_for(&text, patience).await?;
        self.push(Line { text, request: None, _room: Some(room) })
    }

    /// Cancels a dropped request. Removes it if it was not written yet, otherwise queues
    /// `cancellation` as the next line.
    pub(super) fn cancel(&self, id: &Id, cancellation: String) {
        if self.withdraw(id) {
            return;
        }
        let mut state = self.lock();
        if !state.closed && state.cancellations.len() < MAX_CANCELLATIONS {
            state.cancellations.push_back(cancellation);
            drop(state);
            self.filled.notify_one();
        }
    }

    /// Removes a request that was not written yet. Returns whether it was in the queue.
    pub(super) fn withdraw(&self, id: &Id) -> bool {
        let mut state = self.lock();
        let at = state.lines.iter().position(|line| line.request.as_ref() == Some(id));
        at.and_then(|at| state.lines.remove(at)).is_some()
    }

    /// The next line to write. `None` when the queue is closed and all lines are written.
    pub(super) async fn next(&self) -> Option<Line> {
        loop {
            let filled = self.filled.notified();
            {
                let mut state = self.lock();
                state.writing = None;
                if let Some(text) = state.cancellations.pop_front() {
                    return Some(Line { text, request: None, _room: None });
                }
                if let Some(line) = state.lines.pop_front() {
                    state.writing.clone_from(&line.request);
                    return Some(line);
                }
                if state.closed {
                    return None;
                }
            }
            filled.await;
        }
    }

    /// Number of requests that are not completely written.
    pub(super) fn unwritten_requests(&self) -> usize {
        let state = self.lock();
        let queued = state.lines.iter().filter(|line| line.request.is_some()).count();
        queued + usize::from(state.writing.is_some())
    }

    /// Closes the queue for new lines. Queued lines are still written.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.room.close();
        self.filled.notify_one();
    }

    async fn room_for(&self, text: &str, patience: Duration) -> Result<OwnedSemaphorePermit, NotQueued> {
        // A message that is larger than the whole queue waits alone.
        let cost = text.len().max(self.least_cost).min(self.max_bytes);
        let cost = u32::try_from(cost).unwrap_or(u32::MAX);
        if let Ok(room) = Arc::clone(&self.room).try_acquire_many_owned(cost) {
            return Ok(room);
        }
        match timeout(patience, Arc::clone(&self.room).acquire_many_owned(cost)).await {
            Ok(room) => room.map_err(|_| NotQueued::Closed),
            Err(_) => Err(NotQueued::Full { limit: self.max_bytes }),
        }
    }

    fn push(&self, line: Line) -> Result<(), NotQueued> {
        let mut state = self.lock();
        if state.closed {
            return Err(NotQueued::Closed);
        }
        state.lines.push_back(line);
        drop(state);
        self.filled.notify_one();
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(max_queued_bytes: usize, max_queued_messages: usize) -> Queue {
        Queue::new(&Limits { max_queued_bytes, max_queued_messages, ..Limits::default() })
    }

    #[tokio::test(start_paused = true)]
    async fn g_48_bytes_and_messages_are_bounded() {
        let bytes = queue(100, 10);
        assert_eq!(bytes.push_request(&Id::from(1), "x".repeat(60)).await, Ok(()));
        let full = Err(NotQueued::Full { limit: 100 });
        assert_eq!(bytes.push_request(&Id::from(2), "x".repeat(60)).await, full);
        let count = queue(100, 10);
        for _ in 0..10 {
            assert_eq!(count.push_other("x".into(), Duration::from_secs(1)).await, Ok(()));
        }
        assert_eq!(count.push_other("x".into(), Duration::from_secs(1)).await, full);
        // A message that is larger than the queue waits alone.
        assert_eq!(queue(100, 10).push_request(&Id::from(3), "x".repeat(1000)).await, Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn room_comes_back_when_a_line_is_written() {
        let queue = Arc::new(queue(100, 10));
        queue.push_request(&Id::from(1), "x".repeat(100)).await.unwrap();
        let waiting = tokio::spawn({
            let queue = Arc::clone(&queue);
            async move { queue.push_request(&Id::from(2), "second".into()).await }
        });
        tokio::task::yield_now().await;
        drop(queue.next().await);
        assert_eq!(waiting.await.unwrap(), Ok(()));
        assert_eq!(queue.next().await.unwrap().text, "second");
    }

    #[tokio::test]
    async fn a_request_that_was_not_written_is_withdrawn_and_any_other_is_cancelled() {
        let queue = queue(1000, 10);
        queue.push_request(&Id::from(1), "one".into()).await.unwrap();
        queue.push_request(&Id::from(2), "two".into()).await.unwrap();
        queue.push_request(&Id::from(3), "three".into()).await.unwrap();
        let _being_written = queue.next().await;
        assert_eq!(queue.unwritten_requests(), 3);
        queue.cancel(&Id::from(2), "cancel two".into());
        queue.cancel(&Id::from(1), "cancel one".into());
        assert_eq!(queue.next().await.unwrap().text, "cancel one");
        assert_eq!(queue.next().await.unwrap().text, "three");
        queue.close();
        assert!(queue.next().await.is_none() && !queue.withdraw(&Id::from(3)));
        assert_eq!(queue.push_request(&Id::from(4), "four".into()).await, Err(NotQueued::Closed));
    }
}
