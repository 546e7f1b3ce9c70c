//! Single decisions: what is needed, what a grant allows, what a person is asked for, and what no
//! grant allows.
use std::cell::Cell;
use std::time::Duration;

use overt_policy::rate::RateLimit;
use overt_policy::record::{Effect, Hints, ToolRecord};
use overt_policy::scope::{Scope, ScopeSet};
use overt_policy::uri::ResourceUri;
use overt_policy::{
    Authority, Basis, Decision, Layer, Limits, NoDomain, Overlays, Policy, Subject, ToolFacts, Verdict,
};
use serde_json::{Value, json};

fn policy(value: &Value) -> Policy {
    Policy::parse(value, &NoDomain).unwrap()
}

fn set(scopes: &[&str]) -> ScopeSet {
    scopes.iter().map(|text| Scope::parse(text).unwrap()).collect()
}

fn tool(effect: Effect, scopes: &[&str]) -> ToolFacts {
    let scopes = scopes.iter().map(|text| (*text).to_owned()).collect();
    let record = ToolRecord { scopes, ..ToolRecord::new(effect) };
    ToolFacts::of("files", "tool", Some(&record), Hints::default()).unwrap()
}

fn decide(authority: &Authority, facts: &ToolFacts, arguments: &Value, grants: &[&str]) -> Decision {
    let grants = set(grants);
    let granted = |scopes: &[Scope]| scopes.iter().all(|scope| grants.covers(scope));
    authority.decide(Subject::Tool { facts, arguments: Some(arguments) }, &Overlays::default(), &granted)
}

fn texts(scopes: &[Scope]) -> Vec<String> {
    scopes.iter().map(ToString::to_string).collect()
}

#[test]
fn pol_17_by_default_reading_is_allowed_and_the_rest_is_asked_for() {
    let careful = Authority::careful();
    let path = json!({"path": "/a/b"});
    assert_eq!(
        decide(&careful, &tool(Effect::Read, &["read:file:{path}"]), &path, &[]).verdict,
        Verdict::Allow
    );
    for effect in [Effect::Mutating, Effect::External, Effect::Destructive] {
        let decision = decide(&careful, &tool(effect, &["write:file:{path}"]), &path, &[]);
        assert_eq!(decision.verdict, Verdict::NeedsApproval);
    }
    for (read_only, verdict) in
        [(Some(true), Verdict::Allow), (Some(false), Verdict::NeedsApproval), (None, Verdict::NeedsApproval)]
    {
        let facts = ToolFacts::of("s", "t", None, Hints { read_only, ..Hints::default() }).unwrap();
        assert_eq!(decide(&careful, &facts, &path, &[]).verdict, verdict);
        assert_eq!(decide(&Authority::open(), &facts, &path, &[]).verdict, Verdict::Allow);
    }
}

#[test]
fn facts_are_what_was_declared() {
    let needed = |read_only| {
        let facts = ToolFacts::of("My Files", "t", None, Hints { read_only, ..Hints::default() }).unwrap();
        assert!(!facts.is_declared() && facts.effect == Effect::Destructive && !facts.approval);
        facts.scopes[0].to_string()
    };
    assert_eq!(needed(Some(true)), "read:my-files:t");
    assert_eq!(needed(Some(false)), "write:my-files:t");
    assert_eq!(needed(None), "execute:my-files:t");
    let record = ToolRecord {
        rate_limit: RateLimit::parse("3/hour"),
        intent_template: Some("does it".to_owned()),
        preview: true,
        human_approval: Some(true),
        ..ToolRecord::default()
    };
    let facts = ToolFacts::of("s", "t", Some(&record), Hints::default()).unwrap();
    assert!(
        !facts.is_declared()
            && facts.approval
            && facts.preview
            && facts.rate.is_some()
            && facts.intent.is_some()
    );
    let wrong = ToolRecord { scopes: vec!["read".into(), "REad".into(), "x:{".into()], ..record };
    let findings = ToolFacts::of("s", "t", Some(&wrong), Hints::default()).unwrap_err();
    let at: Vec<&str> = findings.iter().map(|finding| finding.at.as_str()).collect();
    assert_eq!(at, ["/scopes/1", "/scopes/2"]);
}

#[test]
fn scp_05_what_is_asked_for_is_the_narrowest() {
    let copy = tool(Effect::Mutating, &["read:file:{from}", "write:file:{to}"]);
    let arguments = json!({"from": "/a/x", "to": "/b/c/y"});
    let decision = decide(&Authority::careful(), &copy, &arguments, &[]);
    assert_eq!(decision.verdict, Verdict::NeedsApproval);
    assert_eq!(texts(&decision.needed), ["read:file:/a/x", "write:file:/b/c/y"]);
    assert_eq!(texts(&decision.missing), ["write:file:/b/c/y"]);
    assert_eq!(texts(&decision.requested()), ["write:file:/b/c/y", "write:file:/b/c"]);
    // Scopes of the base need no grant; scopes that a grant doesn't cover are still missing.
    assert_eq!(decide(&Authority::careful(), &copy, &arguments, &["write:file:/b"]).verdict, Verdict::Allow);
    assert_eq!(
        decide(&Authority::careful(), &copy, &arguments, &["write:file:/b/c/yy"]).verdict,
        Verdict::NeedsApproval
    );
    // If a person must approve the call as such, everything that it needs is missing.
    let destructive = ToolFacts { approval: true, ..copy };
    let decision = decide(&Authority::careful(), &destructive, &arguments, &["write:file:/b"]);
    assert_eq!(decision.verdict, Verdict::NeedsApproval);
    assert_eq!(texts(&decision.missing), ["read:file:/a/x", "write:file:/b/c/y"]);
    assert_eq!(texts(&decision.wider), ["read:file:/a", "write:file:/b/c"]);
    let both = ["read:file:/a", "write:file:/b"];
    assert_eq!(decide(&Authority::careful(), &destructive, &arguments, &both).verdict, Verdict::Allow);
    let two = decide(
        &Authority::careful(),
        &tool(Effect::Mutating, &["write:file:{p}"]),
        &json!({"p": ["/d/a", "/d/b", "/d"]}),
        &[],
    );
    assert_eq!(texts(&two.requested()), ["write:file:/d", "write:file:/d/a", "write:file:/d/b"]);
}

#[test]
fn a_wider_choice_is_offered_only_where_arguments_make_the_difference() {
    let wider = |scopes: &[&str], arguments: &Value| {
        let decision = decide(&Authority::careful(), &tool(Effect::Mutating, scopes), arguments, &[]);
        assert_eq!(decision.verdict, Verdict::NeedsApproval);
        texts(&decision.wider)
    };
    let path = json!({"path": "/a/b"});
    // Another tool of the server, or another host, was not requested.
    assert!(wider(&["write:server:tool"], &path).is_empty());
    assert!(wider(&["write:net:example.com/mail"], &path).is_empty());
    assert_eq!(wider(&["write:server:tool", "write:file:{path}"], &path), ["write:file:/a"]);
    let same = json!({"path": "/a/b", "name": "x"});
    for order in
        [["write:repo:acme/x", "write:repo:acme/{name}"], ["write:repo:acme/{name}", "write:repo:acme/x"]]
    {
        assert_eq!(wider(&order, &same), ["write:repo:acme"], "one of two equal needs came from an argument");
    }
    // Not wider than what the tool can need at all.
    assert!(wider(&["write:repo:acme/{name}"], &json!({})).is_empty());
    assert!(wider(&["write:repo:acme/{names}"], &json!({"names": []})).is_empty());
    assert_eq!(wider(&["write:repo:acme/{name}"], &json!({"name": "x"})), ["write:repo:acme"]);
    let undeclared = ToolFacts::undeclared("s", "t", Hints::default());
    let decision = decide(&Authority::careful(), &undeclared, &json!({}), &[]);
    assert_eq!(texts(&decision.requested()), ["execute:s:t"]);
}

/// A server that resolves paths itself, such as `overt fs`, fills them in before the decision.
#[test]
fn a_wider_choice_is_offered_where_the_server_resolved_the_arguments() {
    let delete =
        ToolFacts { approval: true, ..tool(Effect::Destructive, &["write:file:{path}", "write:log"]) };
    let written = json!({"path": "notes/a.txt"});
    let located = delete.located(&json!({"path": "/home/me/notes/a.txt"}));
    let decision = decide(&Authority::careful(), &located, &written, &[]);
    assert_eq!(decision.verdict, Verdict::NeedsApproval);
    assert_eq!(texts(&decision.missing), ["write:file:/home/me/notes/a.txt", "write:log"]);
    assert_eq!(texts(&decision.wider), ["write:file:/home/me/notes"]);
    // Nobody can grant anything beyond the base, as with `overt fs`: a wider folder is offered only
    // within the base.
    let base = set(&["write:file:/home/me/notes", "write:log"]);
    let within = Authority { base, grantable: Some(set(&[])), ..Authority::careful() };
    assert_eq!(texts(&decide(&within, &located, &written, &[]).wider), ["write:file:/home/me/notes"]);
    let itself = delete.located(&json!({"path": "/home/me/notes"}));
    assert!(decide(&within, &itself, &written, &[]).wider.is_empty());
    // If the arguments leave everything open, nothing is narrower than what calls need in general.
    let whole = delete.located(&json!({}));
    assert!(decide(&Authority::careful(), &whole, &json!({}), &[]).wider.is_empty());
}

#[test]
fn pol_10_a_policy_is_the_outer_bound_of_a_grant() {
    let facts = tool(Effect::Mutating, &["write:file:{path}"]);
    let arguments = json!({"path": "/b/x"});
    let policy = [policy(&json!({"scopes": {"allow": ["write:file:/a"]}}))];
    let overlays = Overlays { call: &policy, ..Overlays::default() };
    let asked = Cell::new(false);
    let granted = |_: &[Scope]| {
        asked.set(true);
        true
    };
    let subject = Subject::Tool { facts: &facts, arguments: Some(&arguments) };
    let decision = Authority::careful().decide(subject, &overlays, &granted);
    assert_eq!(decision.verdict, Verdict::Deny);
    assert!(decision.requested().is_empty() && !asked.get(), "nobody is asked for what can't be granted");
}

#[test]
fn pol_11_a_grant_removes_no_deny() {
    let facts = tool(Effect::Mutating, &["write:file:{path}"]);
    let denied = set(&["write:file:/t/top/secrets"]);
    let secret = json!({"path": "/t/top/secrets/x"});
    let above = json!({"path": "/t/top"});
    let beside = json!({"path": "/t/top/a"});
    let ceiling = policy(&json!({"scopes": {"deny": ["write:file:/t/top/secrets"]}}));
    for authority in [
        Authority { denied: denied.clone(), ..Authority::careful() },
        Authority { ceiling, ..Authority::careful() },
        Authority { denied, ..Authority::open() },
    ] {
        let everything = ["write", "write:file:/t/top/secrets", "write:file:/t/top/secrets/x"];
        assert_eq!(decide(&authority, &facts, &secret, &everything).verdict, Verdict::Deny);
        // A call that needs a whole folder also needs what is denied in it.
        assert_eq!(decide(&authority, &facts, &above, &everything).verdict, Verdict::Deny);
        assert_eq!(decide(&authority, &facts, &beside, &everything).verdict, Verdict::Allow);
        let asked = decide(&authority, &facts, &beside, &[]);
        assert!(asked.wider.is_empty(), "the wider choice would hold what is denied: {asked:?}");
    }
}

#[test]
fn scp_13_nobody_grants_everything_by_the_way() {
    let arguments = json!({"path": "/"});
    for scopes in [["write"], ["write:file:{path}"]] {
        let facts = tool(Effect::Mutating, &scopes);
        let decision = decide(&Authority::careful(), &facts, &arguments, &["write"]);
        assert_eq!(decision.verdict, Verdict::Deny, "{scopes:?}");
        assert!(decision.requested().is_empty());
        assert_eq!(decide(&Authority::open(), &facts, &arguments, &[]).verdict, Verdict::Allow);
        // The operator can make it grantable.
        let authority = Authority { grantable: Some(set(&["write"])), ..Authority::careful() };
        assert_eq!(decide(&authority, &facts, &arguments, &[]).verdict, Verdict::NeedsApproval);
    }
    let authority = Authority { grantable: Some(set(&["write:file:/a"])), ..Authority::careful() };
    let facts = tool(Effect::Mutating, &["write:file:{path}"]);
    let within = decide(&authority, &facts, &json!({"path": "/a/x"}), &[]);
    assert_eq!(texts(&within.requested()), ["write:file:/a/x", "write:file:/a"]);
    assert_eq!(
        texts(&decide(&authority, &facts, &json!({"path": "/a"}), &[]).requested()),
        ["write:file:/a"]
    );
    assert_eq!(decide(&authority, &facts, &json!({"path": "/b"}), &["write"]).verdict, Verdict::Deny);
    // A person can approve what is allowed anyway, however wide it is.
    let open = Authority { believes_claims: false, honour_declared_approval: true, ..Authority::open() };
    let wide = ToolFacts { approval: true, ..tool(Effect::Destructive, &["write"]) };
    let decision = decide(&open, &wide, &json!({}), &[]);
    assert_eq!(texts(&decision.requested()), ["write"]);
}

#[test]
fn a_declared_approval_counts_where_it_is_honoured() {
    let facts = tool(Effect::Destructive, &["write:file:{path}"]);
    assert!(facts.approval);
    let arguments = json!({"path": "/a"});
    assert_eq!(decide(&Authority::open(), &facts, &arguments, &[]).verdict, Verdict::Allow);
    let honours = Authority { honour_declared_approval: true, ..Authority::open() };
    let decision = decide(&honours, &facts, &arguments, &[]);
    assert_eq!(decision.verdict, Verdict::NeedsApproval);
    assert_eq!(decision.decisive().unwrap().layer, Layer::Declared);
    let granted = decide(&honours, &facts, &arguments, &["write:file:/a"]);
    assert_eq!(granted.verdict, Verdict::Allow);
    assert_eq!(granted.decisive().unwrap().layer, Layer::Grant);
}

#[test]
fn what_can_t_be_told_is_denied() {
    let facts = tool(Effect::Read, &["read:file:{path}"]);
    let decision = decide(&Authority::open(), &facts, &json!({"path": "../x"}), &["read"]);
    assert!(decision.error && decision.verdict == Verdict::Deny && decision.needed.is_empty());
    assert_eq!(decision.decisive().unwrap().layer, Layer::Declared);
    assert!(!decide(&Authority::open(), &facts, &json!({"path": "x"}), &[]).error);
}

#[test]
fn layers_are_named_as_they_stand() {
    let facts = tool(Effect::Mutating, &["write:file:{path}"]);
    let arguments = json!({"path": "/a"});
    let no = policy(&json!({"tools": {"deny": ["tool"]}}));
    let no_effect = policy(&json!({"effect": "read"}));
    let no_scope = policy(&json!({"scopes": {"allow": ["read"]}}));
    let authority = Authority { ceiling: policy(&json!({"tools": {"allow": []}})), ..Authority::open() };
    let denied = set(&["write"]);
    let allowed = set(&["read"]);
    let overlays = Overlays {
        session: std::slice::from_ref(&no),
        call: &[no_effect, Policy::top(), no_scope],
        denied_scopes: &denied,
        allowed_scopes: Some(&allowed),
    };
    let subject = Subject::Tool { facts: &facts, arguments: Some(&arguments) };
    let decision = authority.decide(subject, &overlays, &|_| true);
    let said: Vec<(Layer, &str, Verdict)> =
        decision.verdicts.iter().map(|said| (said.layer, said.at.as_str(), said.verdict)).collect();
    assert_eq!(
        said,
        [
            (Layer::Ceiling, "/tools/allow", Verdict::Deny),
            (Layer::Session, "/tools/deny", Verdict::Deny),
            (Layer::Delegation, "/0/effect", Verdict::Deny),
            (Layer::Call, "/2/scopes/allow", Verdict::Deny),
            (Layer::Call, "/denied_scopes", Verdict::Deny),
            (Layer::Call, "/allowed_scopes", Verdict::Deny),
            (Layer::Base, "", Verdict::Allow),
        ]
    );
}

#[test]
fn limits_are_the_least_of_all_layers() {
    let facts = tool(Effect::Read, &["read:file:{path}"]);
    let ceiling = policy(&json!({"limits": {"seconds": 10, "result_bytes": 100, "rate": "10/minute"}}));
    let authority = Authority { ceiling, ..Authority::open() };
    let session = [policy(&json!({"limits": {"seconds": 2.5, "result_bytes": 500}}))];
    let call = [policy(&json!({"limits": {"argument_bytes": 14, "rate": "100/hour"}}))];
    let overlays = Overlays { session: &session, call: &call, ..Overlays::default() };
    let decide = |arguments: &Value| {
        authority.decide(Subject::Tool { facts: &facts, arguments: Some(arguments) }, &overlays, &|_| false)
    };
    let limits = Limits {
        argument_bytes: Some(14),
        result_bytes: Some(100),
        time: Some(Duration::from_millis(2500)),
        rate: RateLimit::parse("10/hour"),
    };
    let decision = decide(&json!({"path": "/a"}));
    assert_eq!((decision.verdict, decision.limits), (Verdict::Allow, limits));
    assert_eq!(
        limits.to_json(),
        json!({"argument_bytes": 14, "result_bytes": 100, "seconds": 2.5, "rate": "10/hour"})
    );
    let decision = decide(&json!({"path": "/abc"}));
    assert_eq!(decision.verdict, Verdict::Deny);
    assert_eq!(decision.decisive().unwrap().at.as_str(), "/limits/argument_bytes");
}

#[test]
fn pol_21_resources_and_prompts_are_decided_by_the_same_layers() {
    let authority = Authority {
        ceiling: policy(
            &json!({"resources": {"allow": ["x://a/**"], "deny": ["x://a/b/*"]}, "prompts": {"deny": ["no*"]},
            "limits": {"seconds": 3}}),
        ),
        ..Authority::careful()
    };
    let session =
        [policy(&json!({"resources": {"deny": ["x://a/c"]}, "tools": {"allow": []}, "effect": "read"}))];
    let overlays = Overlays { session: &session, ..Overlays::default() };
    let resource = |uri| {
        let uri = &ResourceUri::parse(uri).unwrap();
        authority.decide(Subject::Resource { server: "s", uri, declared: &[] }, &overlays, &|_| false)
    };
    let prompt = |name| authority.decide(Subject::Prompt { server: "s", name }, &overlays, &|_| false);
    for (uri, verdict) in [
        ("x://a/x", Verdict::Allow),
        ("x://a/x/y", Verdict::Allow),
        ("x://a", Verdict::Allow),
        ("x://ab", Verdict::Deny),
        ("y://a/x", Verdict::Deny),
        ("x://a/b/c", Verdict::Deny),
        ("x://a/b/c/d", Verdict::Allow),
        ("x://a/c", Verdict::Deny),
    ] {
        assert_eq!(resource(uri).verdict, verdict, "{uri}");
    }
    assert_eq!((prompt("yes").verdict, prompt("nono").verdict), (Verdict::Allow, Verdict::Deny));
    assert_eq!(prompt("yes").limits.time, Some(Duration::from_secs(3)));
    let decisive = resource("x://a/c");
    assert_eq!(
        decisive.decisive().map(|said| (said.layer, said.at.as_str())),
        Some((Layer::Session, "/resources/deny"))
    );
}

#[test]
fn everything_of_a_server_can_be_denied() {
    let deny = [policy(&json!({"scopes": {"deny": ["read:s"]}}))];
    let part = [policy(&json!({"scopes": {"deny": ["read:s:tool", "write"]}}))];
    let all = set(&["read"]);
    let none = ScopeSet::new();
    let open = Authority::open();
    let denied = Authority { denied: set(&["read:s"]), ..Authority::open() };
    for (authority, session, call_denied, layer) in [
        (&open, &deny[..], &none, Some(Layer::Session)),
        (&open, &part[..], &none, None),
        (&open, &[][..], &all, Some(Layer::Call)),
        (&denied, &[][..], &none, Some(Layer::Base)),
    ] {
        let overlays = Overlays { session, denied_scopes: call_denied, ..Overlays::default() };
        let uri = &ResourceUri::parse("x://a").unwrap();
        let resource = |server| Subject::Resource { server, uri, declared: &[] };
        for subject in
            [resource("s"), Subject::Prompt { server: "S", name: "p" }, Subject::Server { server: "s" }]
        {
            let decision = authority.decide(subject, &overlays, &|_| true);
            assert_eq!(decision.verdict == Verdict::Deny, layer.is_some(), "{layer:?}");
            assert_eq!(decision.decisive().map(|said| said.layer), layer);
        }
        let other = authority.decide(resource("t"), &overlays, &|_| true);
        assert_eq!(other.verdict == Verdict::Deny, layer == Some(Layer::Call));
    }
}

#[test]
fn a_list_asks_nobody_and_shows_what_could_be_approved() {
    let list = |authority: &Authority, facts: &ToolFacts, call: &[Policy]| {
        let subject = Subject::Tool { facts, arguments: None };
        let overlays = Overlays { call, ..Overlays::default() };
        authority.decide(subject, &overlays, &|_| panic!("nobody is asked"))
    };
    let facts = tool(Effect::Mutating, &["write:file:{path}"]);
    let shown = list(&Authority::careful(), &facts, &[]);
    assert_eq!((shown.verdict, shown.missing.len()), (Verdict::NeedsApproval, 0));
    let (a, b) =
        (json!({"scopes": {"allow": ["write:file:/a"]}}), json!({"scopes": {"allow": ["write:file:/b"]}}));
    let (a, b) = (policy(&a), policy(&b));
    assert_eq!(list(&Authority::open(), &facts, std::slice::from_ref(&a)).verdict, Verdict::Allow);
    // Each policy leaves something, but together they leave nothing.
    assert_eq!(list(&Authority::open(), &facts, &[a.clone(), b]).verdict, Verdict::Deny);
    let deny = policy(&json!({"scopes": {"deny": ["write:file:/a"]}}));
    assert_eq!(list(&Authority::open(), &facts, std::slice::from_ref(&deny)).verdict, Verdict::Allow);
    assert_eq!(list(&Authority::open(), &facts, &[a.clone(), deny]).verdict, Verdict::Deny);
    let grantable = Authority { grantable: Some(set(&["write:file:/b"])), ..Authority::careful() };
    assert_eq!(list(&grantable, &facts, &[]).verdict, Verdict::NeedsApproval);
    assert_eq!(list(&grantable, &facts, &[a]).verdict, Verdict::Deny);
    // Constraints on arguments apply only to calls.
    let never = policy(&json!({"arguments": {"*": false}, "limits": {"argument_bytes": 0}}));
    assert_eq!(list(&Authority::open(), &facts, &[never]).verdict, Verdict::Allow);
    let root = tool(Effect::Mutating, &["write:file:/{path}"]);
    assert_eq!(list(&Authority::careful(), &root, &[]).verdict, Verdict::NeedsApproval);
}

/// what a server says about its own tool can only cause more questions, until a person
/// believes it.
#[test]
fn a_02_a_claim_to_only_read_counts_only_where_the_server_is_believed() {
    let hints = |read_only, destructive| Hints { read_only, destructive, ..Hints::default() };
    // (readOnlyHint, destructiveHint, needed if believed, needed if not)
    let rows = [
        (Some(true), None, "read:memory:get", "execute:memory:get"),
        (Some(true), Some(false), "read:memory:get", "execute:memory:get"),
        (Some(true), Some(true), "write:memory:get", "write:memory:get"),
        (Some(false), None, "write:memory:get", "write:memory:get"),
        (Some(false), Some(false), "write:memory:get", "write:memory:get"),
        (None, Some(true), "execute:memory:get", "execute:memory:get"),
        (None, None, "execute:memory:get", "execute:memory:get"),
    ];
    for (read_only, destructive, believed, disbelieved) in rows {
        let facts = ToolFacts::undeclared("memory", "get", hints(read_only, destructive));
        assert_eq!(facts.basis, Basis::Claimed);
        for (is_believed, needed) in [(true, believed), (false, disbelieved)] {
            let facts = facts.with_trust(is_believed);
            let subject = Subject::Tool { facts: &facts, arguments: Some(&json!({})) };
            let decision = Authority::careful().decide(subject, &Overlays::default(), &|_| false);
            let texts: Vec<String> = decision.needed.iter().map(ToString::to_string).collect();
            assert_eq!(texts, [needed], "{read_only:?} {destructive:?} {is_believed}");
            let passes = needed.starts_with("read");
            assert_eq!(decision.verdict == Verdict::Allow, passes, "{read_only:?} {destructive:?}");
        }
    }
    // What a manifest declares needs no trust.
    let record = ToolRecord::new(Effect::Read);
    let declared = ToolFacts::of("memory", "get", Some(&record), Hints::default()).unwrap();
    assert!(declared.is_declared() && !declared.claims_to_read());
    assert_eq!(*declared.with_trust(false), declared);
}
