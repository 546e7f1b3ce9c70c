//! Watches what a request tells its client: a report of progress extends the deadline of the
//! request.
use std::sync::Arc;
use std::time::Duration;

use overt_wire::json::Json;
use overt_wire::{BoxFuture, ClientSink, Closed, DeadlineControl, Exchange, Message, Method};

/// Passes everything on to the client.
struct ProgressSink {
    inner: Arc<dyn ClientSink>,
    deadline: DeadlineControl,
}

/// The exchange, with an sink that notices progress. A client that wants none is told none.
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
