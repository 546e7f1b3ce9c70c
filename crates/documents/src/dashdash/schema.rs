//! Our JSON Schemas of the dashdash objects. `schemas/` has them as files, and a test compares
//! both.
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::{ResourceObject, ServerObject, ToolObject};

/// Returns each schema with its file name.
pub fn schemas() -> [(&'static str, Value); 3] {
    [
        ("dashdash-server.schema.json", of::<ServerObject>()),
        ("dashdash-tool.schema.json", of::<ToolObject>()),
        ("dashdash-resource.schema.json", of::<ResourceObject>()),
    ]
}

fn of<T: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>().to_value()
}
