//! Policies: what is accepted, what is rejected and where, and what is wider than the policy in
//! force.
use overt_policy::record::{Effect, Hints, ToolRecord};
use overt_policy::{Authority, DomainFields, NoDomain, Overlays, Policy, Subject, ToolFacts, Verdict};
use overt_policy::{Findings, Pointer};
use serde_json::{Value, json};

fn policy(value: &Value) -> Policy {
    Policy::parse(value, &NoDomain).unwrap_or_else(|findings| panic!("{value}: {findings}"))
}

/// Returns the verdict of these policies alone about a tool that reads a path.
fn verdict(policies: &[Value], tool: &str, arguments: &Value) -> Verdict {
    let record = ToolRecord { scopes: vec!["read:file:{path}".to_owned()], ..ToolRecord::new(Effect::Read) };
    let facts = ToolFacts::of("s", tool, Some(&record), Hints::default()).unwrap();
    let policies: Vec<Policy> = policies.iter().map(policy).collect();
    let subject = Subject::Tool { facts: &facts, arguments: Some(arguments) };
    Authority::open()
        .decide(subject, &Overlays { call: &policies, ..Overlays::default() }, &|_| false)
        .verdict
}

#[test]
fn pol_04_allow_lists_intersect() {
    let base = json!({"tools": {"allow": ["src_*"]}, "scopes": {"allow": ["read:file:/a"]}});
    let wide = json!({"tools": {"allow": ["*"]}, "scopes": {"allow": ["read"]}});
    let inside = json!({"path": "/a/x"});
    for both in [[base.clone(), wide.clone()], [wide.clone(), base.clone()]] {
        assert_eq!(verdict(&both, "src_x", &inside), Verdict::Allow);
        assert_eq!(verdict(&both, "docs", &inside), Verdict::Deny);
        assert_eq!(verdict(&both, "src_x", &json!({"path": "/b"})), Verdict::Deny);
    }
    // Nothing is ignored silently: the attempt is reported.
    assert_eq!(places(&policy(&wide).widens(&policy(&base))), ["/tools/allow/0", "/scopes/allow/0"]);
}

#[test]
fn pol_05_an_empty_deny_replaces_nothing() {
    let base = json!({"tools": {"deny": ["x"]}, "scopes": {"deny": ["read:file:/a"]}});
    for overlay in [
        json!({"tools": {"deny": []}, "scopes": {"deny": []}}),
        json!({"tools": {"deny": null}, "scopes": {"deny": null}}),
        json!({"tools": {}, "scopes": {}}),
        json!({"tools": null, "scopes": null}),
        json!({}),
    ] {
        assert!(policy(&overlay).is_top(), "{overlay}");
        let both = [base.clone(), overlay];
        assert_eq!(verdict(&both, "x", &json!({"path": "/b"})), Verdict::Deny);
        assert_eq!(verdict(&both, "y", &json!({"path": "/a"})), Verdict::Deny);
        assert_eq!(verdict(&both, "y", &json!({"path": "/b"})), Verdict::Allow);
    }
}

#[test]
fn pol_06_an_empty_allow_list_allows_nothing() {
    for (policy, expected) in [
        (json!({"tools": {"allow": []}}), Verdict::Deny),
        (json!({"scopes": {"allow": []}}), Verdict::Deny),
        (json!({"tools": {"allow": null}}), Verdict::Allow),
        (json!({"scopes": {"allow": null}}), Verdict::Allow),
        (json!({"effect": null, "arguments": null, "limits": null}), Verdict::Allow),
        (json!({"limits": {"argument_bytes": null, "rate": null}}), Verdict::Allow),
    ] {
        assert_eq!(verdict(std::slice::from_ref(&policy), "x", &json!({"path": "/a"})), expected, "{policy}");
    }
}

#[test]
fn pol_07_what_is_not_known_is_refused_at_any_depth() {
    let table: &[(Value, &[&str])] = &[
        (json!({"Tools": {}}), &["/Tools"]),
        (json!({"roots2": []}), &["/roots2"]),
        (json!({"approval": "never"}), &["/approval"]),
        (json!({"read_only": false, "blocked": false}), &["/read_only", "/blocked"]),
        (json!({"tools": {"Allow": []}}), &["/tools/Allow"]),
        (json!({"tools": {"allow": [], "extra": null}}), &[]),
        (json!({"scopes": {"grant": ["write"]}}), &["/scopes/grant"]),
        (json!({"limits": {"max_bytes": 1, "seconds": 0}}), &["/limits/seconds", "/limits/max_bytes"]),
        (json!({"arguments": {"x": {"minLenght": 3}}}), &["/arguments/x/minLenght"]),
        (json!({"arguments": {"x": {"properties": {"p": {"max": 3}}}}}), &["/arguments/x/properties/p/max"]),
    ];
    for (policy, at) in table {
        let found = Policy::parse(policy, &NoDomain).err().unwrap_or_default();
        assert_eq!(places(&found), *at, "{policy}");
    }
    // If the numbers are larger than those in force, the smaller ones apply and the attempt is
    // reported.
    let base = policy(
        &json!({"limits": {"argument_bytes": 10, "result_bytes": 10, "seconds": 1, "rate": "10/minute"}}),
    );
    let wide = policy(&json!({"limits":
        {"argument_bytes": 1_000_000_000_000_u64, "result_bytes": 11, "seconds": 1e9, "rate": "1000000000/second"}}));
    assert_eq!(base.meet(&wide).limits, base.limits.meet(&wide.limits));
    assert_eq!(base.limits.meet(&wide.limits), base.limits);
    let at = ["/limits/argument_bytes", "/limits/result_bytes", "/limits/seconds", "/limits/rate"];
    assert_eq!(places(&wide.widens(&base)), at);
    assert!(base.widens(&wide).is_empty());
}

#[test]
fn pol_08_a_policy_of_another_type_is_an_error() {
    for wrong in
        [json!("x"), json!(1), json!(true), json!([1]), json!([null]), json!([[{}]]), json!([{}, "x"])]
    {
        assert!(Policy::chain(&wrong, &NoDomain).is_err(), "{wrong}");
    }
    assert!(Policy::parse(&Value::Null, &NoDomain).is_err());
    let chain = |value: Value| Policy::chain(&value, &NoDomain).map(|chain| chain.len()).ok();
    assert_eq!(chain(Value::Null), Some(0));
    assert_eq!(chain(json!([])), Some(0));
    assert_eq!(chain(json!({})), Some(1));
    assert_eq!(chain(Value::Array(vec![json!({"effect": "read"}); 16])), Some(16));
    assert_eq!(chain(Value::Array(vec![json!({}); 17])), None);
    let findings = Policy::chain(&json!([{}, {"effect": "none"}, 7]), &NoDomain).unwrap_err();
    assert_eq!(places(&findings), ["/1/effect", "/2"]);
}

#[test]
fn pol_08_wrong_types_are_all_reported_at_once() {
    let wrong = json!({
        "tools": [], "resources": {"allow": "x"}, "prompts": {"deny": [1, "ok"]},
        "scopes": {"allow": ["read", "READ"], "deny": ["read::"]},
        "effect": "none", "arguments": {"[": true, "x": 7},
        "limits": {"argument_bytes": -1, "result_bytes": 1.5, "seconds": "1", "rate": "fast"},
    });
    let findings = Policy::parse(&wrong, &NoDomain).unwrap_err();
    let mut found = places(&findings);
    found.sort_unstable();
    let mut at = [
        "/tools",
        "/resources/allow",
        "/prompts/deny/0",
        "/scopes/allow/1",
        "/scopes/deny/0",
        "/effect",
        "/arguments/[",
        "/arguments/x",
        "/limits/argument_bytes",
        "/limits/result_bytes",
        "/limits/seconds",
        "/limits/rate",
    ];
    at.sort_unstable();
    assert_eq!(found, at, "{findings}");
}

#[test]
fn pol_08_what_is_too_large_is_an_error() {
    let globs: Vec<String> = (0..257).map(|number| format!("t{number}")).collect();
    let scopes: Vec<String> = (0..1025).map(|number| format!("read:x:{number}")).collect();
    let constraints: serde_json::Map<String, Value> =
        (0..65).map(|number| (format!("t{number}"), json!(true))).collect();
    for (wrong, at) in [
        (json!({"tools": {"allow": globs}}), "/tools/allow"),
        (json!({"tools": {"deny": ["x".repeat(1025)]}}), "/tools/deny/0"),
        (json!({"tools": {"deny": [""]}}), "/tools/deny/0"),
        (json!({"scopes": {"deny": scopes}}), "/scopes/deny"),
        (json!({"arguments": constraints}), "/arguments"),
    ] {
        assert_eq!(places(&Policy::parse(&wrong, &NoDomain).unwrap_err()), [at]);
    }
    let most = json!({"tools": {"allow": globs[..256]}, "scopes": {"deny": scopes[..1024]}});
    assert!(Policy::parse(&most, &NoDomain).is_ok());
    assert!(Policy::parse(&json!({"tools": {"deny": ["x".repeat(1024)]}}), &NoDomain).is_ok());
}

#[test]
fn pol_09_a_pattern_that_does_not_compile_refuses_the_policy() {
    for pattern in ["[", "{a", "a\\", "[z-a]", "{a,{b}"] {
        for member in ["tools", "resources", "prompts"] {
            let policy = json!({ member: {"deny": ["ok", pattern]} });
            let findings = Policy::parse(&policy, &NoDomain).unwrap_err();
            assert_eq!(places(&findings), [format!("/{member}/deny/1")], "{pattern}");
        }
    }
}

#[test]
fn pol_12_wider_than_the_session_is_an_error_too() {
    let server = policy(&json!({"tools": {"allow": ["*"]}, "effect": "destructive"}));
    let session = policy(&json!({"tools": {"allow": ["read_*"]}, "effect": "read"}));
    let call = policy(&json!({"tools": {"allow": ["read_a", "*_b"]}, "effect": "mutating"}));
    assert!(session.widens(&server).is_empty());
    assert_eq!(places(&call.widens(&server.meet(&session))), ["/tools/allow/1", "/effect"]);
    assert!(call.widens(&server).is_empty());
}

#[test]
fn pol_04_what_is_wider_is_found_and_what_is_not_is_not() {
    // The policy in force, the policy of a call, and the places where it is wider.
    let table: &[(Value, Value, &[&str])] = &[
        (
            json!({"tools": {"allow": ["a*"]}}),
            json!({"tools": {"allow": ["ab", "ab*", "a*", "a?c", "b"]}}),
            &["/tools/allow/4"],
        ),
        (
            json!({"tools": {"allow": ["a", "b"]}}),
            json!({"tools": {"allow": ["b", "a*"]}}),
            &["/tools/allow/1"],
        ),
        (json!({"tools": {"allow": ["a?"]}}), json!({"tools": {"allow": ["ab"]}}), &[]),
        (json!({"tools": {"allow": []}}), json!({"tools": {"allow": ["a"]}}), &["/tools/allow/0"]),
        (json!({"tools": {"allow": []}}), json!({"tools": {"allow": []}}), &[]),
        (json!({"tools": {"allow": ["**"]}}), json!({"tools": {"allow": ["[ab]"]}}), &[]),
        (json!({"tools": {"deny": ["a"]}}), json!({"tools": {"allow": ["a"], "deny": []}}), &[]),
        (
            json!({"resources": {"allow": ["x://a/**"]}}),
            json!({"resources": {"allow": ["x://a/b", "x://a", "x://a/*.md", "x://ab", "x://**", "**"]}}),
            &["/resources/allow/3", "/resources/allow/4", "/resources/allow/5"],
        ),
        (
            json!({"resources": {"allow": ["x://*"]}}),
            json!({"resources": {"allow": ["x://a", "x://a/b"]}}),
            &["/resources/allow/1"],
        ),
        (
            json!({"resources": {"allow": ["*"]}}),
            json!({"resources": {"allow": ["a*"]}}),
            &["/resources/allow/0"],
        ),
        (json!({"resources": {"allow": ["**"]}}), json!({"resources": {"allow": ["a*/**"]}}), &[]),
        (json!({"prompts": {"allow": ["p"]}}), json!({"prompts": {"allow": ["q"]}}), &["/prompts/allow/0"]),
        (
            json!({"scopes": {"allow": ["write:file:/a"]}}),
            json!({"scopes": {"allow": ["write:file:/a/b", "write:file:/a", "write:file", "write:file:/ab", "read"]}}),
            &["/scopes/allow/2", "/scopes/allow/3", "/scopes/allow/4"],
        ),
        (json!({"effect": "mutating"}), json!({"effect": "external"}), &["/effect"]),
        (json!({"effect": "mutating"}), json!({"effect": "mutating"}), &[]),
        (json!({"effect": "mutating"}), json!({"effect": "read"}), &[]),
        (json!({"limits": {"rate": "100/hour"}}), json!({"limits": {"rate": "1/minute"}}), &[]),
        (json!({"limits": {"rate": "100/hour"}}), json!({"limits": {"rate": "2/minute"}}), &["/limits/rate"]),
        (json!({"limits": {"rate": "10/minute"}}), json!({"limits": {"rate": "11/hour"}}), &["/limits/rate"]),
        (json!({"limits": {"rate": "10/minute"}}), json!({"limits": {"rate": "10/hour"}}), &[]),
        (json!({"limits": {"seconds": 1}}), json!({"limits": {"seconds": 1, "result_bytes": 9}}), &[]),
    ];
    for (base, overlay, at) in table {
        let findings = policy(overlay).widens(&policy(base));
        assert_eq!(places(&findings), *at, "{base} {overlay}: {findings}");
    }
}

#[test]
fn pol_22_constraints_have_a_bounded_cost() {
    let mut deep = json!({"type": "string"});
    for _ in 0..20 {
        deep = json!({"items": deep});
    }
    let table = [
        (json!({"$ref": "https://example.com/x"}), "/$ref"),
        (json!({"$ref": "#"}), "/$ref"),
        (json!({"$defs": {"a": {}}}), "/$defs"),
        (json!({"$dynamicRef": "#a"}), "/$dynamicRef"),
        (json!({"format": "regex"}), "/format"),
        (json!({"allOf": [{}, {"$ref": "#"}]}), "/allOf/1/$ref"),
        (json!({"properties": {"a": {"not": {"$ref": "#"}}}}), "/properties/a/not/$ref"),
        // Patterns that need a backtracking engine, or that compile to megabytes.
        (json!({"properties": {"a": {"pattern": "(?=a)b"}}}), "/properties/a/pattern"),
        (json!({"properties": {"a": {"pattern": "(a)\\1"}}}), "/properties/a/pattern"),
        (json!({"properties": {"a": {"pattern": "(((a{100}){100}){100})"}}}), "/properties/a/pattern"),
        (json!({"patternProperties": {"((x{100}){100}){100}": {}}}), "/patternProperties"),
        (json!({"pattern": "["}), "/pattern"),
        (json!({"description": "x".repeat(16 * 1024)}), ""),
        (json!({"type": "strnig"}), "/type"),
        (json!({"minLength": "1"}), "/minLength"),
        (json!({"allOf": {}}), "/allOf"),
        (json!({"properties": []}), "/properties"),
        (json!({"items": 7}), "/items"),
        (json!("x"), ""),
        (deep, &"/items".repeat(16)),
    ];
    for (schema, at) in table {
        let findings = Policy::parse(&json!({"arguments": {"x": schema}}), &NoDomain).unwrap_err();
        let found = places(&findings);
        let place = format!("/arguments/x{at}");
        assert!(
            found.iter().all(|found| found.starts_with(&place)) && !found.is_empty(),
            "{schema}: {findings}"
        );
    }
    // A pattern on which a backtracking engine hangs is as fast as any other.
    let slow =
        json!({"arguments": {"*": {"properties": {"path": {"pattern": "^(([a-z])+.)+[A-Z]([a-z])+$"}}}}});
    assert_eq!(verdict(&[slow], "x", &json!({"path": "a".repeat(4000)})), Verdict::Deny);
}

#[test]
fn constraints_hold_for_the_tools_that_they_name() {
    let policy = json!({"arguments": {
        "read_*": {"properties": {"path": {"type": "string", "pattern": "^/a(/|$)"}}, "required": ["path"]},
        "read_b": {"properties": {"n": {"maximum": 5}}, "additionalProperties": {"not": {"const": null}}},
    }});
    for (tool, arguments, expected) in [
        ("read_a", json!({"path": "/a/x"}), Verdict::Allow),
        ("read_a", json!({"path": "/ab"}), Verdict::Deny),
        ("read_a", json!({}), Verdict::Deny),
        ("read_a", json!({"path": "/a", "n": 6}), Verdict::Allow),
        ("read_b", json!({"path": "/a", "n": 5}), Verdict::Allow),
        ("read_b", json!({"path": "/a", "n": 6}), Verdict::Deny),
        ("read_b", json!({"path": "/a", "m": null}), Verdict::Deny),
        ("other", json!({}), Verdict::Allow),
    ] {
        assert_eq!(verdict(std::slice::from_ref(&policy), tool, &arguments), expected, "{tool} {arguments}");
    }
}

/// Knows only the field `roots`.
struct Roots;

impl DomainFields for Roots {
    fn check(&self, name: &str, value: &Value, at: Pointer, findings: &mut Findings) -> bool {
        if name == "roots" && !value.is_array() {
            findings.error(at, "must be a list", "write a list");
        }
        name == "roots"
    }
}

#[test]
fn fields_of_a_server_are_carried_and_all_hold() {
    let one = Policy::parse(&json!({"roots": ["/a"]}), &Roots).unwrap();
    let two = Policy::parse(&json!({"roots": ["/b"], "effect": "read"}), &Roots).unwrap();
    let both = one.meet(&two).meet(&one);
    assert_eq!(both.domain["roots"], [json!(["/a"]), json!(["/b"])]);
    assert_eq!(both, two.meet(&one));
    assert!(!one.is_top() && one != two);
    assert_eq!(
        places(&Policy::parse(&json!({"roots": 1, "roofs": []}), &Roots).unwrap_err()),
        ["/roots", "/roofs"]
    );
    assert!(Policy::parse(&json!({"roots": ["/a"]}), &NoDomain).is_err());
}

#[test]
fn every_part_keeps_a_fragment_from_saying_nothing() {
    for part in [
        json!({"tools": {"allow": []}}),
        json!({"tools": {"deny": ["x"]}}),
        json!({"resources": {"allow": ["x"]}}),
        json!({"prompts": {"deny": ["x"]}}),
        json!({"scopes": {"allow": []}}),
        json!({"scopes": {"deny": ["read"]}}),
        json!({"effect": "destructive"}),
        json!({"arguments": {"x": true}}),
        json!({"limits": {"seconds": 5}}),
    ] {
        let part = policy(&part);
        assert!(!part.is_top() && part != Policy::top() && format!("{part:?}").len() > 10);
        assert_eq!(part.meet(&Policy::top()), part);
    }
    assert!(Policy::top().is_top());
}

fn places(findings: &Findings) -> Vec<&str> {
    findings.iter().map(|finding| finding.at.as_str()).collect()
}
