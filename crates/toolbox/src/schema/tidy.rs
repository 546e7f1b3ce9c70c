//! Simplifies schemas for strict clients: removes every keyword and value that one of them warns
//! about, and every word that is useless to a model.
use serde_json::{Map, Value};

use super::direction::Direction;

/// Keywords whose value is a schema.
const ONE: [&str; 2] = ["items", "additionalProperties"];
/// Keywords whose value is a list of schemas.
const LIST: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];
/// Keywords whose value is a map from names to schemas.
const MAP: [&str; 2] = ["properties", "$defs"];

/// Tidies a schema and every schema in it.
pub(super) fn tidy(schema: &mut Value, direction: Direction) {
    let Value::Object(members) = schema else { return };
    for keyword in ONE {
        members.get_mut(keyword).into_iter().for_each(|inner| tidy(inner, direction));
    }
    for keyword in LIST {
        let list = members.get_mut(keyword).and_then(Value::as_array_mut);
        list.into_iter().flatten().for_each(|inner| tidy(inner, direction));
    }
    for keyword in MAP {
        let map = members.get_mut(keyword).and_then(Value::as_object_mut);
        map.into_iter().flat_map(Map::values_mut).for_each(|inner| tidy(inner, direction));
    }
    remove_rust_formats(members);
    join_lines(members);
    match direction {
        // Omitted arguments are absent, and `null` counts as omitted, so the schema need not allow
        // `null`.
        Direction::Input => {
            remove_null(members);
            remove_plain_default(members);
        }
        Direction::Output => move_null_out_of_enum(members),
    }
}

/// Removes formats such as `uint64`, which are names of Rust types and in no dialect of JSON Schema
/// (I-14).
fn remove_rust_formats(members: &mut Map<String, Value>) {
    let is_of_rust = |format: &str| {
        let digits = format.trim_start_matches("uint").trim_start_matches("int");
        format != digits && digits.bytes().all(|byte| byte.is_ascii_digit())
            || matches!(format, "float" | "double")
    };
    if members.get("format").and_then(Value::as_str).is_some_and(is_of_rust) {
        members.remove("format");
    }
}

/// Joins the lines of a description: a doc comment has the line breaks of the source.
fn join_lines(members: &mut Map<String, Value>) {
    if let Some(Value::String(text)) = members.get_mut("description") {
        *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
}

fn remove_null(members: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = members.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = &types[..] {
            let only = only.clone();
            members.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(options)) = members.get_mut("enum") {
        options.retain(|option| !option.is_null());
    }
    if let Some(Value::Array(options)) = members.get_mut("anyOf") {
        options.retain(|option| option.get("type").is_none_or(|name| name != "null"));
        if let [Value::Object(only)] = &options[..] {
            let only = only.clone();
            members.remove("anyOf");
            for (keyword, value) in only {
                members.entry(keyword).or_insert(value);
            }
        }
    }
}

/// Removes a default that is null, false or empty, because a model assumes it anyway.
fn remove_plain_default(members: &mut Map<String, Value>) {
    let is_plain = |default: &Value| match default {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(_) | Value::Number(_) | Value::Bool(true) => false,
    };
    if members.get("default").is_some_and(is_plain) {
        members.remove("default");
    }
}

/// Moves `null` from `enum` to an `anyOf` with the type `null`, because strict clients report
/// `null` in `enum` as an error.
fn move_null_out_of_enum(members: &mut Map<String, Value>) {
    let Some(Value::Array(options)) = members.get_mut("enum") else { return };
    let count = options.len();
    options.retain(|option| !option.is_null());
    if options.len() == count {
        return;
    }
    let options = members.remove("enum").unwrap_or_default();
    let mut words = Map::new();
    words.insert("type".to_owned(), "string".into());
    words.insert("enum".to_owned(), options);
    members.remove("type");
    members
        .insert("anyOf".to_owned(), Value::Array(vec![words.into(), serde_json::json!({ "type": "null" })]));
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::super::{Direction, of};

    /// What the tool takes.
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Everything {
        /// One line
        /// and another.
        count: u64,
        half: Option<f64>,
        word: Option<Word>,
        list: Option<Vec<u8>>,
        #[serde(default)]
        flag: bool,
        format: Option<String>,
    }

    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Word {
        One,
        Two,
    }

    /// I-14: a TypeScript client printed a warning for each of these.
    #[test]
    fn i_14_no_schema_has_what_strict_clients_warn_about() {
        assert_eq!(
            of::<Everything>(Direction::Input),
            json!({
                "type": "object",
                "properties": {
                    "count": { "description": "One line and another.", "type": "integer", "minimum": 0 },
                    "half": { "type": "number" },
                    "word": { "type": "string", "enum": ["one", "two"] },
                    "list": { "type": "array", "items": { "type": "integer", "minimum": 0, "maximum": 255 } },
                    "flag": { "type": "boolean" },
                    "format": { "type": "string" },
                },
                "required": ["count"],
                "additionalProperties": false,
            })
        );
        let output = of::<Everything>(Direction::Output);
        let word = json!({ "anyOf": [{ "type": "string", "enum": ["one", "two"] }, { "type": "null" }] });
        assert_eq!(output["properties"]["word"], word);
        assert_eq!(output["properties"]["half"], json!({ "type": ["number", "null"] }));
        assert!(!output.to_string().contains("\"format\":\""), "{output}");
    }
}
