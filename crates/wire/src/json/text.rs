//! Checked JSON text and read access to it without building a tree.
use std::borrow::Cow;
use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::fault::{Fault, FaultKind, Limits};
use super::key::Key;
use super::string::unescape;
use super::walk::{Elements, Members};
use super::{scan, serialize};

/// One JSON value inside a text that passed the strict check, without surrounding white space.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Json<'a>(&'a str);

/// An owned [`Json`].
#[derive(Clone, PartialEq, Eq)]
pub struct JsonBuf(String);

/// A member that is absent, null, or has a value: three cases, not two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Member<'a> {
    Absent,
    Null,
    Value(Json<'a>),
}

// === impl Json ===

impl<'a> Json<'a> {
    /// Checks `text` strictly, with the default limits.
    pub fn parse(text: &'a str) -> Result<Self, Fault> {
        scan::check(text.as_bytes(), &Limits::default())?;
        Ok(Self(text.trim_matches([' ', '\t', '\r', '\n'])))
    }

    /// Wraps a part of checked text without checking it again.
    pub(crate) fn trusted_part(text: &'a str) -> Self {
        Self(text)
    }

    /// The exact text of the value.
    pub fn as_str(self) -> &'a str {
        self.0
    }

    pub fn to_buf(self) -> JsonBuf {
        JsonBuf(self.0.into())
    }

    pub fn is_object(self) -> bool {
        self.0.starts_with('{')
    }

    pub fn is_array(self) -> bool {
        self.0.starts_with('[')
    }

    pub fn is_string(self) -> bool {
        self.0.starts_with('"')
    }

    pub fn is_number(self) -> bool {
        self.0.starts_with(|c: char| c == '-' || c.is_ascii_digit())
    }

    pub fn is_null(self) -> bool {
        self.0 == "null"
    }

    /// The decoded string, or `None` for another kind of value.
    pub fn string(self) -> Option<Cow<'a, str>> {
        self.is_string().then(|| unescape(&self.0[1..self.0.len() - 1]))
    }

    pub fn bool(self) -> Option<bool> {
        match self.0 {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// The integer, if the token is one that fits in 64 bits. `1.0` and `1e2` are not integers.
    pub fn integer(self) -> Option<i64> {
        if self.is_number() { self.0.parse().ok() } else { None }
    }

    pub fn number(self) -> Option<f64> {
        if self.is_number() { self.0.parse().ok() } else { None }
    }

    /// The members. Empty if this is not an object.
    pub fn members(self) -> Members<'a> {
        Members::of(self.0)
    }

    /// The elements. Empty if this is not an array.
    pub fn elements(self) -> Elements<'a> {
        Elements::of(self.0)
    }

    /// The member with this name; `Absent` if this is not an object.
    pub fn get(self, name: &str) -> Member<'a> {
        self.members().find(|(key, _)| key.is(name)).map_or(Member::Absent, |(_, value)| Member::of(value))
    }

    /// The member at the end of a path of names.
    pub fn at(self, path: &[&str]) -> Member<'a> {
        let mut here = Member::of(self);
        for name in path {
            here = here.get(name);
        }
        here
    }

    /// Deserializes the value into a type. The text is already checked, so only its shape can be
    /// wrong.
    pub fn read<T: DeserializeOwned>(self) -> serde_json::Result<T> {
        serde_json::from_str(self.0)
    }
}

impl fmt::Debug for Json<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Display for Json<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

// === impl Members, Elements ===

impl<'a> Iterator for Members<'a> {
    type Item = (Key<'a>, Json<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let member = self.next_start()?;
        let end = self.skip_value();
        Some((member.key, Json(self.text_at(member.value..end))))
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = Json<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_span().map(|span| Json(self.text_at(span)))
    }
}

// === impl JsonBuf ===

impl JsonBuf {
    /// Checks `text` strictly, with the default limits.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        Json::parse(text).map(Json::to_buf)
    }

    /// Serializes a Rust value.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Self> {
        // Most values are longer, and growing to this takes five steps.
        let mut text = String::with_capacity(128);
        serialize::push(&mut text, value)?;
        Ok(Self(text))
    }

    /// Wraps text that this crate wrote.
    pub(crate) fn trusted(text: String) -> Self {
        debug_assert!(is_well_formed(&text), "this crate wrote something that is not JSON: {text}");
        Self(text)
    }

    pub fn empty_object() -> Self {
        Self("{}".into())
    }

    pub fn as_json(&self) -> Json<'_> {
        Json(&self.0)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

impl fmt::Debug for JsonBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&serde_json::Value> for JsonBuf {
    fn from(value: &serde_json::Value) -> Self {
        // This can't fail, because all member names are strings.
        Self::of(value).unwrap_or_else(|_| Self(value.to_string()))
    }
}

// === impl Member ===

impl<'a> Member<'a> {
    pub(crate) fn of(value: Json<'a>) -> Self {
        if value.is_null() { Self::Null } else { Self::Value(value) }
    }

    /// The value, unless it is absent or null.
    pub fn value(self) -> Option<Json<'a>> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }

    pub fn get(self, name: &str) -> Member<'a> {
        self.value().map_or(Member::Absent, |value| value.get(name))
    }

    pub fn string(self) -> Option<Cow<'a, str>> {
        self.value().and_then(Json::string)
    }

    pub fn is_absent(self) -> bool {
        self == Self::Absent
    }
}

/// Whether text that this crate wrote is JSON without duplicate names. It may exceed the input
/// limits for depth and length, because its parts came in at a smaller depth.
fn is_well_formed(text: &str) -> bool {
    let limits = Limits { max_bytes: usize::MAX, max_nodes: usize::MAX, ..Limits::default() };
    scan::check(text.as_bytes(), &limits).map_or_else(|fault| fault.kind == FaultKind::TooDeep, |()| true)
}
