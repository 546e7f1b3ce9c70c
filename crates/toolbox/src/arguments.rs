//! Explains what is wrong with the arguments of a call: the problem, what is valid, and what to do.
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use overt_secrets::hide;
use serde_json::Value;

use super::ToolError;
use super::schema::Schema;

/// The error code of all invalid arguments. Every tool can answer with it.
pub(super) const INVALID: &str = "INVALID_ARGUMENTS";

/// Checks the arguments of a call against the schema and reports all problems at once.
pub(super) fn check(tool: &str, schema: &Schema, arguments: &Value) -> Result<(), ToolError> {
    let errors = schema.errors(arguments);
    if errors.is_empty() {
        return Ok(());
    }
    let problems: Vec<String> = errors.iter().map(|error| problem(schema, error)).collect();
    let inner = errors.iter().find_map(|error| inner_parameters(schema.value(), error)).unwrap_or_default();
    Err(ToolError::new(format!("Invalid arguments for `{tool}`: {}", problems.join("; ")))
        .valid(format!("The parameters are: {}{inner}", parameters(schema.value())))
        .next(format!("Correct the arguments and call `{tool}` again."))
        .code(INVALID))
}

/// Returns the error for arguments that are not an object.
pub(super) fn not_an_object(tool: &str, schema: &Schema) -> ToolError {
    ToolError::new(format!("Invalid arguments for `{tool}`: `arguments` must be an object"))
        .valid(format!("The parameters are: {}", parameters(schema.value())))
        .next(format!("Call `{tool}` again with an object of named arguments."))
        .code(INVALID)
}

/// Returns the error for arguments with a number such as `1e400`: valid JSON, but too large to
/// calculate with.
pub(super) fn out_of_range(tool: &str, schema: &Schema) -> ToolError {
    ToolError::new(format!("Invalid arguments for `{tool}`: a number is too large"))
        .valid(format!("The parameters are: {}", parameters(schema.value())))
        .next(format!("Correct the arguments and call `{tool}` again."))
        .code(INVALID)
}

fn problem(schema: &Schema, error: &ValidationError<'_>) -> String {
    let place = place(error);
    let got = excerpt(error.instance());
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            let what = schema.property(name).map(describe).unwrap_or_default();
            if place.is_empty() {
                format!("`{name}`{what} is missing")
            } else {
                format!("`{place}` lacks `{name}`")
            }
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            let names: Vec<String> = unexpected.iter().map(|name| format!("`{name}`")).collect();
            let within = if place.is_empty() { String::new() } else { format!(" in `{place}`") };
            format!("unknown parameter {}{within}", names.join(", "))
        }
        ValidationErrorKind::Type { .. } => {
            let wanted = value_at(schema.value(), error.schema_path().as_str());
            let wanted = wanted.map_or_else(|| "another type".to_owned(), type_words);
            format!("`{place}` must be {wanted}, not {got}")
        }
        ValidationErrorKind::Enum { options } => format!("`{place}` must be one of {options}, not {got}"),
        _ => format!("`{place}`: {}", hide(&error.to_string())),
    }
}

/// Lists the parameters in one line: name, type, range, default, and whether each is required.
fn parameters(schema: &Value) -> String {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return "none".into();
    };
    if properties.is_empty() {
        return "none".into();
    }
    let described: Vec<String> = properties
        .iter()
        .map(|(name, property)| {
            let mut parts = parts_of(property);
            if required.contains(&name.as_str()) {
                parts.push("required".to_owned());
            }
            format!("`{name}`{}", in_parentheses(&parts))
        })
        .collect();
    described.join(", ")
}

/// Lists the parameters of the nested object that the error is in (G-19), such as
/// `` ; each of `edits` has: … ``.
fn inner_parameters(schema: &Value, error: &ValidationError<'_>) -> Option<String> {
    let mut path = error.schema_path().as_str();
    let object = loop {
        path = path.rsplit_once('/')?.0;
        if path.is_empty() {
            return None;
        }
        let inner =
            value_at(schema, path).filter(|inner| inner.get("properties").is_some_and(Value::is_object));
        // A parameter that is called `properties` is not a list of parameters.
        if let Some(inner) = inner.filter(|inner| inner.get("type").is_some_and(|kind| kind == "object")) {
            break inner;
        }
    };
    let place = error.instance_path().as_str().trim_start_matches('/').split('/').next()?;
    let each = if schema.pointer(&format!("/properties/{place}/items")).is_some() { "each of " } else { "" };
    Some(format!("; {each}`{place}` has: {}", parameters(object)))
}

/// Describes a parameter in parentheses: ` (integer, 1 to 100, default 20)`.
fn describe(property: &Value) -> String {
    in_parentheses(&parts_of(property))
}

fn in_parentheses(parts: &[String]) -> String {
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}

fn parts_of(property: &Value) -> Vec<String> {
    let mut parts = Vec::new();
    if let Some(options) = property.get("enum") {
        parts.push(format!("one of {options}"));
    } else if let Some(kind) = property.get("type") {
        parts.push(type_name(kind));
    }
    match (property.get("minimum"), property.get("maximum")) {
        (Some(least), Some(most)) => parts.push(format!("{least} to {most}")),
        (Some(least), None) => parts.push(format!("at least {least}")),
        (None, Some(most)) => parts.push(format!("at most {most}")),
        (None, None) => {}
    }
    if let Some(default) = property.get("default") {
        parts.push(format!("default {default}"));
    }
    parts
}

fn type_name(kind: &Value) -> String {
    match kind {
        Value::String(name) => name.clone(),
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        _ => "any".into(),
    }
}

fn type_words(kind: &Value) -> String {
    let name = type_name(kind);
    let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {name}")
}

/// Returns the path to the wrong value as `edits.0.find`, which models understand better than a
/// JSON pointer.
fn place(error: &ValidationError<'_>) -> String {
    error.instance_path().as_str().trim_start_matches('/').replace('/', ".")
}

/// Returns the start of the value that was sent, so that the sender recognises it.
fn excerpt(value: &Value) -> String {
    const MOST_CHARACTERS: usize = 60;
    // The client may have put a secret key into the wrong argument (G-31).
    let text = hide(&value.to_string()).into_owned();
    if text.chars().count() <= MOST_CHARACTERS {
        return text;
    }
    text.chars().take(MOST_CHARACTERS).chain(['…']).collect()
}

fn value_at<'a>(schema: &'a Value, path: &str) -> Option<&'a Value> {
    schema.pointer(path)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn g_19_the_parameters_of_an_inner_object_are_named() {
        let edit = json!({
            "type": "object", "additionalProperties": false, "required": ["find"],
            "properties": { "find": { "type": "string" }, "count": { "type": "integer", "minimum": 1 } },
        });
        let schema = json!({
            "type": "object", "additionalProperties": false,
            "properties": { "edits": { "type": "array", "items": edit } },
        });
        let schema = Schema::by_hand(schema);
        let inner = "The parameters are: `edits` (array); each of `edits` has: `find` (string, required), \
                     `count` (integer, at least 1)";
        for wrong in [
            json!({ "find": "a", "x": 1 }),
            json!({}),
            json!({ "find": 1 }),
            json!({ "find": "a", "count": 0 }),
        ] {
            let said = check("t", &schema, &json!({ "edits": [wrong] })).unwrap_err().to_string();
            assert!(said.contains(inner), "{said}");
        }
        let said = check("t", &schema, &json!({ "edit": [] })).unwrap_err().to_string();
        assert!(!said.contains("each of"), "{said}");
    }

    #[test]
    fn g_31_a_key_in_the_wrong_place_is_not_repeated() {
        let schema = json!({ "type": "object", "properties": { "limit": { "type": "integer" }, "order": { "enum": ["a"] } } });
        let schema = Schema::by_hand(schema);
        let key = "sk-abcdefghijklmnopqrstuvwxyz012345";
        for arguments in [json!({ "limit": key }), json!({ "order": key })] {
            let said = check("t", &schema, &arguments).unwrap_err().to_string();
            assert!(!said.contains(key) && said.contains("[redacted]"), "{said}");
        }
    }
}
