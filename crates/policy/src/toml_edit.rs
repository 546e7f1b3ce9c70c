//! Changes of `overt.toml` that keep everything else as it is: comments, layout, line ends. Text is put in or cut out, then the file
//! is read again, and the change is refused if it says anything but what was meant.
use serde_json::{Value, json};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::toml_file::{FileError, TomlFile};

/// A file can't be changed in this way.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    #[error("it can't be read: {0}")]
    Unreadable(FileError),
    #[error("its layout is one that can't be changed without changing something else")]
    Layout,
}

/// A rule that refuses calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DenyRule {
    pub id: String,
    pub server: Option<String>,
    pub tool: Option<String>,
    pub reason: String,
}

const RULES: &str = "rules";

/// Adds texts to a list, such as `["policy", "scopes", "deny"]`; makes the list if there is none. Those that are there stay.
pub fn add_to_list(text: &str, path: &[&str], texts: &[String]) -> Result<String, EditError> {
    let mut wanted = value(text)?;
    let mut edited = text.to_owned();
    for new in texts {
        if !push(&mut wanted, path, new)? {
            continue;
        }
        edited = with_item(&edited, path, &quoted(new))?;
    }
    checked(edited, &wanted)
}

/// Takes texts out of a list. None if none of them is there.
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

/// Adds a rule at the end. The text itself if the rule is there.
pub fn add_rule(text: &str, rule: &DenyRule) -> Result<String, EditError> {
    let mut wanted = value(text)?;
    let mut when = serde_json::Map::new();
    when.extend(rule.server.iter().map(|server| ("server".to_owned(), json!(server))));
    when.extend(rule.tool.iter().map(|tool| ("tool".to_owned(), json!(tool))));
    let new = json!({ "id": rule.id, "action": "deny", "when": when, "reason": rule.reason });
    let object = wanted.as_object_mut().ok_or(EditError::Layout)?;
    let list = object.entry(RULES).or_insert_with(|| json!([])).as_array_mut().ok_or(EditError::Layout)?;
    if list.iter().any(|rule| rule["id"] == new["id"]) {
        return Ok(text.to_owned());
    }
    list.push(new);
    let end = line_end(text);
    let members = [("server", &rule.server), ("tool", &rule.tool)];
    let when: Vec<String> = members
        .iter()
        .filter_map(|(name, value)| Some(format!("{name} = {}", quoted(value.as_deref()?))))
        .collect();
    let mut edited = closed(text, end);
    if !edited.is_empty() {
        edited.push_str(end);
    }
    for line in [
        "[[rules]]".to_owned(),
        format!("id = {}", quoted(&rule.id)),
        "action = \"deny\"".to_owned(),
        format!("when = {{ {} }}", when.join(", ")),
        format!("reason = {}", quoted(&rule.reason)),
    ] {
        edited.push_str(&line);
        edited.push_str(end);
    }
    checked(edited, &wanted)
}

/// Takes a rule out. None if it is not there.
pub fn remove_rule(text: &str, id: &str) -> Result<Option<String>, EditError> {
    let mut wanted = value(text)?;
    let Some(list) = wanted.get_mut(RULES).and_then(Value::as_array_mut) else { return Ok(None) };
    let Some(index) = list.iter().position(|rule| rule["id"] == id) else { return Ok(None) };
    list.remove(index);
    if list.is_empty() {
        wanted.as_object_mut().map(|object| object.shift_remove(RULES));
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let is_header = |line: &str| line.trim_start().starts_with('[');
    let headers = lines.iter().enumerate().filter(|(_, line)| without_comment(line) == "[[rules]]");
    let (from, _) = headers.into_iter().nth(index).ok_or(EditError::Layout)?;
    let next =
        lines.iter().skip(from + 1).position(|line| is_header(line)).map_or(lines.len(), |at| from + 1 + at);
    // Comments and empty lines before what follows belong to that.
    let is_content = |line: &&&str| !matches!(line.trim_start().chars().next(), None | Some('#'));
    let count = lines[from..next].iter().rev().skip_while(|line| !is_content(line)).count();
    let blank = lines[..from].iter().rev().take_while(|line| line.trim().is_empty()).count();
    let kept = [&lines[..from - blank.min(1)], &lines[from + count..]].concat();
    checked(kept.concat(), &wanted).map(Some)
}

/// The value of a file.
fn value(text: &str) -> Result<Value, EditError> {
    TomlFile::parse(text).map(|file| file.value).map_err(EditError::Unreadable)
}

/// The edited text, if it says what is wanted and nothing else.
fn checked(edited: String, wanted: &Value) -> Result<String, EditError> {
    match TomlFile::parse(&edited) {
        Ok(file) if file.value == *wanted => Ok(edited),
        _ => Err(EditError::Layout),
    }
}

fn at_mut<'a>(value: &'a mut Value, path: &[&str]) -> Option<&'a mut Value> {
    path.iter().try_fold(value, |value, name| value.get_mut(name))
}

/// Adds to the list in the value, and makes what is around it. False if it is there.
fn push(value: &mut Value, path: &[&str], text: &str) -> Result<bool, EditError> {
    let Some((name, rest)) = path.split_first() else {
        let list = value.as_array_mut().ok_or(EditError::Layout)?;
        let is_new = !list.iter().any(|item| item.as_str() == Some(text));
        if is_new {
            list.push(json!(text));
        }
        return Ok(is_new);
    };
    let empty = if rest.is_empty() { json!([]) } else { json!({}) };
    let object = value.as_object_mut().ok_or(EditError::Layout)?;
    push(object.entry(*name).or_insert(empty), rest, text)
}

fn with_item(text: &str, path: &[&str], item: &str) -> Result<String, EditError> {
    let table = DeTable::parse(text).map_err(|_| EditError::Layout)?;
    if let Some(list) = find(table.get_ref(), path) {
        let DeValue::Array(items) = list.get_ref() else { return Err(EditError::Layout) };
        let start = list.span().start + 1;
        let (at, new) = match items.iter().last() {
            None => (start, item.to_owned()),
            // Laid out as the others are.
            Some(last) => {
                let first = items.iter().next().map_or(start, |first| first.span().start);
                let gap = text.get(start..first).unwrap_or_default();
                let gap = if gap.contains('\n') && !gap.contains('#') { gap } else { " " };
                (last.span().end, format!(",{gap}{item}"))
            }
        };
        return splice(text, at, at, &new);
    }
    let end = line_end(text);
    let header = |depth: usize| {
        let name = format!("[{}]", path[..depth].join("."));
        let mut from = 0;
        text.split_inclusive('\n').find_map(|line| {
            from += line.len();
            (without_comment(line) == name).then_some(from)
        })
    };
    for depth in (1..path.len()).rev() {
        if let Some(at) = header(depth) {
            let line = format!("{} = [{item}]{end}", path[depth..].join("."));
            let line = if text[..at].ends_with('\n') { line } else { format!("{end}{line}") };
            return splice(text, at, at, &line);
        }
    }
    let (name, tables) = path.split_last().ok_or(EditError::Layout)?;
    let before = closed(text, end);
    let gap = if before.is_empty() { "" } else { end };
    Ok(format!("{before}{gap}[{}]{end}{name} = [{item}]{end}", tables.join(".")))
}

fn without_item(text: &str, path: &[&str], index: usize) -> Result<String, EditError> {
    let table = DeTable::parse(text).map_err(|_| EditError::Layout)?;
    let list = find(table.get_ref(), path).ok_or(EditError::Layout)?;
    let DeValue::Array(items) = list.get_ref() else { return Err(EditError::Layout) };
    let item = items.get(index).ok_or(EditError::Layout)?.span();
    let before = index.checked_sub(1).and_then(|index| items.get(index)).map(|item| item.span().end);
    let next = items.get(index + 1).map(|item| item.span().start);
    let has_comment = |from: usize, to: usize| text.get(from..to).is_none_or(|between| between.contains('#'));
    match (before, next) {
        (Some(before), _) if !has_comment(before, item.start) => splice(text, before, item.end, ""),
        (None, Some(next)) if !has_comment(item.end, next) => splice(text, item.start, next, ""),
        (None, None) => {
            // A comma after the only item goes too.
            let rest = text.get(item.end..list.span().end).unwrap_or_default();
            let comma = rest.find(',').filter(|at| rest[..*at].trim().is_empty()).map_or(0, |at| at + 1);
            splice(text, item.start, item.end + comma, "")
        }
        _ => Err(EditError::Layout),
    }
}

fn find<'a, 'b>(table: &'a DeTable<'b>, path: &[&str]) -> Option<&'a Spanned<DeValue<'b>>> {
    let (name, rest) = path.split_first()?;
    let (_, value) = table.iter().find(|(key, _)| key.get_ref() == name)?;
    match (rest.is_empty(), value.get_ref()) {
        (true, _) => Some(value),
        (false, DeValue::Table(table)) => find(table, rest),
        (false, _) => None,
    }
}

fn splice(text: &str, from: usize, to: usize, new: &str) -> Result<String, EditError> {
    match (text.get(..from), text.get(to..)) {
        (Some(before), Some(after)) => Ok(format!("{before}{new}{after}")),
        _ => Err(EditError::Layout),
    }
}

/// The text with an end of line at its end.
fn closed(text: &str, end: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}{end}") }
}

fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn without_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim()
}

/// A basic string. TOML reads every escape of JSON.
fn quoted(text: &str) -> String {
    let text = Value::from(text).to_string();
    // JSON leaves this one as it is.
    text.replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests;
