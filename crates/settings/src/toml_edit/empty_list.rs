//! Removes a list that became empty.
use serde_json::Value;
use toml::de::DeTable;

use super::text::{EditError, at_mut, checked, find, value};

/// Removes an empty list, and its table if that has nothing else and no comment. Returns the text
/// unchanged if the list has items or shares its lines with something else.
pub fn remove_empty_list(text: &str, path: &[&str]) -> Result<String, EditError> {
    let mut wanted = value(text)?;
    let is_empty = at_mut(&mut wanted, path).and_then(|list| list.as_array()).is_some_and(Vec::is_empty);
    if !is_empty {
        return Ok(text.to_owned());
    }
    let table = DeTable::parse(text).map_err(|_| EditError::Layout)?;
    let list = find(table.get_ref(), path).ok_or(EditError::Layout)?.span();
    let start = text[..list.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[list.end..].find('\n').map_or(text.len(), |at| list.end + at + 1);
    // `deny`, or `scopes.deny` below a header `[policy]`.
    let key = text[start..list.start].trim_end().strip_suffix('=').map(str::trim);
    let depth = (0..path.len()).find(|depth| key == Some(&path[*depth..].join(".")));
    let has_more = text[list.start..end].contains('#') || !text[list.end..end].trim().is_empty();
    let Some(depth) = depth.filter(|_| !has_more) else { return Ok(text.to_owned()) };
    remove(&mut wanted, path);
    (depth + 1..path.len()).rev().for_each(|depth| remove_if_empty(&mut wanted, &path[..depth]));
    let before: Vec<&str> = text[..start].split_inclusive('\n').collect();
    let after = &text[end..];
    let header = format!("[{}]", path[..depth].join("."));
    let is_first = before.last().is_some_and(|line| line.trim() == header);
    let is_last = after.trim_start().chars().next().is_none_or(|next| next == '[');
    if !(is_first && is_last) {
        return checked(format!("{}{after}", before.concat()), &wanted);
    }
    (1..=depth).rev().for_each(|depth| remove_if_empty(&mut wanted, &path[..depth]));
    // Also remove the empty line between this table and the previous one.
    let before = &before[..before.len() - 1];
    let blank = before.last().is_some_and(|line| line.trim().is_empty());
    checked(format!("{}{after}", before[..before.len() - usize::from(blank)].concat()), &wanted)
}

fn remove(value: &mut Value, path: &[&str]) {
    if let Some((name, tables)) = path.split_last()
        && let Some(table) = at_mut(value, tables).and_then(Value::as_object_mut)
    {
        table.shift_remove(*name);
    }
}

fn remove_if_empty(value: &mut Value, path: &[&str]) {
    if at_mut(value, path).and_then(|table| table.as_object()).is_some_and(serde_json::Map::is_empty) {
        remove(value, path);
    }
}
