//! An upstream whose lists of tools are looked at as they pass.
use std::sync::Arc;

use overt_layers::declared::Declared;
use overt_layers::{Endpoint, Permitted};
use overt_policy::ToolRecord;
use overt_policy::rate::RateLimit;
use overt_policy::setting::Values;
use overt_wire::json::JsonBuf;
use overt_wire::{BoxFuture, Exchange, Message, Method, Session};

use super::guard::{PinGuard, PinMode};

/// An upstream whose lists are looked at.
#[derive(Debug)]
pub struct Pinned<E> {
    guard: PinGuard,
    endpoint: E,
}

impl<E: Endpoint> Pinned<E> {
    pub fn new(guard: PinGuard, endpoint: E) -> Self {
        Self { guard, endpoint }
    }
}

impl<E: Endpoint> Endpoint for Pinned<E> {
    fn call(&self, exchange: Permitted<Exchange>) -> BoxFuture<'_, Option<Message>> {
        let is_list = exchange.get().message.method() == Some(Method::ToolsList);
        let call = self.endpoint.call(exchange);
        if !is_list || self.guard.mode() == PinMode::Off {
            return call;
        }
        Box::pin(async move {
            let answer = call.await;
            answer.iter().for_each(|answer| self.guard.glance(answer));
            answer
        })
    }

    fn declared(&self) -> Option<&Declared> {
        self.endpoint.declared()
    }

    fn label(&self) -> &str {
        self.endpoint.label()
    }

    fn identity(&self) -> &str {
        self.endpoint.identity()
    }

    fn record(&self, tool: &str) -> Option<&ToolRecord> {
        self.endpoint.record(tool)
    }

    fn tools_generation(&self) -> u64 {
        self.endpoint.tools_generation()
    }

    fn rate_limit(&self) -> Option<RateLimit> {
        self.endpoint.rate_limit()
    }

    fn info(&self) -> JsonBuf {
        self.endpoint.info()
    }

    fn settings(&self) -> Option<Values> {
        self.endpoint.settings()
    }

    fn closed(&self, session: &Arc<Session>) {
        self.endpoint.closed(session);
    }

    fn shutdown(&self) {
        self.endpoint.shutdown();
    }
}
