//! The place of a request in a trace: what caused it, and the parent that the server sees.
use std::time::SystemTime;

use overt_wire::edit::{self, Step::Member};
use overt_wire::era::key;
use overt_wire::json::{Json, quote};
use overt_wire::{Exchange, Message, TraceParent};

/// Our span of a request.
#[derive(Debug, Clone)]
pub struct Span {
    /// The parent that the server sees.
    pub own: TraceParent,
    /// The span of the client that caused ours.
    pub parent: Option<[u8; 8]>,
    /// What other tracing systems added, as the client sent it.
    pub trace_state: Option<Box<str>>,
    pub started: SystemTime,
}

/// W3C Trace Context wants at least this much of `tracestate` to be passed on; more is not needed.
const LONGEST_STATE: usize = 512;

impl Span {
    /// Opens a span for the exchange. None for a trace that the client doesn't record: then its
    /// `traceparent` passes as it came.
    pub(super) fn open(exchange: &Exchange) -> Option<Self> {
        let meta = exchange.message.meta();
        let parent = meta.get(key::TRACE_PARENT).string().and_then(|text| TraceParent::parse(&text));
        let state = parent.and_then(|_| meta.get(key::TRACE_STATE).string());
        let trace_state =
            state.filter(|state| state.len() <= LONGEST_STATE).map(|state| state.as_ref().into());
        let parent = parent.or(exchange.trace_parent);
        if parent.is_some_and(|parent| !parent.is_sampled()) {
            return None;
        }
        let own = match parent {
            Some(parent) => parent.child(random()?),
            None => TraceParent::root(random()?, random()?),
        };
        let parent = parent.map(|parent| parent.span_id);
        Some(Self { own, parent, trace_state, started: SystemTime::now() })
    }

    /// The message that goes on: it names our span as its parent.
    pub(super) fn named_in(&self, message: &Message) -> Option<Message> {
        let value = quote(&self.own.to_string());
        let path = [Member("params"), Member("_meta"), Member(key::TRACE_PARENT)];
        // Not possible where `params` or `_meta` is not an object, which the server will have an
        // opinion about.
        edit::set_in(message, &path, Json::parse(&value).ok()?).ok()
    }
}

/// An id that is not zero.
fn random<const N: usize>() -> Option<[u8; N]> {
    let mut id = [0; N];
    getrandom::fill(&mut id).ok()?;
    (id != [0; N]).then_some(id)
}
