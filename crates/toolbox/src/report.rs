//! Messages to the client while a call runs: progress and logs.
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use overt_wire::Message;
use overt_wire::era::LogLevel;
use overt_wire::json::{JsonBuf, Object};
use serde::Serialize;

use super::context::Context;

/// Stops the messages of a context when it is dropped.
pub(super) struct MessagesGuard(Context);

impl Context {
    /// Returns a guard that lives while the request is being answered. After it is dropped, no
    /// message about the request is sent, even if some work continues: progress after the answer
    /// would break the protocol.
    pub(super) fn while_answering(&self) -> MessagesGuard {
        MessagesGuard(self.clone())
    }

    /// Reports progress to the client, if the client asked for it. Progress that does not grow is
    /// not sent. For a task, it becomes the status message.
    pub async fn progress(&self, progress: f64, total: Option<f64>, message: &str) {
        {
            let mut last = self.inner.progress.lock().unwrap_or_else(PoisonError::into_inner);
            if !progress.is_finite() || last.is_some_and(|last| progress <= last) {
                return;
            }
            *last = Some(progress);
        }
        if let Some(task) = self.task() {
            task.say(&in_words(progress, total, message));
            return;
        }
        let Some(token) = self.inner.exchange.progress_token() else { return };
        let params = Object::new()
            .json("progressToken", token.as_json())
            .value("progress", &progress)
            .maybe("total", total.filter(|total| total.is_finite()))
            .maybe("message", (!message.is_empty()).then_some(message))
            .finish();
        self.notify("notifications/progress", &params).await;
    }

    /// Sends a log message, if the client wants messages of that severity. Never log secrets.
    pub async fn log<T: Serialize + ?Sized>(&self, level: LogLevel, logger: &str, data: &T) {
        if self.inner.exchange.log_level().is_none_or(|least| level < least) {
            return;
        }
        let params = Object::new()
            .string("level", level.as_str())
            .maybe("logger", (!logger.is_empty()).then_some(logger))
            .value("data", data)
            .finish();
        self.notify("notifications/message", &params).await;
    }

    async fn notify(&self, method: &str, params: &JsonBuf) {
        if self.inner.over.load(Ordering::Acquire) {
            return;
        }
        // If the client has disconnected, ignore it: the call is ended elsewhere.
        let _ = self.inner.exchange.sink.notify(Message::notification(method, Some(params.as_json()))).await;
    }
}

impl Drop for MessagesGuard {
    fn drop(&mut self) {
        self.0.inner.over.store(true, Ordering::Release);
    }
}

/// Writes progress as text: `copying (3 of 10)`.
fn in_words(progress: f64, total: Option<f64>, message: &str) -> String {
    let count = match total.filter(|total| total.is_finite()) {
        Some(total) => format!("{progress} of {total}"),
        None => progress.to_string(),
    };
    if message.is_empty() { count } else { format!("{message} ({count})") }
}
