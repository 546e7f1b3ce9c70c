//! Rows of examples, and properties for what no row says.
use overt_wire::text::is_deceptive;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::line::is_space;
use super::{Template, fallback, render, sentence};

fn render(template: &str, arguments: &Value) -> String {
    Template::parse(template).render(arguments)
}

/// A text that is blank is there (X-47), so these rows are not as the prose has them.
const BLANK_IS_THERE: [(&str, &str, &str); 3] = [
    ("Search for {pattern} [in {root}]", r#"{"pattern":"","root":"src"}"#, r#"Search for "" in src"#),
    ("Search for {pattern} [in {root}]", r#"{"pattern":"   ","root":"src"}"#, r#"Search for "" in src"#),
    (
        "Edit {path} [{edits.find} -> {edits.replace}]",
        r#"{"path":"f","edits":[{"find":"x","replace":"y"},{"find":"p","replace":""}]}"#,
        r#"Edit f x -> y, p -> """#,
    ),
];

#[test]
fn h_06_to_h_08_examples_are_rendered_as_the_prose_says() {
    let mut others = 0;
    for row in include_str!("../../tests/data/intent-examples.jsonl").lines() {
        let row: Value = serde_json::from_str(row).unwrap();
        let (template, input) = (row["template"].as_str().unwrap(), &row["input"]);
        let other = BLANK_IS_THERE.iter().find(|(text, arguments, _)| {
            *text == template && serde_json::from_str::<Value>(arguments).unwrap() == *input
        });
        others += usize::from(other.is_some());
        let wanted = other.map_or_else(|| row["prose"].as_str().unwrap(), |(_, _, wanted)| wanted);
        assert_eq!(render(template, input), wanted, "{template} with {input}");
    }
    assert_eq!(others, BLANK_IS_THERE.len());
}

#[test]
fn groups_are_filled_each_for_itself() {
    for (template, arguments, wanted) in [
        ("[text] stays", json!({}), "text stays"),
        ("{} and {.}", json!({"": 1}), "{} and {.}"),
        ("In [{a} [[{b}]]]", json!({"a": 1, "b": 2}), "In 1 2"),
        ("In [{a} [[{b}]]", json!({"a": 1}), "In 1"),
        ("Not an object {a}", json!([1]), "Not an object {a}"),
        // A list that only an inner group names repeats that one.
        ("[on {a} do [{xs.v}]]", json!({"a": "A", "xs": [{"v": 1}, {"v": 2}]}), "on A do 1, 2"),
        ("[{a} [tags {t}]]", json!({"a": ["x", "y"], "t": [1, 2]}), "x tags 1, tags 2, y tags 1, tags 2"),
        // A list in an element is one value.
        ("[{a.n}: {a.t}]", json!({"a": [{"n": "x", "t": [1, 2]}, {"n": "y", "t": []}]}), "x: 1, 2"),
        ("[{a.n} [with {a.t.v}]]", json!({"a": [{"n": "x", "t": [{"v": 1}, {"v": 2}]}]}), "x with 1, with 2"),
        ("[{a}]", json!({"a": [[1, 2], [3]]}), "1, 2, 3"),
        // Side by side, the shorter one ends it.
        ("[{a} to {b}]", json!({"a": [1, 2], "b": ["x"]}), "1 to x"),
        ("[{a}] and [{b}]", json!({"a": [], "b": [1]}), "and 1"),
    ] {
        assert_eq!(render(template, &arguments), wanted, "{template} with {arguments}");
    }
}

#[test]
fn what_cannot_be_seen_is_shown_and_the_end_is_marked() {
    for (value, wanted) in [
        ("a\u{202e}txt.exe", r"Read a\u{202e}txt.exe"),
        ("a\u{1b}[2Jb", r"Read a\u{1b}[2Jb"),
        ("a\u{200b}b\u{feff}", r"Read a\u{200b}b\u{feff}"),
        ("a\u{2028}b\u{85}c", r"Read a\u{2028}b\u{85}c"),
        ("a\r\n\u{a0}b", "Read a b"),
    ] {
        assert_eq!(render("Read {a}", &json!({"a": value})), wanted);
    }
    assert_eq!(render("\u{202e}Read\u{7}", &json!({})), r"\u{202e}Read\u{7}");
    let long = render("Read {a} now", &json!({"a": "x".repeat(10_000)}));
    assert_eq!(long, format!("Read {}… now", "x".repeat(119)));
    let whole = render("[{a}]", &json!({"a": vec!["word"; 100_000]}));
    assert_eq!(whole.chars().count(), 500, "{whole}");
    assert!(whole.ends_with('…'), "{whole}");
    // Nothing hides behind what is too much to look at.
    for far in [format!("x{}y", " ".repeat(9000)), format!("{}y", " ".repeat(9000))] {
        assert!(render("{a}", &json!({"a": far})).ends_with('…'));
    }
    let mut nulls = vec![Value::Null; 5000];
    nulls.push(json!("y"));
    for template in ["{a}", "[{a}]", "{a.b}"] {
        let shown = render(template, &json!({"a": nulls}));
        assert!(shown.ends_with('…') || shown.ends_with('y') || shown == "{a.b}…", "{template}: {shown}");
    }
}

#[test]
fn secrets_are_hidden_by_name_and_by_form() {
    let key = ["ghp_", "Zq7Xv2Lk9Rt4Bm1Ns8Wd5Hc3Yf6Gj0PaQeUo"].concat();
    for (template, arguments, wanted) in [
        (
            "Log in as {user} with {password}",
            json!({"user": "u", "password": "hunter22"}),
            "Log in as u with ***",
        ),
        ("Use {api_key.value}", json!({"api_key": {"value": 5}}), "Use ***"),
        ("Use {auth}", json!({"auth": null}), "Use {auth}"),
        ("Send {body}", json!({"body": {"token": "x", "n": 1}}), r#"Send {"token":"***","n":1}"#),
        ("Run {command}", json!({"command": format!("push {key} now")}), "Run push *** now"),
        ("Open {url}", json!({"url": "http://localhost:3000/a"}), "Open http://localhost:3000/a"),
    ] {
        assert_eq!(render(template, &arguments), wanted, "{template}");
    }
    assert_eq!(fallback("login", &json!({"password": "x", "k": key})), "call login with password=***, k=***");
}

#[test]
fn a_call_without_a_template_is_told_in_our_words() {
    for (tool, arguments, wanted) in [
        ("list", json!({}), "call list"),
        ("list", json!(null), "call list"),
        (
            "write",
            json!({"path": "a/b.txt", "n": 1, "ok": true}),
            "call write with path=a/b.txt, n=1, ok=true",
        ),
        (
            "write",
            json!({"text": "two words", "gone": "", "no": null}),
            r#"call write with text="two words", gone="", no=null"#,
        ),
        ("write", json!({"a": "x, b=y"}), r#"call write with a="x, b=y""#),
        ("write", json!({"a": "x\", b=\"y\\"}), r#"call write with a="x\", b=\"y\\""#),
        ("write", json!({"a": ["x", "y z", {"k": 1}]}), r#"call write with a=[x, "y z", {"k":1}]"#),
        ("drop table\n; yes", json!({"a b": 1}), r#"call "drop table ; yes" with "a b"=1"#),
        ("x", json!({"a": "\u{202e}"}), r#"call x with a="\u{202e}""#),
    ] {
        assert_eq!(fallback(tool, &arguments), wanted);
    }
    let arguments = json!({"a": "1"});
    assert_eq!(sentence(Some(&Template::parse("Do {a}")), "t", &arguments), "Do 1");
    assert_eq!(sentence(Some(&Template::parse("[{b}] ")), "t", &arguments), "call t with a=1");
    assert_eq!(sentence(None, "t", &arguments), "call t with a=1");
}

#[test]
fn h_09_unwise_templates_are_found() {
    let schema = json!({
        "type": "object",
        "required": ["path", "files", "edits"],
        "properties": {
            "path": {"type": "string"},
            "root": {"type": ["string", "null"]},
            "files": {"type": "array", "items": {"type": "string"}},
            "edits": {"type": "array", "items": {"$ref": "#/$defs/Edit"}},
            "filter": {"anyOf": [{"$ref": "#/$defs/Filter"}, {"type": "null"}]},
            "free": {"type": "object"},
        },
        "$defs": {
            "Edit": {"type": "object", "required": ["find"],
                "properties": {"find": {"type": "string"}, "limit": {"type": "integer"}}},
            "Filter": {"type": "object", "properties": {"name": {"type": "string"}}},
        },
    });
    for (template, wanted) in [
        ("Read {path} [in {root}]", vec![]),
        ("Read {files} [{edits.find} [up to {edits.limit}]] [{filter.name}] [{free.any}]", vec![]),
        ("Read {root}", vec!["warning: `{root}` may be missing from a call"]),
        ("Read {edits.limit}", vec!["warning: `{edits.limit}` may be missing"]),
        ("Read {x}", vec!["error: has `{x}`, which is no parameter"]),
        ("Read [{edits.x}]", vec!["warning: has `{edits.x}`, but the schema has no `x` there"]),
        ("Read {edits}", vec!["warning: `{edits}` may be an object"]),
        ("Read [{filter}] [{free}]", vec!["warning: `{filter}` may be", "warning: `{free}` may be"]),
        ("[{files} {edits.find}]", vec!["warning: one group goes through the lists `edits` and `files`"]),
        ("[{files}] [{edits.find}]", vec![]),
        ("Read {path", vec!["warning: has a `{`"]),
        ("Read [{path}", vec!["warning: has a `[`"]),
        ("Read {path}]", vec!["warning: has a `]`"]),
        ("Read {path} { }", vec!["warning: has braces without"]),
        ("[[[[[[[[[{path}]]]]]]]]]", vec!["warning: has more than 8 groups", "warning: has a `]`"]),
    ] {
        let found = Template::parse(template).lint(&schema);
        let found: Vec<String> =
            found.iter().map(|one| format!("{}: {}", one.severity.as_str(), one.problem)).collect();
        assert_eq!(found.len(), wanted.len(), "{template}: {found:?}");
        for (found, wanted) in found.iter().zip(wanted) {
            assert!(found.starts_with(wanted), "{template}: {found}");
        }
    }
    assert!(!Template::parse(&"x".repeat(2001)).lint(&schema).is_empty());
    // A schema that refers to itself.
    let circular = json!({"properties": {"a": {"$ref": "#/properties/a"}}, "required": ["a"]});
    assert!(Template::parse("Read {a}").lint(&circular).is_empty());
}

fn arguments() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[ \\t\\n\u{200b}-\u{2030}a-c]{0,200}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::btree_map("[abc]", inner, 0..4)
                .prop_map(|members| members.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

fn collapsed(text: &str) -> String {
    text.split(is_space).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

proptest! {
    #[test]
    fn a_sentence_is_one_short_line(
        template in prop_oneof![any::<String>(), "[]\\[{}. abc\u{202e}\\n]{0,80}"],
        arguments in arguments(),
    ) {
        for text in [render(&template, &arguments), fallback(&template, &arguments)] {
            prop_assert!(text.chars().count() <= render::LONGEST);
            prop_assert!(!text.contains(is_deceptive), "{:?}", text);
            prop_assert_eq!(collapsed(&text), text);
        }
        Template::parse(&template).lint(&arguments);
    }

    #[test]
    fn text_without_marks_stays_as_it_is(text in "[^\\[\\]{}]{0,400}", arguments in arguments()) {
        let text = text.replace(is_deceptive, " ");
        prop_assert_eq!(render(&text, &arguments), collapsed(&text));
    }
}
