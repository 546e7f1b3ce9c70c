//! Appends a table to the file, and replaces a string in the file.
use serde_json::{Map, Value};
use toml::de::DeTable;

use super::text::{
    EditError, at_mut, checked, closed, find, inline, key, line_end, push, quoted, splice, value,
};

/// Appends a table of an array of tables: `[[NAMES]]`. A table with the same members is not added
/// twice.
pub fn append_table(text: &str, path: &[&str], members: &[(&str, Value)]) -> Result<String, EditError> {
    let mut wanted = value(text)?;
    let table: Map<String, Value> =
        members.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    if !push(&mut wanted, path, Value::Object(table))? {
        return Ok(text.to_owned());
    }
    let end = line_end(text);
    let mut edited = closed(text, end);
    if !edited.is_empty() {
        edited.push_str(end);
    }
    let names: Vec<String> = path.iter().map(|name| key(name)).collect();
    edited.push_str(&format!("[[{}]]{end}", names.join(".")));
    for (name, value) in members {
        edited.push_str(&format!("{} = {}{end}", key(name), inline(value)));
    }
    checked(edited, &wanted)
}

/// Replaces the string at `path`. A number in the path is an index into a list.
pub fn set_text(text: &str, path: &[&str], new: &str) -> Result<String, EditError> {
    let mut wanted = value(text)?;
    let old = at_mut(&mut wanted, path).filter(|old| old.is_string()).ok_or(EditError::Layout)?;
    *old = Value::from(new);
    let table = DeTable::parse(text).map_err(|_| EditError::Layout)?;
    let range = find(table.get_ref(), path).ok_or(EditError::Layout)?.span();
    checked(splice(text, range, &quoted(new))?, &wanted)
}
