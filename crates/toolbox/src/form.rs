//! Forms for questions to a person, in the form that each protocol version requires.
use std::borrow::Cow;

use overt_wire::era::Version;
use serde_json::{Map, Value, json};

use super::ToolError;

/// Converts a form to a protocol version. Versions up to 2025-06-18 have no multiple choice, and
/// write the titles of choices differently.
pub(super) fn in_version(schema: &Value, version: Version) -> Result<Cow<'_, Value>, ToolError> {
    if version >= Version::V2025_11_25 {
        return Ok(Cow::Borrowed(schema));
    }
    let mut schema = schema.clone();
    for (name, field) in schema.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        if field.get("type").and_then(Value::as_str) == Some("array") {
            return Err(ToolError::new(format!(
                "the client can't show the question: `{name}` is a choice of several, which version {version} of the \
                 protocol does not have"
            ))
            .next("Use a newer client, or another tool."));
        }
        if let Value::Object(field) = field {
            title_in_old_style(field);
        }
    }
    Ok(Cow::Owned(schema))
}

/// Replaces `oneOf` with titles by `enum` and `enumNames`.
fn title_in_old_style(field: &mut Map<String, Value>) {
    let Some(Value::Array(options)) = field.remove("oneOf") else { return };
    let part =
        |name: &str| options.iter().map(|option| option.get(name).cloned().unwrap_or_default()).collect();
    let (values, titles): (Vec<Value>, Vec<Value>) = (part("const"), part("title"));
    field.insert("enum".into(), json!(values));
    field.insert("enumNames".into(), json!(titles));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_written_as_the_version_wants_them() {
        let titled = json!({ "properties": { "c": {
            "type": "string", "oneOf": [{ "const": "a", "title": "A" }, { "const": "b", "title": "B" }]
        }}});
        assert_eq!(*in_version(&titled, Version::V2025_11_25).unwrap(), titled);
        assert_eq!(
            *in_version(&titled, Version::V2025_06_18).unwrap(),
            json!({ "properties": { "c": { "type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"] } } })
        );
        let several = json!({ "properties": { "c": { "type": "array", "items": {} } } });
        assert!(in_version(&several, Version::V2026_07_28).is_ok());
        assert!(in_version(&several, Version::V2025_06_18).is_err());
    }
}
