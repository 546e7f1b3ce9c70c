//! The members of a schema in words: the arguments of a call, and its result.
use serde_json::{Map, Value, json};

use super::kind::Kind;
use super::schema_members;
use crate::markdown::{LINE, code, foreign_line, line, name};

/// The most members that are shown; further ones are counted.
const MOST: usize = 1000;
/// The most members that are shown of an object within an argument.
const MOST_INNER: usize = 40;
/// The nesting depth up to which objects are shown.
const DEEPEST: usize = 3;
const MOST_VALUES: usize = 20;

/// One member of an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Parameter {
    name: String,
    kind: Kind,
    required: bool,
    description: String,
    values: Vec<Value>,
    default: Option<Value>,
    /// The members, if this is an object or a list of objects.
    members: Vec<Self>,
    /// The number of further members that are not shown.
    more: usize,
}

/// The role of a schema. The help says which members are optional only for arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SchemaRole {
    Arguments,
    Result,
}

/// Returns the members of the object that a schema describes, and how many more there are.
pub(crate) fn members(schema: &Value) -> (Vec<Parameter>, usize) {
    members_in(schema, schema, MOST, DEEPEST)
}

fn members_in(root: &Value, schema: &Value, most: usize, depth: usize) -> (Vec<Parameter>, usize) {
    let found = schema_members::collect(root, schema);
    let more = found.len().saturating_sub(most);
    let shown = found.into_iter().take(most).map(|(member, (schema, required))| {
        let (kind, object) = Kind::of(root, schema);
        let (members, more) = match (object, depth.checked_sub(1)) {
            (Some(object), Some(deeper)) => members_in(root, object, MOST_INNER, deeper),
            _ => (Vec::new(), 0),
        };
        Parameter {
            name: name(member),
            kind,
            required,
            description: schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned(),
            values: values(schema),
            default: schema.get("default").filter(|value| is_short(value)).cloned(),
            members,
            more,
        }
    });
    (shown.collect(), more)
}

impl Parameter {
    /// Returns the form in a tool's signature: `name`, or `name?` if it is optional.
    pub(crate) fn in_signature(&self) -> String {
        format!("{}{}", self.name.replace('`', "'"), if self.required { "" } else { "?" })
    }

    /// Returns `` - `name` (required, string): description ``, and its members on the lines below.
    pub(super) fn lines(&self, of: SchemaRole) -> String {
        let mut out = String::new();
        self.write(of, 0, &mut out);
        out
    }

    fn write(&self, of: SchemaRole, indent: usize, out: &mut String) {
        let mut facts = Vec::new();
        if of == SchemaRole::Arguments {
            facts.push(if self.required { "required" } else { "optional" }.to_owned());
        }
        facts.push(self.kind.text());
        if !self.values.is_empty() {
            let values: Vec<String> = self.values.iter().map(|value| code(&plain(value))).collect();
            facts.push(format!("one of {}", values.join(", ")));
        }
        if let Some(default) = &self.default {
            facts.push(format!("default {}", code(&plain(default))));
        }
        let description = foreign_line(&self.description, LINE);
        let colon = if description.is_empty() { "" } else { ": " };
        let space = " ".repeat(indent);
        out.push_str(&format!("{space}- {} ({}){colon}{description}\n", code(&self.name), facts.join(", ")));
        self.members.iter().for_each(|member| member.write(of, indent + 2, out));
        if self.more > 0 {
            out.push_str(&format!("{space}  - and {} more\n", self.more));
        }
    }

    pub(super) fn json(&self, of: SchemaRole) -> Value {
        let mut members = Map::new();
        members.insert("name".to_owned(), json!(self.name));
        members.insert("type".to_owned(), json!(self.kind.types));
        if let Some(items) = &self.kind.items {
            members.insert("items".to_owned(), json!(items));
        }
        if of == SchemaRole::Arguments {
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
        if !self.members.is_empty() {
            let inner: Vec<Value> = self.members.iter().map(|member| member.json(of)).collect();
            members.insert("members".to_owned(), inner.into());
        }
        if self.more > 0 {
            members.insert("membersOmitted".to_owned(), json!(self.more));
        }
        members.into()
    }
}

/// Returns all values of an enumeration, or none if they are too many or too long.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(schema: &Value) -> String {
        members(schema).0.iter().map(|member| member.lines(SchemaRole::Arguments)).collect()
    }

    /// H-39: the types of list items are shown.
    #[test]
    fn h_39_items_and_objects_have_their_shape() {
        let schema = json!({
            "$defs": { "edit": { "type": "object", "properties": {
                "find": { "type": "string", "description": "What is there" },
                "place": { "type": ["object", "null"], "properties": { "line": { "type": "integer" } } },
            }, "required": ["find"] } },
            "properties": {
                "edits": { "type": "array", "items": { "$ref": "#/$defs/edit" }, "description": "In order" },
                "paths": { "type": "array", "items": { "type": "string" } },
                "any": { "type": "array" },
                "limit": { "anyOf": [{ "type": "integer" }, { "type": "null" }] },
                "tags": { "anyOf": [{ "type": "array", "items": { "type": "string" } }, { "type": "null" }] },
            },
            "required": ["edits"],
        });
        assert_eq!(
            lines(&schema),
            "- `edits` (required, array of objects): In order\n  \
             - `find` (required, string): What is there\n  \
             - `place` (optional, object or null)\n    \
             - `line` (optional, integer)\n\
             - `paths` (optional, array of strings)\n\
             - `any` (optional, array)\n\
             - `limit` (optional, integer or null)\n\
             - `tags` (optional, array of strings or null)\n"
        );
        let (shown, _) = members(&schema);
        let edits = shown[0].json(SchemaRole::Arguments);
        assert_eq!((&edits["type"], &edits["items"]), (&json!("array"), &json!("object")));
        assert_eq!(edits["members"][0]["name"], "find");
        assert_eq!(edits["members"][1]["members"][0]["type"], "integer");
    }

    #[test]
    fn schemas_in_a_circle_end_and_large_ones_are_cut() {
        let circle = json!({ "properties": { "a": { "type": "object", "properties": {}, "$ref": "#" } } });
        assert_eq!(lines(&circle).lines().count(), DEEPEST + 1);
        let wide: Map<String, Value> = (0..100).map(|number| (format!("m{number}"), json!({}))).collect();
        let schema = json!({ "properties": { "o": { "type": "object", "properties": wide } } });
        assert!(lines(&schema).ends_with("\n  - and 60 more\n"));
        assert_eq!(members(&schema).0[0].json(SchemaRole::Result)["membersOmitted"], 60);
    }
}
