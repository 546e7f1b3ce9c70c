//! Builds new JSON text member by member, in the order in which it is written.
use serde::Serialize;

use super::{Json, JsonBuf};

/// An object under construction.
///
/// ```
/// use overt_wire::json::Object;
/// let ping = Object::new().string("method", "ping").raw("id", "7").finish();
/// assert_eq!(ping.as_str(), r#"{"method":"ping","id":7}"#);
/// ```
#[derive(Debug)]
#[must_use]
pub struct Object(String);

/// An array under construction.
#[derive(Debug)]
#[must_use]
pub struct Array(String);

/// A string as a JSON token with its quotes.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_quoted(&mut out, text);
    out
}

// === impl Object ===

impl Object {
    pub fn new() -> Self {
        Self("{".into())
    }

    /// Room for about `bytes` of text, to spare a copy when the size is known.
    pub fn with_capacity(bytes: usize) -> Self {
        let mut text = String::with_capacity(bytes + 2);
        text.push('{');
        Self(text)
    }

    pub fn string(mut self, name: &str, value: &str) -> Self {
        self.name(name);
        push_quoted(&mut self.0, value);
        self
    }

    pub fn json(mut self, name: &str, value: Json<'_>) -> Self {
        self.name(name);
        self.0.push_str(value.as_str());
        self
    }

    /// Writes a token of ours: a number, `true`, or the text of an id.
    pub fn raw(mut self, name: &str, token: &str) -> Self {
        self.name(name);
        self.0.push_str(token);
        self
    }

    /// Writes any value of ours. A value that can't be written (a map with keys that aren't strings) is a
    /// mistake in our code, and becomes null.
    pub fn value<T: Serialize + ?Sized>(mut self, name: &str, value: &T) -> Self {
        self.name(name);
        match serde_json::to_string(value) {
            Ok(text) => self.0.push_str(&text),
            Err(error) => {
                debug_assert!(false, "`{name}` can't be written as JSON: {error}");
                self.0.push_str("null");
            }
        }
        self
    }

    /// Writes the member only if there is a value.
    pub fn maybe<T: Serialize>(self, name: &str, value: Option<T>) -> Self {
        match value {
            Some(value) => self.value(name, &value),
            None => self,
        }
    }

    /// Appends all members of another object.
    pub fn members_of(mut self, other: Json<'_>) -> Self {
        for (key, value) in other.members() {
            self.name(&key.name());
            self.0.push_str(value.as_str());
        }
        self
    }

    pub fn finish(mut self) -> JsonBuf {
        self.0.push('}');
        JsonBuf::trusted(self.0)
    }

    fn name(&mut self, name: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        push_quoted(&mut self.0, name);
        self.0.push(':');
    }
}

impl Default for Object {
    fn default() -> Self {
        Self::new()
    }
}

// === impl Array ===

impl Array {
    pub fn new() -> Self {
        Self("[".into())
    }

    pub fn json(mut self, value: Json<'_>) -> Self {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push_str(value.as_str());
        self
    }

    pub fn finish(mut self) -> JsonBuf {
        self.0.push(']');
        JsonBuf::trusted(self.0)
    }
}

impl Default for Array {
    fn default() -> Self {
        Self::new()
    }
}

fn push_quoted(out: &mut String, text: &str) {
    if text.bytes().all(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
        out.push('"');
        out.push_str(text);
        out.push('"');
    } else if let Ok(quoted) = serde_json::to_string(text) {
        out.push_str(&quoted);
    }
}
