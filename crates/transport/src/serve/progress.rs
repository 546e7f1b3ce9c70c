//! Extends the deadline of a request when the request reports progress to its client.
use std::sync::Arc;
use std::time::Duration;

use overt_wire::json::Json;
use overt_wire::{BoxFuture, ClientSink, Closed, DeadlineControl, Exchange, Message, Method};

/// Passes everything on to the client and notices progress reports.
struct ProgressSink {
    inner: Arc<dyn ClientSink>,
    deadline: DeadlineControl,
}

/// Returns the exchange with a sink that notices progress, if the client asked for progress.
pub(super) fn watch_progress(mut exchange: Exchange) -> Exchange {
    if exchange.progress_token().is_some() {
        let deadline = exchange.deadline.clone();
        exchange.sink = Arc::new(ProgressSink { inner: exchange.sink, deadline });
    }
    exchange
}

impl ClientSink for ProgressSink {
    fn notify(&self, message: Message) -> BoxFuture<'_, Result<(), Closed>> {
        if message.method() == Some(Method::Progress) {
            self.deadline.report_progress();
        }
        self.inner.notify(message)
    }

    fn request(&self, method: &str, params: Option<Json<'_>>) -> BoxFuture<'_, Result<Message, Closed>> {
        self.inner.request(method, params)
    }

    fn pause(&self, retry: Duration) {
        self.inner.pause(retry);
    }
}
