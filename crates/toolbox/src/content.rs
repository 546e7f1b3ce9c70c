//! The content items of results and prompts.
use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use overt_wire::era::Version;
use overt_wire::json::{Array, Json, JsonBuf, Object};

/// One item of a result's content.
#[derive(Debug, Clone)]
pub struct Content(Form);

#[derive(Debug, Clone)]
enum Form {
    /// A text, which may be long. It is serialized only once, directly into the result.
    Text(String),
    /// A text as a JSON token, because the structured result has the same text.
    QuotedText(JsonBuf),
    /// An item that is already serialized.
    Json(JsonBuf),
}

/// The author of a message in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    User,
    Assistant,
}

impl Content {
    /// Whether the item is a text.
    pub fn is_text(&self) -> bool {
        matches!(self.0, Form::Text(_) | Form::QuotedText(_))
    }

    pub fn text(text: &str) -> Self {
        Self::from(text.to_owned())
    }

    pub fn image(bytes: &[u8], mime_type: &str) -> Self {
        Self::media("image", bytes, mime_type)
    }

    pub fn audio(bytes: &[u8], mime_type: &str) -> Self {
        Self::media("audio", bytes, mime_type)
    }

    /// Embeds a resource as text.
    pub fn embedded_text(uri: &str, mime_type: &str, text: &str) -> Self {
        let resource =
            Object::new().string("uri", uri).string("mimeType", mime_type).string("text", text).finish();
        Self::json(Object::new().string("type", "resource").json("resource", resource.as_json()))
    }

    /// Embeds a resource as bytes.
    pub fn embedded_bytes(uri: &str, mime_type: &str, bytes: &[u8]) -> Self {
        let blob = STANDARD.encode(bytes);
        let resource =
            Object::new().string("uri", uri).string("mimeType", mime_type).string("blob", &blob).finish();
        Self::json(Object::new().string("type", "resource").json("resource", resource.as_json()))
    }

    /// A link to a resource that the client may read.
    pub fn link(uri: &str, name: &str, mime_type: &str) -> Self {
        let link = Object::new().string("type", "resource_link").string("uri", uri);
        Self::json(link.string("name", name).string("mimeType", mime_type))
    }

    /// An item that the protocol does not define and only some clients know. It names its artifact
    /// by address.
    pub(super) fn artifact(kind: &str, uri: &str, mime_type: &str) -> Self {
        Self::json(Object::new().string("type", kind).string("url", uri).string("mimeType", mime_type))
    }

    /// Makes a text item from a string that is a JSON token already.
    pub(super) fn quoted_text(token: JsonBuf) -> Self {
        Self(Form::QuotedText(token))
    }

    /// Reads an item that this program wrote.
    pub(super) fn read(item: Json<'_>) -> Self {
        match item.get("text").value() {
            Some(text) if item.get("type").string().as_deref() == Some("text") => {
                Self::quoted_text(text.to_buf())
            }
            _ => Self(Form::Json(item.to_buf())),
        }
    }

    /// Returns the text, or `None` for an item of another kind.
    pub fn as_text(&self) -> Option<Cow<'_, str>> {
        match &self.0 {
            Form::Text(text) => Some(Cow::Borrowed(text)),
            Form::QuotedText(token) => token.as_json().string(),
            Form::Json(_) => None,
        }
    }

    /// Returns the item as JSON.
    pub fn to_json(&self) -> JsonBuf {
        match &self.0 {
            Form::Text(text) => Object::new().string("type", "text").string("text", text).finish(),
            Form::QuotedText(token) => {
                Object::new().string("type", "text").json("text", token.as_json()).finish()
            }
            Form::Json(json) => json.clone(),
        }
    }

    /// Returns this item with another member, such as `annotations`.
    #[must_use]
    pub fn with(self, name: &str, value: Json<'_>) -> Self {
        Self::json(Object::new().members_of(self.to_json().as_json()).json(name, value))
    }

    /// Estimates the length of the serialized item in bytes.
    pub(super) fn length(&self) -> usize {
        match &self.0 {
            // Leave room for escapes: most texts need few.
            Form::Text(text) => text.len() + text.len() / 16 + 64,
            Form::QuotedText(token) => token.as_str().len() + 64,
            Form::Json(json) => json.as_str().len() + 1,
        }
    }

    /// Appends the item to `array` in the form of a protocol version.
    pub(super) fn write(&self, array: Array, version: Version) -> Array {
        match &self.0 {
            Form::Text(text) => array.object(|item| item.string("type", "text").string("text", text)),
            Form::QuotedText(token) => {
                array.object(|item| item.string("type", "text").json("text", token.as_json()))
            }
            Form::Json(_) => array.json(self.in_version(version).as_json()),
        }
    }

    /// Returns the item in the form of a protocol version. Items that the version lacks are
    /// expressed as older ones.
    pub(super) fn in_version(&self, version: Version) -> Cow<'_, JsonBuf> {
        let json = match &self.0 {
            Form::Text(_) | Form::QuotedText(_) => return Cow::Owned(self.to_json()),
            Form::Json(json) => json,
        };
        let item = json.as_json();
        let text = |name| item.get(name).string().unwrap_or_default();
        match &*text("type") {
            // An embedded resource can hold bytes of any kind.
            "audio" if version < Version::V2025_03_26 => {
                let resource = Object::new()
                    .string("uri", "attachment:audio")
                    .string("mimeType", &text("mimeType"))
                    .string("blob", &text("data"))
                    .finish();
                let item = Object::new().string("type", "resource").json("resource", resource.as_json());
                Cow::Owned(item.finish())
            }
            "resource_link" if version < Version::V2025_06_18 => {
                Cow::Owned(Self::from(format!("{}: {}", text("name"), text("uri"))).to_json())
            }
            _ => Cow::Borrowed(json),
        }
    }

    fn media(kind: &str, bytes: &[u8], mime_type: &str) -> Self {
        let data = STANDARD.encode(bytes);
        Self::json(Object::new().string("type", kind).string("data", &data).string("mimeType", mime_type))
    }

    fn json(item: Object) -> Self {
        Self(Form::Json(item.finish()))
    }
}

impl From<String> for Content {
    /// Makes a text item.
    fn from(text: String) -> Self {
        Self(Form::Text(text))
    }
}

impl Role {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}
