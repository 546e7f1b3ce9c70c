//! Builds the arguments object of a call from words and parameters.
use overt_wire::json::{Json, JsonBuf, Object, quote};

use super::kinds::Kinds;
use super::{AcceptedValues, Parameter, Parameters, RawArgument, RawValue};
use crate::error::Diagnostic;
use overt_operator::near::valid_names;

/// The words do not fit the tool's parameters.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BuildError {
    #[error("`{tool}` has no parameter `{name}`; {valid}")]
    Unknown { tool: String, name: String, valid: String },
    #[error("`{tool}` takes no arguments, and `{name}` was given")]
    TakesNone { tool: String, name: String },
    #[error("`{0}` is given twice")]
    Twice(String),
    #[error("`{name}` takes {expected}, and `{given}` is none")]
    Kind { name: String, expected: String, given: String },
    #[error("`{name}` is one of {choices}, and `{given}` is none of them")]
    Choice { name: String, choices: String, given: String },
    #[error("`{tool}` also needs {missing}")]
    Missing { tool: String, missing: String },
}

impl Diagnostic for BuildError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Twice(name) => {
                Some(format!("for several values in an array write `{name}:='[\"a\",\"b\"]'`"))
            }
            Self::Unknown { .. } | Self::TakesNone { .. } => {
                Some("to send arguments that the schema doesn't describe, use `--json`".to_owned())
            }
            Self::Missing { .. } => Some("`overt list --long` shows what each argument is for".to_owned()),
            Self::Kind { .. } | Self::Choice { .. } => None,
        }
    }
}

/// Builds the object, with members in the order of the words.
pub(crate) fn build(
    tool: &str,
    parameters: &Parameters<'_>,
    words: &[RawArgument],
) -> Result<JsonBuf, BuildError> {
    let mut object = Object::new();
    for (index, word) in words.iter().enumerate() {
        if words[..index].iter().any(|other| other.name == word.name) {
            return Err(BuildError::Twice(word.name.clone()));
        }
        let value = match (&word.value, parameters.get(&word.name)) {
            (_, None) if !parameters.open => return Err(unknown(tool, &word.name, parameters)),
            (RawValue::Json(json), _) => json.clone(),
            (RawValue::Text(text), Some(parameter)) => typed(parameter, text)?,
            (RawValue::Text(text), None) => flexible(Kinds::ANY, text),
        };
        object = object.json(&word.name, value.as_json());
    }
    let missing: Vec<String> = parameters
        .list
        .iter()
        .filter(|parameter| parameter.required && !words.iter().any(|word| word.name == parameter.name))
        .map(|parameter| format!("`{}` ({})", parameter.name, parameter.accepts.label()))
        .collect();
    if !missing.is_empty() {
        return Err(BuildError::Missing { tool: tool.to_owned(), missing: missing.join(", ") });
    }
    Ok(object.finish())
}

fn unknown(tool: &str, name: &str, parameters: &Parameters<'_>) -> BuildError {
    let (tool, name) = (tool.to_owned(), name.to_owned());
    if parameters.list.is_empty() {
        return BuildError::TakesNone { tool, name };
    }
    let valid = valid_names(&name, parameters.list.iter().map(|parameter| parameter.name.as_ref()));
    BuildError::Unknown { tool, name, valid }
}

/// Reads a text according to what the parameter accepts.
fn typed(parameter: &Parameter<'_>, text: &str) -> Result<JsonBuf, BuildError> {
    let accepts = &parameter.accepts;
    let value = value_of(accepts, text).ok_or_else(|| BuildError::Kind {
        name: parameter.name.clone().into_owned(),
        expected: accepts.kinds.present().expected(),
        given: shortened(text),
    })?;
    match accepts.choice_words() {
        Some(choices) if !accepts.allows(value.as_json()) => Err(BuildError::Choice {
            name: parameter.name.clone().into_owned(),
            choices: choices.iter().map(|choice| format!("`{choice}`")).collect::<Vec<_>>().join(", "),
            given: shortened(text),
        }),
        _ => Ok(value),
    }
}

/// Reads a text as a string if only strings are accepted, and as JSON if none are. If both are
/// accepted, it is JSON if it parses as an accepted JSON value other than a string.
pub(crate) fn value_of(accepts: &AcceptedValues<'_>, text: &str) -> Option<JsonBuf> {
    let kinds = accepts.kinds;
    if kinds.present() == Kinds::STRING {
        return string(text);
    }
    if kinds.has(Kinds::STRING) {
        return Some(flexible(kinds, text));
    }
    Json::parse(text).ok().filter(|value| kinds.accept(*value)).map(Json::to_buf)
}

fn flexible(kinds: Kinds, text: &str) -> JsonBuf {
    let json = Json::parse(text).ok().filter(|value| !value.is_string() && kinds.accept(*value));
    json.map(Json::to_buf).or_else(|| string(text)).unwrap_or_else(JsonBuf::empty_object)
}

fn string(text: &str) -> Option<JsonBuf> {
    JsonBuf::parse(&quote(text)).ok()
}

/// Shortens a value for an error message, because it may be a whole file.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r#"{"type":"object","properties":{
        "text":{"type":"string"}, "n":{"type":"integer"}, "x":{"type":"number"}, "on":{"type":"boolean"},
        "list":{"type":"array"}, "obj":{"type":"object"}, "mode":{"enum":["fast","slow"]},
        "maybe":{"anyOf":[{"type":"integer"},{"type":"null"}]}, "either":{"type":["string","number"]}, "any":{}},
        "required":["text"]}"#;

    fn arguments(words: &[&str]) -> Result<String, String> {
        let schema = Json::parse(SCHEMA).unwrap();
        let holder = Object::new().json("s", schema).finish();
        let parameters = Parameters::of(holder.as_json().get("s"));
        let read = |path: &str| Ok::<_, super::super::raw_argument::RawArgumentError>(path.to_owned());
        let words: Vec<RawArgument> =
            words.iter().map(|word| RawArgument::parse(word, read).unwrap()).collect();
        build("t", &parameters, &words).map(JsonBuf::into_string).map_err(|error| error.to_string())
    }

    #[test]
    fn values_are_read_by_the_schema() {
        assert_eq!(
            arguments(&["text=5", "n=5", "x=-0.10", "on=true", "list=[1, 2]", "obj={\"a\":1}", "mode=slow"])
                .unwrap(),
            r#"{"text":"5","n":5,"x":-0.10,"on":true,"list":[1, 2],"obj":{"a":1},"mode":"slow"}"#
        );
        assert_eq!(
            arguments(&["text=", "maybe=null", "either=1", "any=[]", "n:=\"forced\""]).unwrap(),
            r#"{"text":"","maybe":null,"either":1,"any":[],"n":"forced"}"#
        );
        assert_eq!(
            arguments(&["text=a\"b", "either=1a", "any=x"]).unwrap(),
            r#"{"text":"a\"b","either":"1a","any":"x"}"#
        );
    }

    #[test]
    fn what_does_not_fit_is_said_before_the_call() {
        let error = |words: &[&str]| arguments(words).unwrap_err();
        assert_eq!(error(&["text=a", "n=abc"]), "`n` takes an integer, and `abc` is none");
        assert_eq!(error(&["text=a", "n=1.5"]), "`n` takes an integer, and `1.5` is none");
        assert_eq!(error(&["text=a", "maybe=x"]), "`maybe` takes an integer, and `x` is none");
        assert_eq!(error(&["text=a", "on=yes"]), "`on` takes `true` or `false`, and `yes` is none");
        assert_eq!(
            error(&["text=a", "mode=slwo"]),
            "`mode` is one of `fast`, `slow`, and `slwo` is none of them"
        );
        assert_eq!(error(&["n=1"]), "`t` also needs `text` (string)");
        assert_eq!(error(&["text=a", "text=b"]), "`text` is given twice");
        assert!(error(&["txet=a"]).starts_with("`t` has no parameter `txet`; did you mean `text`? "));
    }
}
