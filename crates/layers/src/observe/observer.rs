//! What an observer is told.
use std::time::Duration;

use overt_wire::error::code;
use overt_wire::json::Json;
use overt_wire::view::CallResult;
use overt_wire::{Message, Method};

use super::Call;

/// Watches conversations. It is called while messages are on their way, so it must be quick and
/// must not wait.
pub trait Observer: Send + Sync + 'static {
    /// What this observer makes use of; asked once. Less costs less.
    fn needs(&self) -> ObserverNeeds {
        ObserverNeeds::default()
    }

    /// A request begins: of the client to the server, or the reverse. Each is followed by one
    /// [`Observer::ended`].
    fn began(&self, _call: &Call, _text: Text<'_>) {}

    /// A request was answered or given up.
    fn ended(&self, _call: &Call, _end: &End<'_>) {}

    /// A notification passes.
    fn notified(&self, _call: &Call, _message: &Message) {}

    /// The first message of a session was seen. Each is followed by one
    /// [`Observer::session_ended`].
    fn session_began(&self, _session: u64) {}

    fn session_ended(&self, _session: u64) {}
}

/// What observers make use of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ObserverNeeds {
    /// [`Call::details`].
    pub details: bool,
    /// [`Call::span`]: the message that goes on names our span as its parent.
    pub spans: bool,
}

/// A request as text. A question to the client gets its envelope only when it is sent.
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
    /// The tool answered that it failed.
    ToolError,
    /// A JSON-RPC error with this code.
    Error(i64),
    /// The answer is not wanted any more: cancelled, hung up, or past its deadline.
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

    /// What a call came to that was dropped before its answer.
    pub(super) fn dropped() -> Self {
        // A handler that panics is answered for with this code.
        if std::thread::panicking() { Self::Error(code::INTERNAL) } else { Self::Cancelled }
    }
}

// === impl Text ===

impl Text<'_> {
    /// The size of what the peer gets, without the envelope of a question.
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
