//! The parameters that a tool's input schema describes.
use std::borrow::Cow;

use overt_wire::json::{Json, Member};

use super::AcceptedValues;

/// The parameters of a tool.
#[derive(Debug, Clone)]
pub(crate) struct Parameters<'a> {
    pub(crate) list: Vec<Parameter<'a>>,
    /// Whether the schema says that other parameters are allowed too.
    pub(crate) open: bool,
}

/// One parameter.
#[derive(Debug, Clone)]
pub(crate) struct Parameter<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) required: bool,
    pub(crate) accepts: AcceptedValues<'a>,
    pub(crate) schema: Json<'a>,
}

impl<'a> Parameters<'a> {
    /// Reads the parameters of an object schema; any other schema has none.
    pub(crate) fn of(schema: Member<'a>) -> Self {
        let Some(schema) = schema.value() else { return Self { list: Vec::new(), open: false } };
        let required: Vec<_> = schema
            .get("required")
            .value()
            .into_iter()
            .flat_map(Json::elements)
            .filter_map(Json::string)
            .collect();
        let list = schema
            .get("properties")
            .value()
            .into_iter()
            .flat_map(Json::members)
            .map(|(key, property)| {
                let name = key.name();
                let required = required.contains(&name);
                Parameter { name, required, accepts: AcceptedValues::of(property, schema), schema: property }
            })
            .collect();
        Self { list, open: is_open(schema) }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Parameter<'a>> {
        self.list.iter().find(|parameter| parameter.name == name)
    }
}

/// Whether other parameters than the listed ones are allowed. JSON Schema allows them by default,
/// but a tool whose schema does not mention them rarely means that: an unlisted name is far more
/// often a typing mistake.
fn is_open(schema: Json<'_>) -> bool {
    let additional = match schema.get("additionalProperties") {
        Member::Value(value) => value.bool().unwrap_or(true),
        Member::Absent | Member::Null => false,
    };
    // Parameters may be declared inside these members, which this module does not read.
    let elsewhere = ["patternProperties", "$ref", "allOf", "anyOf", "oneOf"];
    additional || elsewhere.into_iter().any(|member| !schema.get(member).is_absent())
}
