//! Checks the arguments of a call against the input schema that a third-party server gives for a
//! tool.
use jsonschema::Validator;
use overt_policy::json_schema::{self, PatternSize};
use serde_json::Value;

/// A compiled schema.
#[derive(Debug)]
pub(crate) struct Schema(Validator);

/// The most problems that one message names.
const MOST_PROBLEMS: usize = 3;
/// The most characters of one problem.
const LONGEST: usize = 200;

impl Schema {
    pub(crate) fn compile(schema: &Value) -> Result<Self, String> {
        json_schema::compile(schema, PatternSize::Usual).map(Self).map_err(|error| error.to_string())
    }

    /// Returns a description of what does not fit the schema; `None` if everything fits.
    pub(crate) fn problems(&self, arguments: &Value) -> Option<String> {
        if self.0.is_valid(arguments) {
            return None;
        }
        let problems: Vec<String> = self
            .0
            .iter_errors(arguments)
            .take(MOST_PROBLEMS)
            .map(|error| {
                let place = error.instance_path().as_str().trim_start_matches('/').replace('/', ".");
                let text = if place.is_empty() { error.to_string() } else { format!("`{place}`: {error}") };
                text.chars().take(LONGEST).collect()
            })
            .collect();
        Some(problems.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_does_not_fit_is_named_with_its_place() {
        let schema =
            json!({"type": "object", "required": ["path"], "properties": {"path": {"type": "string"}}});
        let schema = Schema::compile(&schema).unwrap();
        assert_eq!(schema.problems(&json!({"path": "a"})), None);
        assert!(schema.problems(&json!({})).unwrap().contains("path"));
        assert!(schema.problems(&json!({"path": 1})).unwrap().starts_with("`path`"));
    }

    #[test]
    fn a_schema_that_does_not_compile_judges_nothing() {
        assert!(Schema::compile(&json!({"type": 7})).is_err());
    }
}
