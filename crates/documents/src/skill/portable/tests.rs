//! The portable form passes the reference, and converting it back gives the original skill.
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::skill::{Form, Template};

const SOURCE: &str = "---\n# A comment.\nname: pdf\ndescription: Reads PDF files. Use when asked.\nwhen_to_use: often\nallowed-tools:\n  - Read\n  - Bash(git:*)\nuser-invocable: true\nmetadata:\n  author: Ada\nx-personal-mcp:\n  id: pdf\n  version: 1.0.0\n  tags: [a, b]\n  capabilities:\n    - resource://skills/pdf/document\n  depends_on: []\n  references:\n    r:\n      path: references/r.md\n---\n\n# PDF\n--- not a fence\n";

fn value(text: &str) -> Value {
    yaml::read(split(text).unwrap().front.unwrap(), 2).unwrap().value
}

fn problems(text: &str, directory: &str) -> Findings {
    let mut findings = Findings::default();
    refused(text, directory, &mut findings);
    findings
}

#[test]
fn f_20_the_portable_form_of_the_example() {
    let portable = project(SOURCE, "pdf").unwrap();
    assert_eq!(
        portable,
        concat!(
            "---\nname: pdf\ndescription: Reads PDF files. Use when asked.\nmetadata:\n  author: Ada\n",
            "  dev.overt.field.allowed-tools: \"json:[\\\"Read\\\",\\\"Bash(git:*)\\\"]\"\n",
            "  dev.overt.field.when_to_use: often\n  dev.overt.field.user-invocable: json:true\n",
            "  x-personal-mcp.id: pdf\n  x-personal-mcp.version: \"1.0.0\"\n",
            "  x-personal-mcp.tags: \"json:[\\\"a\\\",\\\"b\\\"]\"\n",
            "  x-personal-mcp.capabilities: \"json:[\\\"resource://skills/pdf/document\\\"]\"\n",
            "  x-personal-mcp.depends_on: \"json:[]\"\n",
            "  x-personal-mcp.references: \"json:{\\\"r\\\":{\\\"path\\\":\\\"references/r.md\\\"}}\"\n",
            "allowed-tools: \"Read Bash(git:*)\"\n---\n\n# PDF\n--- not a fence\n",
        )
    );
    assert_eq!(problems(&portable, "pdf"), Findings::default());
    let back = import(&portable).unwrap();
    assert_eq!(value(&back), value(SOURCE));
    assert!(back.ends_with("---\n\n# PDF\n--- not a fence\n"));
}

#[test]
fn what_can_not_be_portable_is_told() {
    for (text, at) in [
        ("# A", "/"),
        ("---\n- a\n---\n", "/"),
        ("---\nname: a--b\ndescription: x\n---\n", "/name"),
        ("---\nname: pdf\ndescription: x\nmetadata: x\n---\n", "/metadata"),
        ("---\nname: pdf\ndescription: x\nmetadata:\n  n: 1\n---\n", "/metadata/n"),
        (
            "---\nname: pdf\ndescription: x\nmetadata:\n  x-personal-mcp.id: y\n---\n",
            "/metadata/x-personal-mcp.id",
        ),
    ] {
        let findings = project(text, "pdf").unwrap_err();
        assert_eq!(findings.iter().next().unwrap().at.to_string(), at, "{text}");
    }
    assert!(import("---\nname: a\nmetadata:\n  b: c\n---\n").is_err());
    assert!(import("---\nname: a\n---\n").is_err());
}

#[test]
fn a_new_skill_can_be_carried_over() {
    for form in [Form::Portable, Form::Repository] {
        let text = Template::new("pdf-tools", None, form).unwrap().render();
        let portable = project(&text, "pdf-tools").unwrap();
        assert_eq!(problems(&portable, "pdf-tools"), Findings::default());
        assert_eq!(portable == text, form == Form::Portable);
    }
    assert!(Template::new("Claude", None, Form::Portable).is_err());
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[ -~é\n\t:#'\"\\\\-]{0,20}".prop_map(Value::from),
        "json:.{0,5}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-z_. -]{1,8}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn the_way_there_and_back(
        block in any_value(),
        extra in prop::collection::vec(("[a-z]{1,6}-x", any_value()), 0..3),
        metadata in prop::collection::vec(("[a-z]{1,6}", "[ -~é\n]{0,12}"), 0..3),
        body in "[ -~é\n-]{0,60}",
    ) {
        let mut members = Map::new();
        members.insert("name".to_owned(), json!("pdf"));
        members.insert("description".to_owned(), json!("Use when asked."));
        if !metadata.is_empty() {
            let metadata: Map<String, Value> = metadata.into_iter().map(|(name, text)| (name, json!(text))).collect();
            members.insert("metadata".to_owned(), Value::Object(metadata));
        }
        members.extend(extra);
        members.insert(REPOSITORY.to_owned(), block);
        let source = format!("---\n{}---\n{body}", yaml::write(&members));
        prop_assert_eq!(value(&source), Value::Object(members.clone()));
        let portable = project(&source, "pdf").unwrap();
        prop_assert_eq!(problems(&portable, "pdf"), Findings::default());
        let is_text = |value: &Value| value.as_object().unwrap().values().all(Value::is_string);
        prop_assert!(is_text(&value(&portable)["metadata"]));
        let back = import(&portable).unwrap();
        prop_assert_eq!(value(&back), Value::Object(members));
        prop_assert_eq!(split(&back).unwrap().body, body);
    }
}
