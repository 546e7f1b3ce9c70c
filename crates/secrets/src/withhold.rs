//! Removes from a third party's document what `scan` would find in it, so that the rest can be
//! published. Placeholders and ordinary words stay, unlike in a log, where everything that may be a
//! credential is hidden.
use std::mem;

use serde_json::{Map, Value};

use super::address;
use super::hide::HIDDEN;
use super::kind::Kind;
use super::names::is_secret_name;
use super::real;
use super::scan::kinds;
use super::secret_spans::secret_spans;

/// Replaces everything that must not be published by `[redacted]`, including names of members.
/// Returns the kinds of what was replaced, without duplicates.
pub fn withhold(document: &mut Value) -> Vec<Kind> {
    let mut found = Vec::new();
    visit(document, None, &mut found);
    found
}

fn visit(value: &mut Value, name: Option<&str>, found: &mut Vec<Kind>) {
    match value {
        Value::String(text) => {
            if let Some(shown) = without(text, found) {
                *text = shown;
            } else if name.is_some_and(is_secret_name) && real::is_value(text) {
                note(Kind::Member, found);
                HIDDEN.clone_into(text);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| visit(item, name, found)),
        Value::Object(members) => {
            if members.keys().any(|name| !kinds(name).is_empty()) {
                *members = renamed(mem::take(members), found);
            }
            for (name, value) in members.iter_mut() {
                visit(value, Some(name), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the members under names that can be published. Names that become equal get a number.
fn renamed(members: Map<String, Value>, found: &mut Vec<Kind>) -> Map<String, Value> {
    let mut out = Map::new();
    for (name, value) in members {
        let shown = without(&name, found).unwrap_or(name);
        let mut unique = shown.clone();
        let mut number = 2;
        while out.contains_key(&unique) {
            unique = format!("{shown} {number}");
            number += 1;
        }
        out.insert(unique, value);
    }
    out
}

/// Replaces everything in a text that must not be published. Returns `None` if there is no such
/// thing in it.
fn without(text: &str, found: &mut Vec<Kind>) -> Option<String> {
    let kinds_found = kinds(text);
    if kinds_found.is_empty() {
        return None;
    }
    kinds_found.into_iter().for_each(|kind| note(kind, found));
    let real = secret_spans(text).into_iter().filter(|span| span.is_real(text)).map(|span| {
        // A full stop after a key belongs to the sentence.
        let length = text[span.range.clone()].trim_end_matches('.').len();
        span.range.start..span.range.start + length
    });
    let mut ranges: Vec<_> = real.chain(address::internal(text)).collect();
    ranges.sort_by_key(|range| range.start);
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for range in ranges {
        // A range may begin within the previous one.
        if range.start >= copied {
            out.push_str(&text[copied..range.start]);
            out.push_str(HIDDEN);
        }
        copied = copied.max(range.end);
    }
    out.push_str(&text[copied..]);
    // The rest may look like a credential again, because its surroundings have changed.
    Some(if kinds(&out).is_empty() { out } else { HIDDEN.to_owned() })
}

fn note(kind: Kind, found: &mut Vec<Kind>) {
    if !found.contains(&kind) {
        found.push(kind);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::scan;

    /// Has the form of a GitHub key, but is not one.
    const KEY: [&str; 3] = ["ghp_", "aZ4kQ9mB2xV7nL1pR8sT", "5wY3cE6dF0gH"];

    #[test]
    fn h_34_only_what_must_not_be_published_is_replaced() {
        let key = KEY.concat();
        let mut document = json!({
            "description": format!("Pass a token, such as {key}, or <token>; never {key}. See http://10.1.2.3:80/x and http://localhost/."),
            "inputSchema": {"properties": {
                "api_key": {"type": "string", "examples": [key], "default": "YOUR_KEY"},
                "item_key": {"default": "PROJ-1234567890abcdef"},
            }},
            "password": "q9Z!kd82Lm0x",
            (key.clone()): 1,
        });
        let found = withhold(&mut document);
        assert_eq!(
            document,
            json!({
                "description": "Pass a token, such as [redacted], or <token>; never [redacted]. See http://[redacted]/x and http://localhost/.",
                "inputSchema": {"properties": {
                    "api_key": {"type": "string", "examples": ["[redacted]"], "default": "YOUR_KEY"},
                    "item_key": {"default": "PROJ-1234567890abcdef"},
                }},
                "password": "[redacted]",
                "[redacted]": 1,
            })
        );
        assert_eq!(found, [Kind::ServiceKey("GitHub"), Kind::Internal, Kind::Member]);
        assert_eq!(withhold(&mut document), []);
    }

    #[test]
    fn names_stay_different() {
        let [one, two] = ["a", "b"].map(|end| format!("{}{end}", KEY.concat()));
        let mut document = json!({ one: 1, two: 2, "[redacted]": 3 });
        withhold(&mut document);
        assert_eq!(document, json!({ "[redacted]": 1, "[redacted] 2": 2, "[redacted] 3": 3 }));
    }

    proptest! {
        /// Nothing is found in what is left, whatever the server sent.
        #[test]
        fn nothing_is_found_afterwards(
            texts in prop::collection::vec("(token|password=|api_key: |Bearer |://u:|@h/|10\\.0\\.0\\.[1-9]|[a-zA-Z0-9]{8,24}|ghp_[a-zA-Z0-9]{36}| |\"|x){0,8}", 1..6),
        ) {
            let mut document = json!({ "password": texts[0], "rest": texts, (texts[0].clone()): 1 });
            withhold(&mut document);
            prop_assert!(scan(&document).is_empty(), "{document}");
        }
    }
}
