//! Byte ranges, quoting, and the check of every edit.
use std::ops::Range;

use serde_json::{Value, json};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::toml_file::{FileError, TomlFile};

/// Why a file can't be edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    #[error("it can't be read: {0}")]
    Unreadable(FileError),
    #[error("its layout is one that can't be changed without changing something else")]
    Layout,
}

/// Parses the file into a JSON value.
pub(super) fn value(text: &str) -> Result<Value, EditError> {
    TomlFile::parse(text).map(|file| file.value).map_err(EditError::Unreadable)
}

/// Returns the edited text if it means exactly what is wanted.
pub(super) fn checked(edited: String, wanted: &Value) -> Result<String, EditError> {
    match TomlFile::parse(&edited) {
        Ok(file) if file.value == *wanted => Ok(edited),
        _ => Err(EditError::Layout),
    }
}

pub(super) fn at_mut<'a>(value: &'a mut Value, path: &[&str]) -> Option<&'a mut Value> {
    path.iter().try_fold(value, |value, name| match value {
        Value::Array(list) => list.get_mut(name.parse::<usize>().ok()?),
        value => value.get_mut(name),
    })
}

/// Adds an item to the list at `path`, and creates missing parents. Returns false if the list has
/// the item.
pub(super) fn push(value: &mut Value, path: &[&str], item: Value) -> Result<bool, EditError> {
    let Some((name, rest)) = path.split_first() else {
        let list = value.as_array_mut().ok_or(EditError::Layout)?;
        let is_new = !list.contains(&item);
        if is_new {
            list.push(item);
        }
        return Ok(is_new);
    };
    let empty = if rest.is_empty() { json!([]) } else { json!({}) };
    let object = value.as_object_mut().ok_or(EditError::Layout)?;
    push(object.entry(*name).or_insert(empty), rest, item)
}

pub(super) fn find<'a, 'b>(table: &'a DeTable<'b>, path: &[&str]) -> Option<&'a Spanned<DeValue<'b>>> {
    let (name, rest) = path.split_first()?;
    let (_, value) = table.iter().find(|(key, _)| key.get_ref() == name)?;
    rest.iter().try_fold(value, |value, name| match value.get_ref() {
        DeValue::Table(table) => table.iter().find(|(key, _)| key.get_ref() == name).map(|(_, value)| value),
        DeValue::Array(list) => list.get(name.parse::<usize>().ok()?),
        _ => None,
    })
}

pub(super) fn splice(text: &str, range: Range<usize>, new: &str) -> Result<String, EditError> {
    match (text.get(..range.start), text.get(range.end..)) {
        (Some(before), Some(after)) => Ok(format!("{before}{new}{after}")),
        _ => Err(EditError::Layout),
    }
}

/// Returns the text with a line ending at its end.
pub(super) fn closed(text: &str, end: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}{end}") }
}

pub(super) fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

pub(super) fn without_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim()
}

/// Writes a value on one line.
pub(super) fn inline(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(list) => format!("[{}]", list.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Value::Object(members) if members.is_empty() => "{}".to_owned(),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| format!("{} = {}", key(name), inline(value)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// Writes a name for use before `=` or in a header.
pub(super) fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.is_empty() && name.chars().all(is_bare) { name.to_owned() } else { quoted(name) }
}

/// Writes a basic string. TOML accepts every escape of JSON.
pub(super) fn quoted(text: &str) -> String {
    let text = Value::from(text).to_string();
    // JSON does not escape DEL.
    text.replace('\u{7f}', "\\u007f")
}
