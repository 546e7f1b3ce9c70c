//! A task as described in the answer to its call, and how long the server keeps it.
use std::time::Duration;

use overt_wire::era::{Era, key};
use overt_wire::json::{Json, Member};
use overt_wire::{Exchange, Message};

/// The most bytes of a task's id.
const LONGEST_ID: usize = 512;
/// The longest time that Overt follows a task. A task that the server keeps forever is followed for
/// this long after it was last asked about.
const LONGEST_TTL: Duration = Duration::from_secs(30 * 24 * 3600);

/// A task as described in the answer to its call.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CreatedTask {
    pub(super) id: String,
    pub(super) ttl: Duration,
}

impl CreatedTask {
    /// Returns the task in the answer to a call. Only a client that asked for a task (legacy) or
    /// supports tasks (modern) can get one.
    pub(super) fn of(request: &Exchange, reply: &Message) -> Option<Self> {
        let can_be_task = match request.caller.era() {
            Era::Modern => request.caller.has_extension(key::TASKS),
            Era::Legacy => request.message.param("task").value().is_some(),
        };
        // A text search first spares most answers a full parse. `\u00` catches an escaped member
        // name.
        let text = reply.text();
        if !can_be_task || !(text.contains("taskId") || text.contains("\\u00")) {
            return None;
        }
        let result = reply.result_body();
        let task = match request.caller.era() {
            Era::Modern => {
                let is_task = result.get("resultType").string().as_deref() == Some("task");
                result.value().filter(|_| is_task)
            }
            Era::Legacy => result.get("task").value(),
        }?;
        let id = task.get("taskId").string().filter(|id| id.len() <= LONGEST_ID)?;
        Some(Self { id: id.into_owned(), ttl: ttl_of(task).unwrap_or(LONGEST_TTL) })
    }
}

/// Returns how long the server keeps a task: `ttlMs` in the modern era, `ttl` in the legacy era.
/// `null` means forever.
pub(super) fn ttl_of(task: Json<'_>) -> Option<Duration> {
    let written = match task.get("ttlMs") {
        Member::Absent => task.get("ttl"),
        written => written,
    };
    match written {
        Member::Absent => None,
        Member::Null => Some(LONGEST_TTL),
        Member::Value(ttl) => {
            let ttl = ttl.number().filter(|ttl| *ttl >= 0.0).unwrap_or(f64::MAX);
            Some(Duration::try_from_secs_f64(ttl / 1_000.0).unwrap_or(LONGEST_TTL).min(LONGEST_TTL))
        }
    }
}

#[cfg(test)]
mod tests;
