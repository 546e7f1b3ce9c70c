//! Constraints on arguments: JSON Schema without keywords that could make a check expensive or have
//! no effect (POL-22).
use std::sync::Arc;

use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use crate::finding::{Findings, Pointer};
use crate::json_schema::{self, PatternSize};
use crate::members::{brief, kind};

const MOST_BYTES: usize = 16 * 1024;
const MOST_DEPTH: usize = 16;
/// The most bytes of one compiled pattern.
const PATTERN_BYTES: usize = 256 * 1024;

/// The kind of value that a keyword takes.
enum KeywordContent {
    Schema,
    Schemas,
    NamedSchemas,
    /// Any value; it contains no schema.
    Value,
}

/// The allowed keywords. A validator would ignore any other one, and a constraint that is ignored
/// because of a typing error restricts nothing. References are not allowed: with them, a small
/// schema can cost more than any limit.
const KEYWORDS: &[(&str, KeywordContent)] = &[
    ("type", KeywordContent::Value),
    ("enum", KeywordContent::Value),
    ("const", KeywordContent::Value),
    ("title", KeywordContent::Value),
    ("description", KeywordContent::Value),
    ("multipleOf", KeywordContent::Value),
    ("maximum", KeywordContent::Value),
    ("exclusiveMaximum", KeywordContent::Value),
    ("minimum", KeywordContent::Value),
    ("exclusiveMinimum", KeywordContent::Value),
    ("maxLength", KeywordContent::Value),
    ("minLength", KeywordContent::Value),
    ("pattern", KeywordContent::Value),
    ("maxItems", KeywordContent::Value),
    ("minItems", KeywordContent::Value),
    ("uniqueItems", KeywordContent::Value),
    ("maxContains", KeywordContent::Value),
    ("minContains", KeywordContent::Value),
    ("maxProperties", KeywordContent::Value),
    ("minProperties", KeywordContent::Value),
    ("required", KeywordContent::Value),
    ("dependentRequired", KeywordContent::Value),
    ("prefixItems", KeywordContent::Schemas),
    ("allOf", KeywordContent::Schemas),
    ("anyOf", KeywordContent::Schemas),
    ("oneOf", KeywordContent::Schemas),
    ("items", KeywordContent::Schema),
    ("contains", KeywordContent::Schema),
    ("additionalProperties", KeywordContent::Schema),
    ("propertyNames", KeywordContent::Schema),
    ("not", KeywordContent::Schema),
    ("if", KeywordContent::Schema),
    ("then", KeywordContent::Schema),
    ("else", KeywordContent::Schema),
    ("properties", KeywordContent::NamedSchemas),
    ("patternProperties", KeywordContent::NamedSchemas),
    ("dependentSchemas", KeywordContent::NamedSchemas),
];

/// Compiles a schema. Returns `None` and adds findings if it can't be used.
pub(super) fn compile(schema: &Value, at: &Pointer, findings: &mut Findings) -> Option<Arc<Validator>> {
    let bytes = schema.to_string().len();
    if bytes > MOST_BYTES {
        let problem = format!("is a schema of {bytes} bytes");
        findings.error(at.clone(), problem, format!("use at most {MOST_BYTES} bytes"));
        return None;
    }
    if !check(schema, at, MOST_DEPTH, findings) {
        return None;
    }
    match json_schema::compile(schema, PatternSize::AtMost(PATTERN_BYTES)) {
        Ok(validator) => Some(Arc::new(validator)),
        Err(error) => {
            let at = Pointer::parse(error.instance_path().as_str())
                .map_or_else(|| at.clone(), |inner| at.append(&inner));
            findings.error(
                at,
                format!("is not a schema: {}", brief(&error.to_string())),
                "correct the schema",
            );
            None
        }
    }
}

/// Describes what is wrong with a value, without showing the value.
pub(super) fn phrase(error: &ValidationError<'_>) -> String {
    let at = error.instance_path().as_str();
    let problem = error.masked_with("it").to_string();
    if at.is_empty() { brief(&problem) } else { format!("`{}`: {}", brief(at), brief(&problem)) }
}

/// Returns whether the schema uses only allowed keywords, and reports the others.
fn check(schema: &Value, at: &Pointer, depth: usize, findings: &mut Findings) -> bool {
    if depth == 0 {
        findings.error(at.clone(), format!("is nested over {MOST_DEPTH} deep"), "use a flatter schema");
        return false;
    }
    let object = match schema {
        Value::Object(object) => object,
        Value::Bool(_) => return true,
        other => {
            findings.error(
                at.clone(),
                format!("must be a schema, but is {}", kind(other)),
                "write an object",
            );
            return false;
        }
    };
    let mut is_good = true;
    for (name, value) in object {
        let at = at.join(name);
        let Some((_, holds)) = KEYWORDS.iter().find(|(keyword, _)| keyword == name) else {
            findings.error(
                at,
                "is not a keyword that constrains arguments",
                "remove it; JSON Schema 2020-12 without references and formats can be used",
            );
            is_good = false;
            continue;
        };
        is_good &= match (holds, value) {
            (KeywordContent::Value, _) => true,
            (KeywordContent::Schema, schema) => check(schema, &at, depth - 1, findings),
            (KeywordContent::Schemas, Value::Array(schemas)) => {
                let check = |(index, schema)| check(schema, &at.index(index), depth - 1, findings);
                schemas.iter().enumerate().map(check).fold(true, |all, one| all & one)
            }
            (KeywordContent::NamedSchemas, Value::Object(schemas)) => {
                let check = |(name, schema): (&String, _)| check(schema, &at.join(name), depth - 1, findings);
                schemas.iter().map(check).fold(true, |all, one| all & one)
            }
            (KeywordContent::Schemas | KeywordContent::NamedSchemas, other) => {
                findings.error(at, format!("can't be {}", kind(other)), "see JSON Schema 2020-12");
                false
            }
        };
    }
    is_good
}
