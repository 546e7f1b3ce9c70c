//! A decision in words and as JSON.
use overt_policy::record::{Effect, Hints, ToolRecord};
use overt_policy::scope::Scope;
use overt_policy::{Authority, NoDomain, Overlays, Policy, Rules, Subject, ToolFacts, explain, explain_text};
use serde_json::json;

fn facts() -> ToolFacts {
    let record =
        ToolRecord { scopes: vec!["write:file:{path}".to_owned()], ..ToolRecord::new(Effect::Mutating) };
    ToolFacts::of("files", "write\u{1b}[2J", Some(&record), Hints::default()).unwrap()
}

#[test]
fn each_layer_is_shown_and_the_one_that_decided_is_marked() {
    let rules =
        Rules::parse(&json!([{"id": "slow", "action": "limit", "limit": {"rate": "1/hour"}}])).unwrap();
    let ceiling = Policy::parse(&json!({"effect": "mutating"}), &NoDomain).unwrap();
    let authority = Authority { rules, ceiling, ..Authority::careful() };
    let arguments = json!({"path": "/a/b"});
    let facts = facts();
    let subject = Subject::Tool { facts: &facts, arguments: Some(&arguments) };
    let asked = authority.decide(subject, &Overlays::default(), &|_| false);
    assert_eq!(
        explain_text(&asked),
        "needs a person's approval\n  \
           ceiling    allow          nothing in this policy is against it\n\
         * base       needs_approval it needs `write:file:/a/b`, which is not allowed without asking\n  \
           rules      allow          rule `slow`\n\
         needs: write:file:/a/b\n\
         to be granted: write:file:/a/b, write:file:/a\n\
         to change it: a person grants it, or start with `--allow write:file:/a/b`\n"
    );
    let granted = authority.decide(subject, &Overlays::default(), &|_| true);
    assert!(explain_text(&granted).contains("* grant      allow          a person granted it\n"));
    assert_eq!(
        explain(&asked),
        json!({
            "verdict": "needs_approval",
            "error": false,
            "decided_by": {
                "layer": "base", "verdict": "needs_approval", "at": "/allow",
                "why": "it needs `write:file:/a/b`, which is not allowed without asking",
                "change": "a person grants it, or start with `--allow write:file:/a/b`",
            },
            "layers": [
                {"layer": "ceiling", "verdict": "allow", "why": "nothing in this policy is against it", "at": ""},
                {"layer": "base", "verdict": "needs_approval", "at": "/allow",
                    "why": "it needs `write:file:/a/b`, which is not allowed without asking",
                    "change": "a person grants it, or start with `--allow write:file:/a/b`"},
                {"layer": "rules", "verdict": "allow", "why": "rule `slow`", "at": "/0", "rule": "slow"},
            ],
            "needed_scopes": ["write:file:/a/b"],
            "missing_scopes": ["write:file:/a/b"],
            "requested_scopes": ["write:file:/a/b", "write:file:/a"],
            "limits": {"rate": "1/hour"},
        })
    );
}

#[test]
fn nobody_s_words_act_on_a_terminal() {
    let facts = facts();
    let policy = [Policy::parse(&json!({"tools": {"allow": ["x"]}}), &NoDomain).unwrap()];
    let arguments = json!({"path": "/a\u{202e}b"});
    let overlays = Overlays { call: &policy, ..Overlays::default() };
    let subject = Subject::Tool { facts: &facts, arguments: Some(&arguments) };
    let text = explain_text(&Authority::careful().decide(subject, &overlays, &|_: &[Scope]| false));
    assert!(text.starts_with("denied\n") && text.contains("\\u{1b}"), "{text}");
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
}
