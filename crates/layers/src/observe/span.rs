//! The place of a request in a trace: its cause, and the parent that the server sees.
use std::time::SystemTime;

use overt_wire::edit::{self, Step::Member};
use overt_wire::era::key;
use overt_wire::json::{Json, quote};
use overt_wire::{Exchange, Message, TraceParent};

/// Our span for a request.
#[derive(Debug, Clone)]
pub struct Span {
    /// The parent that the server sees.
    pub trace_parent: TraceParent,
    /// The client's span that caused ours. `None` for the root of a trace.
    pub parent: Option<[u8; 8]>,
    /// What other tracing systems added (`tracestate`), as the client sent it.
    pub trace_state: Option<Box<str>>,
    pub started: SystemTime,
}

/// W3C Trace Context requires at least this many bytes of `tracestate` to be passed on. Longer
/// states are dropped.
const LONGEST_STATE: usize = 512;

impl Span {
    /// Opens a span for the exchange. Returns `None` for a trace that the client does not record;
    /// its `traceparent` then passes unchanged.
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
        Some(Self { trace_parent: own, parent, trace_state, started: SystemTime::now() })
    }

    /// Returns the message for the server, which names our span as its parent.
    pub(super) fn named_in(&self, message: &Message) -> Option<Message> {
        let value = quote(&self.trace_parent.to_string());
        let path = [Member("params"), Member("_meta"), Member(key::TRACE_PARENT)];
        // Fails if `params` or `_meta` is not an object. The server then reports that error itself.
        edit::set_in(message, &path, Json::parse(&value).ok()?).ok()
    }
}

/// Returns a random id that is not zero.
fn random<const N: usize>() -> Option<[u8; N]> {
    let mut id = [0; N];
    getrandom::fill(&mut id).ok()?;
    (id != [0; N]).then_some(id)
}
