//! One argument as the user typed it: `name=text` or `name:=json`, either with `@file`.
use overt_wire::json::{Fault, JsonBuf};

use crate::error::Diagnostic;

/// The name of an argument, and its value as typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RawArgument {
    pub(crate) name: String,
    pub(crate) value: RawValue,
}

/// A value before the schema decides how to read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RawValue {
    /// After `=`: the schema decides whether it is text or JSON.
    Text(String),
    /// After `:=`: always JSON.
    Json(JsonBuf),
}

/// The word is not an argument.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RawArgumentError {
    #[error("`{0}` is not an argument")]
    Shape(String),
    #[error("the value of `{name}` is not valid JSON")]
    Json { name: String, source: Fault },
}

impl Diagnostic for RawArgumentError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Shape(_) => "arguments look like `name=value`, `name:=json` or `name=@file`".to_owned(),
            Self::Json { name, .. } => format!("`{name}:=…` takes JSON; for text write `{name}=…`"),
        })
    }
}

impl RawArgument {
    /// Parses a word; `read` returns the content of the path after an `@`.
    pub(crate) fn parse<E>(text: &str, mut read: impl FnMut(&str) -> Result<String, E>) -> Result<Self, E>
    where
        E: From<RawArgumentError>,
    {
        let shape = || RawArgumentError::Shape(text.to_owned());
        let (name, value) = text.split_once('=').ok_or_else(shape)?;
        let (name, is_json) = name.strip_suffix(':').map_or((name, false), |name| (name, true));
        if name.is_empty() {
            return Err(shape().into());
        }
        let value = match value.strip_prefix('@') {
            Some(escaped) if escaped.starts_with('@') => escaped.to_owned(),
            Some(path) => read(path)?,
            None => value.to_owned(),
        };
        let value = if is_json {
            let json = JsonBuf::parse(&value)
                .map_err(|source| RawArgumentError::Json { name: name.to_owned(), source })?;
            RawValue::Json(json)
        } else {
            RawValue::Text(value)
        };
        Ok(Self { name: name.to_owned(), value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<(String, String), RawArgumentError> {
        let word = RawArgument::parse(text, |path| Ok::<_, RawArgumentError>(format!("<{path}>")))?;
        Ok((
            word.name,
            match word.value {
                RawValue::Text(text) => text,
                RawValue::Json(json) => format!("json {}", json.as_str()),
            },
        ))
    }

    #[test]
    fn every_form_is_read() {
        let cases = [
            ("a=b", "a", "b"),
            ("a=", "a", ""),
            ("a=b=c", "a", "b=c"),
            ("a==b", "a", "=b"),
            ("a=@f", "a", "<f>"),
            ("a=@-", "a", "<->"),
            ("a=@@f", "a", "@f"),
            ("a:= [1] ", "a", "json [1]"),
            ("a.b=1", "a.b", "1"),
            ("a=:=1", "a", ":=1"),
        ];
        for (text, name, value) in cases {
            assert_eq!(parse(text).unwrap(), (name.to_owned(), value.to_owned()), "{text}");
        }
    }

    #[test]
    fn other_words_are_refused() {
        assert!(matches!(parse("echo"), Err(RawArgumentError::Shape(_))));
        assert!(matches!(parse("=x"), Err(RawArgumentError::Shape(_))));
        assert!(matches!(parse(":=1"), Err(RawArgumentError::Shape(_))));
        assert!(matches!(parse("a:={\"x\":1,\"x\":2}"), Err(RawArgumentError::Json { .. })));
    }
}
