//! Validates values against a JSON Schema of the server.
use jsonschema::ValidationError;
use overt_policy::json_schema::{self, PatternSize};
use serde_json::{Value, json};

use super::super::problem::Problem;

/// The most problems that the page shows.
const MOST_PROBLEMS: usize = 50;

/// Returns the problems of a value, each with its path.
pub(super) fn problems(schema: &Value, value: &Value) -> Result<Value, Problem> {
    let validator = json_schema::compile(schema, PatternSize::Usual)
        .map_err(|error| Problem::new(422, format!("the schema can't be used: {error}")))?;
    let problems = validator.iter_errors(value).take(MOST_PROBLEMS);
    let shown = |error: ValidationError<'_>| json!({ "path": error.instance_path().to_string(), "message": error.to_string() });
    Ok(json!({ "problems": problems.map(shown).collect::<Vec<_>>() }))
}
