//! Adds strings to a list of the file, and removes them.
use std::ops::Range;

use serde_json::Value;
use toml::de::{DeArray, DeTable, DeValue};

use super::text::{
    EditError, at_mut, checked, closed, find, line_end, push, quoted, splice, value, without_comment,
};

/// A string for a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListItem {
    pub text: String,
    /// A comment of one line, written after the string.
    pub comment: Option<String>,
}

impl From<String> for ListItem {
    fn from(text: String) -> Self {
        Self { text, comment: None }
    }
}

/// Adds strings to a list, such as `["policy", "scopes", "deny"]`, and creates the list if it is
/// missing. Strings that are already in the list stay as they are.
pub fn add_to_list(text: &str, path: &[&str], items: &[ListItem]) -> Result<String, EditError> {
    let mut wanted = value(text)?;
    let mut new = Vec::new();
    for item in items {
        if push(&mut wanted, path, Value::from(item.text.as_str()))? {
            new.push(item);
        }
    }
    if new.is_empty() {
        return Ok(text.to_owned());
    }
    checked(with_items(text, path, &new)?, &wanted)
}

/// Removes strings from a list. Returns `None` if the list has none of them.
pub fn remove_from_list(text: &str, path: &[&str], texts: &[String]) -> Result<Option<String>, EditError> {
    let mut wanted = value(text)?;
    let mut edited = text.to_owned();
    let mut is_changed = false;
    for old in texts {
        let Some(list) = at_mut(&mut wanted, path).and_then(Value::as_array_mut) else { break };
        let Some(index) = list.iter().position(|item| item.as_str() == Some(old)) else { continue };
        list.remove(index);
        edited = without_item(&edited, path, index)?;
        is_changed = true;
    }
    if !is_changed {
        return Ok(None);
    }
    checked(edited, &wanted).map(Some)
}

fn with_items(text: &str, path: &[&str], items: &[&ListItem]) -> Result<String, EditError> {
    let table = DeTable::parse(text).map_err(|_| EditError::Layout)?;
    if let Some(list) = find(table.get_ref(), path) {
        let DeValue::Array(known) = list.get_ref() else { return Err(EditError::Layout) };
        return grown(text, list.span(), known, items);
    }
    let end = line_end(text);
    let list = match is_commented(items) {
        true => format!("[{end}{}]", lines(items, "  ", ",", end)),
        false => format!("[{}]", words(items)),
    };
    let header = |depth: usize| {
        let name = format!("[{}]", path[..depth].join("."));
        let mut from = 0;
        text.split_inclusive('\n').find_map(|line| {
            from += line.len();
            (without_comment(line).replace([' ', '\t'], "") == name).then_some(from)
        })
    };
    for depth in (1..path.len()).rev() {
        if let Some(at) = header(depth) {
            let line = format!("{} = {list}{end}", path[depth..].join("."));
            let line = if text[..at].ends_with('\n') { line } else { format!("{end}{line}") };
            return splice(text, at..at, &line);
        }
    }
    let (name, tables) = path.split_last().ok_or(EditError::Layout)?;
    let before = closed(text, end);
    let gap = if before.is_empty() { "" } else { end };
    Ok(format!("{before}{gap}[{}]{end}{name} = {list}{end}", tables.join(".")))
}

/// Adds items before the closing bracket, in the layout of the others.
fn grown(
    text: &str,
    list: Range<usize>,
    known: &DeArray<'_>,
    items: &[&ListItem],
) -> Result<String, EditError> {
    let (open, close) = (list.start + 1, list.end.saturating_sub(1));
    let inside = text.get(open..close).ok_or(EditError::Layout)?;
    let has_lines = inside.contains('\n');
    let (first, last) = (known.iter().next(), known.iter().last());
    let last_end = last.map(|last| last.span().end);
    let comma = last_end.and_then(|from| comma_after(text, from..close));
    if !has_lines && !is_commented(items) {
        let (at, gap) = match (comma, last_end) {
            (Some(comma), _) => (comma + 1, " "),
            (None, Some(end)) => (end, ", "),
            (None, None) => (open, ""),
        };
        return splice(text, at..at, &format!("{gap}{}", words(items)));
    }
    let end = line_end(text);
    let gap = first.and_then(|first| text.get(open..first.span().start)).unwrap_or_default();
    let indent = match gap.rsplit_once('\n') {
        Some((_, indent)) if indent.trim().is_empty() => indent,
        _ => "  ",
    };
    // In a list with lines, the new last line has a comma only if the old one had.
    let last_comma = if has_lines && last.is_some() && comma.is_none() { "" } else { "," };
    let mut edited = text.to_owned();
    let mut close = close;
    if let (Some(last_end), None) = (last_end, comma) {
        edited = splice(&edited, last_end..last_end, ",")?;
        close += 1;
    }
    let before = edited[..close].trim_end_matches([' ', '\t']);
    let (at, line_break) = match before.ends_with('\n') {
        true => (before.len(), ""),
        false => (close, end),
    };
    splice(&edited, at..at, &format!("{line_break}{}", lines(items, indent, last_comma, end)))
}

fn without_item(text: &str, path: &[&str], index: usize) -> Result<String, EditError> {
    let table = DeTable::parse(text).map_err(|_| EditError::Layout)?;
    let list = find(table.get_ref(), path).ok_or(EditError::Layout)?;
    let DeValue::Array(items) = list.get_ref() else { return Err(EditError::Layout) };
    let item = items.get(index).ok_or(EditError::Layout)?.span();
    if let Some(line) = own_line(text, item.clone()) {
        return splice(text, line, "");
    }
    let before = index.checked_sub(1).and_then(|index| items.get(index)).map(|item| item.span().end);
    let next = items.get(index + 1).map(|item| item.span().start);
    let has_comment = |range: Range<usize>| text.get(range).is_none_or(|between| between.contains('#'));
    match (before, next) {
        (Some(before), _) if !has_comment(before..item.start) => splice(text, before..item.end, ""),
        (None, Some(next)) if !has_comment(item.end..next) => splice(text, item.start..next, ""),
        (None, None) => {
            // Also remove a comma after the only item.
            let rest = text.get(item.end..list.span().end).unwrap_or_default();
            let comma = rest.find(',').filter(|at| rest[..*at].trim().is_empty()).map_or(0, |at| at + 1);
            splice(text, item.start..item.end + comma, "")
        }
        _ => Err(EditError::Layout),
    }
}

/// Returns the line of an item that has its own line and a comma. A comment after the comma belongs
/// to the item.
fn own_line(text: &str, item: Range<usize>) -> Option<Range<usize>> {
    let before = text.get(..item.start)?;
    let start = before.rfind('\n')? + 1;
    let rest = text.get(item.end..)?;
    let end = rest.find('\n')? + 1;
    let is_alone = before[start..].trim().is_empty() && without_comment(&rest[..end]) == ",";
    is_alone.then_some(start..item.end + end)
}

/// Returns the position of the first comma outside of comments.
fn comma_after(text: &str, range: Range<usize>) -> Option<usize> {
    let mut at = range.start;
    text.get(range)?.split_inclusive('\n').find_map(|line| {
        let comma = line.split('#').next().and_then(|line| line.find(',')).map(|comma| at + comma);
        at += line.len();
        comma
    })
}

fn is_commented(items: &[&ListItem]) -> bool {
    items.iter().any(|item| item.comment.is_some())
}

fn words(items: &[&ListItem]) -> String {
    items.iter().map(|item| quoted(&item.text)).collect::<Vec<_>>().join(", ")
}

fn lines(items: &[&ListItem], indent: &str, last_comma: &str, end: &str) -> String {
    let mut out = String::new();
    for (index, item) in items.iter().enumerate() {
        let comma = if index + 1 == items.len() { last_comma } else { "," };
        out.push_str(&format!("{indent}{}{comma}", quoted(&item.text)));
        if let Some(comment) = &item.comment {
            out.push_str(&format!(" # {comment}"));
        }
        out.push_str(end);
    }
    out
}
