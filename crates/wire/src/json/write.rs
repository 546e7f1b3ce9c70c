//! Builds new JSON text, member by member, in the order of the calls.
use serde::Serialize;

use super::quote::push_quoted;
use super::serialize;
use super::text::{Json, JsonBuf};

/// An object under construction, possibly at the end of a longer text.
///
/// ```
/// use overt_wire::json::Object;
/// let ping = Object::new().string("method", "ping").raw("id", "7").finish();
/// assert_eq!(ping.as_str(), r#"{"method":"ping","id":7}"#);
/// ```
#[derive(Debug)]
#[must_use]
pub struct Object {
    text: String,
    /// Position of the opening brace.
    start: usize,
}

/// An array under construction, possibly at the end of a longer text.
#[derive(Debug)]
#[must_use]
pub struct Array {
    text: String,
    /// Position of the opening bracket.
    start: usize,
}

// === impl Object ===

impl Object {
    pub fn new() -> Self {
        Self { text: "{".into(), start: 0 }
    }

    /// Reserves about `bytes` of text. A good estimate avoids a copy.
    pub fn with_capacity(bytes: usize) -> Self {
        let mut text = String::with_capacity(bytes + 2);
        text.push('{');
        Self { text, start: 0 }
    }

    pub fn string(mut self, name: &str, value: &str) -> Self {
        self.name(name);
        push_quoted(&mut self.text, value);
        self
    }

    pub fn json(mut self, name: &str, value: Json<'_>) -> Self {
        self.name(name);
        self.text.push_str(value.as_str());
        self
    }

    /// Writes a list directly into the text, without a copy.
    pub fn list(mut self, name: &str, write: impl FnOnce(Array) -> Array) -> Self {
        self.name(name);
        let start = self.text.len();
        self.text.push('[');
        let Array { mut text, .. } = write(Array { text: self.text, start });
        text.push(']');
        Self { text, ..self }
    }

    /// Writes a trusted token: a number, `true`, or the text of an id.
    pub fn raw(mut self, name: &str, token: &str) -> Self {
        self.name(name);
        self.text.push_str(token);
        self
    }

    /// Writes any serializable value. A value that can't be written (a map with keys that aren't
    /// strings) is a bug in the caller, and becomes null.
    pub fn value<T: Serialize + ?Sized>(mut self, name: &str, value: &T) -> Self {
        self.name(name);
        let start = self.text.len();
        if let Err(error) = serialize::push(&mut self.text, value) {
            debug_assert!(false, "`{name}` can't be written as JSON: {error}");
            self.text.truncate(start);
            self.text.push_str("null");
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
            self.text.push_str(value.as_str());
        }
        self
    }

    pub fn finish(mut self) -> JsonBuf {
        debug_assert_eq!(self.start, 0, "it is a part of something else");
        self.text.push('}');
        JsonBuf::trusted(self.text)
    }

    fn name(&mut self, name: &str) {
        if self.text.len() > self.start + 1 {
            self.text.push(',');
        }
        push_quoted(&mut self.text, name);
        self.text.push(':');
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
        Self { text: "[".into(), start: 0 }
    }

    pub fn json(mut self, value: Json<'_>) -> Self {
        self.begin();
        self.text.push_str(value.as_str());
        self
    }

    /// Writes an object directly into the text, without a copy.
    pub fn object(mut self, write: impl FnOnce(Object) -> Object) -> Self {
        self.begin();
        let start = self.text.len();
        self.text.push('{');
        let Object { mut text, .. } = write(Object { text: self.text, start });
        text.push('}');
        Self { text, ..self }
    }

    pub fn finish(mut self) -> JsonBuf {
        debug_assert_eq!(self.start, 0, "it is a part of something else");
        self.text.push(']');
        JsonBuf::trusted(self.text)
    }

    fn begin(&mut self) {
        if self.text.len() > self.start + 1 {
            self.text.push(',');
        }
    }
}

impl Default for Array {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(|number| json!(number)),
            any::<u64>().prop_map(|number| json!(number)),
            any::<f64>().prop_map(|number| json!(number)),
            "(?s).{0,80}".prop_map(Value::String),
        ];
        leaf.prop_recursive(3, 24, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
                prop::collection::vec(("(?s).{0,8}", inner), 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn values_are_written_as_serde_json_writes_them(value in values()) {
            prop_assert_eq!(JsonBuf::from(&value).into_string(), serde_json::to_string(&value).unwrap());
        }
    }
}
