//! Converts what a tool returns to the client's result.
use std::marker::PhantomData;

use overt_policy::mark::{key, request};
use overt_wire::Message;
use overt_wire::era::Version;
use overt_wire::json::{Array, Json, JsonBuf, Object};
use serde::Serialize;
use serde_json::Value;

use super::content::Content;
use super::error::{Kind, ToolError};
use super::reply::Reply;
use super::schema::Schema;

/// What a tool returns.
#[derive(Debug)]
pub struct Outcome {
    content: Vec<Content>,
    structured: Option<Structured>,
    /// The changes, for clients that read them as a member of the structured result. The text for
    /// the model does not have them.
    literal_diff: Option<JsonBuf>,
    /// Items that follow the content for the model.
    extra: Vec<Content>,
    meta: Option<JsonBuf>,
}

/// What a tool returns whose output schema is made from the type `O`.
#[derive(Debug)]
pub struct TypedOutcome<O> {
    outcome: Outcome,
    value: PhantomData<fn() -> O>,
}

/// The structured result, for programs.
#[derive(Debug)]
struct Structured {
    json: JsonBuf,
    /// The value was serialized from the type that the output schema is made from, so it need not
    /// be validated.
    is_typed: bool,
}

/// The member of the structured result that has the changes, for clients that want them there.
pub(super) const DIFF: &str = "diff";
/// The code of a result that does not fit the output schema of its tool.
pub(super) const INVALID_RESULT: &str = "INVALID_RESULT";

/// The most characters of JSON that are repeated as text. The model would pay twice for more
/// (G-05).
const MOST_TEXT: usize = 20_000;

impl Outcome {
    /// Makes an outcome with a structured value for programs. Models get it as JSON text.
    pub fn structured<T: Serialize>(value: &T) -> Result<Self, ToolError> {
        Self::content(Vec::new()).with_value(value)
    }

    /// Makes an outcome with a value of the type that the tool's output schema is made from.
    pub(super) fn typed<T: Serialize>(value: &T) -> Result<Self, ToolError> {
        let structured = Structured { json: JsonBuf::of(value)?, is_typed: true };
        Ok(Self { structured: Some(structured), ..Self::content(Vec::new()) })
    }

    pub fn content(content: Vec<Content>) -> Self {
        Self { content, structured: None, literal_diff: None, extra: Vec::new(), meta: None }
    }

    /// Replaces the JSON text for the model by other items, such as an image or a summary.
    #[must_use]
    pub fn with_content(self, content: Vec<Content>) -> Self {
        Self { content, ..self }
    }

    /// Returns the structured value, without the changes.
    pub fn value(&self) -> Option<Value> {
        self.structured.as_ref()?.json.as_json().read().ok()
    }

    /// Returns the changes in the form for programs.
    pub fn diff(&self) -> Option<Json<'_>> {
        let in_meta = || self.meta.as_ref()?.as_json().get(key::DIFF).value();
        self.literal_diff.as_ref().map(JsonBuf::as_json).or_else(in_meta)
    }

    /// Returns the items for the model.
    pub fn items(&self) -> &[Content] {
        &self.content
    }

    /// Replaces the structured value and keeps everything else.
    pub fn with_value<T: Serialize>(self, value: &T) -> Result<Self, ToolError> {
        let structured = Structured { json: JsonBuf::of(value)?, is_typed: false };
        Ok(Self { structured: Some(structured), ..self })
    }

    /// Writes the outcome for the process that answers the client.
    pub(super) fn write_remote(&self) -> JsonBuf {
        let items =
            |array: Array| self.content.iter().fold(array, |array, item| item.write(array, Version::NEWEST));
        let outcome = Object::new().list("content", items);
        let value = self.structured.as_ref().map(|structured| structured.json.as_json());
        let outcome = value.into_iter().fold(outcome, |outcome, value| outcome.json("value", value));
        self.meta.iter().fold(outcome, |outcome, meta| outcome.json("meta", meta.as_json())).finish()
    }

    /// Reads what [`write_remote`](Self::write_remote) wrote.
    pub(super) fn read_remote(json: Json<'_>) -> Self {
        let items = json.get("content").value().map(|items| items.elements().map(Content::read).collect());
        let structured = |value: Json<'_>| Structured { json: value.to_buf(), is_typed: true };
        Self {
            structured: json.get("value").value().map(structured),
            meta: json.get("meta").value().map(Json::to_buf),
            ..Self::content(items.unwrap_or_default())
        }
    }

    /// Sets the `_meta` object of the result.
    #[must_use]
    pub fn with_meta(self, meta: JsonBuf) -> Self {
        Self { meta: Some(meta), ..self }
    }

    /// Puts the changes into the structured result instead of `_meta`.
    pub(super) fn with_literal_diff(self, diff: JsonBuf) -> Self {
        Self { literal_diff: Some(diff), ..self }
    }

    /// Adds an item that does not replace the JSON text.
    pub(super) fn with_extra_item(mut self, item: Content) -> Self {
        self.extra.push(item);
        self
    }

    /// Marks the result as a preview. For a tool that runs even for a preview, because it changes
    /// nothing.
    pub(super) fn of_preview(self) -> Self {
        let meta = Object::new().raw(request::PREVIEW, "true");
        let meta = match &self.meta {
            // A plan has already marked it.
            Some(own) if own.as_json().get(request::PREVIEW).value().is_some() => return self,
            Some(own) => meta.members_of(own.as_json()),
            None => meta,
        };
        Self { meta: Some(meta.finish()), ..self }
    }

    /// Returns the `tools/call` result. A value that does not match the tool's own schema is a
    /// mistake of the tool, and is not sent.
    pub(super) fn into_reply(self, tool: &str, schema: Option<&Schema>, version: Version) -> Reply {
        let is_typed = self.structured.as_ref().is_some_and(|structured| structured.is_typed);
        // Debug builds validate typed values too.
        if let Some(schema) = schema.filter(|_| !is_typed || cfg!(debug_assertions)) {
            let broken = match self.value() {
                Some(value) => schema.errors(&value).first().map(ToString::to_string),
                None => Some("there is no structured result".into()),
            };
            if let Some(broken) = broken {
                tracing::error!(tool, "a result does not match the output schema: {broken}");
                return error_reply(
                    &format!(
                        "The result of `{tool}` does not match its own output schema, so it was not sent. This is a \
                         mistake of the server. Use another tool, or report it."
                    ),
                    Some(INVALID_RESULT),
                );
            }
        }
        let structured = self.structured.map(|structured| structured.json);
        let text = match &structured {
            Some(json) if self.content.is_empty() => Some(Content::from(as_text(json))),
            _ => None,
        };
        let items = self.content.iter().chain(&text).chain(&self.extra);
        let may_have_uris = !items.clone().all(Content::is_text);
        let structured = match (structured, &self.literal_diff) {
            (Some(json), Some(diff)) => {
                Some(Object::new().members_of(json.as_json()).json(DIFF, diff.as_json()).finish())
            }
            (structured, _) => structured,
        };
        // Allocate once, because the result may be long.
        let length = items.clone().map(Content::length).sum::<usize>()
            + [&structured, &self.meta].into_iter().flatten().map(|json| json.as_str().len()).sum::<usize>();
        let body = Object::with_capacity(length + Message::ENVELOPE);
        let body = body.list("content", |array| items.fold(array, |array, item| item.write(array, version)));
        let body = match &structured {
            Some(json) => body.json("structuredContent", json.as_json()),
            None => body,
        };
        Reply::new(body).with_meta(self.meta).naming_resources(may_have_uris)
    }
}

impl<O: Serialize> TypedOutcome<O> {
    /// Makes an outcome with a value for programs. Models get it as JSON text.
    pub fn of(value: &O) -> Result<Self, ToolError> {
        Ok(Self { outcome: Outcome::typed(value)?, value: PhantomData })
    }

    /// Replaces the JSON text for the model by these items.
    #[must_use]
    pub fn with_content(self, content: Vec<Content>) -> Self {
        Self { outcome: self.outcome.with_content(content), ..self }
    }

    /// Replaces the JSON text for the model by the text of a member of the value, and these items
    /// after it. The text is serialized only once. Without such a member, there are only the items.
    #[must_use]
    pub fn with_text_of(self, member: &str, mut content: Vec<Content>) -> Self {
        let structured = self.outcome.structured.as_ref();
        let text = structured.and_then(|structured| structured.json.as_json().get(member).value());
        if let Some(text) = text.filter(|text| text.is_string()) {
            content.insert(0, Content::quoted_text(text.to_buf()));
        }
        self.with_content(content)
    }

    pub(super) fn into_outcome(self) -> Outcome {
        self.outcome
    }
}

impl From<Vec<Content>> for Outcome {
    fn from(content: Vec<Content>) -> Self {
        Self::content(content)
    }
}

/// Returns the result of a call that went wrong, or the protocol error if it is one. It has no
/// `structuredContent` (G-09).
pub(super) fn failed(error: ToolError) -> Result<Reply, overt_wire::ErrorObject> {
    match error.kind {
        Kind::Said { text, code } if error.is_refusal => {
            Ok(error_reply(&text, code.as_deref()).with_refusal(text))
        }
        Kind::Said { text, code } => Ok(error_reply(&text, code.as_deref())),
        Kind::Protocol(error) => Err(error),
    }
}

fn error_reply(text: &str, code: Option<&str>) -> Reply {
    // Put the code into the text: the model reads only the text, and the help explains codes
    //
    let text = code.map_or_else(|| text.to_owned(), |code| format!("{} [{code}]", text.trim_end()));
    let body = Object::new().list("content", |array| Content::text(&text).write(array, Version::NEWEST));
    let meta = code.map(|code| {
        let error = Object::new().string("code", code).finish();
        Object::new().json("dev.overt/error", error.as_json()).finish()
    });
    Reply::error(body).with_meta(meta)
}

/// Returns the JSON itself, or a note on where to find it if it is long.
fn as_text(json: &JsonBuf) -> String {
    let text = json.as_str();
    let length = if text.len() <= MOST_TEXT { text.len() } else { text.chars().count() };
    if length <= MOST_TEXT {
        return text.to_owned();
    }
    let members: Vec<String> = json
        .as_json()
        .members()
        .map(|(key, value)| match value.elements().count() {
            0 => format!("`{}`", key.name()),
            count => format!("`{}` ({count} entries)", key.name()),
        })
        .collect();
    format!(
        "The result has {length} characters of JSON and is not repeated here: read `structuredContent`. It has {}.",
        members.join(", ")
    )
}
