//! The MCP endpoint as a value: what answering a request needs.
use std::sync::Arc;

use hyper::header::{HOST, HeaderMap};
use overt_wire::{BoxFuture, Exchange, Handler, Message, TraceParent};
use tokio::sync::Semaphore;

use super::access::TokenCheck;
use super::guard::Guard;
use super::session::Sessions;
use crate::limits::Limits;
use crate::serve::{ByteBudget, Charge, StageWatch, answer};

/// Everything that answering a request needs.
pub(super) struct Endpoint {
    pub(super) handler: Arc<dyn Handler>,
    pub(super) path: String,
    /// The endpoint as its clients reach it, if the operator says so.
    pub(super) public_url: Option<Arc<str>>,
    pub(super) guard: Guard,
    pub(super) tokens: Arc<dyn TokenCheck>,
    /// Places for requests that wait for a document.
    pub(super) document_slots: Semaphore,
    pub(super) sessions: Arc<Sessions>,
    pub(super) stage: StageWatch,
    /// Bytes of the requests and answers of all clients.
    pub(super) bytes: Arc<ByteBudget>,
    pub(super) limits: Limits,
}

impl Endpoint {
    /// Works on a message until it is answered.
    pub(super) fn work_on(
        &self,
        exchange: Exchange,
        held: Option<Charge>,
    ) -> BoxFuture<'static, Option<Message>> {
        let (handler, budget) = (Arc::clone(&self.handler), self.limits.request_budget());
        let work = answer(handler, exchange, budget, self.stage.clone());
        match held {
            None => work,
            Some(held) => Box::pin(async move {
                let reply = work.await;
                drop(held);
                reply
            }),
        }
    }

    /// What the headers say about the way of a request to us.
    pub(super) fn context(&self, headers: &HeaderMap) -> HttpContext {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        HttpContext {
            trace_parent: trace_parent(headers),
            reached_at: host.map(|host| self.reached_at(host)),
        }
    }

    /// The endpoint as a client reaches it that names this host. In lower case, so that one server has one URL and a
    /// document one tag.
    pub(super) fn reached_at(&self, host: &str) -> Arc<str> {
        match &self.public_url {
            Some(url) => Arc::clone(url),
            None => format!("http://{}{}", host.to_ascii_lowercase(), self.path).into(),
        }
    }
}

/// What HTTP adds to an exchange: the trace that the request belongs to, and the address that the client used.
pub(super) struct HttpContext {
    trace_parent: Option<TraceParent>,
    reached_at: Option<Arc<str>>,
}

impl HttpContext {
    pub(super) fn add_to(self, exchange: Exchange) -> Exchange {
        Exchange { trace_parent: self.trace_parent, reached_at: self.reached_at, ..exchange }
    }
}

/// The trace that the HTTP request belongs to. More than one header, or a wrong one, is none.
fn trace_parent(headers: &HeaderMap) -> Option<TraceParent> {
    let mut values = headers.get_all(overt_wire::era::key::TRACE_PARENT).iter();
    let value = values.next()?;
    if values.next().is_some() {
        return None;
    }
    TraceParent::parse(value.to_str().ok()?)
}
