//! All tasks of a server, and their limits. Only this module decides how long a task is kept.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::super::announce::Changes;
use super::record::{Stage, Task};
use super::rule::TaskRule;

/// The tasks by id. They are in memory only and end with the process.
#[derive(Debug, Default)]
pub(in super::super) struct Tasks {
    kept: Arc<Mutex<TaskEntries>>,
}

/// The place of a task in the store, held by its work. Dropping it forgets the task.
#[derive(Debug)]
pub(in super::super) struct OpenTask {
    pub(super) task: Arc<Task>,
    kept: Weak<Mutex<TaskEntries>>,
}

#[derive(Debug, Default)]
struct TaskEntries {
    entries: HashMap<String, StoredTask>,
    closed: bool,
}

#[derive(Debug)]
struct StoredTask {
    task: Arc<Task>,
    /// Bytes of the request while the work runs, then those of its result.
    bytes: usize,
}

/// The most tasks in total. A small team with a busy client stays far below it; each task costs
/// about a kilobyte.
const MOST_TASKS: usize = 1000;
/// The most tasks that are working: as many as a connection may have requests in flight.
const MOST_RUNNING: usize = 256;
/// The most bytes of requests and results: room for several of the largest messages, and little of
/// a server's memory.
const MOST_BYTES: usize = 64 << 20;

// === impl Tasks ===

impl Tasks {
    /// Opens a task that has not begun, if there is room for it and for a request of that size.
    pub(super) fn open(&self, rule: &TaskRule, request_bytes: usize, changes: &Changes) -> Option<OpenTask> {
        let mut kept = self.lock();
        let running = kept.entries.values().filter(|entry| !entry.task.has_ended()).count();
        if kept.closed || running >= MOST_RUNNING || !kept.make_room(1, request_bytes) {
            return None;
        }
        let task = Task::new(rule, changes.clone());
        let entry = StoredTask { task: Arc::clone(&task), bytes: request_bytes };
        kept.entries.insert(task.id.clone(), entry);
        Some(OpenTask { task, kept: Arc::downgrade(&self.kept) })
    }

    pub(in super::super) fn find(&self, id: &str) -> Option<Arc<Task>> {
        self.lock().entries.get(id).map(|entry| Arc::clone(&entry.task))
    }

    /// Cancels all work, because nobody could fetch the results.
    pub(in super::super) fn shutdown(&self) {
        let tasks: Vec<Arc<Task>> = {
            let mut kept = self.lock();
            kept.closed = true;
            kept.entries.values().map(|entry| Arc::clone(&entry.task)).collect()
        };
        for task in tasks {
            task.end(Stage::Cancelled, Some("the server is stopping"));
        }
    }

    fn lock(&self) -> MutexGuard<'_, TaskEntries> {
        lock(&self.kept)
    }
}

fn lock(kept: &Mutex<TaskEntries>) -> MutexGuard<'_, TaskEntries> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

// === impl TaskEntries ===

impl TaskEntries {
    /// Makes room by forgetting the oldest tasks whose end the client has seen. A task whose end
    /// the client has not seen is kept until it expires. Returns `false` if there is not enough
    /// room.
    fn make_room(&mut self, tasks: usize, bytes: usize) -> bool {
        while self.entries.len() + tasks > MOST_TASKS || self.bytes() + bytes > MOST_BYTES {
            let spent = self.entries.values().filter_map(|entry| {
                let since = entry.task.spent_since()?;
                Some((since, &entry.task.id))
            });
            let Some(oldest) = spent.min().map(|(_, id)| id.clone()) else { return false };
            self.entries.remove(&oldest);
        }
        true
    }

    fn bytes(&self) -> usize {
        self.entries.values().map(|entry| entry.bytes).sum()
    }
}

impl Drop for StoredTask {
    fn drop(&mut self) {
        // Without an entry, clients can't ask for the task, so its work need not continue or wait.
        self.task.end(Stage::Cancelled, None);
        self.task.forget();
    }
}

// === impl OpenTask ===

impl OpenTask {
    /// Replaces the size of the request by the size of the result in bytes. Returns `false` if the
    /// result doesn't fit.
    pub(super) fn settle(&self, bytes: usize) -> bool {
        let Some(kept) = self.kept.upgrade() else { return false };
        let mut kept = lock(&kept);
        let Some(entry) = kept.entries.get_mut(&self.task.id) else { return false };
        entry.bytes = 0;
        let fits = kept.make_room(0, bytes);
        if let (true, Some(entry)) = (fits, kept.entries.get_mut(&self.task.id)) {
            entry.bytes = bytes;
        }
        fits
    }
}

impl Drop for OpenTask {
    fn drop(&mut self) {
        if let Some(kept) = self.kept.upgrade() {
            let entry = lock(&kept).entries.remove(&self.task.id);
            // Drop the entry outside the lock.
            drop(entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LARGE: usize = 20 << 20;

    fn open(tasks: &Tasks) -> Option<OpenTask> {
        tasks.open(&TaskRule::default(), LARGE, &Changes::default())
    }

    #[tokio::test]
    async fn large_requests_count_until_the_work_has_ended() {
        let tasks = Tasks::default();
        let mut open_tasks: Vec<OpenTask> = (0..3).map_while(|_| open(&tasks)).collect();
        assert_eq!(open_tasks.len(), 3);
        assert!(open(&tasks).is_none());
        // The call was dropped before the client learned of its task.
        drop(open_tasks.pop());
        open_tasks.push(open(&tasks).unwrap());
        // The task is done, with a small result.
        assert!(open_tasks[0].settle(7));
        assert!(open(&tasks).is_some());
    }

    #[tokio::test]
    async fn a_result_that_does_not_fit_is_not_kept() {
        let tasks = Tasks::default();
        let open_tasks: Vec<OpenTask> = (0..3).map_while(|_| open(&tasks)).collect();
        assert!(open_tasks[0].settle(LARGE));
        assert!(!open_tasks[1].settle(MOST_BYTES));
        open_tasks[0].task.end(Stage::Cancelled, None);
        assert!(!open_tasks[1].settle(MOST_BYTES - LARGE), "the client has not seen the first one");
        let _ = open_tasks[0].task.fetch();
        assert!(open_tasks[1].settle(MOST_BYTES - LARGE));
        assert!(tasks.find(&open_tasks[0].task.id).is_none());
        assert!(tasks.find(&open_tasks[1].task.id).is_some());
    }
}
