//! The inner seam: what may act. An endpoint takes only exchanges that were permitted.
use std::sync::Arc;

use overt_wire::{BoxFuture, Exchange, Message, Session};

use crate::policy::Permitted;

/// A server of ours or an upstream.
pub trait Endpoint: Send + Sync + 'static {
    /// Takes one permitted request or notification. Dropping the future cancels it.
    fn call(&self, exchange: Permitted<Exchange>) -> BoxFuture<'_, Option<Message>>;

    /// The session is over: whatever is kept for it can go.
    fn closed(&self, _session: &Arc<Session>) {}

    /// The process is about to end: requests that stay open for ever should be answered now.
    fn shutdown(&self) {}
}

impl<E: Endpoint + ?Sized> Endpoint for Arc<E> {
    fn call(&self, exchange: Permitted<Exchange>) -> BoxFuture<'_, Option<Message>> {
        (**self).call(exchange)
    }

    fn closed(&self, session: &Arc<Session>) {
        (**self).closed(session);
    }

    fn shutdown(&self) {
        (**self).shutdown();
    }
}
