//! JSON Schemas of Rust types, and the validation of values. No schema is ever fetched.
use std::sync::OnceLock;

use jsonschema::{ValidationError, Validator};
use overt_policy::json_schema::{self, PatternSize};
use overt_wire::json::Object;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

mod direction; // which side of a type the schema describes
mod tidy; // simplifies schemas for strict clients

pub(super) use direction::Direction;

/// The schema of a tool's arguments or of its result. Its value and validator are made on first
/// use: a server starts for every client, and most tools are never called.
pub(super) struct Schema {
    origin: Origin,
    value: OnceLock<Value>,
    validator: OnceLock<Option<Validator>>,
}

enum Origin {
    /// Made from a type, and so known to be valid.
    Type(fn() -> Value),
    /// Made from a type beforehand and stored as text. A test compares it with the type.
    Text(&'static str),
    /// Written by hand.
    Hand,
}

impl Schema {
    pub(super) fn of_type<T: JsonSchema>(direction: Direction) -> Self {
        let make: fn() -> Value = match direction {
            Direction::Input => || of::<T>(Direction::Input),
            Direction::Output => || of::<T>(Direction::Output),
        };
        Self::from(Origin::Type(make), OnceLock::new())
    }

    pub(super) fn by_hand(value: Value) -> Self {
        Self::from(Origin::Hand, OnceLock::from(value))
    }

    /// Replaces the schema by its text, which was made from the same type beforehand.
    pub(super) fn known_as(&mut self, text: &'static str) {
        *self = Self::from(Origin::Text(text), OnceLock::new());
    }

    fn from(origin: Origin, value: OnceLock<Value>) -> Self {
        Self { origin, value, validator: OnceLock::new() }
    }

    pub(super) fn value(&self) -> &Value {
        self.value.get_or_init(|| match self.origin {
            Origin::Type(make) => make(),
            Origin::Text(text) => serde_json::from_str(text).unwrap_or_default(),
            Origin::Hand => Value::Null,
        })
    }

    /// Adds the schema to an object as the member `name`.
    pub(super) fn write(&self, object: Object, name: &str) -> Object {
        match self.origin {
            Origin::Text(text) => object.raw(name, text),
            Origin::Type(_) | Origin::Hand => object.value(name, self.value()),
        }
    }

    /// Checks a schema that was written by hand, and returns what is wrong with it.
    pub(super) fn check(&self) -> Result<(), String> {
        let Origin::Hand = self.origin else { return Ok(()) };
        let value = self.value();
        if value.get("type").and_then(Value::as_str) != Some("object") {
            return Err("must describe an object (`\"type\": \"object\"`)".into());
        }
        let validator = compiled(value)?;
        let _ = self.validator.set(Some(validator));
        Ok(())
    }

    /// Whether the schema is stored as text, which was made and checked beforehand.
    pub(super) fn is_known(&self) -> bool {
        matches!(self.origin, Origin::Text(_))
    }

    pub(super) fn errors<'a>(&'a self, value: &'a Value) -> Vec<ValidationError<'a>> {
        // Check validity alone first: this is much cheaper, and nearly every value is valid.
        let Some(validator) = self.validator.get_or_init(|| compiled(self.value()).ok()) else {
            tracing::error!("a schema that was declared as known to be good is not");
            return Vec::new();
        };
        if validator.is_valid(value) {
            return Vec::new();
        }
        validator.iter_errors(value).take(MOST_ERRORS).collect()
    }

    pub(super) fn property(&self, name: &str) -> Option<&Value> {
        self.value().get("properties")?.get(name)
    }
}

fn compiled(value: &Value) -> Result<Validator, String> {
    json_schema::compile(value, PatternSize::Usual).map_err(|error| error.to_string())
}

/// The most errors that are reported. A reader needs no more to find the mistake.
const MOST_ERRORS: usize = 5;

/// Returns the schema of a type, without the members that are useless to a model.
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
        // Clients don't need the name of a Rust type, and the tool has its own description.
        members.remove("title");
        members.remove("description");
        if members.get("type").and_then(Value::as_str) == Some("object") {
            members.entry("properties").or_insert_with(|| Value::Object(serde_json::Map::new()));
            // Both `true` and `{}` accept any value, but only `{}` is a valid property in the
            // protocol's schema.
            if let Some(Value::Object(properties)) = members.get_mut("properties") {
                properties.values_mut().filter(|property| **property == Value::Bool(true)).for_each(
                    |property| {
                        *property = Value::Object(serde_json::Map::new());
                    },
                );
            }
            // An invented parameter is a mistake that the model should be told about (G-17).
            if let Direction::Input = direction {
                members.entry("additionalProperties").or_insert(Value::Bool(false));
            }
        }
    }
    schema
}
