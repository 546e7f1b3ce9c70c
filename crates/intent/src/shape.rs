//! What an input schema says about a key: whether it may be missing, and what its value may be.
use serde_json::Value;

/// The most references and alternatives that are followed for one key.
const MOST: usize = 64;

/// What the schema says about the value at the end of a key's path.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Shape {
    /// The index of the first name that the schema doesn't have.
    pub(super) unknown: Option<usize>,
    /// True if a call may omit it.
    pub(super) is_optional: bool,
    /// How many names lead to the first list; `None` if there is no list.
    pub(super) list: Option<usize>,
    /// True if it may be an object, or a list of objects or of lists.
    pub(super) is_compound: bool,
}

/// Follows the names, beginning at the schema of the arguments.
pub(super) fn of(schema: &Value, segments: &[String]) -> Shape {
    let mut shape = Shape::default();
    let mut steps = MOST;
    let mut now = plain(schema, schema, &mut steps);
    for (index, segment) in segments.iter().enumerate() {
        let Some(found) = now.iter().find_map(|object| object.get("properties")?.get(segment)) else {
            // If the schema lists no names, any name is possible.
            let is_closed = index == 0 || now.iter().any(|object| object.get("properties").is_some());
            shape.unknown = is_closed.then_some(index);
            shape.is_optional = true;
            return shape;
        };
        let requires = |object: &&Value| {
            let required = object.get("required").and_then(Value::as_array);
            required.is_some_and(|names| names.iter().any(|name| name.as_str() == Some(segment)))
        };
        shape.is_optional |= !now.iter().any(requires);
        now = plain(schema, found, &mut steps);
        if let Some(items) = items(&now) {
            shape.list = shape.list.or(Some(index + 1));
            now = plain(schema, items, &mut steps);
            shape.is_compound = index + 1 == segments.len() && crate::shape::items(&now).is_some();
        }
    }
    shape.is_compound |=
        now.iter().any(|value| is_type(value, "object") || value.get("properties").is_some());
    shape
}

fn items<'a>(alternatives: &[&'a Value]) -> Option<&'a Value> {
    alternatives
        .iter()
        .find(|value| is_type(value, "array"))
        .map(|value| value.get("items").unwrap_or(&Value::Null))
}

/// Resolves references: returns the schema and its alternatives.
fn plain<'a>(root: &'a Value, schema: &'a Value, steps: &mut usize) -> Vec<&'a Value> {
    let mut waiting = vec![schema];
    let mut found = Vec::new();
    while let Some(schema) = waiting.pop() {
        if *steps == 0 {
            break;
        }
        *steps -= 1;
        let target = schema.get("$ref").and_then(Value::as_str).and_then(|at| at.strip_prefix('#'));
        waiting.extend(target.and_then(|at| root.pointer(at)));
        for many in ["anyOf", "oneOf", "allOf"] {
            waiting.extend(schema.get(many).and_then(Value::as_array).into_iter().flatten());
        }
        found.push(schema);
    }
    found
}

fn is_type(schema: &Value, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(kind)) => kind == name,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == name),
        _ => false,
    }
}
