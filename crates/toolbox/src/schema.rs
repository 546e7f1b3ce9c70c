//! Rust types as JSON Schema, and the check of values against it. No schema is ever fetched.
use std::sync::OnceLock;

use jsonschema::{ValidationError, Validator};
use overt_policy::json_schema::{self, PatternSize};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

mod direction; // which side of a type is described
mod tidy; // schemas as strict clients read them

pub(super) use direction::Direction;

/// A schema that compiles.
#[derive(Debug)]
pub(super) struct Schema {
    pub(super) value: Value,
    /// Compiled when something is first held against it, unless it was compiled to see whether it
    /// can be.
    validator: OnceLock<Option<Validator>>,
}

impl Schema {
    pub(super) fn compile(value: Value) -> Result<Self, String> {
        if value.get("type").and_then(Value::as_str) != Some("object") {
            return Err("must describe an object (`\"type\": \"object\"`)".into());
        }
        let validator = compiled(&value)?;
        Ok(Self { value, validator: OnceLock::from(Some(validator)) })
    }

    /// One that is known to compile.
    pub(super) fn later(value: Value) -> Self {
        Self { value, validator: OnceLock::new() }
    }

    pub(super) fn errors<'a>(&'a self, value: &'a Value) -> Vec<ValidationError<'a>> {
        // Asked first, because it is much cheaper and nearly always the whole answer.
        let Some(validator) = self.validator.get_or_init(|| compiled(&self.value).ok()) else {
            tracing::error!("a schema that was declared as known to be good is not");
            return Vec::new();
        };
        if validator.is_valid(value) {
            return Vec::new();
        }
        validator.iter_errors(value).take(MOST_ERRORS).collect()
    }

    pub(super) fn property(&self, name: &str) -> Option<&Value> {
        self.value.get("properties")?.get(name)
    }
}

fn compiled(value: &Value) -> Result<Validator, String> {
    json_schema::compile(value, PatternSize::Usual).map_err(|error| error.to_string())
}

/// A reader needs no more to find out what is wrong.
const MOST_ERRORS: usize = 5;

/// The schema of a type, without the members that say nothing to a model.
pub(super) fn of<T: JsonSchema>(direction: Direction) -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    settings.inline_subschemas = true;
    if let Direction::Output = direction {
        settings = settings.for_serialize();
    }
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    tidy::tidy(&mut schema, direction);
    if let Value::Object(members) = &mut schema {
        // Clients need no name of a Rust type, and the tool has a description of its own.
        members.remove("title");
        members.remove("description");
        if members.get("type").and_then(Value::as_str) == Some("object") {
            members.entry("properties").or_insert_with(|| Value::Object(serde_json::Map::new()));
            // `true` takes any value and so does `{}`, but only the latter is a property for the
            // protocol's schema.
            if let Some(Value::Object(properties)) = members.get_mut("properties") {
                properties.values_mut().filter(|property| **property == Value::Bool(true)).for_each(
                    |property| {
                        *property = Value::Object(serde_json::Map::new());
                    },
                );
            }
            // An invented parameter is a mistake that the model should hear of (G-17).
            if let Direction::Input = direction {
                members.entry("additionalProperties").or_insert(Value::Bool(false));
            }
        }
    }
    schema
}
