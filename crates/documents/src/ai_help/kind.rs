//! The type of a member, in words.
use serde_json::Value;

use super::schema_members::resolve;

/// The type of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kind {
    /// Its own types, such as `string` or `array or null`.
    pub(super) types: String,
    /// The types of a list's items; `None` if it is not a list or they are unknown.
    pub(super) items: Option<String>,
}

impl Kind {
    /// Returns the types that a schema within `root` allows, and the schema of its objects: itself
    /// or that of its items.
    pub(super) fn of<'a>(root: &'a Value, schema: &'a Value) -> (Self, Option<&'a Value>) {
        let versions = versions(root, schema);
        let own = names(&versions);
        let is = |schema: &Value, kind: &str| has_type(schema, kind);
        let list = versions.iter().find(|version| is(version, "array"));
        let item = list.and_then(|list| list.get("items")).filter(|items| items.is_object());
        let items = item.map(|item| self::versions(root, item));
        let kind = Self {
            types: or_any(&own),
            items: items.as_deref().map(names).filter(|names| !names.is_empty()).map(|names| or_any(&names)),
        };
        let objects = versions.into_iter().chain(items.into_iter().flatten());
        let object =
            objects.into_iter().find(|version| is(version, "object") || version.get("properties").is_some());
        (kind, object)
    }

    /// Returns the type in words, such as `array of strings`.
    pub(super) fn text(&self) -> String {
        let Some(items) = &self.items else { return self.types.clone() };
        let items: Vec<String> = items.split(" or ").map(plural).collect();
        self.types.replacen("array", &format!("array of {}", items.join(" or ")), 1)
    }
}

/// Returns the schema with its reference resolved, or the alternatives that it consists of.
fn versions<'a>(root: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    let schema = resolve(root, schema);
    let alternatives = ["anyOf", "oneOf"].iter().find_map(|name| schema.get(name)?.as_array());
    match alternatives {
        Some(parts) if schema.get("type").is_none() => parts.iter().map(|part| resolve(root, part)).collect(),
        _ => vec![schema],
    }
}

/// Returns the known types of these schemas without duplicates. Empty if one of them has no type.
fn names<'a>(schemas: &[&'a Value]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for schema in schemas {
        let own = types(schema);
        if own.is_empty() {
            return Vec::new();
        }
        for name in own {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

fn types(schema: &Value) -> Vec<&str> {
    const KNOWN: [&str; 7] = ["string", "number", "integer", "boolean", "object", "array", "null"];
    let known = |name: &&str| KNOWN.contains(name);
    match schema.get("type") {
        Some(Value::String(name)) => Some(name.as_str()).filter(known).into_iter().collect(),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).filter(known).collect(),
        _ => Vec::new(),
    }
}

fn has_type(schema: &Value, kind: &str) -> bool {
    types(schema).contains(&kind)
}

fn or_any(names: &[&str]) -> String {
    if names.is_empty() { "any".to_owned() } else { names.join(" or ") }
}

fn plural(kind: &str) -> String {
    match kind {
        "null" | "any" => kind.to_owned(),
        kind => format!("{kind}s"),
    }
}
