//! A task as the client sees it.
use std::time::Duration;

use overt_wire::era::key;
use overt_wire::json::{JsonBuf, Object};
use overt_wire::rfc3339::format_millis;

use super::record::{Inner, Stage, Task};

impl Task {
    /// Returns the result of the call that created the task.
    pub(super) fn handle(&self, server: &JsonBuf) -> JsonBuf {
        let meta = Object::new().json(key::SERVER_INFO, server.as_json()).finish();
        let body = Object::new().string("resultType", "task");
        self.outline(body, &self.lock()).json("_meta", meta.as_json()).finish()
    }

    /// Returns the members of `tasks/get` and of `notifications/tasks`: the state with its
    /// questions, result or error.
    pub(in super::super) fn detail(&self) -> JsonBuf {
        self.describe(Object::new(), &self.lock()).finish()
    }

    /// Returns the answer to `tasks/get`. A task whose end the client has seen may be forgotten
    /// when room is needed.
    pub(super) fn fetch(&self) -> Object {
        let mut inner = self.lock();
        inner.note_fetched();
        self.describe(Object::new(), &inner)
    }

    fn describe(&self, body: Object, inner: &Inner) -> Object {
        let body = self.outline(body, inner);
        match &inner.stage {
            Stage::Working if inner.open.is_empty() => body,
            Stage::Working => {
                let requests = inner.open.iter().fold(Object::new(), |requests, open| {
                    requests.json(&open.key, open.question.to_request().as_json())
                });
                body.json("inputRequests", requests.finish().as_json())
            }
            Stage::Completed(result) => body.json("result", result.as_json()),
            Stage::Failed(error) => body.json("error", error.to_json().as_json()),
            Stage::Cancelled => body,
        }
    }

    fn outline(&self, body: Object, inner: &Inner) -> Object {
        body.string("taskId", &self.id)
            .string("status", status(inner))
            .maybe("statusMessage", inner.message.as_deref())
            .string("createdAt", &format_millis(self.created))
            .string("lastUpdatedAt", &format_millis(inner.updated))
            .value("ttlMs", &millis(inner.ttl))
            .value("pollIntervalMs", &millis(self.poll))
    }
}

fn status(inner: &Inner) -> &'static str {
    match &inner.stage {
        Stage::Working if inner.open.is_empty() => "working",
        Stage::Working => "input_required",
        Stage::Completed(_) => "completed",
        Stage::Failed(_) => "failed",
        Stage::Cancelled => "cancelled",
    }
}

/// Converts to whole milliseconds, at least 1.
fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1)
}
