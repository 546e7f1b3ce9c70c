//! The entry of a tool in `tools/list`, kept as text and parsed when a document needs it.
use std::sync::OnceLock;

use overt_wire::json::{Json, JsonBuf};
use serde_json::Value;

/// A tool's definition by the server. Parsed, it takes many times the memory of its text, and a
/// starting server needs only the text.
#[derive(Debug, Clone)]
pub struct ToolDefinition {
    text: JsonBuf,
    /// The parsed definition. Once it is set it replaces `text`, because it may have been changed.
    value: OnceLock<Value>,
}

impl ToolDefinition {
    /// Parses the definition at once. Returns `None` if that fails.
    pub(super) fn read(text: Json<'_>) -> Option<Self> {
        let value: Value = text.read().ok()?;
        Some(Self { text: text.to_buf(), value: value.into() })
    }

    /// Parses the definition when it is needed. An unparsable text then becomes `null`.
    pub(super) fn read_later(text: Json<'_>) -> Self {
        Self { text: text.to_buf(), value: OnceLock::new() }
    }

    pub fn value(&self) -> &Value {
        self.value.get_or_init(|| self.text.as_json().read().unwrap_or_default())
    }

    pub fn change<T>(&mut self, with: impl FnOnce(&mut Value) -> T) -> T {
        self.value();
        let mut value = self.value.take().unwrap_or_default();
        let answer = with(&mut value);
        self.value = value.into();
        answer
    }

    /// Returns whether the definition has this member and it is an object. Parses nothing else.
    pub(super) fn has_object(&self, member: &str) -> bool {
        match self.value.get() {
            Some(value) => value.get(member).is_some_and(Value::is_object),
            None => self.text.as_json().get(member).value().is_some_and(Json::is_object),
        }
    }
}

impl PartialEq for ToolDefinition {
    fn eq(&self, other: &Self) -> bool {
        self.value() == other.value()
    }
}
