//! Compiles JSON Schemas, in one place. References are never fetched, and a pattern takes time
//! linear in its text, because schemas are often untrusted. A crate that compiles schemas itself
//! carries its own copy of the compiler (1 MB).
use jsonschema::{PatternOptions, ValidationError, Validator};
use serde_json::Value;

/// How many bytes the compiled patterns of a schema may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternSize {
    /// The default limit of the regex crate (10 MB).
    Usual,
    AtMost(usize),
}

/// Compiles a schema with the draft that `$schema` names, or with 2020-12 by default, as the
/// protocol requires.
pub fn compile(schema: &Value, patterns: PatternSize) -> Result<Validator, ValidationError<'static>> {
    let options = match patterns {
        PatternSize::Usual => PatternOptions::regex(),
        PatternSize::AtMost(bytes) => PatternOptions::regex().size_limit(bytes).dfa_size_limit(4 * bytes),
    };
    jsonschema::options().with_pattern_options(options).build(schema)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_pattern_that_could_take_long_is_refused() {
        let refused = |pattern: &str| compile(&json!({ "pattern": pattern }), PatternSize::Usual).is_err();
        assert!(!refused("^[a-z]+$"));
        assert!(refused("^(?!a).*$"), "looks ahead");
        assert!(refused("^(a+)\\1$"), "refers back");
        assert!(compile(&json!({ "pattern": "a{1000}{20}" }), PatternSize::AtMost(1024)).is_err());
    }

    #[test]
    fn the_schema_names_its_draft() {
        let tuple = |items: &str, draft: Option<&str>| {
            let mut schema = json!({ items: [{ "type": "string" }] });
            if let Some(draft) = draft {
                schema["$schema"] = draft.into();
            }
            compile(&schema, PatternSize::Usual).map(|schema| schema.is_valid(&json!([1])))
        };
        assert_eq!(tuple("prefixItems", None).ok(), Some(false));
        assert_eq!(tuple("items", Some("http://json-schema.org/draft-07/schema#")).ok(), Some(false));
    }

    #[test]
    fn nothing_is_fetched() {
        let elsewhere = json!({ "$ref": "https://example.com/schema.json" });
        assert!(compile(&elsewhere, PatternSize::Usual).is_err());
    }
}
