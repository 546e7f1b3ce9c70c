//! The only way to change a message: set or remove one member and leave every other byte as it was.
use crate::json::{Json, JsonBuf, quote};
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
    #[error("the path leads through a value that is no object")]
    NotAnObject,
    #[error("the path leads through a value that is no array, or past its end")]
    NoSuchElement,
    #[error("the path is empty")]
    EmptyPath,
    #[error("the edit would turn the message into something else")]
    NoMessage,
}

/// Sets the member at `path`, making the objects on the way if they are absent.
///
/// ```
/// use overt_wire::{edit, edit::Step::Member, json::Json};
/// let text = Json::parse(r#"{"a" : 1.0, "b":{}}"#).unwrap();
/// let new = edit::set(text, &[Member("b"), Member("c")], Json::parse("true").unwrap()).unwrap();
/// assert_eq!(new.as_str(), r#"{"a" : 1.0, "b":{"c":true}}"#);
/// ```
pub fn set(text: Json<'_>, path: &[Step<'_>], value: Json<'_>) -> Result<JsonBuf, EditError> {
    let (last, way) = path.split_last().ok_or(EditError::EmptyPath)?;
    let mut here = 0..text.as_str().len();
    for (done, step) in way.iter().enumerate() {
        match find(text, here.clone(), step)? {
            Place::At(value) => here = value,
            // The rest of the way is missing: write it around the value.
            Place::Missing { insert_at, comma } => {
                let inner = wrap(&path[done + 1..], value)?;
                return Ok(insert(text, insert_at, comma, step, &inner));
            }
        }
    }
    Ok(match find(text, here, last)? {
        Place::At(old) => splice(text, old, value.as_str()),
        Place::Missing { insert_at, comma } => insert(text, insert_at, comma, last, value.as_str()),
    })
}

/// Removes the member at `path`, and one comma beside it. A member that is not there is removed already.
pub fn remove(text: Json<'_>, path: &[Step<'_>]) -> Result<JsonBuf, EditError> {
    let (last, way) = path.split_last().ok_or(EditError::EmptyPath)?;
    let mut here = 0..text.as_str().len();
    for step in way {
        match find(text, here.clone(), step)? {
            Place::At(value) => here = value,
            Place::Missing { .. } => return Ok(text.to_buf()),
        }
    }
    let Place::At(value) = find(text, here.clone(), last)? else { return Ok(text.to_buf()) };
    let start = match last {
        Step::Member(name) => name_start(text, &here, name).unwrap_or(value.start),
        Step::Element(_) => value.start,
    };
    let bytes = text.as_str().as_bytes();
    let after = value.end + space_len(&bytes[value.end..]);
    if bytes.get(after) == Some(&b',') {
        let next = after + 1 + space_len(&bytes[after + 1..]);
        return Ok(splice(text, start..next, ""));
    }
    // The last member takes the comma before it along.
    let before = text.as_str()[..start].trim_end_matches(SPACE);
    let from = if before.ends_with(',') { before.len() - 1 } else { start };
    Ok(splice(text, from..value.end, ""))
}

/// The same for a whole message; what comes out is still a message of the same kind.
pub fn set_in(message: &Message, path: &[Step<'_>], value: Json<'_>) -> Result<Message, EditError> {
    rewritten(message, set(message.as_json(), path, value)?)
}

/// The same for a whole message; what comes out is still a message of the same kind.
pub fn remove_in(message: &Message, path: &[Step<'_>]) -> Result<Message, EditError> {
    rewritten(message, remove(message.as_json(), path)?)
}

fn rewritten(old: &Message, text: JsonBuf) -> Result<Message, EditError> {
    let limits = crate::json::Limits { max_bytes: usize::MAX, ..Default::default() };
    let new = Message::parse(text.into_string().into_bytes(), &limits).map_err(|_| EditError::NoMessage)?;
    if new.kind() == old.kind() { Ok(new) } else { Err(EditError::NoMessage) }
}

/// Where a step leads inside the container at `here`.
enum Place {
    At(std::ops::Range<usize>),
    Missing { insert_at: usize, comma: bool },
}

fn find(text: Json<'_>, here: std::ops::Range<usize>, step: &Step<'_>) -> Result<Place, EditError> {
    let start = here.start;
    let container = Json::trusted_part(&text.as_str()[here.clone()]);
    match step {
        Step::Member(name) => {
            if !container.is_object() {
                return Err(EditError::NotAnObject);
            }
            let mut members = container.members();
            let mut last_end = None;
            while let Some((key, _, value)) = members.next_spans() {
                if key.is(name) {
                    return Ok(Place::At(start + value.start..start + value.end));
                }
                last_end = Some(value.end);
            }
            Ok(match last_end {
                Some(end) => Place::Missing { insert_at: start + end, comma: true },
                None => Place::Missing { insert_at: start + 1, comma: false },
            })
        }
        Step::Element(index) => {
            let mut elements = container.elements();
            for _ in 0..*index {
                elements.next_span().ok_or(EditError::NoSuchElement)?;
            }
            let span = elements.next_span().ok_or(EditError::NoSuchElement)?;
            Ok(Place::At(start + span.start..start + span.end))
        }
    }
}

/// Where the name of a member begins.
fn name_start(text: Json<'_>, here: &std::ops::Range<usize>, name: &str) -> Option<usize> {
    let mut members = Json::trusted_part(&text.as_str()[here.clone()]).members();
    while let Some((key, span, _)) = members.next_spans() {
        if key.is(name) {
            return Some(here.start + span.start);
        }
    }
    None
}

/// The value inside the objects that the rest of a path names.
fn wrap(path: &[Step<'_>], value: Json<'_>) -> Result<String, EditError> {
    let mut text = value.as_str().to_owned();
    for step in path.iter().rev() {
        let Step::Member(name) = step else { return Err(EditError::NoSuchElement) };
        text = format!("{{{}:{text}}}", quote(name));
    }
    Ok(text)
}

fn insert(text: Json<'_>, at: usize, comma: bool, step: &Step<'_>, value: &str) -> JsonBuf {
    let Step::Member(name) = step else { return text.to_buf() };
    let comma = if comma { "," } else { "" };
    splice(text, at..at, &format!("{comma}{}:{value}", quote(name)))
}

fn splice(text: Json<'_>, old: std::ops::Range<usize>, new: &str) -> JsonBuf {
    let text = text.as_str();
    let mut out = String::with_capacity(text.len() - old.len() + new.len());
    out.push_str(&text[..old.start]);
    out.push_str(new);
    out.push_str(&text[old.end..]);
    JsonBuf::trusted(out)
}

const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

fn space_len(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count()
}
