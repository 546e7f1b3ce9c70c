//! The outermost handler. Every request and notification of a client passes through it.
use std::sync::Arc;
use std::time::Instant;

use overt_wire::{
    BoxFuture, Document, DocumentRequest, Exchange, Handler, Kind, Message, Method, NoDocument, Session,
};

use super::call::{Call, Details, Direction};
use super::observer::{Observer, Text};
use super::observers::Observers;
use super::sink::{ObservedSink, watch};
use super::span::Span;

/// Wraps a handler and shows every message to the observers.
pub struct Observe<H> {
    observers: Arc<Observers>,
    inner: H,
}

/// Wraps a handler so that the observers see every message. Without observers, returns the handler
/// unchanged, at no cost.
pub fn observed(handler: Arc<dyn Handler>, observers: Vec<Arc<dyn Observer>>) -> Arc<dyn Handler> {
    if observers.is_empty() { handler } else { Arc::new(Observe::new(handler, observers)) }
}

impl<H: Handler> Observe<H> {
    pub fn new(inner: H, observers: Vec<Arc<dyn Observer>>) -> Self {
        Self { observers: Arc::new(Observers::new(observers)), inner }
    }

    fn call_of(&self, exchange: &mut Exchange) -> Call {
        let version = exchange.caller.version;
        let session = exchange.session.watch(|sink| watch(&self.observers, sink, version)).number;
        let inner = Arc::clone(&exchange.sink);
        exchange.sink = Arc::new(ObservedSink::new(&self.observers, inner, session, version));
        let message = &exchange.message;
        Call {
            direction: Direction::ToServer,
            session,
            version,
            method: message.method().and_then(Method::as_static),
            started: Instant::now(),
            bytes: message.text().len(),
            details: self.observers.needs.details.then(|| Box::new(Details::of_message(message))),
            span: None,
        }
    }
}

impl<H: Handler> Handler for Observe<H> {
    fn call(&self, mut exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        let mut call = self.call_of(&mut exchange);
        if exchange.message.kind() != Kind::Request {
            self.observers.notified(&call, &exchange.message);
            return self.inner.call(exchange);
        }
        if self.observers.needs.spans {
            call.span = Span::open(&exchange).map(Box::new);
        }
        let onward = call.span.as_ref().and_then(|span| span.named_in(&exchange.message));
        // Observers see the message as the client sent it.
        let pending = self.observers.begin(call, Text::Message(&exchange.message));
        if let Some(onward) = onward {
            exchange.message = onward;
        }
        let work = self.inner.call(exchange);
        Box::pin(async move {
            let answer = work.await;
            pending.end(answer.as_ref());
            answer
        })
    }

    fn document(&self, request: DocumentRequest) -> BoxFuture<'_, Result<Document, NoDocument>> {
        self.inner.document(request)
    }

    fn closed(&self, session: &Arc<Session>) {
        self.inner.closed(session);
    }

    fn shutdown(&self) {
        self.inner.shutdown();
    }
}

impl<H> std::fmt::Debug for Observe<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Observe").field("needs", &self.observers.needs).finish_non_exhaustive()
    }
}
