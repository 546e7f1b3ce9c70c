//! Writes one log line per request. It contains the name of the tool, resource or prompt, but no
//! other content of messages.
use std::time::Duration;

use overt_layers::observe::{Call, Details, Direction, End, Observer, ObserverNeeds, Outcome, Target, Text};
use overt_secrets::{bare_address, hide};
use overt_wire::Message;
use overt_wire::text::Untrusted;

/// Writes a line at `info` for each request, and one at `debug` for each notification.
#[derive(Debug)]
pub(crate) struct RequestLog;

/// The target that a log filter names to select only these lines.
pub(crate) const TARGET: &str = "overt::requests";

impl RequestLog {
    /// Returns the log if its level is enabled.
    pub(crate) fn if_wanted() -> Option<Self> {
        tracing::enabled!(target: TARGET, tracing::Level::INFO).then_some(Self)
    }
}

impl Observer for RequestLog {
    fn needs(&self) -> ObserverNeeds {
        ObserverNeeds { details: true, spans: false }
    }

    fn began(&self, call: &Call, _text: Text<'_>) {
        tracing::debug!(
            target: TARGET,
            session = call.session,
            direction = direction(call),
            method = %Untrusted(method(call)),
            bytes = call.bytes,
            "asked",
        );
    }

    fn ended(&self, call: &Call, end: &End<'_>) {
        let code = match end.outcome {
            Outcome::Error(code) => Some(code),
            _ => None,
        };
        tracing::info!(
            target: TARGET,
            session = call.session,
            direction = direction(call),
            method = %Untrusted(method(call)),
            of = call.details.as_deref().and_then(target).map(tracing::field::display),
            outcome = outcome(end.outcome),
            code,
            took_ms = milliseconds(end.took),
            bytes = call.bytes,
            answer_bytes = end.answer.map(|answer| answer.text().len()),
            "request",
        );
    }

    fn notified(&self, call: &Call, _message: &Message) {
        tracing::debug!(
            target: TARGET,
            session = call.session,
            direction = direction(call),
            method = %Untrusted(method(call)),
            bytes = call.bytes,
            "notification",
        );
    }

    fn session_began(&self, session: u64) {
        tracing::debug!(target: TARGET, session, "session began");
    }

    fn session_ended(&self, session: u64) {
        tracing::debug!(target: TARGET, session, "session ended");
    }
}

/// The outcome of a request as a word from a fixed set.
pub(super) fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ok => "ok",
        Outcome::ToolError => "tool_error",
        Outcome::Error(_) => "error",
        Outcome::Cancelled => "cancelled",
    }
}

/// Milliseconds to the microsecond; more digits only make lines longer.
pub(super) fn milliseconds(took: Duration) -> f64 {
    took.as_micros() as f64 / 1e3
}

fn direction(call: &Call) -> &'static str {
    match call.direction {
        Direction::ToServer => "to_server",
        Direction::ToClient => "to_client",
    }
}

fn method(call: &Call) -> &str {
    call.details.as_ref().map_or(call.method_class(), |details| &*details.method)
}

/// The name of a tool or prompt, or the address of a resource, without secrets.
fn target(details: &Details) -> Option<String> {
    let text = match details.target.as_ref()? {
        Target::Tool(name) | Target::Prompt(name) => hide(name),
        Target::Resource(uri) => bare_address(uri),
    };
    Some(Untrusted(&text).to_string())
}
