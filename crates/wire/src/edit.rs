//! The only way to change a message: sets or removes one member and leaves every other byte as it
//! was.
use std::borrow::Cow;
use std::ops::Range;

use crate::json::{self, Elements, Json, JsonBuf, Members, quote};
use crate::message::Message;

/// One step of a path into a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    Member(&'a str),
    Element(usize),
}

/// Why an edit was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    #[error("the path leads through a value that is not an object")]
    NotAnObject,
    #[error("the path leads through a value that is not an array, or past its end")]
    NoSuchElement,
    #[error("the path is empty")]
    EmptyPath,
    #[error("the edit would turn the message into something else")]
    NoMessage,
    #[error("the value would be nested deeper than any reader allows")]
    TooDeep,
}

/// Sets the member at `path`, and creates missing objects on the way.
///
/// ```
/// use overt_wire::{edit, edit::Step::Member, json::Json};
/// let text = Json::parse(r#"{"a" : 1.0, "b":{}}"#).unwrap();
/// let new = edit::set(text, &[Member("b"), Member("c")], Json::parse("true").unwrap()).unwrap();
/// assert_eq!(new.as_str(), r#"{"a" : 1.0, "b":{"c":true}}"#);
/// ```
pub fn set(text: Json<'_>, path: &[Step<'_>], value: Json<'_>) -> Result<JsonBuf, EditError> {
    let change = setting(text.as_str(), path, value)?;
    Ok(JsonBuf::trusted(change.make(text.as_str())))
}

/// Sets several members of an object in one pass over its text.
pub fn set_members(text: Json<'_>, members: &[(&str, JsonBuf)]) -> Result<JsonBuf, EditError> {
    if members.iter().any(|(_, value)| 1 + json::depth(value.as_str()) > json::DEEPEST) {
        return Err(EditError::TooDeep);
    }
    let object = text.as_str().trim_start_matches(SPACE);
    if !object.starts_with('{') {
        return Err(EditError::NotAnObject);
    }
    let mut missing: Vec<_> = members.iter().collect();
    let (mut new, mut copied) = (String::new(), 0);
    let mut last_end = None;
    let mut written = Members::of(object);
    while let Some(member) = written.next_start() {
        let end = written.skip_value();
        last_end = Some(end);
        if let Some(at) = missing.iter().position(|(name, _)| member.key.is(name)) {
            let (_, value) = missing.remove(at);
            new.extend([&object[copied..member.value], value.as_str()]);
            copied = end;
        }
    }
    let insert_at = last_end.unwrap_or(1);
    new.push_str(&object[copied..insert_at]);
    for (index, (name, value)) in missing.into_iter().enumerate() {
        let comma = if index > 0 || last_end.is_some() { "," } else { "" };
        new.extend([comma, &quote(name), ":", value.as_str()]);
    }
    new.push_str(&object[insert_at..]);
    Ok(JsonBuf::trusted(new))
}

/// Removes the member at `path` and one adjacent comma. Removing a missing member changes nothing.
pub fn remove(text: Json<'_>, path: &[Step<'_>]) -> Result<JsonBuf, EditError> {
    Ok(match removing(text.as_str(), path)? {
        Some(change) => JsonBuf::trusted(change.make(text.as_str())),
        None => text.to_buf(),
    })
}

/// Sets the member at `path` of a message. The message keeps its kind.
pub fn set_in(message: &Message, path: &[Step<'_>], value: Json<'_>) -> Result<Message, EditError> {
    rewritten(message.clone(), &setting(message.text(), path, value)?)
}

/// Sets the member at `path` of a message that the caller owns, without a copy. If the edit is not
/// possible, returns the message unchanged.
#[must_use]
pub fn set_in_own(message: Message, path: &[Step<'_>], value: Json<'_>) -> Message {
    match setting(message.text(), path, value) {
        Ok(change) if message.is_inside_body(&change.old) => message.with_change(change.old, &change.new),
        Ok(change) => rewritten(message.clone(), &change).unwrap_or(message),
        Err(_) => message,
    }
}

/// Removes the member at `path` of a message. The message keeps its kind.
pub fn remove_in(message: &Message, path: &[Step<'_>]) -> Result<Message, EditError> {
    match removing(message.text(), path)? {
        Some(change) => rewritten(message.clone(), &change),
        None => Ok(message.clone()),
    }
}

/// Replaces elements of the list at `path`. Elements for which `rewrite` returns `None` stay as
/// they are.
pub fn rewrite_elements_in(
    message: &Message,
    path: &[Step<'_>],
    mut rewrite: impl FnMut(Json<'_>) -> Option<JsonBuf>,
) -> Result<Message, EditError> {
    let text = message.text();
    let Some(list) = list_at(text, path)? else { return Ok(message.clone()) };
    let container = &text[list.clone()];
    let mut elements = Elements::of(container);
    let (mut new, mut copied) = (String::new(), 0);
    while let Some(span) = elements.next_span() {
        let element = Json::trusted_part(&container[span.clone()]);
        if let Some(rewritten) = rewrite(element) {
            if path.len() + 1 + json::depth(rewritten.as_str()) > json::DEEPEST {
                return Err(EditError::TooDeep);
            }
            new.push_str(&container[copied..span.start]);
            new.push_str(rewritten.as_str());
            copied = span.end;
        }
    }
    if copied == 0 {
        return Ok(message.clone());
    }
    new.push_str(&container[copied..]);
    rewritten(message.clone(), &Change { old: list, new: new.into() })
}

/// Appends elements to the list at `path`.
pub fn append_in(message: &Message, path: &[Step<'_>], elements: &[JsonBuf]) -> Result<Message, EditError> {
    let text = message.text();
    let list = list_at(text, path)?.ok_or(EditError::NoSuchElement)?;
    if elements.iter().any(|element| path.len() + 1 + json::depth(element.as_str()) > json::DEEPEST) {
        return Err(EditError::TooDeep);
    }
    let inside = text[list.start + 1..list.end - 1].trim_end_matches(SPACE);
    let end = list.start + 1 + inside.len();
    let mut new = String::new();
    for element in elements {
        if !(new.is_empty() && inside.is_empty()) {
            new.push(',');
        }
        new.push_str(element.as_str());
    }
    rewritten(message.clone(), &Change { old: end..end, new: new.into() })
}

/// The range of the list at `path`; `None` if it is missing.
fn list_at(text: &str, path: &[Step<'_>]) -> Result<Option<Range<usize>>, EditError> {
    let mut here = space_len(text.as_bytes());
    for step in path {
        match find(text, here, step)? {
            StepTarget::At { value, .. } => here = value,
            StepTarget::Missing { .. } => return Ok(None),
        }
    }
    if !text[here..].starts_with('[') {
        return Err(EditError::NoSuchElement);
    }
    Ok(Some(here..json::skip_value(text.as_bytes(), here)))
}

/// A replacement of one range of a text.
struct Change<'a> {
    old: Range<usize>,
    new: Cow<'a, str>,
}

/// The result of one step into a container.
enum StepTarget {
    /// `start` is where the member (with its name) or element begins, `value` where its value
    /// begins.
    At {
        start: usize,
        value: usize,
    },
    Missing {
        insert_at: usize,
        comma: bool,
    },
}

// === impl Change ===

impl Change<'_> {
    fn make(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() - self.old.len() + self.new.len());
        out.push_str(&text[..self.old.start]);
        out.push_str(&self.new);
        out.push_str(&text[self.old.end..]);
        out
    }
}

fn rewritten(message: Message, change: &Change<'_>) -> Result<Message, EditError> {
    // A change inside the body leaves the envelope as it was. Only other changes need a new parse.
    if message.is_inside_body(&change.old) {
        return Ok(message.with_change(change.old.clone(), &change.new));
    }
    let text = change.make(message.text());
    let limits = json::Limits { max_bytes: usize::MAX, max_nodes: usize::MAX, ..Default::default() };
    let new = Message::parse(text.into_bytes(), &limits).map_err(|_| EditError::NoMessage)?;
    if new.kind() == message.kind() { Ok(new) } else { Err(EditError::NoMessage) }
}

fn setting<'a>(text: &str, path: &[Step<'_>], value: Json<'a>) -> Result<Change<'a>, EditError> {
    if path.is_empty() {
        return Err(EditError::EmptyPath);
    }
    if path.len() + json::depth(value.as_str()) > json::DEEPEST {
        return Err(EditError::TooDeep);
    }
    let mut here = space_len(text.as_bytes());
    for (done, step) in path.iter().enumerate() {
        match find(text, here, step)? {
            StepTarget::At { value, .. } => here = value,
            // The rest of the path is missing: create it around the value.
            StepTarget::Missing { insert_at, comma } => {
                let new = new_member(comma, &path[done..], value)?.into();
                return Ok(Change { old: insert_at..insert_at, new });
            }
        }
    }
    let end = json::skip_value(text.as_bytes(), here);
    Ok(Change { old: here..end, new: value.as_str().into() })
}

fn removing(text: &str, path: &[Step<'_>]) -> Result<Option<Change<'static>>, EditError> {
    if path.is_empty() {
        return Err(EditError::EmptyPath);
    }
    let bytes = text.as_bytes();
    let mut here = space_len(bytes);
    let mut start = here;
    for step in path {
        match find(text, here, step)? {
            StepTarget::At { start: member, value } => (start, here) = (member, value),
            StepTarget::Missing { .. } => return Ok(None),
        }
    }
    let end = json::skip_value(bytes, here);
    let after = end + space_len(&bytes[end..]);
    let old = if bytes.get(after) == Some(&b',') {
        start..after + 1 + space_len(&bytes[after + 1..])
    } else {
        // The last member has no comma after it, so remove the comma before it.
        let before = text[..start].trim_end_matches(SPACE);
        if before.ends_with(',') { before.len() - 1..end } else { start..end }
    };
    Ok(Some(Change { old, new: "".into() }))
}

/// Takes one step into the container that begins at `here`.
fn find(text: &str, here: usize, step: &Step<'_>) -> Result<StepTarget, EditError> {
    let container = &text[here..];
    match step {
        Step::Member(name) => {
            if !container.starts_with('{') {
                return Err(EditError::NotAnObject);
            }
            let mut members = Members::of(container);
            let mut last_end = None;
            while let Some(member) = members.next_start() {
                if member.key.is(name) {
                    return Ok(StepTarget::At { start: here + member.name, value: here + member.value });
                }
                last_end = Some(members.skip_value());
            }
            Ok(match last_end {
                Some(end) => StepTarget::Missing { insert_at: here + end, comma: true },
                None => StepTarget::Missing { insert_at: here + 1, comma: false },
            })
        }
        Step::Element(index) => {
            let mut elements = Elements::of(container);
            let span = std::iter::from_fn(|| elements.next_span()).nth(*index);
            let start = here + span.ok_or(EditError::NoSuchElement)?.start;
            Ok(StepTarget::At { start, value: start })
        }
    }
}

/// Writes a new member that contains the value inside the objects that the rest of the path names.
fn new_member(comma: bool, path: &[Step<'_>], value: Json<'_>) -> Result<String, EditError> {
    let mut text = String::with_capacity(value.as_str().len() + 48 * path.len());
    if comma {
        text.push(',');
    }
    for (index, step) in path.iter().enumerate() {
        let Step::Member(name) = step else { return Err(EditError::NoSuchElement) };
        if index > 0 {
            text.push('{');
        }
        text.push_str(&quote(name));
        text.push(':');
    }
    text.push_str(value.as_str());
    text.extend(std::iter::repeat_n('}', path.len() - 1));
    Ok(text)
}

const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

fn space_len(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count()
}
