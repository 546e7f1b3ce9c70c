//! Calls that became tasks. A task keeps the permit of its call: the record stays open until the
//! outcome is known, the deadline counts from the call, and the size of the result is checked
//! wherever the result appears. A client can reach only the tasks that its own calls created.
use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use overt_policy::Limits;
use overt_wire::json::{Json, Member};
use overt_wire::view::CallResult;
use overt_wire::{Exchange, Id, Message};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::created_task::{CreatedTask, ttl_of};
use super::holder::holder_of;
use super::records::CallRecord;
use super::result_size::{self, TooLarge};
use crate::audit::CallOutcome;
use crate::grants::Holder;

/// The most tasks of all clients that are tracked at once.
const MOST_TASKS: usize = 10_000;
/// The most tasks of one client that are tracked at once. It keeps one client from using up the
/// others' room.
const MOST_OF_CLIENT: usize = 1_000;

/// All tasks that calls have created. Only this type owns their state.
#[derive(Default)]
pub(super) struct OpenTasks {
    tasks: Mutex<HashMap<TaskKey, OpenTask>>,
}

/// Identifies a task of one client.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct TaskKey {
    /// The client: its session, or its name and version if it has none.
    pub(super) owner: Holder,
    pub(super) id: String,
}

/// One task.
struct OpenTask {
    /// `None` once the outcome is recorded.
    record: Option<CallRecord>,
    limits: Limits,
    deadline: Option<Instant>,
    /// Whether the deadline has passed. The result is then not delivered.
    is_over_time: bool,
    born: Instant,
    expires: Instant,
    /// Ends the task that watches the deadline and the expiry.
    watch: Option<AbortHandle>,
}

/// The conditions for the result of a task.
#[derive(Debug, Clone, Copy)]
pub(super) struct TaskTerms {
    pub(super) limits: Limits,
    pub(super) deadline: Option<Instant>,
    pub(super) is_over_time: bool,
}

/// Why a task can't be followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotFollowed {
    TooMany,
    /// Another open task of the client has the same id.
    IdInUse,
}

/// Why the result of a task is withheld.
#[derive(Debug, Clone, Copy)]
pub(super) enum WithheldReason {
    TooLarge(TooLarge),
    TooSlow(Duration),
}

// === impl TaskKey ===

impl TaskKey {
    pub(super) fn of(exchange: &Exchange, id: &str) -> Self {
        Self { owner: holder_of(exchange), id: id.to_owned() }
    }
}

// === impl OpenTasks ===

impl OpenTasks {
    /// Starts to follow a task. Returns the record if that is not possible.
    pub(super) fn open(
        &self,
        key: TaskKey,
        created: &CreatedTask,
        limits: Limits,
        deadline: Option<Instant>,
        mut record: CallRecord,
    ) -> Result<(), (NotFollowed, CallRecord)> {
        let mut tasks = self.lock();
        if tasks.get(&key).is_some_and(|task| task.record.is_some()) {
            return Err((NotFollowed::IdInUse, record));
        }
        if !make_room(&mut tasks, &key.owner) {
            return Err((NotFollowed::TooMany, record));
        }
        record.became_task();
        let born = Instant::now();
        let task = OpenTask {
            record: Some(record),
            limits,
            deadline,
            is_over_time: false,
            born,
            expires: born + created.ttl,
            watch: None,
        };
        tasks.insert(key, task);
        Ok(())
    }

    /// Sets the watch. It is aborted when the task is forgotten.
    pub(super) fn set_watch(&self, key: &TaskKey, watch: AbortHandle) {
        match self.lock().get_mut(key) {
            Some(task) => task.watch = Some(watch),
            None => watch.abort(),
        }
    }

    /// Returns the conditions of a task, if this client has such a task.
    pub(super) fn terms(&self, key: &TaskKey) -> Option<TaskTerms> {
        let tasks = self.lock();
        let task = tasks.get(key)?;
        Some(TaskTerms { limits: task.limits, deadline: task.deadline, is_over_time: task.is_over_time })
    }

    /// Records the outcome, unless it is already recorded.
    pub(super) fn end(&self, key: &TaskKey, outcome: CallOutcome, answer: Option<&Message>) {
        let record = self.lock().get_mut(key).and_then(|task| task.record.take());
        if let Some(record) = record {
            record.ended(outcome, answer);
        }
    }

    /// Notes that the deadline has passed. Returns whether the task was still open and must be
    /// cancelled.
    pub(super) fn time_is_over(&self, key: &TaskKey) -> bool {
        let record = {
            let mut tasks = self.lock();
            let Some(task) = tasks.get_mut(key).filter(|task| task.record.is_some()) else { return false };
            task.is_over_time = true;
            task.record.take()
        };
        if let Some(record) = record {
            record.ended(CallOutcome::Timeout, None);
        }
        true
    }

    /// Returns when the server will forget the task, as far as known, and whether its outcome is
    /// still open.
    pub(super) fn expiry(&self, key: &TaskKey) -> Option<(Instant, bool)> {
        self.lock().get(key).map(|task| (task.expires, task.record.is_some()))
    }

    /// Forgets a task that the server has forgotten. If its record is open, the outcome is unknown.
    pub(super) fn forget_expired(&self, key: &TaskKey, now: Instant) {
        let mut tasks = self.lock();
        if tasks.get(key).is_some_and(|task| task.expires <= now) {
            let forgotten = tasks.remove(key);
            drop(tasks);
            drop(forgotten);
        }
    }

    /// Ends the tasks of a closed session.
    pub(super) fn session_closed(&self, owner: &Holder) {
        let mut tasks = self.lock();
        let forgotten: Vec<OpenTask> =
            tasks.extract_if(|key, _| key.owner == *owner).map(|(_, task)| task).collect();
        drop(tasks);
        drop(forgotten);
    }

    /// Reads the state of a task on its way to the client: `status`, and `result` or `error` where
    /// the era puts them there. Returns why the result must not be delivered, if so.
    pub(super) fn saw_state(&self, key: &TaskKey, state: Json<'_>) -> Option<WithheldReason> {
        let result = state.get("result").value();
        let withheld = {
            let mut tasks = self.lock();
            let task = tasks.get_mut(key)?;
            // The time to live counts from the task's creation, and servers extend it.
            match (ttl_of(state), state.get("ttlMs"), state.get("ttl")) {
                (None, ..) => {}
                (Some(ttl), Member::Null, _) | (Some(ttl), _, Member::Null) => {
                    task.expires = Instant::now() + ttl;
                }
                (Some(ttl), ..) => task.expires = task.expires.max(task.born + ttl),
            }
            result.and_then(|result| task.withheld(result))
        };
        let outcome = match state.get("status").string().as_deref() {
            Some("completed") if result.is_some_and(|result| CallResult(result).is_error()) => {
                CallOutcome::ToolError
            }
            Some("completed") => CallOutcome::Ok,
            // In the modern era only protocol errors fail a task; in the legacy era, errors of the
            // tool do too.
            Some("failed") if state.get("error").value().is_some() => CallOutcome::ProtocolError,
            Some("failed") => CallOutcome::ToolError,
            Some("cancelled") => CallOutcome::CancelledAfterEffect,
            _ => return withheld,
        };
        let answer = result.map(|result| Message::result(&Id::from(0), result));
        self.end(key, outcome, answer.as_ref());
        withheld
    }

    /// Checks whether the result of a task may be delivered.
    pub(super) fn check_result(&self, key: &TaskKey, result: Json<'_>) -> Result<(), WithheldReason> {
        let withheld = self.lock().get(key).and_then(|task| task.withheld(result));
        withheld.map_or(Ok(()), Err)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<TaskKey, OpenTask>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for OpenTasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenTasks").field("known", &self.lock().len()).finish()
    }
}

// === impl OpenTask ===

impl OpenTask {
    fn withheld(&self, result: Json<'_>) -> Option<WithheldReason> {
        if self.is_over_time {
            return Some(WithheldReason::TooSlow(self.limits.time.unwrap_or_default()));
        }
        result_size::check_result(&self.limits, result).err().map(WithheldReason::TooLarge)
    }
}

impl Drop for OpenTask {
    /// Records an unknown outcome, because no client can ask for the task any more.
    fn drop(&mut self) {
        if let Some(watch) = self.watch.take() {
            watch.abort();
        }
        if let Some(record) = self.record.take() {
            record.ended(CallOutcome::Unknown, None);
        }
    }
}

/// Makes sure that one more task fits; forgets ended tasks if needed.
fn make_room(tasks: &mut HashMap<TaskKey, OpenTask>, owner: &Holder) -> bool {
    let of_client =
        |tasks: &HashMap<TaskKey, OpenTask>| tasks.keys().filter(|key| key.owner == *owner).count();
    while of_client(tasks) >= MOST_OF_CLIENT {
        if !drop_ended(tasks, |key| key.owner == *owner) {
            return false;
        }
    }
    tasks.len() < MOST_TASKS || drop_ended(tasks, |_| true)
}

/// Forgets the ended task that expires first. Returns false if there is none.
fn drop_ended(tasks: &mut HashMap<TaskKey, OpenTask>, counts: impl Fn(&TaskKey) -> bool) -> bool {
    let ended = tasks.iter().filter(|(key, task)| task.record.is_none() && counts(key));
    let oldest = ended.min_by_key(|(_, task)| task.expires).map(|(key, _)| key.clone());
    oldest.and_then(|oldest| tasks.remove(&oldest)).is_some()
}
