//! What results and prompts are made of.
use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use overt_wire::era::Version;
use overt_wire::json::{Json, JsonBuf, Object};

/// One item of a result's content.
#[derive(Debug, Clone)]
pub struct Content(JsonBuf);

/// Who a message of a prompt is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    User,
    Assistant,
}

impl Content {
    pub fn text(text: &str) -> Self {
        Self(Object::new().string("type", "text").string("text", text).finish())
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
        Self(Object::new().string("type", "resource").json("resource", resource.as_json()).finish())
    }

    /// A resource that is sent along, as bytes.
    pub fn embedded_bytes(uri: &str, mime_type: &str, bytes: &[u8]) -> Self {
        let blob = STANDARD.encode(bytes);
        let resource =
            Object::new().string("uri", uri).string("mimeType", mime_type).string("blob", &blob).finish();
        Self(Object::new().string("type", "resource").json("resource", resource.as_json()).finish())
    }

    /// A resource that the client may read.
    pub fn link(uri: &str, name: &str, mime_type: &str) -> Self {
        let link = Object::new().string("type", "resource_link").string("uri", uri);
        Self(link.string("name", name).string("mimeType", mime_type).finish())
    }

    /// An item of a kind that only some clients know, with an address.
    pub(super) fn artifact(kind: &str, uri: &str, mime_type: &str) -> Self {
        Self(Object::new().string("type", kind).string("url", uri).string("mimeType", mime_type).finish())
    }

    /// The item as it is written.
    pub fn json(&self) -> Json<'_> {
        self.0.as_json()
    }

    /// The same item with a further member, such as `annotations`.
    #[must_use]
    pub fn with(self, name: &str, value: Json<'_>) -> Self {
        Self(Object::new().members_of(self.0.as_json()).json(name, value).finish())
    }

    /// The item as a version knows it: what came later is said with what there was before.
    pub(super) fn in_version(&self, version: Version) -> Cow<'_, JsonBuf> {
        let item = self.0.as_json();
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
                Cow::Owned(Self::text(&format!("{}: {}", text("name"), text("uri"))).0)
            }
            _ => Cow::Borrowed(&self.0),
        }
    }

    fn media(kind: &str, bytes: &[u8], mime_type: &str) -> Self {
        let data = STANDARD.encode(bytes);
        Self(Object::new().string("type", kind).string("data", &data).string("mimeType", mime_type).finish())
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
