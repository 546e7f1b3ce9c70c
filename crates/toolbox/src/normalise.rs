//! Makes the arguments that models write canonical before anything reads them: alternative names,
//! numbers and flags as strings, one value instead of a list, `null` for an omitted argument. The
//! schema stays closed and lists only the canonical names.
use overt_wire::json::Json;
use serde_json::{Map, Value};

/// The forms of arguments that a tool accepts in addition to those of its schema.
#[derive(Clone, Copy)]
pub(super) struct Leniency {
    /// Pairs of another name and the canonical one, for the arguments and for objects in them.
    pub(super) aliases: &'static [(&'static str, &'static str)],
    /// Rewrites the arguments further, after the names and before the values.
    pub(super) rewrite: Option<fn(&mut Map<String, Value>)>,
}

/// The most levels of nested objects and lists that are made canonical.
const MOST_DEPTH: usize = 4;
/// The most bytes of a string that is parsed as JSON.
const MOST_TEXT: usize = 1 << 20;

/// Returns the canonical arguments, or `None` if the given ones are already canonical.
pub(super) fn canonical(schema: &Value, leniency: Option<&Leniency>, arguments: Json<'_>) -> Option<Value> {
    if is_canonical(schema, arguments, 0) {
        return None;
    }
    let given: Value = arguments.read().ok()?;
    let mut value = given.clone();
    if leniency.is_some() {
        unquote(&mut value, Value::is_object);
    }
    if let Value::Object(members) = &mut value {
        if let Some(leniency) = leniency {
            rename(members, schema, leniency.aliases);
            if let Some(rewrite) = leniency.rewrite {
                rewrite(members);
            }
        }
        object(members, schema, leniency, 0);
    }
    (value != given).then_some(value)
}

/// Returns whether the arguments are already canonical, as in nearly every call. It copies nothing.
fn is_canonical(schema: &Value, given: Json<'_>, depth: usize) -> bool {
    if depth > MOST_DEPTH {
        return true;
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => {
            given.is_object()
                && given.members().all(|(name, value)| {
                    let property = schema.get("properties").and_then(|all| all.get(&*name.name()));
                    property.is_some_and(|property| is_canonical(property, value, depth + 1))
                })
        }
        Some("array") => {
            let items = schema.get("items").unwrap_or(&Value::Null);
            given.is_array() && given.elements().all(|item| is_canonical(items, item, depth + 1))
        }
        Some("string") => match schema.get("enum").and_then(Value::as_array) {
            Some(options) => given.string().is_some_and(|text| options.iter().any(|option| *option == *text)),
            None => given.is_string(),
        },
        Some("integer") => given.integer().is_some(),
        Some("number") => given.is_number(),
        Some("boolean") => given.bool().is_some(),
        _ => !given.is_null(),
    }
}

/// Gives members their canonical names. A name that the schema has is never an alias, and nothing
/// is overwritten.
fn rename(members: &mut Map<String, Value>, schema: &Value, aliases: &[(&str, &str)]) {
    let has = |name: &str| schema.get("properties").is_some_and(|properties| properties.get(name).is_some());
    for (alias, name) in aliases {
        if has(name)
            && !has(alias)
            && members.get(*name).is_none_or(Value::is_null)
            && let Some(value) = members.remove(*alias)
        {
            members.insert((*name).to_owned(), value);
        }
    }
}

/// Converts each member to the type in its schema. A member that is `null` counts as omitted unless
/// its schema accepts any value. This holds for every tool, with or without leniency, because the
/// published schemas don't mention `null`.
fn object(members: &mut Map<String, Value>, schema: &Value, leniency: Option<&Leniency>, depth: usize) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    let takes_null = |name: &String| properties.get(name).is_none_or(takes_anything);
    members.retain(|name, value| !value.is_null() || takes_null(name));
    let Some(leniency) = leniency else { return };
    for (name, value) in members.iter_mut() {
        if let Some(property) = properties.get(name) {
            one(value, property, leniency, depth + 1);
        }
    }
}

/// Returns whether a schema does not restrict the type, so that `null` may be intended.
fn takes_anything(property: &Value) -> bool {
    ["type", "enum", "anyOf", "oneOf"].iter().all(|keyword| property.get(keyword).is_none())
}

fn one(value: &mut Value, schema: &Value, leniency: &Leniency, depth: usize) {
    if depth > MOST_DEPTH {
        return;
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("array") => {
            unquote(value, Value::is_array);
            if !value.is_array() {
                *value = Value::Array(vec![value.take()]);
            }
            let items = schema.get("items").unwrap_or(&Value::Null);
            value.as_array_mut().into_iter().flatten().for_each(|item| one(item, items, leniency, depth + 1));
        }
        Some("object") => {
            unquote(value, Value::is_object);
            if let Value::Object(members) = value {
                rename(members, schema, leniency.aliases);
                object(members, schema, Some(leniency), depth);
            }
        }
        Some("integer") => whole_number(value),
        Some("number") => {
            let number = value.as_str().and_then(|text| text.trim().parse::<serde_json::Number>().ok());
            number.into_iter().for_each(|number| *value = Value::Number(number));
        }
        Some("boolean") => {
            let flag = value.as_str().and_then(|text| match text.trim().to_ascii_lowercase().as_str() {
                "true" => Some(true),
                "false" => Some(false),
                _ => None,
            });
            flag.into_iter().for_each(|flag| *value = Value::Bool(flag));
        }
        Some("string") => word(value, schema),
        _ => {}
    }
}

/// Converts `"20"` and `20.0` to 20.
fn whole_number(value: &mut Value) {
    let number = match value {
        Value::String(text) => text.trim().replace(['_', ','], "").parse::<i64>().ok(),
        Value::Number(number) if number.as_i64().is_none() => {
            number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < 9e15).map(as_i64)
        }
        _ => None,
    };
    number.into_iter().for_each(|number| *value = number.into());
}

#[expect(clippy::cast_possible_truncation, reason = "it was seen to be whole and small")]
fn as_i64(number: f64) -> i64 {
    number as i64
}

/// Replaces a word in other case, or a boolean, by the option of the `enum` that it spells.
fn word(value: &mut Value, schema: &Value) {
    let Some(options) = schema.get("enum").and_then(Value::as_array) else { return };
    let text = match value {
        Value::String(text) => text.trim().to_lowercase(),
        Value::Bool(flag) => flag.to_string(),
        _ => return,
    };
    let found =
        options.iter().find(|option| option.as_str().is_some_and(|option| option.to_lowercase() == text));
    found.into_iter().for_each(|option| *value = option.clone());
}

/// Replaces a string that contains JSON by its value, if that is of the wanted type.
fn unquote(value: &mut Value, is_wanted: fn(&Value) -> bool) {
    let Some(text) = value.as_str().filter(|text| text.len() <= MOST_TEXT) else { return };
    if text.trim_start().starts_with(['[', '{'])
        && let Ok(inner) = serde_json::from_str::<Value>(text)
        && is_wanted(&inner)
    {
        *value = inner;
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    use crate::{Content, Tool};

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "its fields are the schema")]
    struct Input {
        path: Option<String>,
        limit: Option<u32>,
        deep: Option<bool>,
        order: Option<Order>,
        globs: Option<Vec<String>>,
        edits: Option<Vec<Edit>>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Order {
        Name,
        Size,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "its fields are the schema")]
    struct Edit {
        find: String,
        count: Option<u32>,
    }

    fn tool() -> Tool {
        Tool::content("t", "Does it.", |_: Input, _| async { Ok(vec![Content::text("")]) })
    }

    fn lenient() -> Tool {
        tool().aliases(&[("file_path", "path"), ("old_text", "find"), ("max", "limit")])
    }

    fn canonical_of(tool: &Tool, given: &Value) -> Option<Value> {
        let text = given.to_string();
        canonical(tool.input.value(), tool.leniency.as_ref(), Json::parse(&text).unwrap())
    }

    /// I-15: each of these cost a turn.
    #[test]
    fn i_15_what_is_meant_is_taken() {
        for (given, wanted) in [
            (json!({ "file_path": "a" }), json!({ "path": "a" })),
            (json!({ "limit": "20" }), json!({ "limit": 20 })),
            (json!({ "max": 20.0 }), json!({ "limit": 20 })),
            (json!({ "deep": "True" }), json!({ "deep": true })),
            (json!({ "order": "SIZE" }), json!({ "order": "size" })),
            (json!({ "globs": "*.rs" }), json!({ "globs": ["*.rs"] })),
            (json!({ "globs": "[\"a\", \"b\"]" }), json!({ "globs": ["a", "b"] })),
            (json!({ "path": null, "limit": null }), json!({})),
            (
                json!({ "edits": { "old_text": "a", "count": "2" } }),
                json!({ "edits": [{ "find": "a", "count": 2 }] }),
            ),
            (json!({ "edits": "[{\"find\": \"a\"}]" }), json!({ "edits": [{ "find": "a" }] })),
            (json!("{\"path\": \"a\"}"), json!({ "path": "a" })),
        ] {
            assert_eq!(canonical_of(&lenient(), &given), Some(wanted), "{given}");
        }
    }

    #[test]
    fn what_is_canonical_or_wrong_stays_as_it_is() {
        for given in [
            json!({ "path": "a", "limit": 3, "deep": false, "order": "name", "globs": [], "edits": [{ "find": "" }] }),
            json!({ "limit": "many" }),
            json!({ "limit": 1.5 }),
            json!({ "nonsense": 1 }),
            json!({ "path": 7 }),
            json!({ "path": "a", "file_path": "b" }),
            json!([1]),
        ] {
            assert_eq!(canonical_of(&lenient(), &given), None, "{given}");
        }
        // Without leniency, only `null` is handled: it counts as omitted.
        assert_eq!(canonical_of(&tool(), &json!({ "limit": "20" })), None);
        assert_eq!(canonical_of(&tool(), &json!({ "limit": null })), Some(json!({})));
    }
}
