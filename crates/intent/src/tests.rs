//! Examples of templates and calls with their sentences. `truth` tests that sentences don't
//! mislead, `properties` tests the same with random input.
mod properties;
mod truth;

use serde_json::{Value, json};

use super::{Template, fallback, sentence};

fn render(template: &str, arguments: &Value) -> String {
    Template::parse(template).render(arguments)
}

#[test]
fn h_06_to_h_08_examples_are_rendered() {
    for row in include_str!("../tests/data/intent-examples.jsonl").lines() {
        let row: Value = serde_json::from_str(row).unwrap();
        let (template, input) = (row["template"].as_str().unwrap(), &row["input"]);
        assert_eq!(render(template, input), row["sentence"].as_str().unwrap(), "{template} with {input}");
    }
}

#[test]
fn groups_are_filled_each_for_itself() {
    for (template, arguments, wanted) in [
        ("[text] stays", json!({}), "text stays"),
        ("{} and {.}", json!({"": 1}), "{} and {.}"),
        ("In [{a} [[{b}]]]", json!({"a": 1, "b": 2}), "In 1 2"),
        ("In [{a} [[{b}]]", json!({"a": 1}), "In 1"),
        ("Not an object {a}", json!([1]), "Not an object {a}"),
        // A list that only an inner group names repeats only the inner group.
        ("[on {a} do [{xs.v}]]", json!({"a": 0, "xs": [{"v": 1}, {"v": 2}]}), "on 0 do 1, 2"),
        ("[{a} [tags {t}]]", json!({"a": [8, 9], "t": [1, 2]}), "8 tags 1, tags 2, 9 tags 1, tags 2"),
        // A list inside an element is one value.
        ("[{a.n}: {a.t}]", json!({"a": [{"n": 8, "t": [1, 2]}, {"n": 9, "t": []}]}), "8: 1, 2, 9: []"),
        ("[{a.n} [with {a.t.v}]]", json!({"a": [{"n": 8, "t": [{"v": 1}, {"v": 2}]}]}), "8 with 1, with 2"),
        ("[{a}]", json!({"a": [[1, 2], [3]]}), "1, 2, 3"),
        ("[{a}] and [{b}]", json!({"a": [], "b": [1]}), "and 1"),
        // A value that is shown outside of a group does not restore the group.
        ("Copy {a}[ from {a} to {b}]", json!({"a": 1}), "Copy 1"),
    ] {
        assert_eq!(render(template, &arguments), wanted, "{template} with {arguments}");
    }
}

#[test]
fn a_call_without_a_template_is_told_in_our_words() {
    for (tool, arguments, wanted) in [
        ("list", json!({}), "call list"),
        ("list", json!(null), "call list"),
        (
            "write",
            json!({"path": "a/b.txt", "n": 1, "ok": true}),
            r#"call write with path="a/b.txt", n=1, ok=true"#,
        ),
        ("write", json!({"gone": "", "no": null}), r#"call write with gone="", no=null"#),
        ("write", json!({"a": ["x", "y z", {"k": 1}]}), r#"call write with a=["x", "y z", {"k": 1}]"#),
        ("drop table\n; yes", json!({"a b": 1}), r#"call "drop table\n; yes" with "a b"=1"#),
    ] {
        assert_eq!(fallback(tool, &arguments), wanted);
    }
    let arguments = json!({"a": "1"});
    assert_eq!(sentence(Some(&Template::parse("Do {a}")), "t", &arguments), r#"Do "1""#);
    assert_eq!(sentence(Some(&Template::parse("[{b}] ")), "t", &arguments), r#"call t with a="1""#);
    assert_eq!(sentence(None, "t", &arguments), r#"call t with a="1""#);
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
        ("Read {x}", vec!["error: has `{x}`, which is not a parameter"]),
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
