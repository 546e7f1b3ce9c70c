//! The interface of an observer.
use std::time::Duration;

use overt_wire::error::code;
use overt_wire::json::Json;
use overt_wire::view::CallResult;
use overt_wire::{Message, Method};

use super::Call;

/// Watches conversations. It is called while messages are being delivered, so it must be fast and
/// must not wait.
pub trait Observer: Send + Sync + 'static {
    /// Returns what this observer uses; asked once. Fewer needs cost less.
    fn needs(&self) -> ObserverNeeds {
        ObserverNeeds::default()
    }

    /// A request begins, in either direction. One [`Observer::ended`] follows for each.
    fn began(&self, _call: &Call, _text: Text<'_>) {}

    /// A request was answered or abandoned.
    fn ended(&self, _call: &Call, _end: &End<'_>) {}

    /// A notification passes.
    fn notified(&self, _call: &Call, _message: &Message) {}

    /// A session's first message was seen. One [`Observer::session_ended`] follows for each.
    fn session_began(&self, _session: u64) {}

    fn session_ended(&self, _session: u64) {}
}

/// What an observer uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ObserverNeeds {
    /// Whether it uses [`Call::details`].
    pub details: bool,
    /// Whether it uses [`Call::span`]. If so, the message to the server names our span as its
    /// parent.
    pub spans: bool,
}

/// A request as text. A question to the client gets its JSON-RPC envelope only when it is sent.
#[derive(Debug, Clone, Copy)]
pub enum Text<'a> {
    Message(&'a Message),
    Question { method: &'a str, params: Option<Json<'a>> },
}

/// How a request ended.
#[derive(Debug, Clone, Copy)]
pub struct End<'a> {
    pub outcome: Outcome,
    pub took: Duration,
    pub answer: Option<&'a Message>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Ok,
    /// The tool reported a failure.
    ToolError,
    /// A JSON-RPC error with this code.
    Error(i64),
    /// The answer is no longer wanted: the call was cancelled or hung up, or its deadline passed.
    Cancelled,
}

// === impl Outcome ===

impl Outcome {
    pub(super) fn of(method: Option<Method<'_>>, answer: &Message) -> Self {
        if let Some(code) = answer.error_code() {
            return Self::Error(code);
        }
        let failed = method == Some(Method::ToolsCall)
            && answer.result_body().value().is_some_and(|result| CallResult(result).is_error());
        if failed { Self::ToolError } else { Self::Ok }
    }

    /// Returns the outcome of a call that was dropped before its answer.
    pub(super) fn dropped() -> Self {
        // If a handler panics, the client receives an error with this code.
        if std::thread::panicking() { Self::Error(code::INTERNAL) } else { Self::Cancelled }
    }
}

// === impl Text ===

impl Text<'_> {
    /// Returns the size in bytes of what the peer receives, without the envelope of a question.
    pub fn len(self) -> usize {
        match self {
            Self::Message(message) => message.text().len(),
            Self::Question { params, .. } => params.map_or(0, |params| params.as_str().len()),
        }
    }

    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}
