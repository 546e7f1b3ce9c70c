//! Adds and removes rules that deny calls.
use serde_json::{Map, Value, json};

use super::table::append_table;
use super::text::{EditError, checked, value, without_comment};

/// A rule that denies calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DenyRule {
    pub id: String,
    pub server: Option<String>,
    pub tool: Option<String>,
    pub reason: String,
}

const RULES: &str = "rules";

/// Adds a rule at the end. Returns the text unchanged if there is already a rule with this id.
pub fn add_rule(text: &str, rule: &DenyRule) -> Result<String, EditError> {
    let known = value(text)?;
    let mut rules = known.get(RULES).and_then(Value::as_array).into_iter().flatten();
    if rules.any(|known| known["id"] == *rule.id) {
        return Ok(text.to_owned());
    }
    let members = [("server", &rule.server), ("tool", &rule.tool)];
    let when: Map<String, Value> = members
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), json!(value.as_ref()?))))
        .collect();
    let members = [
        ("id", json!(rule.id)),
        ("action", json!("deny")),
        ("when", Value::Object(when)),
        ("reason", json!(rule.reason)),
    ];
    append_table(text, &[RULES], &members)
}

/// Removes a rule. Returns `None` if there is no such rule.
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
    // Comments and empty lines before the next header belong to that header.
    let is_content = |line: &&&str| !matches!(line.trim_start().chars().next(), None | Some('#'));
    let count = lines[from..next].iter().rev().skip_while(|line| !is_content(line)).count();
    let blank = lines[..from].iter().rev().take_while(|line| line.trim().is_empty()).count();
    let kept = [&lines[..from - blank.min(1)], &lines[from + count..]].concat();
    checked(kept.concat(), &wanted).map(Some)
}
