//! Boundary cases, equalities and single conditions of the decision: cases in which changing one
//! character would give another policy.
use overt_policy::record::{Effect, Hints, ToolRecord};
use overt_policy::scope::{Scope, ScopeSet};
use overt_policy::{
    Authority, Decision, Layer, NoDomain, Overlays, Policy, Rules, Subject, ToolFacts, Verdict,
};
use serde_json::{Value, json};

fn policy(value: &Value) -> Policy {
    Policy::parse(value, &NoDomain).unwrap()
}

fn set(scopes: &[&str]) -> ScopeSet {
    scopes.iter().map(|text| Scope::parse(text).unwrap()).collect()
}

fn tool(scopes: &[&str]) -> ToolFacts {
    let scopes = scopes.iter().map(|text| (*text).to_owned()).collect();
    let record = ToolRecord { scopes, ..ToolRecord::new(Effect::Mutating) };
    ToolFacts::of("files", "tool", Some(&record), Hints::default()).unwrap()
}

fn decide(authority: &Authority, facts: &ToolFacts, arguments: Option<&Value>, call: &[Policy]) -> Decision {
    let overlays = Overlays { call, ..Overlays::default() };
    authority.decide(Subject::Tool { facts, arguments }, &overlays, &|_| false)
}

fn texts(scopes: &[Scope]) -> Vec<String> {
    scopes.iter().map(ToString::to_string).collect()
}

#[test]
fn a_limit_is_what_is_still_allowed() {
    let facts = tool(&["write:file:{path}"]);
    let rules = json!([{"id": "small", "action": "limit", "limit": {"argument_bytes": 14}}]);
    let by_rule = Authority { rules: Rules::parse(&rules).unwrap(), ..Authority::open() };
    let policy = [policy(&json!({"limits": {"argument_bytes": 14}}))];
    for (path, verdict) in [("/a", Verdict::Allow), ("/ab", Verdict::Allow), ("/abc", Verdict::Deny)] {
        let arguments = json!({ "path": path });
        assert_eq!(decide(&by_rule, &facts, Some(&arguments), &[]).verdict, verdict, "{path}");
        assert_eq!(decide(&Authority::open(), &facts, Some(&arguments), &policy).verdict, verdict, "{path}");
    }
}

#[test]
fn what_is_needed_is_named_once() {
    let facts = tool(&["write:file:{from}", "write:file:{to}", "write:file", "write:file"]);
    let same = json!({"from": "/a", "to": "/a"});
    let decision = decide(&Authority::careful(), &facts, Some(&same), &[]);
    assert_eq!(texts(&decision.needed), ["write:file", "write:file:/a"]);
    // In a list, any file and all files are two different needs, however often each occurs.
    assert_eq!(texts(&decide(&Authority::open(), &facts, None, &[]).needed), ["write:file", "write:file"]);
}

#[test]
fn the_wider_choice_keeps_every_bound() {
    let facts = tool(&["write:file:{path}"]);
    let arguments = json!({"path": "/a/b"});
    let within = [policy(&json!({"scopes": {"allow": ["write:file:/a/b"]}}))];
    let beside = [policy(&json!({"scopes": {"deny": ["write:file:/a/c"]}}))];
    let around = [policy(&json!({"scopes": {"allow": ["write:file:/a"]}}))];
    let grantable = |scope| Authority { grantable: Some(set(&[scope])), ..Authority::careful() };
    let table: [(Authority, &[Policy], &[&str]); 6] = [
        (Authority::careful(), &[], &["write:file:/a"]),
        (Authority::careful(), &around, &["write:file:/a"]),
        // A policy refuses it, a deny covers a part of it, or nobody can grant it.
        (Authority::careful(), &within, &[]),
        (Authority::careful(), &beside, &[]),
        (grantable("write:file:/a/b"), &around, &[]),
        (grantable("write:file:/a"), &within, &[]),
    ];
    for (authority, call, wider) in table {
        let decision = decide(&authority, &facts, Some(&arguments), call);
        assert_eq!(texts(&decision.missing), ["write:file:/a/b"]);
        assert_eq!(texts(&decision.wider), wider, "{authority:?} {call:?}");
    }
}

#[test]
fn a_list_says_once_why_it_hides_a_tool() {
    let facts = tool(&["write:file:{path}"]);
    let nothing = [policy(&json!({"scopes": {"allow": []}}))];
    let decision = decide(&Authority::open(), &facts, None, &nothing);
    assert!(!decision.is_allowed() && decide(&Authority::open(), &facts, None, &[]).is_allowed());
    let denied: Vec<Layer> = decision
        .verdicts
        .iter()
        .filter(|said| said.verdict == Verdict::Deny)
        .map(|said| said.layer)
        .collect();
    assert_eq!(denied, [Layer::Call]);
}

#[test]
fn constraints_are_equal_if_they_say_the_same_of_the_same_tools() {
    let constraint = |tool: &str, least: u64| policy(&json!({"arguments": {tool: {"minimum": least}}}));
    assert_eq!(constraint("a", 1), constraint("a", 1));
    assert_ne!(constraint("a", 1), constraint("a", 2));
    assert_ne!(constraint("a", 1), constraint("b", 1));
    assert_eq!(constraint("b", 1).meet(&constraint("a", 1)).arguments.len(), 2);
    let shown = format!("{:?}", constraint("some_tool", 7).arguments[0]);
    assert!(shown.contains("some_tool") && shown.contains("minimum"), "{shown}");
}

#[test]
fn pol_04_the_fix_names_what_is_allowed() {
    let asked = policy(&json!({"tools": {"allow": ["z"]}}));
    let fix = |allowed: Value| {
        let findings = asked.widens(&policy(&json!({"tools": {"allow": allowed}})));
        findings.iter().next().unwrap().fix.clone()
    };
    assert_eq!(fix(json!(["a", "b*"])), "use a pattern within `a`, `b*`");
    assert_eq!(fix(json!([])), "use a pattern within an empty list: nothing is allowed");
    assert_eq!(fix(json!(["a", "b", "c", "d", "e", "f"])), "use a pattern within `a`, `b`, `c`, `d`, `e`");
}

#[test]
fn the_plan_of_a_call_reads_what_the_call_would_change() {
    let record = ToolRecord {
        scopes: vec!["write:file:{path}".to_owned(), "execute".to_owned()],
        reversible: Some(false),
        ..ToolRecord::new(Effect::Destructive)
    };
    let declared = ToolFacts::of("files", "tool", Some(&record), Hints::default()).unwrap();
    assert!(declared.approval);
    let plan = declared.planning();
    let scopes: Vec<String> = plan.scopes.iter().map(ToString::to_string).collect();
    assert_eq!(scopes, ["read:file:{path}", "read"]);
    assert_eq!((plan.effect, plan.approval, plan.reversible), (Effect::Read, false, Some(false)));
    assert_eq!((&*plan.server, &*plan.tool), ("files", "tool"));
    let arguments = json!({"path": "/a"});
    assert_eq!(decide(&Authority::careful(), &plan, Some(&arguments), &[]).verdict, Verdict::Allow);
    // The plan of an undeclared tool is still known to only read.
    let undeclared = ToolFacts::undeclared("files", "tool", Hints::default());
    let plan = undeclared.planning();
    assert!(!undeclared.is_declared() && plan.is_declared());
    assert_eq!(plan.scopes[0].to_string(), "read:files:tool");
}

#[test]
fn pol_22_every_way_to_nest_has_the_same_bound() {
    let nested = |wrap: &dyn Fn(Value) -> Value, times: usize| {
        let schema = (0..times).fold(json!({"type": "string"}), |inner, _| wrap(inner));
        Policy::parse(&json!({"arguments": {"x": schema}}), &NoDomain).is_ok()
    };
    let ways: [&dyn Fn(Value) -> Value; 3] = [
        &|inner| json!({ "items": inner }),
        &|inner| json!({ "allOf": [inner] }),
        &|inner| json!({ "properties": { "a": inner } }),
    ];
    for wrap in ways {
        assert!(nested(wrap, 15) && !nested(wrap, 16), "{}", wrap(Value::Null));
    }
    let described = |bytes: usize| {
        let schema = json!({ "description": "x".repeat(bytes - 18) });
        Policy::parse(&json!({"arguments": {"x": schema}}), &NoDomain).is_ok()
    };
    assert!(described(16 * 1024) && !described(16 * 1024 + 1));
    let many = |number: usize| {
        let all: serde_json::Map<String, Value> =
            (0..number).map(|index| (format!("tool{index}"), json!(true))).collect();
        Policy::parse(&json!({ "arguments": all }), &NoDomain).is_ok()
    };
    assert!(many(64) && !many(65));
}

#[test]
fn a_refused_argument_is_named_and_not_repeated() {
    let policy = [policy(&json!({"arguments": {"*": {"properties": {"path": {"type": "string"}}}}}))];
    let facts = tool(&["write:file"]);
    let decision = decide(&Authority::open(), &facts, Some(&json!({"path": 7531})), &policy);
    let why = &decision.decisive().unwrap().why;
    assert!(
        why.starts_with("the arguments are not as they must be: `/path`: ") && !why.contains("7531"),
        "{why}"
    );
}

/// Without declared scopes, they follow from the declared effect, whatever the server hints.
#[test]
fn pol_17_a_declared_effect_outranks_a_hint() {
    let scope = |effect: Effect, read_only: bool| {
        let record = ToolRecord { effect: Some(effect), ..ToolRecord::default() };
        let hints = Hints { read_only: Some(read_only), ..Hints::default() };
        let facts = ToolFacts::of("files", "tool", Some(&record), hints).unwrap();
        facts.scopes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(scope(Effect::Read, false), "read:files:tool");
    assert_eq!(scope(Effect::Mutating, true), "write:files:tool");
}
