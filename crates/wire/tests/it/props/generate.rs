//! Unusual but valid JSON text: unusual numbers, needless escapes, white space, any order of
//! members.
use std::collections::HashSet;

use overt_wire::json::quote;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// The proptest settings of all properties here.
pub(super) fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// White space between tokens, usually none.
pub(super) fn space() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just(String::new()),
        1 => vec(select(vec![' ', '\t', '\r', '\n']), 1..4).prop_map(String::from_iter),
    ]
}

const ESCAPES: [&str; 8] = [r"\n", r"\/", r"\\", r#"\""#, r"\u0061", r"\u00E9", r"\u0000", r"\ud83d\ude00"];

/// The token of a string, possibly with needless escapes.
pub(super) fn string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => any::<char>().prop_map(|c| inside_quotes(&quote(&c.to_string()))),
        3 => select(vec!['a', 'b', 'z', '{', ']', ',', ':', ' ']).prop_map(String::from),
        2 => select(ESCAPES.to_vec()).prop_map(String::from),
        1 => Just("x".repeat(40)),
    ];
    vec(piece, 0..8).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

/// The token of a number that `serde_json` can read too.
pub(super) fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>()
            .prop_filter("finite", |number| number.is_finite())
            .prop_map(|number| format!("{number:e}")),
        select(vec![
            "0",
            "-0",
            "-0.0",
            "1.0",
            "1e2",
            "1E+2",
            "10.50",
            "9007199254740993",
            "1234567890123456789012345",
            "0.1e-7"
        ])
        .prop_map(String::from),
    ]
}

/// The text of any value, without surrounding white space.
pub(super) fn value() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        number(),
        string(),
        select(vec!["null", "true", "false", "{}", "[]", "[ ]", "{\n}"]).prop_map(String::from),
    ];
    scalar.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![array(inner.clone()), members(string(), inner).prop_flat_map(object)]
    })
}

/// The text of an object with members of any kind.
pub(super) fn any_object() -> impl Strategy<Value = String> {
    members(string(), value()).prop_flat_map(object)
}

/// Members whose names differ after decoding.
pub(super) fn members(
    name: impl Strategy<Value = String>,
    value: impl Strategy<Value = String>,
) -> impl Strategy<Value = Vec<(String, String)>> {
    vec((name, value), 0..7).prop_map(|mut members| {
        let mut seen = HashSet::new();
        members.retain(|(name, _)| seen.insert(meaning(name)));
        members
    })
}

/// The text of an object with these members and white space between tokens.
pub(super) fn object(members: Vec<(String, String)>) -> impl Strategy<Value = String> {
    let count = members.len();
    vec(space(), 4 * count).prop_map(move |space| {
        let texts = members.iter().zip(space.chunks(4)).map(|((name, value), space)| {
            format!("{}{name}{}:{}{value}{}", space[0], space[1], space[2], space[3])
        });
        format!("{{{}}}", texts.collect::<Vec<_>>().join(","))
    })
}

fn array(element: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    vec((space(), element, space()), 0..6).prop_map(|elements| {
        let texts = elements.iter().map(|(before, element, after)| format!("{before}{element}{after}"));
        format!("[{}]", texts.collect::<Vec<_>>().join(","))
    })
}

fn inside_quotes(token: &str) -> String {
    token[1..token.len() - 1].to_owned()
}

/// Decodes a string token with `serde_json`.
pub(super) fn meaning(token: &str) -> String {
    serde_json::from_str(token).unwrap()
}
