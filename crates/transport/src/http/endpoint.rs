//! The MCP endpoint: the state that answering a request needs.
use std::sync::Arc;

use hyper::header::{HOST, HeaderMap};
use overt_wire::{BoxFuture, Exchange, Handler, Message, TraceParent};
use tokio::sync::Semaphore;

use super::access::Authenticate;
use super::guard::Guard;
use super::session::Sessions;
use crate::limits::Limits;
use crate::serve::{ByteBudget, Charge, StageWatch, answer};

/// The state that answering a request needs.
pub(super) struct Endpoint {
    pub(super) handler: Arc<dyn Handler>,
    pub(super) path: String,
    /// The URL under which clients reach the endpoint, if the operator has set it.
    pub(super) public_url: Option<Arc<str>>,
    pub(super) guard: Guard,
    pub(super) tokens: Arc<dyn Authenticate>,
    /// Limits the requests that wait for a document.
    pub(super) document_slots: Semaphore,
    pub(super) sessions: Arc<Sessions>,
    pub(super) stage: StageWatch,
    /// Counts the bytes of the requests and answers of all clients.
    pub(super) bytes: Arc<ByteBudget>,
    pub(super) limits: Limits,
}

impl Endpoint {
    /// Runs the handler for a message. `held` is released when the message is answered.
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

    /// Reads from the headers how the request reached us.
    pub(super) fn context(&self, headers: &HeaderMap) -> HttpContext {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        HttpContext {
            trace_parent: trace_parent(headers),
            reached_at: host.map(|host| self.reached_at(host)),
        }
    }

    /// The endpoint's URL for a client that used this host. It is in lower case, so that a server
    /// has one URL and each document one entity tag.
    pub(super) fn reached_at(&self, host: &str) -> Arc<str> {
        match &self.public_url {
            Some(url) => Arc::clone(url),
            None => format!("http://{}{}", host.to_ascii_lowercase(), self.path).into(),
        }
    }
}

/// What HTTP adds to an exchange: the trace that the request belongs to, and the URL that the
/// client used.
pub(super) struct HttpContext {
    trace_parent: Option<TraceParent>,
    reached_at: Option<Arc<str>>,
}

impl HttpContext {
    pub(super) fn add_to(self, exchange: Exchange) -> Exchange {
        Exchange { trace_parent: self.trace_parent, reached_at: self.reached_at, ..exchange }
    }
}

/// The trace that the HTTP request belongs to. `None` if the header is invalid or sent more than
/// once.
fn trace_parent(headers: &HeaderMap) -> Option<TraceParent> {
    let mut values = headers.get_all(overt_wire::era::key::TRACE_PARENT).iter();
    let value = values.next()?;
    if values.next().is_some() {
        return None;
    }
    TraceParent::parse(value.to_str().ok()?)
}
