//! The members of a schema, in words: what a call takes and what it gives.
use serde_json::{Map, Value, json};

use super::schema_members;
use crate::markdown::{LINE, code, foreign_line, line, name};

/// More members than this are counted, not shown.
const MOST: usize = 1000;
const MOST_VALUES: usize = 20;

/// One member of an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Parameter {
    name: String,
    kind: String,
    required: bool,
    description: String,
    values: Vec<Value>,
    default: Option<Value>,
}

/// Whether it matters if a member may be left out: of arguments it does, of results it is not said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    Arguments,
    Result,
}

/// The members of the object that a schema describes, and how many more there are.
pub(crate) fn members(schema: &Value) -> (Vec<Parameter>, usize) {
    let found = schema_members::collect(schema);
    let more = found.len().saturating_sub(MOST);
    let shown = found.into_iter().take(MOST).map(|(member, (schema, required))| Parameter {
        name: name(member),
        kind: kind(schema),
        required,
        description: schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned(),
        values: values(schema),
        default: schema.get("default").filter(|value| is_short(value)).cloned(),
    });
    (shown.collect(), more)
}

impl Parameter {
    /// In the signature of a tool: `name`, or `name?` if it may be left out.
    pub(crate) fn in_signature(&self) -> String {
        format!("{}{}", self.name.replace('`', "'"), if self.required { "" } else { "?" })
    }

    /// `` - `name` (required, string): what it is ``
    pub(super) fn line(&self, of: Of) -> String {
        let mut facts = Vec::new();
        if of == Of::Arguments {
            facts.push(if self.required { "required" } else { "optional" }.to_owned());
        }
        facts.push(self.kind.clone());
        if !self.values.is_empty() {
            let values: Vec<String> = self.values.iter().map(|value| code(&plain(value))).collect();
            facts.push(format!("one of {}", values.join(", ")));
        }
        if let Some(default) = &self.default {
            facts.push(format!("default {}", code(&plain(default))));
        }
        let description = foreign_line(&self.description, LINE);
        let colon = if description.is_empty() { "" } else { ": " };
        format!("- {} ({}){colon}{description}\n", code(&self.name), facts.join(", "))
    }

    pub(super) fn json(&self, of: Of) -> Value {
        let mut members = Map::new();
        members.insert("name".to_owned(), json!(self.name));
        members.insert("type".to_owned(), json!(self.kind));
        if of == Of::Arguments {
            members.insert("required".to_owned(), json!(self.required));
        }
        if !self.description.is_empty() {
            members.insert("description".to_owned(), json!(line(&self.description, LINE)));
        }
        if !self.values.is_empty() {
            members.insert("enum".to_owned(), json!(self.values));
        }
        if let Some(default) = &self.default {
            members.insert("default".to_owned(), default.clone());
        }
        members.into()
    }
}

fn kind(schema: &Value) -> String {
    let known =
        |name: &&str| ["string", "number", "integer", "boolean", "object", "array", "null"].contains(name);
    match schema.get("type") {
        Some(Value::String(name)) if known(&name.as_str()) => name.clone(),
        Some(Value::Array(names)) => {
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).filter(known).collect();
            if names.is_empty() { "any".to_owned() } else { names.join(" or ") }
        }
        _ => "any".to_owned(),
    }
}

/// All values of an enumeration; none if they are too many or too long to be read.
fn values(schema: &Value) -> Vec<Value> {
    match schema.get("enum") {
        Some(Value::Array(values)) if values.len() <= MOST_VALUES && values.iter().all(is_short) => {
            values.clone()
        }
        _ => Vec::new(),
    }
}

fn is_short(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() <= 80,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => true,
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
