//! Rules: when they apply, what they do, and which ones are invalid.
use overt_policy::Findings;
use overt_policy::record::{Effect, Hints, PiiExposure, SecretsExposure, ToolRecord};
use overt_policy::scope::ScopeSet;
use overt_policy::word::StringEnum;
use overt_policy::{Authority, Limits, Overlays, Rules, Subject, ToolFacts, Verdict};
use serde_json::{Value, json};

fn facts(record: Option<&ToolRecord>) -> ToolFacts {
    ToolFacts::of("files", "delete_all", record, Hints::default()).unwrap()
}

fn rules(value: &Value) -> Rules {
    Rules::parse(value).unwrap_or_else(|findings| panic!("{value}: {findings}"))
}

fn holds(when: &Value, facts: &ToolFacts) -> bool {
    rules(&json!([{"id": "x", "action": "deny", "when": when}])).matching(facts).next().is_some()
}

#[test]
fn pol_18_conditions_are_checked_when_they_are_read() {
    let table: &[(Value, &[&str])] = &[
        (json!({}), &[""]),
        (json!("deny"), &[""]),
        (json!([7]), &["/0"]),
        (json!([{}]), &["/0/id", "/0/action"]),
        (json!([{"id": "", "action": "deny"}]), &["/0/id"]),
        (json!([{"id": 1, "action": "allow"}]), &["/0/id", "/0/action"]),
        (json!([{"id": "a", "action": "deny", "when": {"args": {"x": 1}}}]), &["/0/when/args"]),
        (json!([{"id": "a", "action": "deny", "when": {"card.foo": 1}}]), &["/0/when/card.foo"]),
        (json!([{"id": "a", "action": "deny", "when": []}]), &["/0/when"]),
        (json!([{"id": "a", "action": "deny", "When": {}}]), &["/0/When"]),
        (
            json!([{"id": "a", "action": "deny", "when": {
            "effect_at_least": "strong", "reversible": "no", "pii_at_least": true, "secrets": "some",
            "server": 1, "tool": "[", "declared": 0}}]),
            &[
                "/0/when/effect_at_least",
                "/0/when/reversible",
                "/0/when/pii_at_least",
                "/0/when/secrets",
                "/0/when/server",
                "/0/when/tool",
                "/0/when/declared",
            ],
        ),
        (json!([{"id": "a", "action": "limit"}]), &["/0/limit"]),
        (json!([{"id": "a", "action": "limit", "limit": {}}]), &["/0/limit"]),
        (json!([{"id": "a", "action": "limit", "limit": {"rate": "x"}}]), &["/0/limit/rate", "/0/limit"]),
        (json!([{"id": "a", "action": "deny", "limit": {"seconds": 1}}]), &["/0/limit"]),
        (json!([{"id": "a", "action": "approve", "limit": {"seconds": 1}}]), &["/0/limit"]),
        (json!([{"id": "a", "action": "deny"}, {"id": "a", "action": "approve"}]), &["/1/id"]),
        (Value::Array(vec![json!({"id": "a", "action": "deny"}); 257]), &[""]),
    ];
    for (wrong, at) in table {
        let findings = Rules::parse(wrong).unwrap_err();
        assert_eq!(places(&findings), *at, "{findings}");
    }
    assert!(rules(&Value::Null).is_empty() && rules(&json!([])).is_empty());
    let most: Vec<Value> = (0..256).map(|n| json!({"id": n.to_string(), "action": "deny"})).collect();
    assert_eq!(rules(&Value::Array(most)).iter().count(), 256);
}

#[test]
fn conditions_hold_when_they_could() {
    let undeclared = facts(None);
    let only_hints =
        ToolFacts::of("files", "x", None, Hints { read_only: Some(true), ..Hints::default() }).unwrap();
    let read = facts(Some(&ToolRecord::new(Effect::Read)));
    let external = facts(Some(&ToolRecord { reversible: Some(true), ..ToolRecord::new(Effect::External) }));
    let full = facts(Some(&ToolRecord {
        reversible: Some(false),
        pii_exposure: Some(PiiExposure::Medium),
        secrets_exposure: Some(SecretsExposure::ReadsSecretMaterial),
        ..ToolRecord::new(Effect::Mutating)
    }));
    let nothing = facts(Some(&ToolRecord {
        pii_exposure: Some(PiiExposure::None),
        secrets_exposure: Some(SecretsExposure::None),
        ..ToolRecord::new(Effect::Mutating)
    }));
    // The columns: undeclared, only hints, read, external, with exposures, without exposures.
    let table = [
        (json!({}), [true, true, true, true, true, true]),
        (json!({"effect_at_least": "read"}), [true, true, true, true, true, true]),
        (json!({"effect_at_least": "mutating"}), [true, true, false, true, true, true]),
        (json!({"effect_at_least": "destructive"}), [true, true, false, false, false, false]),
        (json!({"reversible": false}), [true, true, false, false, true, true]),
        (json!({"reversible": true}), [true, true, true, true, false, true]),
        (json!({"pii_at_least": "low"}), [true, true, false, false, true, false]),
        (json!({"pii_at_least": "medium"}), [true, true, false, false, true, false]),
        (json!({"pii_at_least": "high"}), [true, true, false, false, false, false]),
        (json!({"secrets": true}), [true, true, false, false, true, false]),
        (json!({"secrets": false}), [true, true, false, false, false, true]),
        (json!({"secrets": "reads_secret_material"}), [true, true, false, false, true, false]),
        (json!({"secrets": "handles_keys"}), [true, true, false, false, false, false]),
        (json!({"declared": false}), [true, true, false, false, false, false]),
        (json!({"declared": true}), [false, false, true, true, true, true]),
        (json!({"server": "fil*"}), [true, true, true, true, true, true]),
        (json!({"server": "file"}), [false; 6]),
        (json!({"tool": "delete_*"}), [true, false, true, true, true, true]),
        (json!({"tool": "delete_*", "declared": false}), [true, false, false, false, false, false]),
    ];
    for (when, expected) in table {
        let found =
            [&undeclared, &only_hints, &read, &external, &full, &nothing].map(|facts| holds(&when, facts));
        assert_eq!(found, expected, "{when}");
    }
}

/// Deny, approve and limit rules, each present or absent and matching or not, in both orders: more
/// than 64 rows.
#[test]
fn pol_19_order_and_company_never_matter() {
    let facts = facts(Some(&ToolRecord::new(Effect::Mutating)));
    let (matches, misses) = (json!({"tool": "delete_all"}), json!({"tool": "other"}));
    let states = [None, Some(&matches), Some(&misses)];
    let mut rows = 0;
    for deny in states {
        for approve in states {
            for limit in states {
                for (is_base, is_granted) in [(true, true), (true, false), (false, true), (false, false)] {
                    let mut list = Vec::new();
                    list.extend(deny.map(|when| json!({"id": "d", "action": "deny", "when": when})));
                    list.extend(approve.map(|when| json!({"id": "a", "action": "approve", "when": when})));
                    let limits = json!({"seconds": 1});
                    list.extend(
                        limit
                            .map(|when| json!({"id": "l", "action": "limit", "limit": limits, "when": when})),
                    );
                    let is = |state: Option<&Value>| state == Some(&matches);
                    let expected = match (is(deny), is(approve), is_base, is_granted) {
                        (true, ..) => Verdict::Deny,
                        (_, _, _, true) | (_, false, true, _) => Verdict::Allow,
                        _ => Verdict::NeedsApproval,
                    };
                    for _ in 0..2 {
                        list.reverse();
                        let base = if is_base { Authority::open().base } else { ScopeSet::new() };
                        let authority =
                            Authority { rules: rules(&json!(list)), base, ..Authority::careful() };
                        let subject = Subject::Tool { facts: &facts, arguments: Some(&Value::Null) };
                        let decision = authority.decide(subject, &Overlays::default(), &|_| is_granted);
                        assert_eq!(decision.verdict, expected, "{list:?} {is_base} {is_granted}");
                        assert_eq!(decision.limits.time.is_some(), is(limit));
                        rows += 1;
                    }
                }
            }
        }
    }
    assert_eq!(rows, 216);
}

#[test]
fn a_rule_is_named_in_what_it_says() {
    let rules = rules(&json!([
        {"id": "other", "action": "deny", "when": {"tool": "x"}},
        {"id": "no-keys", "action": "deny", "reason": "keys stay here"},
        {"id": "small", "action": "limit", "limit": {"argument_bytes": 5, "result_bytes": 7}},
    ]));
    let authority = Authority { rules, ..Authority::open() };
    let facts = facts(None);
    let arguments = json!({"a": "b"});
    let subject = Subject::Tool { facts: &facts, arguments: Some(&arguments) };
    let decision = authority.decide(subject, &Overlays::default(), &|_| true);
    let said = decision.decisive().unwrap();
    assert_eq!(
        (said.rule.as_deref(), said.why.as_str()),
        (Some("no-keys"), "rule `no-keys`: keys stay here")
    );
    assert_eq!(said.at.as_str(), "/1");
    assert_eq!(
        decision.limits,
        Limits { argument_bytes: Some(5), result_bytes: Some(7), ..Limits::default() }
    );
    let small = decision.verdicts.iter().find(|said| said.rule.as_deref() == Some("small")).unwrap();
    assert_eq!(small.verdict, Verdict::Deny, "the arguments have 9 bytes");
}

#[test]
fn the_words_of_the_table_are_those_of_the_records() {
    for effect in Effect::ALL {
        assert!(
            Rules::parse(&json!([{"id": "a", "action": "deny", "when": {"effect_at_least": effect}}]))
                .is_ok()
        );
    }
    for secrets in SecretsExposure::ALL {
        assert!(Rules::parse(&json!([{"id": "a", "action": "deny", "when": {"secrets": secrets}}])).is_ok());
    }
}

fn places(findings: &Findings) -> Vec<&str> {
    findings.iter().map(|finding| finding.at.as_str()).collect()
}
