//! Converts checked text to `serde_json` values and copies long strings only once. serde_json
//! itself collects a string with escapes before it copies it.
use serde_json::{Map, Value};

use super::text::Json;

/// From this many bytes on, the strings of a text are converted one by one.
const LONG: usize = 64 << 10;
/// Number of nested levels that are converted member by member. Deeper values go to serde_json as a
/// whole, so that no text is walked many times.
const MOST_DEPTH: usize = 3;

impl Json<'_> {
    /// Converts the text to a value. Fails if it has a number that a `Value` can't represent, such
    /// as `1e400`.
    pub fn to_value(self) -> serde_json::Result<Value> {
        self.value_within(MOST_DEPTH)
    }

    fn value_within(self, depth: usize) -> serde_json::Result<Value> {
        if self.as_str().len() < LONG {
            return self.read();
        }
        if let Some(text) = self.string() {
            return Ok(Value::String(text.into_owned()));
        }
        match depth.checked_sub(1) {
            Some(depth) if self.is_object() => {
                let mut members = Map::new();
                for (name, value) in self.members() {
                    members.insert(name.name().into_owned(), value.value_within(depth)?);
                }
                Ok(Value::Object(members))
            }
            Some(depth) if self.is_array() => {
                let elements = self.elements().map(|element| element.value_within(depth));
                elements.collect::<Result<_, _>>().map(Value::Array)
            }
            _ => self.read(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// I-12: conversion gives the same result for long and short texts, wherever the long strings
    /// are.
    #[test]
    fn i_12_long_values_mean_what_serde_json_says() {
        let long = "a \\\"line\\\" of text\\n\\u00e9".repeat(LONG / 8);
        let text = format!(
            r#"{{"a":"{long}","b":[1,2.5,null,{{"c":["{long}",{{"d":{{"e":"{long}"}}}}]}}],"f":{{}},"\u0067":true}}"#
        );
        let json = Json::parse(&text).unwrap();
        assert_eq!(json.to_value().unwrap(), json.read::<Value>().unwrap());
        let text = format!(r#"["{long}",1e999]"#);
        assert!(Json::parse(&text).unwrap().to_value().is_err());
    }
}
