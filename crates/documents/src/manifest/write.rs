//! Writes a declaration as a manifest. Undeclared fields are not written.
use std::fmt::Write as _;

use overt_wire::text::is_deceptive;
use serde_json::Value;

use super::fields::{self, Fields};
use overt_policy::record::Declaration;

/// Returns the whole manifest.
pub fn write(declaration: &Declaration) -> String {
    let mut out = Toml::default();
    out.table("[server]", &fields::server(&declaration.server));
    for (name, record) in &declaration.tools {
        out.table(&format!("[tools.{}]", key(name)), &fields::tool(record));
    }
    for (uri, record) in &declaration.resources {
        out.table(&format!("[resources.{}]", key(uri)), &fields::resource(record));
    }
    out.0
}

#[derive(Default)]
struct Toml(String);

impl Toml {
    fn table(&mut self, head: &str, fields: &Fields) {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        self.0.push_str(head);
        self.0.push('\n');
        for (name, value) in fields {
            if let Some(value) = value {
                // Writing to a string can't fail.
                let _ = writeln!(self.0, "{name} = {}", inline(value));
            }
        }
    }
}

/// Returns a value on one line. Written values contain no null.
pub(super) fn inline(value: &Value) -> String {
    match value {
        Value::Null => quote(""),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => quote(text),
        Value::Array(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Value::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(name, value)| format!("{} = {}", key(name), inline(value))).collect();
            if members.is_empty() { "{}".to_owned() } else { format!("{{ {} }}", members.join(", ")) }
        }
    }
}

/// Returns a bare key if that is allowed, otherwise a quoted one.
pub(super) fn key(name: &str) -> String {
    let is_bare = !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    if is_bare { name.to_owned() } else { quote(name) }
}

/// Returns a basic string. TOML requires escapes for control characters, and other invisible
/// characters are escaped so that people see them.
pub(super) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if is_deceptive(c) => {
                let _ = write!(out, "\\U{:08X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
