//! What results and prompts are made of.
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
    /// A text, which may be long: it is written once, where the result is.
    Text(String),
    /// As it is written.
    Json(JsonBuf),
}

/// Who a message of a prompt is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    User,
    Assistant,
}

impl Content {
    pub(super) fn is_text(&self) -> bool {
        matches!(self.0, Form::Text(_))
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

    /// A resource that is sent along, as text.
    pub fn embedded_text(uri: &str, mime_type: &str, text: &str) -> Self {
        let resource =
            Object::new().string("uri", uri).string("mimeType", mime_type).string("text", text).finish();
        Self::json(Object::new().string("type", "resource").json("resource", resource.as_json()))
    }

    /// A resource that is sent along, as bytes.
    pub fn embedded_bytes(uri: &str, mime_type: &str, bytes: &[u8]) -> Self {
        let blob = STANDARD.encode(bytes);
        let resource =
            Object::new().string("uri", uri).string("mimeType", mime_type).string("blob", &blob).finish();
        Self::json(Object::new().string("type", "resource").json("resource", resource.as_json()))
    }

    /// A resource that the client may read.
    pub fn link(uri: &str, name: &str, mime_type: &str) -> Self {
        let link = Object::new().string("type", "resource_link").string("uri", uri);
        Self::json(link.string("name", name).string("mimeType", mime_type))
    }

    /// An item of a kind that only some clients know, with an address.
    pub(super) fn artifact(kind: &str, uri: &str, mime_type: &str) -> Self {
        Self::json(Object::new().string("type", kind).string("url", uri).string("mimeType", mime_type))
    }

    /// What a text says; none of another kind of item.
    pub fn as_text(&self) -> Option<&str> {
        match &self.0 {
            Form::Text(text) => Some(text),
            Form::Json(_) => None,
        }
    }

    /// The item as it is written.
    pub fn to_json(&self) -> JsonBuf {
        match &self.0 {
            Form::Text(text) => Object::new().string("type", "text").string("text", text).finish(),
            Form::Json(json) => json.clone(),
        }
    }

    /// This item with a further member, such as `annotations`.
    #[must_use]
    pub fn with(self, name: &str, value: Json<'_>) -> Self {
        Self::json(Object::new().members_of(self.to_json().as_json()).json(name, value))
    }

    /// About so many bytes are written.
    pub(super) fn length(&self) -> usize {
        match &self.0 {
            // Few characters have to be escaped in most texts.
            Form::Text(text) => text.len() + text.len() / 16 + 64,
            Form::Json(json) => json.as_str().len() + 1,
        }
    }

    /// Writes the item as a version knows it.
    pub(super) fn write(&self, array: Array, version: Version) -> Array {
        match &self.0 {
            Form::Text(text) => array.object(|item| item.string("type", "text").string("text", text)),
            Form::Json(_) => array.json(self.in_version(version).as_json()),
        }
    }

    /// The item as a version knows it: what came later is said with what there was before.
    pub(super) fn in_version(&self, version: Version) -> Cow<'_, JsonBuf> {
        let json = match &self.0 {
            Form::Text(_) => return Cow::Owned(self.to_json()),
            Form::Json(json) => json,
        };
        let item = json.as_json();
        let text = |name| item.get(name).string().unwrap_or_default();
        match &*text("type") {
            // Bytes of any kind can be in a resource.
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
    /// A text.
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
