//! Checks the fields that Claude Code defines in addition to the specification (F-04).
use overt_policy::finding::Pointer;
use serde_json::{Map, Value};

use super::Rule;
use super::checker::{Checker, kind};

/// The type of a field.
#[derive(Debug, Clone, Copy)]
enum FieldType {
    Text,
    TextOrList,
    Flag,
    OneOf(&'static [&'static str]),
    /// A text whose type the contract of seed 001 does not check.
    AnyText,
    AnyTextOrList,
    AnyMapping,
}

/// Texts that pydantic accepts as a boolean.
const FLAG_WORDS: [&str; 12] = ["y", "yes", "t", "true", "on", "1", "n", "no", "f", "false", "off", "0"];

/// The fields with their types.
const FIELDS: [(&str, FieldType); 13] = [
    ("when_to_use", FieldType::Text),
    ("argument-hint", FieldType::Text),
    ("arguments", FieldType::TextOrList),
    ("disable-model-invocation", FieldType::Flag),
    ("user-invocable", FieldType::Flag),
    ("disallowed-tools", FieldType::TextOrList),
    ("model", FieldType::AnyText),
    ("effort", FieldType::OneOf(&["low", "medium", "high", "xhigh", "max"])),
    ("context", FieldType::OneOf(&["fork"])),
    ("agent", FieldType::AnyText),
    ("hooks", FieldType::AnyMapping),
    ("paths", FieldType::AnyTextOrList),
    ("shell", FieldType::OneOf(&["bash", "powershell"])),
];

/// A field in which people write `[file]` without quotes, which is a list in YAML.
pub(super) const ARGUMENT_HINT: &str = "argument-hint";

/// The most characters of `description` and `when_to_use` together that the list of skills shows.
const MOST_LISTING: usize = 1536;

pub(super) fn is_field(name: &str) -> bool {
    FIELDS.iter().any(|(known, _)| *known == name)
}

pub(super) fn check(checker: &mut Checker<'_>, members: &Map<String, Value>) {
    for (name, holds) in FIELDS {
        let Some(value) = members.get(name) else { continue };
        let at = Pointer::root().join(name);
        let typed = matches!(holds, FieldType::Text | FieldType::TextOrList | FieldType::Flag);
        let (fits, wanted) = match holds {
            FieldType::Text | FieldType::AnyText => (value.is_string(), "a text"),
            FieldType::TextOrList | FieldType::AnyTextOrList => {
                (is_text_or_list(value), "a text, or a list of texts")
            }
            FieldType::Flag => (value.is_boolean(), "`true` or `false`, without quotes"),
            FieldType::AnyMapping => (value.is_object(), "a mapping"),
            FieldType::OneOf(words) => {
                let fits = value.as_str().is_some_and(|word| words.contains(&word));
                if !fits {
                    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
                    let fix = format!("write one of {}", words.join(", "));
                    checker.add(Rule::ClaudeFieldValue, at, "is not one of its values", fix);
                }
                continue;
            }
        };
        // The checker reports a hint in brackets itself, with the intended text.
        if fits || (name == ARGUMENT_HINT && value.is_array()) {
            continue;
        }
        let means_flag = value.as_str().is_some_and(|word| {
            matches!(holds, FieldType::Flag) && FLAG_WORDS.contains(&word.to_ascii_lowercase().as_str())
        });
        let rule = match (means_flag, typed) {
            (true, _) => Rule::ClaudeFieldFlag,
            (false, true) => Rule::ClaudeFieldType,
            (false, false) => Rule::ClaudeFieldValue,
        };
        checker.add(rule, at, format!("is {}", kind(value)), format!("write {wanted}"));
    }
    let length =
        |name: &str| members.get(name).and_then(Value::as_str).map_or(0, |text| text.trim().chars().count());
    let listing = length("description") + length("when_to_use");
    if listing > MOST_LISTING {
        let at = Pointer::root().join("description");
        let problem = format!("has {listing} characters together with `when_to_use`");
        let fix = format!("the list of skills shows {MOST_LISTING}; shorten them");
        checker.add(Rule::ListingLength, at, problem, fix);
    }
}

fn is_text_or_list(value: &Value) -> bool {
    match value {
        Value::String(_) => true,
        Value::Array(items) => items.iter().all(Value::is_string),
        _ => false,
    }
}
