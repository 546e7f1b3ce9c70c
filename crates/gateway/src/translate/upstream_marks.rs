//! Marks of an upstream in the places where Overt puts its own. They are moved to
//! `_meta["dev.overt/upstream"]` of the same object, so that a client believes only ours but can
//! still find theirs (UP-07, UP-08). Pure functions on messages.
use overt_policy::mark::{key as mark, request};
use overt_wire::edit::{self, EditError, Step};
use overt_wire::era::key;
use overt_wire::json::{Array, Json, JsonBuf, Object};
use overt_wire::{Kind, Message};

/// Members of `_meta` that only a client or Overt may write at the top level of an answer. In
/// nested objects they may be the server's own.
const OF_REQUESTS: [&str; 9] = [
    request::GRANTED[0],
    request::GRANTED[1],
    request::DENIED,
    request::DYNAMIC,
    request::POLICY,
    key::PROTOCOL_VERSION,
    key::CLIENT_INFO,
    key::CLIENT_CAPABILITIES,
    key::LOG_LEVEL,
];

/// Parts of the names above and of our own names. A text without any of them has no marks, unless a
/// name is written with escapes.
const NEEDLES: [&str; 7] = [
    "dev.overt",
    "_scopes\"",
    "policy\"",
    "protocolVersion\"",
    "clientInfo\"",
    "clientCapabilities\"",
    "logLevel\"",
];

/// Members whose content is data of the upstream. No client looks for marks in them.
const OPAQUE: [&str; 7] = [
    "structuredContent",
    "inputSchema",
    "outputSchema",
    "requestedSchema",
    "arguments",
    "annotations",
    "dashdash",
];

/// The member whose entries are handled separately: pins must see the definitions as the upstream
/// wrote them.
const TOOLS: &str = "tools";

/// The position of an object, as far as it decides which members are marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ObjectPosition {
    /// The result, the params, or the `_meta` of the message itself.
    Top,
    Error,
    /// The `data` of an error. It may have marks directly, without a `_meta`.
    ErrorData,
    Inner,
}

/// Moves the marks in a message, except those in tool definitions. A message without marks, the
/// usual case, is returned unchanged.
pub(crate) fn move_marks(message: Message) -> Result<Message, EditError> {
    if !may_have_marks(&message) {
        return Ok(message);
    }
    let mut moved = message.clone();
    for (name, place) in
        [("result", ObjectPosition::Top), ("error", ObjectPosition::Error), ("params", ObjectPosition::Top)]
    {
        if let Some(part) = message.as_json().get(name).value().and_then(|part| moved_in(part, place)) {
            moved = edit::set_in(&moved, &[Step::Member(name)], part.as_json())?;
        }
    }
    // The server of seed 002 writes `_meta` beside the result.
    if let Some(meta) =
        message.as_json().get("_meta").value().and_then(|meta| split(meta, ObjectPosition::Top))
    {
        moved = edit::set_in(&moved, &[Step::Member("_meta")], meta.as_json())?;
    }
    if moved.text() != message.text() {
        tracing::debug!("the upstream made marks that are Overt's; they were moved to `{}`", mark::UPSTREAM);
    }
    Ok(moved)
}

/// Moves the marks in the definitions of a list of tools.
pub(crate) fn move_marks_of_tools(answer: Message) -> Result<Message, EditError> {
    if !has_needle(answer.text()) {
        return Ok(answer);
    }
    let path = [Step::Member("result"), Step::Member(TOOLS)];
    if !answer.result_body().get(TOOLS).value().is_some_and(Json::is_array) {
        return Ok(answer);
    }
    edit::rewrite_elements_in(&answer, &path, |tool| moved_in(tool, ObjectPosition::Inner))
}

/// Returns the definition of a tool as [`move_marks_of_tools`] leaves it.
pub(crate) fn move_marks_of_tool(tool: Json<'_>) -> JsonBuf {
    let moved = has_needle(tool.as_str()).then(|| moved_in(tool, ObjectPosition::Inner)).flatten();
    moved.unwrap_or_else(|| tool.to_buf())
}

/// Moves the marks in the first answer of an upstream.
pub(crate) fn move_marks_of_handshake(result: &JsonBuf) -> JsonBuf {
    moved_in(result.as_json(), ObjectPosition::Top).unwrap_or_else(|| result.clone())
}

/// Moves the marks in the parameters of a question. Returns `None` if it has no marks.
pub(crate) fn move_marks_of_question(params: Json<'_>) -> Option<JsonBuf> {
    moved_in(params, ObjectPosition::Top)
}

/// Whether a message may have marks. This text search is cheaper than walking the message. Errors
/// are short and may have marks without a `_meta`.
fn may_have_marks(message: &Message) -> bool {
    let text = message.text();
    let is_escaped = || text.contains("\\u00");
    (text.contains("_meta\"") || message.kind() == Kind::Error || is_escaped()) && has_needle(text)
}

fn has_needle(text: &str) -> bool {
    NEEDLES.iter().any(|needle| text.contains(needle)) || text.contains("\\u00")
}

/// Moves all marks in a value. Returns `None` if it has no marks.
fn moved_in(value: Json<'_>, place: ObjectPosition) -> Option<JsonBuf> {
    if value.is_array() {
        let rewritten: Vec<Option<JsonBuf>> =
            value.elements().map(|element| moved_in(element, ObjectPosition::Inner)).collect();
        rewritten.iter().any(Option::is_some).then(|| {
            let elements = value.elements().zip(&rewritten);
            let list = elements
                .fold(Array::new(), |list, (old, new)| list.json(new.as_ref().map_or(old, JsonBuf::as_json)));
            list.finish()
        })
    } else if value.is_object() {
        moved_in_object(value, place)
    } else {
        None
    }
}

fn moved_in_object(object: Json<'_>, place: ObjectPosition) -> Option<JsonBuf> {
    let is_error_data = place == ObjectPosition::ErrorData;
    let meta = object.get("_meta").value().filter(|meta| meta.is_object());
    let mut is_changed = false;
    let mut moved = Object::with_capacity(object.as_str().len() + 64);
    let mut bare = Object::new();
    let mut has_bare = false;
    for (name, value) in object.members() {
        let name = name.name();
        if name == "_meta" && meta.is_some() && !is_error_data {
            let split = split(value, place);
            is_changed |= split.is_some();
            moved = moved.json("_meta", split.as_ref().map_or(value, JsonBuf::as_json));
        } else if name == "_meta" && meta.is_some() {
            // Written at the end, together with the marks beside it.
        } else if is_error_data && is_mark(&name, place) {
            has_bare = true;
            bare = bare.json(&name, value);
        } else {
            let inner = match &*name {
                name if OPAQUE.contains(&name) => None,
                TOOLS if place == ObjectPosition::Top => None,
                "data" if place == ObjectPosition::Error => moved_in(value, ObjectPosition::ErrorData),
                _ => moved_in(value, ObjectPosition::Inner),
            };
            is_changed |= inner.is_some();
            moved = moved.json(&name, inner.as_ref().map_or(value, JsonBuf::as_json));
        }
    }
    if is_error_data {
        let split_meta = meta.and_then(|meta| split(meta, ObjectPosition::Top));
        is_changed |= split_meta.is_some() || has_bare;
        let meta = split_meta.as_ref().map(JsonBuf::as_json).or(meta);
        let meta = match has_bare {
            true => Some(with_upstream(meta, bare.finish().as_json())),
            false => meta.map(Json::to_buf),
        };
        if let Some(meta) = meta {
            moved = moved.json("_meta", meta.as_json());
        }
    }
    is_changed.then(|| moved.finish())
}

/// Moves the marks in a `_meta` to their own member. Returns `None` if it has no marks.
fn split(meta: Json<'_>, place: ObjectPosition) -> Option<JsonBuf> {
    let (mut kept, mut theirs) = (Object::new(), Object::new());
    let mut has_any = false;
    for (name, value) in meta.members() {
        let name = name.name();
        if is_mark(&name, place) {
            has_any = true;
            theirs = theirs.json(&name, value);
        } else {
            kept = kept.json(&name, value);
        }
    }
    has_any.then(|| kept.json(mark::UPSTREAM, theirs.finish().as_json()).finish())
}

/// Adds marks to those of the upstream in a `_meta`. Existing ones take precedence.
fn with_upstream(meta: Option<Json<'_>>, marks: Json<'_>) -> JsonBuf {
    let (mut all, mut theirs) = (Object::new(), Object::new());
    for (name, value) in meta.into_iter().flat_map(Json::members) {
        if name.is(mark::UPSTREAM) {
            theirs = theirs.members_of(value);
        } else {
            all = all.json(&name.name(), value);
        }
    }
    let known: Vec<String> = meta
        .and_then(|meta| meta.get(mark::UPSTREAM).value())
        .into_iter()
        .flat_map(Json::members)
        .map(|(name, _)| name.name().into_owned())
        .collect();
    for (name, value) in marks.members().filter(|(name, _)| !known.iter().any(|known| name.is(known))) {
        theirs = theirs.json(&name.name(), value);
    }
    all.json(mark::UPSTREAM, theirs.finish().as_json()).finish()
}

fn is_mark(name: &str, place: ObjectPosition) -> bool {
    name.starts_with(mark::PREFIX)
        || name == request::REQUESTED
        || (place != ObjectPosition::Inner && OF_REQUESTS.contains(&name))
}

#[cfg(test)]
mod tests;
