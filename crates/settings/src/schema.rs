//! Settings as JSON Schema 2020-12, with the attributes `scope` and `audience` of each.
use serde_json::{Map, Value, json};

use super::kind::{LONGEST, MOST_ITEMS};
use super::{DeclaredSettings, FieldScope, Kind, Setting};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

impl DeclaredSettings {
    /// Returns the published schema: every setting, including those that can be set only when the
    /// program starts (`readOnly`).
    pub fn schema(&self) -> Value {
        object(self.iter().map(|setting| (setting, setting.schema())))
    }

    /// Returns the schema of the fields that a policy may have.
    pub fn policy_schema(&self) -> Value {
        let fields = self.iter().filter(|setting| setting.scope != FieldScope::Configuration);
        object(fields.map(|setting| (setting, setting.schema())))
    }
}

fn object<'a>(fields: impl Iterator<Item = (&'a Setting, Value)>) -> Value {
    let properties: Map<String, Value> =
        fields.map(|(setting, schema)| (setting.key.to_owned(), schema)).collect();
    json!({
        "$schema": DIALECT,
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}

impl Setting {
    /// Returns the schema of the setting's value.
    pub fn schema(&self) -> Value {
        let mut schema = self.kind.schema();
        if let Value::Object(members) = &mut schema {
            members.insert("description".to_owned(), json!(self.description));
            if let Some(default) = &self.default {
                members.insert("default".to_owned(), default.clone());
            }
            members.insert("scope".to_owned(), json!(self.scope));
            members.insert("audience".to_owned(), json!(self.audience));
            if self.fixed {
                members.insert("readOnly".to_owned(), json!(true));
            }
        }
        schema
    }
}

impl Kind {
    fn schema(self) -> Value {
        match self {
            Self::Flag => json!({"type": "boolean"}),
            Self::Integer { min, max: u64::MAX } => json!({"type": "integer", "minimum": min}),
            Self::Integer { min, max } => json!({"type": "integer", "minimum": min, "maximum": max}),
            Self::Bytes { min, max } => json!({
                "type": ["integer", "string"],
                "minimum": min,
                "maximum": max,
                "pattern": "^[0-9]+(B|KiB|MiB|GiB)?$",
            }),
            Self::Duration { min, max } => json!({
                "type": ["string", "integer"],
                "pattern": "^[0-9]+(ms|s|m|h|d)?$",
                "minimum": min.as_secs(),
                "maximum": max.as_secs(),
            }),
            Self::Text => json!({"type": "string", "maxLength": LONGEST}),
            Self::Choice(words) => json!({"type": "string", "enum": words}),
            Self::Scopes => list(&json!({"type": "string", "pattern": "^(read|write|execute)(:.+)?$"})),
            Self::Globs | Self::Texts => {
                list(&json!({"type": "string", "minLength": 1, "maxLength": LONGEST}))
            }
            Self::Regions => list(&region()),
            Self::Rate => json!({"type": "string", "pattern": "^ *[0-9]+ */ *(second|minute|hour|day) *$"}),
        }
    }
}

/// Returns the schema of a folder: a path, or an object with a path and restrictions.
fn region() -> Value {
    let patterns = list(&json!({"type": "string"}));
    json!({
        "anyOf": [
            {"type": "string"},
            {
                "type": "object",
                "properties": {
                    "path": {"type": "string"},
                    "allow": patterns,
                    "deny": patterns,
                    "immutable": patterns,
                    "blocked": {"type": "boolean"},
                    "default": {"type": "boolean"},
                },
                "required": ["path"],
                "additionalProperties": false,
            },
        ],
    })
}

fn list(items: &Value) -> Value {
    json!({"type": "array", "items": items, "maxItems": MOST_ITEMS})
}
