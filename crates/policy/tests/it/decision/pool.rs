//! The parts of random authorities, overlays and calls. Each is parsed once; a random policy is a
//! meet of some of them.
use std::sync::LazyLock;

use overt_policy::record::{Effect, Hints, PiiExposure, SecretsExposure, ToolRecord};
use overt_policy::scope::{Scope, ScopeSet};
use overt_policy::{Authority, NoDomain, Overlays, Policy, Rule, Rules, ToolFacts};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Policies that each restrict one or two things.
pub(crate) static ATOMS: LazyLock<Vec<(Value, Policy)>> = LazyLock::new(|| {
    let all = [
        json!({}),
        json!({"tools": {"allow": ["read*", "write"]}}),
        json!({"tools": {"allow": ["*"], "deny": ["copy"]}}),
        json!({"tools": {"allow": []}}),
        json!({"tools": {"deny": ["w*"]}}),
        json!({"scopes": {"allow": ["read", "write:file:/a"]}}),
        json!({"scopes": {"allow": ["write:file", "read:file", "execute"]}}),
        json!({"scopes": {"allow": ["write:file:/a/b", "write:file:/b", "read:file"]}}),
        json!({"scopes": {"deny": ["write:file:/a/b"]}}),
        json!({"scopes": {"deny": ["read:file:/b"], "allow": null}}),
        json!({"scopes": {"allow": []}}),
        json!({"effect": "read"}),
        json!({"effect": "mutating"}),
        json!({"effect": "destructive"}),
        json!({"arguments": {"*": {"properties": {"path": {"pattern": "^/a"}}}}}),
        json!({"arguments": {"write": {"required": ["path"]}}}),
        json!({"limits": {"argument_bytes": 16, "rate": "10/minute"}}),
        json!({"limits": {"argument_bytes": 64, "result_bytes": 100, "seconds": 1.5, "rate": "100/hour"}}),
        json!({"resources": {"allow": ["x:///a/**"]}, "prompts": {"deny": ["p*"]}}),
    ];
    all.into_iter().map(|json| (json.clone(), Policy::parse(&json, &NoDomain).unwrap())).collect()
});

pub(crate) static RULES: LazyLock<Vec<(Value, Rule)>> = LazyLock::new(|| {
    let all = [
        json!({"id": "1", "action": "deny", "when": {"effect_at_least": "destructive"}}),
        json!({"id": "2", "action": "approve", "when": {"effect_at_least": "mutating"}}),
        json!({"id": "3", "action": "deny", "when": {"pii_at_least": "medium", "tool": "read*"}}),
        json!({"id": "4", "action": "approve", "when": {"secrets": true}}),
        json!({"id": "5", "action": "approve", "when": {"reversible": false, "server": "s*"}}),
        json!({"id": "6", "action": "deny", "when": {"declared": false, "server": "other"}}),
        json!({"id": "7", "action": "limit", "limit": {"argument_bytes": 16}}),
        json!({"id": "8", "action": "approve"}),
        json!({"id": "9", "action": "deny", "when": {"secrets": "handles_keys", "declared": true}}),
    ];
    let rule = |json: &Value| Rules::parse(&json!([json])).unwrap().iter().next().unwrap().clone();
    all.into_iter().map(|json| (json.clone(), rule(&json))).collect()
});

pub(crate) static FACTS: LazyLock<Vec<ToolFacts>> = LazyLock::new(|| {
    let record = |effect, scopes: &[&str]| ToolRecord {
        scopes: scopes.iter().map(|text| (*text).to_owned()).collect(),
        ..ToolRecord::new(effect)
    };
    let of = |tool, record: Option<&ToolRecord>, read_only| {
        ToolFacts::of("srv", tool, record, Hints { read_only, ..Hints::default() }).unwrap()
    };
    vec![
        of("read", Some(&record(Effect::Read, &["read:file:{path}"])), None),
        of("write", Some(&record(Effect::Mutating, &["write:file:{path}"])), None),
        of("copy", Some(&record(Effect::Destructive, &["read:file:{from}", "write:file:{path}"])), None),
        of("read_x", None, Some(true)),
        of("write_x", None, Some(false)),
        of("run", None, None),
        of(
            "read_all",
            Some(&ToolRecord {
                pii_exposure: Some(PiiExposure::High),
                secrets_exposure: Some(SecretsExposure::HandlesKeys),
                human_approval: Some(true),
                reversible: Some(true),
                ..record(Effect::Read, &["read"])
            }),
            None,
        ),
        of(
            "wide",
            Some(&ToolRecord {
                secrets_exposure: Some(SecretsExposure::None),
                reversible: Some(false),
                ..record(Effect::External, &["write"])
            }),
            None,
        ),
    ]
});

pub(crate) static SCOPES: LazyLock<Vec<Scope>> = LazyLock::new(|| {
    let all = [
        "read",
        "write",
        "execute",
        "read:file",
        "write:file",
        "write:file:/",
        "write:file:/a",
        "write:file:/a/b",
        "write:file:/ab",
        "write:file:/b",
        "read:file:/a",
        "read:file:/b",
        "write:srv",
        "execute:srv:run",
        "read:srv",
        "write:file:a",
        "write:srv:write_x",
    ];
    all.into_iter().map(|text| Scope::parse(text).unwrap()).collect()
});

pub(crate) static ARGUMENTS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    vec![
        json!({}),
        json!({"path": "/a"}),
        json!({"path": "/a/b"}),
        json!({"path": "/a/b/c", "from": "/a"}),
        json!({"path": "/ab", "from": "/b"}),
        json!({"path": "/b/x", "from": "/b/y"}),
        json!({"path": ["/a/x", "/b/x"]}),
        json!({"path": "a"}),
        json!({"path": "../a"}),
        json!({"path": "/", "from": "a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s"}),
        json!({"path": "/a/fresh", "from": "/fresh"}),
        json!({"path": "/fresh", "from": "/a/fresh"}),
        json!({"path": "/b/fresh", "from": "/fresh"}),
        json!({"path": "/a/b/fresh", "from": "/fresh"}),
        json!({"path": "a/fresh", "from": "/a"}),
        json!({"path": "fresh", "from": "fresh"}),
    ]
});

/// Everything that a decision depends on, as indices into the pools.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) ceiling: Vec<usize>,
    pub(crate) base: Vec<usize>,
    pub(crate) denied: Vec<usize>,
    pub(crate) grantable: Option<Vec<usize>>,
    pub(crate) rules: Vec<usize>,
    pub(crate) honours: bool,
    pub(crate) session: Vec<usize>,
    pub(crate) call: Vec<usize>,
    pub(crate) call_denied: Vec<usize>,
    pub(crate) call_allowed: Option<Vec<usize>>,
    pub(crate) grants: Vec<usize>,
}

pub(crate) fn atoms() -> impl Strategy<Value = Vec<usize>> {
    vec(0..ATOMS.len(), 0..3)
}

pub(crate) fn world() -> impl Strategy<Value = World> {
    let scopes = |most| vec(0..SCOPES.len(), 0..most);
    // Rarely set, so that most worlds don't deny everything.
    let rare = |most| prop_oneof![3 => Just(None), 1 => scopes(most).prop_map(Some)];
    let operator = (atoms(), scopes(4), scopes(2), rare(4), vec(0..RULES.len(), 0..3), any::<bool>());
    let overlays = (atoms(), atoms(), rare(2), rare(4), scopes(4));
    (operator, overlays).prop_map(
        |(
            (ceiling, base, denied, grantable, mut rules, honours),
            (session, call, call_denied, call_allowed, grants),
        )| {
            rules.sort_unstable();
            rules.dedup();
            let call_denied = call_denied.unwrap_or_default();
            World {
                ceiling,
                base,
                denied,
                grantable,
                rules,
                honours,
                session,
                call,
                call_denied,
                call_allowed,
                grants,
            }
        },
    )
}

pub(crate) fn set(indices: &[usize]) -> ScopeSet {
    indices.iter().map(|index| SCOPES[*index].clone()).collect()
}

pub(crate) fn policies(indices: &[usize]) -> Vec<Policy> {
    indices.iter().map(|index| ATOMS[*index].1.clone()).collect()
}

pub(crate) fn meet(indices: &[usize]) -> Policy {
    indices.iter().fold(Policy::top(), |all, index| all.meet(&ATOMS[*index].1))
}

/// The values from which a decision in this world is made.
#[derive(Debug)]
pub(crate) struct Built {
    pub(crate) authority: Authority,
    pub(crate) session: Vec<Policy>,
    pub(crate) call: Vec<Policy>,
    pub(crate) call_denied: ScopeSet,
    pub(crate) call_allowed: Option<ScopeSet>,
    pub(crate) grants: ScopeSet,
}

impl World {
    pub(crate) fn build(&self) -> Built {
        Built {
            authority: Authority {
                ceiling: meet(&self.ceiling),
                base: set(&self.base),
                denied: set(&self.denied),
                grantable: self.grantable.as_deref().map(set),
                rules: self.rules.iter().map(|index| RULES[*index].1.clone()).collect(),
                believes_claims: false,
                honour_declared_approval: self.honours,
            },
            session: policies(&self.session),
            call: policies(&self.call),
            call_denied: set(&self.call_denied),
            call_allowed: self.call_allowed.as_deref().map(set),
            grants: set(&self.grants),
        }
    }
}

impl Built {
    pub(crate) fn overlays(&self) -> Overlays<'_> {
        Overlays {
            session: &self.session,
            call: &self.call,
            denied_scopes: &self.call_denied,
            allowed_scopes: self.call_allowed.as_ref(),
        }
    }

    pub(crate) fn decide(&self, facts: &ToolFacts, arguments: Option<&Value>) -> overt_policy::Decision {
        let subject = overt_policy::Subject::Tool { facts, arguments };
        let granted = |scopes: &[Scope]| scopes.iter().all(|scope| self.grants.covers(scope));
        self.authority.decide(subject, &self.overlays(), &granted)
    }
}
