//! Values as people see them: short, visible, and without secrets.
use serde_json::{Map, Value};

use super::line::{CUT, Line, is_space};
use crate::secrets::{is_secret_name, spots};

/// Characters of one value.
pub(super) const LONGEST: usize = 120;
/// Stands for a secret.
pub(super) const HIDDEN: &str = "***";
/// What of a text is looked at; far more than is shown.
const LOOKED_AT: usize = 4096;
/// Elements of a list that are looked at.
const ELEMENTS: usize = 100;
/// Levels of an object that are looked at.
const DEEPEST: usize = 8;

/// One value; none where there is nothing to show. A text that is blank is there and must be seen: to replace something by
/// nothing is to delete it.
pub(super) fn show(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) if text.chars().all(is_space) => Some("\"\"".to_owned()),
        Value::String(text) => Some(short(&without_secrets(text))),
        Value::Bool(_) | Value::Number(_) => Some(short(&value.to_string())),
        Value::Object(_) => Some(short(&masked(value, DEEPEST).to_string())),
        Value::Array(items) => {
            let shown: Vec<String> = items.iter().take(ELEMENTS).filter_map(show).collect();
            let more = if items.len() > ELEMENTS { Some(CUT.to_string()) } else { None };
            let shown: Vec<String> = shown.into_iter().chain(more).collect();
            (!shown.is_empty()).then(|| short(&shown.join(", ")))
        }
    }
}

/// At most as long as a value may be.
pub(super) fn short(text: &str) -> String {
    let mut line = Line::new(LONGEST);
    line.push(text);
    line.finish()
}

/// The text with `***` for everything that looks like a real credential.
pub(super) fn without_secrets(text: &str) -> String {
    let (text, cut) = match text.char_indices().nth(LOOKED_AT) {
        Some((end, _)) => (&text[..end], Some(CUT)),
        None => (text, None),
    };
    let mut clean = String::with_capacity(text.len());
    let mut at = 0;
    for spot in spots(text).into_iter().filter(|spot| spot.is_real(text)) {
        if spot.range.start >= at {
            clean.push_str(&text[at..spot.range.start]);
            clean.push_str(HIDDEN);
        }
        at = at.max(spot.range.end);
    }
    clean.push_str(&text[at..]);
    clean.extend(cut);
    clean
}

/// The same value without secrets and without what nobody would see anyway.
fn masked(value: &Value, levels: usize) -> Value {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        Value::String(text) => Value::String(without_secrets(text)),
        Value::Array(_) | Value::Object(_) if levels == 0 => Value::String(CUT.to_string()),
        Value::Array(items) => {
            let shown = items.iter().take(ELEMENTS).map(|item| masked(item, levels - 1));
            shown.chain((items.len() > ELEMENTS).then(|| Value::String(CUT.to_string()))).collect()
        }
        Value::Object(members) => {
            // The text of an object this large is cut anyway.
            let masked = members.iter().take(ELEMENTS).map(|(name, value)| {
                let shown =
                    if is_secret_name(name) { Value::from(HIDDEN) } else { masked(value, levels - 1) };
                (without_secrets(name), shown)
            });
            Value::Object(masked.collect::<Map<_, _>>())
        }
    }
}
