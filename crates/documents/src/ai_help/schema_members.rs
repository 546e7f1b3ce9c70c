//! Collects the members that a schema allows, including those of the schemas that it combines.
use indexmap::IndexMap;
use serde_json::Value;

/// The most schemas that are visited, so that circular references end.
const MOST_SCHEMAS: usize = 2000;
const DEEPEST: usize = 16;

/// Each member with its schema, and whether it is always required.
pub(super) type Members<'a> = IndexMap<&'a str, (&'a Value, bool)>;

/// Returns the members of a schema that is `root` or a part of it.
pub(super) fn collect<'a>(root: &'a Value, schema: &'a Value) -> Members<'a> {
    let mut collector = Collector { root, room: MOST_SCHEMAS, members: IndexMap::new() };
    collector.add(schema, Presence::Always, DEEPEST);
    collector.members
}

/// Returns the schema to which a `$ref` within `root` leads, or the schema itself if it has no
/// `$ref`.
pub(super) fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let mut schema = schema;
    for _ in 0..DEEPEST {
        let target = schema.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
        match target.and_then(|target| root.pointer(target)) {
            Some(found) => schema = found,
            None => break,
        }
    }
    schema
}

/// Whether a part of a schema applies to every value or only to some.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presence {
    Always,
    Sometimes,
}

struct Collector<'a> {
    /// The schema in which references are resolved.
    root: &'a Value,
    room: usize,
    members: Members<'a>,
}

impl<'a> Collector<'a> {
    fn add(&mut self, schema: &'a Value, presence: Presence, depth: usize) {
        let (Some(room), Some(deeper)) = (self.room.checked_sub(1), depth.checked_sub(1)) else { return };
        self.room = room;
        for (member, schema) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            self.members.entry(member).or_insert((schema, false));
        }
        let target = schema.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
        if let Some(target) = target.and_then(|target| self.root.pointer(target)) {
            self.add(target, presence, deeper);
        }
        for (keyword, inner) in [
            ("allOf", presence),
            ("anyOf", Presence::Sometimes),
            ("oneOf", Presence::Sometimes),
            ("then", Presence::Sometimes),
            ("else", Presence::Sometimes),
        ] {
            let parts = match schema.get(keyword) {
                Some(Value::Array(parts)) => parts.as_slice(),
                Some(part) => std::slice::from_ref(part),
                None => &[],
            };
            parts.iter().for_each(|part| self.add(part, inner, deeper));
        }
        let required =
            schema.get("required").and_then(Value::as_array).filter(|_| presence == Presence::Always);
        for member in required.into_iter().flatten().filter_map(Value::as_str) {
            self.members.entry(member).and_modify(|(_, required)| *required = true);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// D-29: a parameter counts wherever its schema is.
    #[test]
    fn d_29_members_of_combined_schemas() {
        let schema = json!({
            "$defs": { "page": { "properties": { "limit": { "type": "integer" } }, "required": ["limit"] } },
            "properties": { "query": {} },
            "allOf": [{ "$ref": "#/$defs/page" }],
            "oneOf": [
                { "properties": { "id": {} }, "required": ["id"] },
                { "properties": { "name": {} }, "required": ["name"] },
            ],
            "required": ["query"],
        });
        let members: Vec<(&str, bool)> =
            collect(&schema, &schema).into_iter().map(|(name, (_, required))| (name, required)).collect();
        assert_eq!(members, [("query", true), ("limit", true), ("id", false), ("name", false)]);
    }

    #[test]
    fn references_in_a_circle_end() {
        let schema = json!({ "properties": { "a": {} }, "anyOf": vec![json!({ "$ref": "#" }); 50] });
        assert_eq!(collect(&schema, &schema).len(), 1);
    }
}
