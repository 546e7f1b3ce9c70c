//! Reads the members of an object. Problems are collected with their places, and everything else is
//! read nevertheless.
use overt_wire::text::Untrusted;
use overt_wire::text::is_deceptive;
use serde_json::{Map, Value};
use url::Url;

use crate::finding::{Findings, Pointer, Severity};
use crate::near::fix_for;
use crate::word::StringEnum;

/// An object that is being read. Members that were not read are reported by [`Members::unknown`].
#[derive(Debug)]
pub struct Members<'a, 'f> {
    object: &'a Map<String, Value>,
    at: Pointer,
    findings: &'f mut Findings,
    asked: Vec<&'static str>,
}

impl<'a, 'f> Members<'a, 'f> {
    /// Returns `None` and adds a finding if the value is not an object.
    pub fn of(value: &'a Value, at: Pointer, findings: &'f mut Findings) -> Option<Self> {
        match value {
            Value::Object(object) => Some(Self { object, at, findings, asked: Vec::new() }),
            other => {
                findings.error(at, format!("must be an object, but is {}", kind(other)), "write an object");
                None
            }
        }
    }

    /// Reads a whole document, or returns everything that is wrong with it.
    pub fn read_document<T>(
        value: &'a Value,
        read: impl FnOnce(&mut Members<'a, '_>) -> Option<T>,
    ) -> Result<T, Findings> {
        let mut findings = Findings::default();
        let read =
            Members::of(value, Pointer::root(), &mut findings).and_then(|mut members| read(&mut members));
        match read {
            Some(read) if !findings.has_errors() => Ok(read),
            _ => Err(findings),
        }
    }

    pub fn at(&self, name: &str) -> Pointer {
        self.at.join(name)
    }

    pub fn error(&mut self, name: &str, problem: impl Into<String>, fix: impl Into<String>) {
        self.findings.error(self.at.join(name), problem, fix);
    }

    pub fn findings(&mut self) -> &mut Findings {
        self.findings
    }

    /// Returns the member as it is, and marks it as known.
    pub fn raw(&mut self, name: &'static str) -> Option<&'a Value> {
        if !self.asked.contains(&name) {
            self.asked.push(name);
        }
        self.object.get(name)
    }

    /// Returns whether the object has the member, valid or not.
    pub fn has(&self, name: &str) -> bool {
        self.object.contains_key(name)
    }

    /// Reports that a required member is missing.
    pub fn missing(&mut self, name: &str, fix: &str) {
        self.error(name, "is missing", fix);
    }

    pub fn text(&mut self, name: &'static str) -> Option<String> {
        match self.raw(name)? {
            Value::String(text) => Some(text.clone()),
            other => self.wrong(name, other, "a string"),
        }
    }

    /// Returns a string that must be present and not empty.
    pub fn required_text(&mut self, name: &'static str, fix: &str) -> Option<String> {
        if self.object.get(name).is_none() {
            self.raw(name);
            self.missing(name, fix);
            return None;
        }
        let text = self.text(name)?;
        if text.trim().is_empty() {
            self.error(name, "is empty", fix);
            return None;
        }
        Some(text)
    }

    pub fn flag(&mut self, name: &'static str) -> Option<bool> {
        match self.raw(name)? {
            Value::Bool(flag) => Some(*flag),
            other => self.wrong(name, other, "`true` or `false`"),
        }
    }

    pub fn integer(&mut self, name: &'static str) -> Option<u64> {
        match self.raw(name)? {
            Value::Number(number) if number.as_u64().is_some() => number.as_u64(),
            other => self.wrong(name, other, "a whole number, 0 or more"),
        }
    }

    pub fn number(&mut self, name: &'static str) -> Option<f64> {
        match self.raw(name)? {
            Value::Number(number) => number.as_f64(),
            other => self.wrong(name, other, "a number"),
        }
    }

    /// Returns a value of an enumeration.
    pub fn word<W: StringEnum>(&mut self, name: &'static str) -> Option<W> {
        let text = self.text(name)?;
        let word = W::parse(&text);
        if word.is_none() {
            self.error(
                name,
                format!("`{}` is not one of its values", brief(&text)),
                format!("use {}", W::choices()),
            );
        }
        word
    }

    /// Returns the URL of a page or an endpoint.
    pub fn url(&mut self, name: &'static str) -> Option<String> {
        let text = self.text(name)?;
        if !is_web_address(&text) {
            self.error(name, "is not a URL", "write an absolute URL such as `https://example.com/docs`");
            return None;
        }
        Some(text)
    }

    /// Returns an absolute URI with any scheme.
    pub fn uri(&mut self, name: &'static str) -> Option<String> {
        let text = self.text(name)?;
        if Url::parse(&text).is_err() {
            self.error(name, "is not a URI", "write an absolute URI such as `https://example.com/docs`");
            return None;
        }
        Some(text)
    }

    /// Returns a list of strings; `None` if the member is absent.
    pub fn texts(&mut self, name: &'static str) -> Option<Vec<String>> {
        let items = self.list(name)?;
        let mut texts = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            match item {
                Value::String(text) => texts.push(text.clone()),
                other => {
                    let at = self.at(name).index(index);
                    self.findings.error(
                        at,
                        format!("must be a string, but is {}", kind(other)),
                        "write a string",
                    );
                }
            }
        }
        Some(texts)
    }

    /// Returns a list of objects that `read` parses. Objects that it rejects are left out.
    pub fn objects<T>(
        &mut self,
        name: &'static str,
        mut read: impl FnMut(&mut Members<'a, '_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let items = self.list(name)?;
        let mut all = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let at = self.at(name).index(index);
            if let Some(mut members) = Members::of(item, at, self.findings) {
                all.extend(read(&mut members));
            }
        }
        Some(all)
    }

    /// Returns an object that `read` parses.
    pub fn object<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut Members<'a, '_>) -> T,
    ) -> Option<T> {
        let value = self.raw(name)?;
        let mut members = Members::of(value, self.at.join(name), self.findings)?;
        Some(read(&mut members))
    }

    /// Returns every member of an object with arbitrary names, such as a map from tools to records.
    pub fn map<T>(
        &mut self,
        name: &'static str,
        mut read: impl FnMut(&str, &'a Value, Pointer, &mut Findings) -> Option<T>,
    ) -> Option<indexmap::IndexMap<String, T>> {
        let value = self.raw(name)?;
        let at = self.at.join(name);
        let Value::Object(object) = value else { return self.wrong(name, value, "an object") };
        let read = object
            .iter()
            .filter_map(|(key, value)| Some((key.clone(), read(key, value, at.join(key), self.findings)?)));
        Some(read.collect())
    }

    /// Returns a map from strings to strings.
    pub fn text_map(&mut self, name: &'static str) -> Option<indexmap::IndexMap<String, String>> {
        self.map(name, |_, value, at, findings| match value {
            Value::String(text) => Some(text.clone()),
            other => {
                findings.error(at, format!("must be a string, but is {}", kind(other)), "write a string");
                None
            }
        })
    }

    /// Reports each member that was not read, with this severity.
    pub fn unknown(&mut self, severity: Severity) {
        self.unknown_but(severity, |_| None);
    }

    /// Reports each member that was not read. `fix` may return advice for a name.
    pub fn unknown_but(&mut self, severity: Severity, fix: impl Fn(&str) -> Option<&'static str>) {
        for name in self.object.keys().filter(|name| !self.asked.contains(&name.as_str())) {
            let fix = fix(name).map_or_else(|| fix_for(name, self.asked.iter().copied()), String::from);
            self.findings.push(severity, self.at.join(&brief(name)), "is not known", fix);
        }
    }

    /// Returns a list of arbitrary values.
    pub fn list(&mut self, name: &'static str) -> Option<&'a [Value]> {
        match self.raw(name)? {
            Value::Array(items) => Some(items),
            other => self.wrong(name, other, "a list"),
        }
    }

    fn wrong<T>(&mut self, name: &str, value: &Value, wanted: &str) -> Option<T> {
        self.error(name, format!("must be {wanted}, but is {}", kind(value)), format!("write {wanted}"));
        None
    }
}

/// Returns whether a text is a URL that a reader can follow: its scheme runs nothing, and all its
/// characters are allowed in a URL.
pub fn is_web_address(text: &str) -> bool {
    let is_strange = |c: char| c.is_whitespace() || is_deceptive(c) || "<>\"`\\^{|}".contains(c);
    let is_web = |url: Url| matches!(url.scheme(), "http" | "https") && url.has_host();
    !text.contains(is_strange) && Url::parse(text).is_ok_and(is_web)
}

/// Names the type of a value.
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Prepares untrusted text for a message: short, on one line, and never a secret.
pub fn brief(text: &str) -> String {
    const MOST: usize = 64;
    if !overt_secrets::scan_text(text).is_empty() {
        return "[hidden]".to_owned();
    }
    let shown = match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    };
    Untrusted(&shown).to_string()
}
