//! From what a tool returns to the result that the client gets.
use overt_policy::mark::{key, request};
use overt_wire::Message;
use overt_wire::era::Version;
use overt_wire::json::{Json, JsonBuf, Object};
use serde::Serialize;
use serde_json::Value;

use super::content::Content;
use super::error::{Kind, ToolError};
use super::reply::Reply;
use super::schema::Schema;

/// What a tool has to say.
#[derive(Debug)]
pub struct Outcome {
    content: Vec<Content>,
    structured: Option<Structured>,
    /// What changes, for clients that read it among the other members of the result. It is not in
    /// the text.
    literal_diff: Option<JsonBuf>,
    /// What stands after what the model reads.
    beside: Vec<Content>,
    meta: Option<JsonBuf>,
}

/// What programs read.
#[derive(Debug)]
struct Structured {
    json: JsonBuf,
    /// It was written from the type that the tool's schema is made of, so it need not be held
    /// against that.
    is_typed: bool,
}

/// The member of a result that shows what changes, for clients that want it there.
pub(super) const DIFF: &str = "diff";

/// Longer JSON is not repeated as text: a model would pay for it twice (G-05).
const MOST_TEXT: usize = 20_000;

impl Outcome {
    /// A value that programs can read. Models get the same as text.
    pub fn structured<T: Serialize>(value: &T) -> Result<Self, ToolError> {
        Self::content(Vec::new()).with_value(value)
    }

    /// A value of the type that the tool's output schema is made of.
    pub(super) fn typed<T: Serialize>(value: &T) -> Result<Self, ToolError> {
        let structured = Structured { json: JsonBuf::of(value)?, is_typed: true };
        Ok(Self { structured: Some(structured), ..Self::content(Vec::new()) })
    }

    pub fn content(content: Vec<Content>) -> Self {
        Self { content, structured: None, literal_diff: None, beside: Vec::new(), meta: None }
    }

    /// Items for the model in place of the JSON text, such as a picture or a summary.
    #[must_use]
    pub fn with_content(self, content: Vec<Content>) -> Self {
        Self { content, ..self }
    }

    /// What programs read, without what is only shown.
    pub fn value(&self) -> Option<Value> {
        self.structured.as_ref()?.json.as_json().read().ok()
    }

    /// What changes, as programs read it.
    pub fn diff(&self) -> Option<Json<'_>> {
        let in_meta = || self.meta.as_ref()?.as_json().get(key::DIFF).value();
        self.literal_diff.as_ref().map(JsonBuf::as_json).or_else(in_meta)
    }

    /// The items for the model.
    pub fn items(&self) -> &[Content] {
        &self.content
    }

    /// Another value, with everything else as it is.
    pub fn with_value<T: Serialize>(self, value: &T) -> Result<Self, ToolError> {
        let structured = Structured { json: JsonBuf::of(value)?, is_typed: false };
        Ok(Self { structured: Some(structured), ..self })
    }

    /// The `_meta` object of the result.
    #[must_use]
    pub fn with_meta(self, meta: JsonBuf) -> Self {
        Self { meta: Some(meta), ..self }
    }

    /// What changes, among the other members of the result instead of in `_meta`.
    pub(super) fn with_literal_diff(self, diff: JsonBuf) -> Self {
        Self { literal_diff: Some(diff), ..self }
    }

    /// A further item, which does not stand in place of the JSON text.
    pub(super) fn beside(mut self, item: Content) -> Self {
        self.beside.push(item);
        self
    }

    /// The result of a tool that ran although only a preview was asked for, because it changes
    /// nothing.
    pub(super) fn of_preview(self) -> Self {
        let meta = Object::new().raw(request::PREVIEW, "true");
        let meta = match &self.meta {
            // A plan has said so already.
            Some(own) if own.as_json().get(request::PREVIEW).value().is_some() => return self,
            Some(own) => meta.members_of(own.as_json()),
            None => meta,
        };
        Self { meta: Some(meta.finish()), ..self }
    }

    /// The `tools/call` result. A value that breaks the tool's own schema is the tool's mistake.
    pub(super) fn into_reply(self, tool: &str, schema: Option<&Schema>, version: Version) -> Reply {
        let is_typed = self.structured.as_ref().is_some_and(|structured| structured.is_typed);
        // Tests look all the same.
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
                    Some("INVALID_RESULT"),
                );
            }
        }
        let structured = self.structured.map(|structured| structured.json);
        let text = match &structured {
            Some(json) if self.content.is_empty() => Some(Content::from(as_text(json))),
            _ => None,
        };
        let items = self.content.iter().chain(&text).chain(&self.beside);
        let may_have_uris = !items.clone().all(Content::is_text);
        let structured = match (structured, &self.literal_diff) {
            (Some(json), Some(diff)) => {
                Some(Object::new().members_of(json.as_json()).json(DIFF, diff.as_json()).finish())
            }
            (structured, _) => structured,
        };
        // In one piece, because it may be long.
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

impl From<Vec<Content>> for Outcome {
    fn from(content: Vec<Content>) -> Self {
        Self::content(content)
    }
}

/// The result of a call that went wrong, or the protocol error if it is one. No `structuredContent`
/// (G-09).
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
    // The model reads the text alone, and the help explains the codes.
    let text = code.map_or_else(|| text.to_owned(), |code| format!("{} [{code}]", text.trim_end()));
    let body = Object::new().list("content", |array| Content::text(&text).write(array, Version::NEWEST));
    let meta = code.map(|code| {
        let error = Object::new().string("code", code).finish();
        Object::new().json("dev.overt/error", error.as_json()).finish()
    });
    Reply::error(body).with_meta(meta)
}

/// The JSON itself, or where to find it when it is long.
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
