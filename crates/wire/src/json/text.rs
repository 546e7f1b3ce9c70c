//! Checked JSON text and how to look at it without building a tree.
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::scan::{self, Fault, Limits, Span, plain_prefix, unescape};

/// One JSON value inside a text that passed the strict check; no white space around it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Json<'a>(&'a str);

/// An owned [`Json`].
#[derive(Clone, PartialEq, Eq)]
pub struct JsonBuf(Box<str>);

/// A member that may be absent, null, or there: three cases, not two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Member<'a> {
    Absent,
    Null,
    Value(Json<'a>),
}

/// A member name as it stands in the text; compare it with [`Key::is`].
#[derive(Clone, Copy)]
pub struct Key<'a>(&'a str);

/// The members of an object in the order of the text.
#[derive(Debug, Clone)]
pub struct Members<'a> {
    text: &'a str,
    at: usize,
}

/// The elements of an array in order.
#[derive(Debug, Clone)]
pub struct Elements<'a> {
    text: &'a str,
    at: usize,
}

// === impl Json ===

impl<'a> Json<'a> {
    /// Checks `text` strictly, with the default limits.
    pub fn parse(text: &'a str) -> Result<Self, Fault> {
        scan::check(text.as_bytes(), &Limits::default())?;
        Ok(Self(text.trim_matches([' ', '\t', '\r', '\n'])))
    }

    /// Takes a part of checked text without looking at it again.
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

    /// What the string means, or `None` for another kind of value.
    pub fn string(self) -> Option<Cow<'a, str>> {
        self.is_string().then(|| unescape(&self.0.as_bytes()[1..self.0.len() - 1]))
    }

    pub fn bool(self) -> Option<bool> {
        match self.0 {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// The integer that the token spells, if it spells one that fits. `1.0` and `1e2` don't.
    pub fn integer(self) -> Option<i64> {
        if self.is_number() { self.0.parse().ok() } else { None }
    }

    pub fn number(self) -> Option<f64> {
        if self.is_number() { self.0.parse().ok() } else { None }
    }

    /// The members, none if this is no object.
    pub fn members(self) -> Members<'a> {
        let text = if self.is_object() { self.0 } else { "}" };
        Members { text, at: usize::from(self.is_object()) }
    }

    /// The elements, none if this is no array.
    pub fn elements(self) -> Elements<'a> {
        let text = if self.is_array() { self.0 } else { "]" };
        Elements { text, at: usize::from(self.is_array()) }
    }

    /// The member called `name`; absent too if this is no object.
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

    /// Reads the value into a type. The text is checked already, so only its shape can be wrong.
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

// === impl JsonBuf ===

impl JsonBuf {
    /// Checks `text` strictly, with the default limits.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        Json::parse(text).map(Json::to_buf)
    }

    /// The JSON text of a value of ours.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Self> {
        serde_json::to_string(value).map(|text| Self(text.into()))
    }

    /// Takes text that this crate wrote.
    pub(crate) fn trusted(text: String) -> Self {
        debug_assert!(scan::check(text.as_bytes(), &Limits { max_bytes: usize::MAX, ..Limits::default() }).is_ok());
        Self(text.into())
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
        self.0.into()
    }
}

impl fmt::Debug for JsonBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&serde_json::Value> for JsonBuf {
    fn from(value: &serde_json::Value) -> Self {
        Self(value.to_string().into())
    }
}

// === impl Member ===

impl<'a> Member<'a> {
    pub(crate) fn of(value: Json<'a>) -> Self {
        if value.is_null() { Self::Null } else { Self::Value(value) }
    }

    /// The value, if there is one that isn't null.
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

// === impl Key ===

impl<'a> Key<'a> {
    /// Whether the name means `name`, however it is escaped.
    pub fn is(self, name: &str) -> bool {
        self.0 == name || (self.0.contains('\\') && self.name() == name)
    }

    /// What the name means.
    pub fn name(self) -> Cow<'a, str> {
        unescape(self.0.as_bytes())
    }
}

impl fmt::Debug for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0)
    }
}

// === impl Members, Elements ===

impl<'a> Members<'a> {
    /// The next member with the places of its name (quotes included) and value in the object's text.
    pub(crate) fn next_spans(&mut self) -> Option<(Key<'a>, Range<usize>, Range<usize>)> {
        let bytes = self.text.as_bytes();
        let name = skip_separators(bytes, self.at);
        if bytes.get(name) != Some(&b'"') {
            return None;
        }
        let name_end = skip_value(bytes, name);
        let value = skip_separators(bytes, name_end);
        let end = skip_value(bytes, value);
        self.at = end;
        Some((Key(&self.text[name + 1..name_end - 1]), name..name_end, value..end))
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = (Key<'a>, Json<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.text;
        self.next_spans().map(|(key, _, value)| (key, Json(&text[value])))
    }
}

impl Elements<'_> {
    /// The place of the next element in the array's text.
    pub(crate) fn next_span(&mut self) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        let start = skip_separators(bytes, self.at);
        if matches!(bytes.get(start), None | Some(b']')) {
            return None;
        }
        let end = skip_value(bytes, start);
        self.at = end;
        Some(start..end)
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = Json<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.text;
        self.next_span().map(|span| Json(&text[span]))
    }
}

/// Steps over white space, commas and colons; in checked text they stand only where they may.
fn skip_separators(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\n' | b'\r' | b'\t' | b',' | b':')) {
        at += 1;
    }
    at
}

/// The end of the value that begins at `start` of a checked text.
fn skip_value(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    let mut depth = 0_usize;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = skip_string(bytes, at),
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                at += 1;
            }
            _ if depth == 0 => at += scalar_len(&bytes[at..]),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    at
}

fn skip_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    loop {
        at += plain_prefix(&bytes[at.min(bytes.len())..]);
        match bytes.get(at) {
            Some(b'"') => return at + 1,
            Some(_) => at += 2,
            None => return bytes.len(),
        }
    }
}

fn scalar_len(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .position(|byte| matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t' | b':'))
        .unwrap_or(bytes.len())
}

impl From<Span> for Range<usize> {
    fn from(span: Span) -> Self {
        span.start..span.end
    }
}
