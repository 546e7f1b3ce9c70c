//! Rust types as JSON Schema, and the check of values against it. No schema is ever fetched.
use std::sync::OnceLock;

use jsonschema::{ValidationError, Validator};
use overt_policy::json_schema::{self, PatternSize};
use overt_wire::json::Object;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

mod direction; // which side of a type is described
mod tidy; // schemas as strict clients read them

pub(super) use direction::Direction;

/// The schema of a tool's arguments or of its result. What is made of it is made when it is first
/// needed: a server starts for every client, and most tools are never called.
pub(super) struct Schema {
    origin: Origin,
    value: OnceLock<Value>,
    validator: OnceLock<Option<Validator>>,
}

enum Origin {
    /// Made from a type, and so right.
    Type(fn() -> Value),
    /// The same, as text that was made before and is compared with the type by a test.
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

    /// The text of this schema, where it is known.
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

    /// Adds it to an object.
    pub(super) fn write(&self, object: Object, name: &str) -> Object {
        match self.origin {
            Origin::Text(text) => object.raw(name, text),
            Origin::Type(_) | Origin::Hand => object.value(name, self.value()),
        }
    }

    /// What is wrong with a schema that was written by hand.
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

    /// Whether its text was made, and looked at, before.
    pub(super) fn is_known(&self) -> bool {
        matches!(self.origin, Origin::Text(_))
    }

    pub(super) fn errors<'a>(&'a self, value: &'a Value) -> Vec<ValidationError<'a>> {
        // Asked first, because it is much cheaper and nearly always the whole answer.
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
