//! Writes regions as JSON that can be read again. Several layers are a list of lists.
use serde_json::{Map, Value, json};

use super::model::{Region, Regions};
use super::patterns::Patterns;

impl Regions {
    /// Returns null if nothing is restricted.
    pub fn to_json(&self) -> Value {
        let layers: Vec<Value> =
            self.layers.iter().map(|layer| layer.iter().map(Region::to_json).collect()).collect();
        match <[Value; 1]>::try_from(layers) {
            Ok([only]) => only,
            Err(layers) if layers.is_empty() => Value::Null,
            Err(layers) => Value::Array(layers),
        }
    }
}

impl Region {
    fn to_json(&self) -> Value {
        let patterns =
            |list: &Option<Patterns>| list.as_ref().map(|list| json!(list.sorted().collect::<Vec<_>>()));
        let members = [
            ("allow", patterns(&self.allow)),
            ("deny", patterns(&self.deny)),
            ("immutable", patterns(&self.immutable)),
            ("blocked", self.blocked.then(|| json!(true))),
            ("default", self.is_default.then(|| json!(true))),
        ];
        let mut object: Map<String, Value> =
            members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
        let path = Value::String(self.path().to_string());
        if object.is_empty() {
            return path;
        }
        object.insert("path".to_owned(), path);
        Value::Object(object)
    }
}
