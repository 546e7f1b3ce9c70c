//! Formats a message as one line of the trace: the time, the direction, the kind, the message
//! without secrets, and the outcome.
use std::time::SystemTime;

use overt_layers::observe::{Call, Direction, End, Observer, ObserverNeeds, Outcome, Text};
use overt_secrets::{Strings, hide, redact};
use overt_wire::frame::one_line;
use overt_wire::json::{Json, Object};
use overt_wire::rfc3339::format_millis;
use overt_wire::{Id, Message};

use super::file::{Queue, TraceFile};
use crate::output::live_free;
use crate::telemetry::log;

/// Maximum number of bytes written of one message. In a longer message, long strings are cut; if
/// that is not enough, the message is left out.
const MAX_MESSAGE: usize = 64 << 10;
/// Maximum number of bytes of a message that is read at all, so that large ones do not delay
/// others.
const MAX_READ: usize = 1 << 20;

/// The observer that queues every message for a trace file.
#[derive(Debug)]
pub(crate) struct Trace {
    queue: Queue,
}

/// The text that is written of a message.
struct ShownText {
    text: Option<String>,
    is_cut: bool,
}

impl TraceFile {
    /// The observer that writes to this file.
    pub(crate) fn observer(&self) -> Trace {
        Trace { queue: self.queue.clone() }
    }
}

impl Trace {
    fn write(&self, line: Object) {
        // Text from a peer must not control the terminal of a person who reads the file.
        self.queue.push(live_free(line.finish().as_json()));
    }
}

impl Observer for Trace {
    fn needs(&self) -> ObserverNeeds {
        ObserverNeeds { details: true, spans: false }
    }

    fn began(&self, call: &Call, text: Text<'_>) {
        let shown = match text {
            Text::Message(message) => shown(message.as_json()),
            Text::Question { method, params } => shown(Message::notification(method, params).as_json()),
        };
        let line = head(call, call.direction, "request");
        self.write(with_message(line.value("bytes", &call.bytes), &shown));
    }

    fn ended(&self, call: &Call, end: &End<'_>) {
        let line = head(call, opposite(call.direction), "answer")
            .string("outcome", log::outcome(end.outcome))
            .value("took_ms", &log::milliseconds(end.took));
        let line = match end.outcome {
            Outcome::Error(code) => line.value("code", &code),
            _ => line,
        };
        self.write(match end.answer {
            Some(answer) => with_message(line.value("bytes", &answer.text().len()), &shown(answer.as_json())),
            None => line,
        });
    }

    fn notified(&self, call: &Call, message: &Message) {
        let line = head(call, call.direction, "notification").value("bytes", &call.bytes);
        self.write(with_message(line, &shown(message.as_json())));
    }
}

fn head(call: &Call, direction: Direction, kind: &str) -> Object {
    let line = Object::new()
        .string("time", &format_millis(SystemTime::now()))
        .string("direction", name(direction))
        .value("session", &call.session)
        .string("kind", kind);
    let Some(details) = &call.details else { return line };
    let line = line.string("method", &hide(&details.method));
    // An id that was cut because of its length is not a JSON token any more; the message has it.
    let id = details.id.as_deref().filter(|id| hide(id) == *id).and_then(|id| Json::parse(id).ok());
    match id.and_then(Id::of) {
        Some(id) => line.raw("id", id.token()),
        None => line,
    }
}

fn with_message(line: Object, shown: &ShownText) -> Object {
    let message = shown.text.as_deref().and_then(|text| Json::parse(text).ok());
    let line = if shown.is_cut || message.is_none() { line.value("cut", &true) } else { line };
    match message {
        Some(message) => line.json("message", message),
        None => line,
    }
}

/// The message without secrets, within the size limits.
fn shown(message: Json<'_>) -> ShownText {
    let size = message.as_str().len();
    if size > MAX_READ {
        return ShownText { text: None, is_cut: true };
    }
    let is_cut = size > MAX_MESSAGE;
    let text = redact(message, if is_cut { Strings::Cut } else { Strings::Whole });
    let text = (text.len() <= MAX_MESSAGE || !is_cut).then(|| one_line(&text).into_owned());
    ShownText { text, is_cut }
}

fn opposite(direction: Direction) -> Direction {
    match direction {
        Direction::ToServer => Direction::ToClient,
        Direction::ToClient => Direction::ToServer,
    }
}

fn name(direction: Direction) -> &'static str {
    match direction {
        Direction::ToServer => "client_to_server",
        Direction::ToClient => "server_to_client",
    }
}
