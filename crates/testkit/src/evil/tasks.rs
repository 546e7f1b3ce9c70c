//! Calls that become tasks: the tool `begin`, and requests about its task. There is one task at a
//! time.
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

/// The only task.
#[derive(Debug, Default)]
pub(super) struct Tasks(Mutex<Task>);

#[derive(Debug, Default)]
struct Task {
    status: &'static str,
    text: String,
    /// Whether the task runs until it is cancelled.
    forever: bool,
    /// How often its state was requested.
    looks: u32,
}

const ID: &str = "task-1";
const BEGAN: &str = "2026-11-01T00:00:00Z";

impl Tasks {
    /// Starts the task and returns the answer to the call.
    pub(super) fn begin(&self, arguments: &Value, modern: bool) -> Value {
        let text = arguments["text"].as_str().unwrap_or("done").to_owned();
        *self.lock() = Task { status: "working", text, forever: arguments["forever"] == true, looks: 0 };
        let state = self.state(modern);
        if modern { state } else { json!({ "task": state }) }
    }

    /// Returns the answer to a request about the task, or `None` if no answer is sent. At the
    /// second request for its state, the task has ended.
    pub(super) fn answer(&self, method: &str, params: &Value, modern: bool) -> Option<Value> {
        {
            let mut task = self.lock();
            if params["taskId"] != ID {
                return Some(json!({ "status": "there is no such task" }));
            }
            match method {
                "tasks/cancel" => task.status = "cancelled",
                "tasks/result" if task.forever => return None,
                "tasks/result" => {
                    task.status = "completed";
                    return Some(task.result());
                }
                _ => {
                    task.looks += 1;
                    if task.status == "working" && task.looks > 1 && !task.forever {
                        task.status = "completed";
                    }
                }
            }
        }
        Some(self.state(modern))
    }

    fn state(&self, modern: bool) -> Value {
        let task = self.lock();
        let mut state =
            json!({ "taskId": ID, "status": task.status, "createdAt": BEGAN, "lastUpdatedAt": BEGAN });
        state[if modern { "ttlMs" } else { "ttl" }] = json!(600_000);
        if modern && task.status == "completed" {
            state["result"] = task.result();
        }
        state
    }

    fn lock(&self) -> MutexGuard<'_, Task> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Task {
    fn result(&self) -> Value {
        json!({ "content": [{ "type": "text", "text": self.text }] })
    }
}
