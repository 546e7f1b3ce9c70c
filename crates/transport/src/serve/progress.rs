//! Watches what a request tells its client: a report of progress extends the deadline of the
//! request.
use std::sync::Arc;
use std::time::Duration;

use overt_wire::json::Json;
use overt_wire::{BoxFuture, Closed, DeadlineControl, Exchange, Message, Method, Outlet};

/// Passes everything on to the client.
struct ProgressOutlet {
    inner: Arc<dyn Outlet>,
    deadline: DeadlineControl,
}

/// The exchange, with an outlet that notices progress. A client that wants none is told none.
pub(super) fn watch_progress(mut exchange: Exchange) -> Exchange {
    if exchange.progress_token().is_some() {
        let deadline = exchange.deadline.clone();
        exchange.outlet = Arc::new(ProgressOutlet { inner: exchange.outlet, deadline });
    }
    exchange
}

impl Outlet for ProgressOutlet {
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
