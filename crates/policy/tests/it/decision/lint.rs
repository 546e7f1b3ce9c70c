//! Warnings about entries that are valid but can't be intended.
use overt_policy::{Findings, Pointer, Severity};
use overt_policy::{NoDomain, Policy, Rules, lint_policy, lint_rules};
use overt_settings::DeclaredSettings;
use overt_settings::config::Config;
use overt_settings::toml_file::{FileError, LineColumn};
use serde_json::{Value, json};

fn places(findings: &Findings) -> Vec<&str> {
    assert!(findings.iter().all(|finding| finding.severity == Severity::Warning));
    findings.iter().map(|finding| finding.at.as_str()).collect()
}

#[test]
fn policies_that_allow_nothing_or_say_nothing() {
    let table: &[(Value, &[&str])] = &[
        (json!({}), &[]),
        (json!({"tools": {"allow": []}}), &["/policy/tools/allow"]),
        (json!({"resources": {"allow": []}}), &["/policy/resources/allow"]),
        (json!({"scopes": {"allow": []}}), &["/policy/scopes/allow"]),
        (
            json!({"tools": {"allow": ["a", "b*", "c"], "deny": ["b*", "c"]}}),
            &["/policy/tools/allow/1", "/policy/tools/allow/2"],
        ),
        (json!({"prompts": {"allow": ["a"], "deny": ["*"]}}), &["/policy/prompts/allow/0"]),
        (
            json!({"scopes": {"allow": ["read", "write:file:/a"], "deny": ["write"]}}),
            &["/policy/scopes/allow/1"],
        ),
        (json!({"scopes": {"allow": ["write"], "deny": ["write:file:/a"]}}), &[]),
        (json!({"effect": "destructive"}), &["/policy/effect"]),
        (json!({"effect": "external"}), &[]),
    ];
    for (policy, at) in table {
        let policy = Policy::parse(policy, &NoDomain).unwrap();
        assert_eq!(places(&lint_policy(&policy, &Pointer::root().join("policy"))), *at, "{policy:?}");
    }
}

#[test]
fn rules_that_another_one_makes_pointless() {
    // The conditions of a deny rule, the conditions of the next rule, and whether the second rule
    // is pointless.
    let table = [
        (json!({}), json!({"tool": "x"}), true),
        (json!({"tool": "x"}), json!({}), false),
        (json!({"effect_at_least": "mutating"}), json!({"effect_at_least": "destructive"}), true),
        (json!({"effect_at_least": "destructive"}), json!({"effect_at_least": "mutating"}), false),
        (json!({"pii_at_least": "low"}), json!({"pii_at_least": "low", "declared": true}), true),
        (json!({"pii_at_least": "high"}), json!({"pii_at_least": "low"}), false),
        (json!({"reversible": false}), json!({"reversible": false, "secrets": true}), true),
        (json!({"reversible": false}), json!({"reversible": true}), false),
        (json!({"secrets": true}), json!({"secrets": "handles_keys"}), false),
        (json!({"declared": false}), json!({"declared": true}), false),
        (json!({"tool": "a*"}), json!({"tool": "ab*"}), true),
        (json!({"tool": "ab*"}), json!({"tool": "a*"}), false),
        (json!({"server": "s"}), json!({"server": "s", "tool": "x"}), true),
        (json!({"server": "s"}), json!({"server": "t"}), false),
    ];
    for (deny, approve, is_pointless) in table {
        let rules = json!([
            {"id": "a", "action": "approve", "when": approve},
            {"id": "d", "action": "deny", "when": deny},
        ]);
        let found = lint_rules(&Rules::parse(&rules).unwrap(), &Pointer::root());
        assert_eq!(places(&found), if is_pointless { &["/0"][..] } else { &[] }, "{rules}");
    }
    let same = json!([{"id": "a", "action": "deny"}, {"id": "b", "action": "deny"}, {"id": "c", "action": "approve"}]);
    assert_eq!(places(&lint_rules(&Rules::parse(&same).unwrap(), &Pointer::root())), ["/1", "/2"]);
}

#[test]
fn a_file_is_told_everything_at_once_with_its_lines() {
    let file = "\
[policy]
effect = \"destructive\"
tools.allow = [\"read_*\"]
tools.dney = [\"x\"]

[[rules]]
id = \"a\"
action = \"deny\"

[[rules]]
id = \"b\"
action = \"approve\"
when = { colour = \"red\" }
";
    let found = Config::check(file, &DeclaredSettings::default()).unwrap();
    let found: Vec<_> = found
        .iter()
        .map(|(place, finding)| (place.unwrap(), finding.severity, finding.at.as_str()))
        .collect();
    let at = |line, column| LineColumn { line, column };
    assert_eq!(
        found,
        [
            (at(2, 10), Severity::Warning, "/policy/effect"),
            (at(4, 14), Severity::Error, "/policy/tools/dney"),
            (at(10, 1), Severity::Warning, "/rules/1"),
            (at(13, 19), Severity::Error, "/rules/1/when/colour"),
        ]
    );
    let broken = Config::check("# ü\n[policy", &DeclaredSettings::default()).unwrap_err();
    assert!(
        matches!(broken, FileError::Toml { place: LineColumn { line: 2, column: 8 }, .. }),
        "the end of the second line: {broken:?}"
    );
}
