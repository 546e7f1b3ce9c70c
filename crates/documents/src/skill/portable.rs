//! The portable form of a skill (F-20). It has only the fields of the specification; all other
//! fields become texts in its metadata. It can be converted back to the original skill.
use overt_policy::finding::{Findings, Pointer, Severity};
use serde_json::{Map, Value, json};

use super::check::{Files, Profile, REPOSITORY, Source, check_for};
use crate::front_matter::split;
use crate::yaml;

/// The prefix of repository metadata, such as `x-personal-mcp.version`.
const REPOSITORY_PREFIX: &str = "x-personal-mcp.";
/// The prefix of other fields that the specification does not define.
const FIELD_PREFIX: &str = "dev.overt.field.";
/// The prefix of a value that is not a text.
const JSON_PREFIX: &str = "json:";

const STANDARD: [&str; 6] = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/// Returns the portable form of a SKILL.md in a directory of this name. Fails if skills-ref would
/// reject the result.
pub fn project(text: &str, directory: &str) -> Result<String, Findings> {
    let (members, body) = read(text)?;
    let mut findings = Findings::default();
    let mut metadata = own_metadata(&members, &mut findings);
    let mut carry = |name: String, value: &Value| {
        if metadata.contains_key(&name) {
            let fix = format!("rename it: `{name}` is where the portable form keeps another field");
            findings.error(Pointer::root().join("metadata").join(&name), "is needed for something else", fix);
        }
        metadata.insert(name, Value::String(encode(value)));
    };
    let mut portable = Map::new();
    for name in STANDARD {
        match (name, members.get(name)) {
            (_, None) => {}
            ("metadata", Some(value)) => {
                // This reserves the place of the metadata before the tools.
                portable.insert(name.to_owned(), Value::Null);
                if value.as_object().is_some_and(Map::is_empty) {
                    carry(format!("{FIELD_PREFIX}{name}"), value);
                }
            }
            ("allowed-tools", Some(Value::Array(tools))) => {
                let tools: Vec<&str> = tools.iter().filter_map(Value::as_str).collect();
                portable.insert(name.to_owned(), json!(tools.join(" ")));
                carry(format!("{FIELD_PREFIX}{name}"), &members[name]);
            }
            (_, Some(value)) => {
                portable.insert(name.to_owned(), value.clone());
            }
        }
    }
    for (name, value) in members.iter().filter(|(name, _)| !STANDARD.contains(&name.as_str())) {
        match value {
            Value::Object(block) if name == REPOSITORY && !block.is_empty() => {
                for (field, value) in block {
                    carry(format!("{REPOSITORY_PREFIX}{field}"), value);
                }
            }
            value => carry(format!("{FIELD_PREFIX}{name}"), value),
        }
    }
    if metadata.is_empty() {
        portable.shift_remove("metadata");
    } else {
        portable.insert("metadata".to_owned(), Value::Object(metadata));
    }
    let text = format!("---\n{}---{body}", yaml::write(&portable));
    if import(&text).is_ok_and(|back| read(&back).is_ok_and(|(back, _)| back != members)) {
        let problem = "has a value that would not come back exactly";
        findings.error(Pointer::root(), problem, "write long numbers in double quotes");
    }
    refused(&text, directory, &mut findings);
    findings.into_result(text).map(|(text, _)| text)
}

/// Adds what skills-ref refuses in the portable form.
fn refused(text: &str, directory: &str, findings: &mut Findings) {
    let files = Files::default();
    let source = Source { directory, file: "SKILL.md", bytes: text.as_bytes(), files: &files, tokens: None };
    for violation in check_for(&source, &[Profile::SkillsRef]).violations {
        if violation.severity(&[Profile::SkillsRef]) == Some(Severity::Error) {
            findings.error(violation.at, violation.problem, violation.fix);
        }
    }
}

/// Returns the skill from which a portable form was made, with the same fields, values and
/// instructions.
pub fn import(text: &str) -> Result<String, Findings> {
    let (mut members, body) = read(text)?;
    let mut findings = Findings::default();
    let Some(Value::Object(metadata)) = members.shift_remove("metadata") else {
        findings.error(
            Pointer::root().join("metadata"),
            NOTHING,
            "give a file that `overt skill project` wrote",
        );
        return Err(findings);
    };
    let (mut own, mut block) = (Map::new(), Map::new());
    let mut carried = false;
    for (name, value) in metadata {
        let decoded = value.as_str().and_then(decode);
        if let (Some(field), Some(value)) = (name.strip_prefix(REPOSITORY_PREFIX), &decoded) {
            block.insert(field.to_owned(), value.clone());
        } else if let (Some(field), Some(value)) = (name.strip_prefix(FIELD_PREFIX), &decoded) {
            members.insert(field.to_owned(), value.clone());
            carried = true;
        } else {
            own.insert(name, value);
        }
    }
    carried |= !block.is_empty();
    if !carried {
        findings.error(
            Pointer::root().join("metadata"),
            NOTHING,
            "give a file that `overt skill project` wrote",
        );
        return Err(findings);
    }
    // The author's own metadata stays, even if it is empty or not a mapping.
    if !own.is_empty() {
        members.entry("metadata").or_insert(Value::Object(own));
    }
    if !block.is_empty() {
        members.insert(REPOSITORY.to_owned(), Value::Object(block));
    }
    Ok(format!("---\n{}---{body}", yaml::write(&members)))
}

const NOTHING: &str = "has nothing that was carried over";

/// Returns the metadata that the author wrote. Only texts can be carried over unchanged.
fn own_metadata(members: &Map<String, Value>, findings: &mut Findings) -> Map<String, Value> {
    let at = Pointer::root().join("metadata");
    let metadata = match members.get("metadata") {
        None => return Map::new(),
        Some(Value::Object(metadata)) => metadata,
        Some(_) => {
            findings.error(at, "is not a mapping", "write names with a text each");
            return Map::new();
        }
    };
    for (name, _) in metadata.iter().filter(|(_, value)| !value.is_string()) {
        findings.error(at.join(name), "is not a text", "put it in double quotes");
    }
    for name in metadata.keys().filter(|name| is_ours(name)) {
        findings.error(at.join(name), "has a name that the portable form uses", "choose another name");
    }
    metadata.clone()
}

fn is_ours(name: &str) -> bool {
    name.starts_with(REPOSITORY_PREFIX) || name.starts_with(FIELD_PREFIX)
}

/// Returns the fields, and everything after the hyphens that end the front matter.
fn read(text: &str) -> Result<(Map<String, Value>, String), Findings> {
    let parts = split(text)?;
    let mut findings = Findings::default();
    let Some(front) = parts.front else {
        findings.error(Pointer::root(), "has no front matter", "begin the file with a line `---`");
        return Err(findings);
    };
    match yaml::read(front, 2)?.value {
        Value::Object(members) => {
            let line = if parts.body.is_empty() && !text.ends_with('\n') { "" } else { "\n" };
            Ok((members, format!("{line}{}", parts.body)))
        }
        _ => {
            let fix = "write `name:` and `description:`, each with its value";
            findings.error(Pointer::root(), "has front matter without fields", fix);
            Err(findings)
        }
    }
}

/// Encodes a value as text. A text stays unchanged unless it looks like an encoded value.
fn encode(value: &Value) -> String {
    match value {
        Value::String(text) if !text.starts_with(JSON_PREFIX) => text.clone(),
        value => format!("{JSON_PREFIX}{value}"),
    }
}

fn decode(text: &str) -> Option<Value> {
    match text.strip_prefix(JSON_PREFIX) {
        Some(json) => serde_json::from_str(json).ok(),
        None => Some(json!(text)),
    }
}

#[cfg(test)]
mod tests;
