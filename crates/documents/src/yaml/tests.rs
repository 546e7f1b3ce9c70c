//! Tests writing, rejections, and that reading reverses writing.
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;
use overt_policy::Pointer;

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(members) = value else { panic!("not an object") };
    members
}

#[test]
fn block_style_with_quotes_where_a_reader_could_stumble() {
    let value = json!({
        "name": "acme-mcp",
        "spec-version": "0.2.0",
        "flag": true,
        "word": "yes",
        "url": "https://acme.com/cli",
        "colon": "a: b",
        "comment": "a #b",
        "cut": "a --- b ---- c",
        "empty": "",
        "package": "@acme/mcp",
        "many": ["x", "1", {"a": 1, "b": ["c"]}],
        "bell": "a\u{7}\u{202e}\u{e0041}",
    });
    let text = write(&object(value.clone()));
    assert_eq!(
        text,
        concat!(
            "name: acme-mcp\n",
            "spec-version: \"0.2.0\"\n",
            "flag: true\n",
            "word: \"yes\"\n",
            "url: https://acme.com/cli\n",
            "colon: \"a: b\"\n",
            "comment: \"a #b\"\n",
            "cut: \"a --\\x2d b --\\x2d- c\"\n",
            "empty: \"\"\n",
            "package: \"@acme/mcp\"\n",
            "many:\n  - x\n  - \"1\"\n  -\n    a: 1\n    b:\n      - c\n",
            "bell: \"a\\x07\\u202e\\U000e0041\"\n",
        )
    );
    assert_eq!(read(&text, 1).unwrap().value, value);
}

#[test]
fn long_text_is_folded() {
    let long = "It manages projects and tasks. Use when the user asks to manage projects, to track tasks, or to work together.";
    let text = write(&object(json!({ "description": long })));
    assert!(text.starts_with("description: >-\n  It manages"), "{text}");
    assert_eq!(text.lines().count(), 3);
    assert_eq!(read(&text, 1).unwrap().value["description"], long);
}

#[test]
fn plain_scalars_mean_what_the_core_schema_says() {
    for (text, value) in [
        ("~", Value::Null),
        ("null", Value::Null),
        ("", Value::Null),
        ("True", json!(true)),
        ("yes", json!("yes")),
        ("0x1F", json!(31)),
        ("0o17", json!(15)),
        ("-12", json!(-12)),
        ("18446744073709551615", json!(u64::MAX)),
        ("1.0", json!(1.0)),
        ("1.0.0", json!("1.0.0")),
        ("1e3", json!(1000.0)),
        ("2026-01-21", json!("2026-01-21")),
        ("12:30", json!("12:30")),
        ("'1'", json!("1")),
        ("[a, 2]", json!(["a", 2])),
    ] {
        let yaml = read(&format!("v: {text}\n"), 1).unwrap();
        assert_eq!(yaml.value["v"], value, "{text}");
    }
}

#[test]
fn what_readers_could_disagree_on_is_refused_with_its_line() {
    for (text, wanted) in [
        ("a: 1\nb: 2\na: 3\n", "/a: line 3: has a name that is already on line 1"),
        ("a: &x 1\n", "/a: line 1: has an anchor"),
        ("a: &x 1\nb: *x\n", "/b: line 2: is an alias"),
        ("a: !!str 1\n", "/a: line 1: has a tag"),
        ("a: 1\n---\nb: 2\n", "line 2: begins a second document"),
        ("a: .inf\n", "is a number that JSON does not have"),
        ("? [a]\n: b\n", "has a name that is a list"),
        ("a: [\n", "is not YAML"),
        ("a: b: c\n", "is not YAML"),
    ] {
        let findings = read(text, 1).unwrap_err().to_string();
        assert!(findings.contains(wanted), "{text}: {findings}");
    }
}

#[test]
fn size_and_depth_are_bounded() {
    assert!(read(&"a".repeat(MOST_BYTES + 1), 1).unwrap_err().to_string().contains("at most 65536"));
    assert!(read(&"[".repeat(5000), 1).is_err());
    let name = |length| format!("{}: 1\n", "\u{16}".repeat(length));
    let written = write(read(&name(MOST_NAME), 1).unwrap().value.as_object().unwrap());
    assert!(read(&written, 1).is_ok(), "the longest name can be written and read");
    assert!(read(&name(MOST_NAME + 1), 1).unwrap_err().to_string().contains("at most 200"));
    let deep = format!("{}{}", "[".repeat(40), "]".repeat(40));
    assert!(read(&deep, 1).unwrap_err().to_string().contains("at most 32 levels"));
}

#[test]
fn values_know_their_place_in_the_file() {
    let yaml = read("a: 1\nb:\n  - x\n  - y\n", 2).unwrap();
    let at = Pointer::root().join("b").index(1);
    assert_eq!(yaml.place(&at), Some(LineColumn { line: 5, column: 5 }));
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::String),
        "[a-z:#\\- ]{0,30}".prop_map(Value::String),
        "([a-zA-Z.,:#\\-]{1,9} ){15,20}[a-z]".prop_map(Value::String),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::btree_map("[a-zA-Z\\-: #0-9]{0,9}", inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(members in prop::collection::btree_map(any::<String>(), any_value(), 1..5)) {
        let members: Map<String, Value> = members.into_iter().collect();
        let text = write(&members);
        prop_assert!(!text.contains("---"));
        let back = read(&text, 1);
        prop_assert_eq!(back.map(|yaml| yaml.value), Ok(Value::Object(members)), "{}", text);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in any::<String>(), piece in "[-a:\\[\\]{}&*!|>'\"#%@`, \n\t]{0,60}") {
        let _ = read(&text, 1);
        let _ = read(&piece, 1);
    }
}
