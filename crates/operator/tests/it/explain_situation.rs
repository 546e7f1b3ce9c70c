//! Random policies, and random answers that people gave before: grants, refusals for good, and
//! trust in the server.
use overt_layers::PolicySnapshot;
use overt_layers::definition::{DefinitionDigest, ServerDigest};
use overt_layers::grants::{
    GrantLifetime, GrantVerdict, GrantedTools, Holder, SeenTool, Terms, TrustedServerKey, TrustedTool,
};
use overt_layers::person::{SetTrust, TrustScope};
use overt_policy::rule::Rules;
use overt_policy::scope::{Scope, ScopeSet};
use overt_policy::word::StringEnum as _;
use overt_policy::{Authority, NoDomain, Policy, Trust};
use overt_state::grants::SqliteStore;
use overt_testkit::person::{authorised, giving, trusting};
use overt_wire::Principal;
use overt_wire::view::Tool;
use proptest::bool::weighted;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Value, json};

use super::explain_server::{PROJECT, TOOLS, definitions};

/// What decides about a call, apart from the call.
#[derive(Debug, Clone)]
pub(crate) struct Situation {
    pub(crate) authority: Authority,
    /// A policy that the call brings.
    pub(crate) policy: Value,
    /// Scopes that the call says were granted.
    pub(crate) supposed: Vec<&'static str>,
    grants: Vec<Given>,
    trust: Option<Decided>,
    /// The level in the user's file, which is not in the store until the server starts.
    pub(crate) file_trust: Option<Trust>,
}

/// A grant or a refusal for good.
#[derive(Debug, Clone)]
struct Given {
    verdict: GrantVerdict,
    tools: GrantedTools,
    scopes: Vec<&'static str>,
    project: Option<&'static str>,
    seen: Seen,
    holder: Who,
}

/// A decision about how far to trust the server.
#[derive(Debug, Clone)]
struct Decided {
    trust: Trust,
    project: Option<&'static str>,
    /// The tool that the person saw, if it was one.
    tool: Option<&'static str>,
    seen: Seen,
}

/// The definitions that a person saw.
#[derive(Debug, Clone, Copy)]
enum Seen {
    Nothing,
    Present,
    Earlier,
}

/// For whom a grant is.
#[derive(Debug, Clone, Copy)]
enum Who {
    /// All clients, always.
    Everyone,
    /// Another session of the same person.
    OtherSession,
    /// Another person.
    Other,
}

const SCOPES: [&str; 12] = [
    "read",
    "write",
    "execute",
    "read:file:/a",
    "write:file:/a",
    "write:file:/a/secret",
    "read:srv",
    "write:srv",
    "execute:srv",
    "read:srv:claims_read",
    "execute:srv:claims_read",
    "write:srv:contradicts",
];

impl Situation {
    pub(crate) fn any() -> impl Strategy<Value = Self> {
        let policy = select(vec![
            Value::Null,
            Value::Null,
            Value::Null,
            Value::Null,
            json!({ "effect": "read" }),
            json!({ "scopes": { "deny": ["write:file:/a/secret", "execute:srv:silent"] } }),
            json!({ "arguments": { "*": { "required": ["path"] } } }),
        ]);
        let supposed = prop_oneof![3 => Just(Vec::new()), 1 => subsequence(SCOPES.to_vec(), 1..3)];
        let trust = proptest::option::weighted(0.7, Decided::any());
        let file_trust = proptest::option::weighted(0.1, select(Trust::ALL));
        (authority(), policy, supposed, vec(Given::any(), 0..5), trust, file_trust).prop_map(
            |(authority, policy, supposed, grants, trust, file_trust)| Self {
                authority,
                policy,
                supposed,
                grants,
                trust,
                file_trust,
            },
        )
    }

    pub(crate) fn snapshot(&self) -> PolicySnapshot {
        let mut snapshot = PolicySnapshot::new(self.authority.clone());
        snapshot.approval.trust_grants = true;
        snapshot
    }

    pub(crate) fn policies(&self) -> Vec<Policy> {
        Policy::chain(&self.policy, &NoDomain).unwrap()
    }

    /// Writes down what people answered about this server.
    pub(crate) fn answer(&self, server: &str, store: &SqliteStore) {
        for given in &self.grants {
            store.give(&giving(&given.holder.holder(), given.terms(server))).unwrap();
        }
        if let Some(decided) = &self.trust {
            let tool = decided.trusted_tool(server);
            match decided.tool {
                Some(_) => store.set_trust(&trusting(&tool, decided.trust)).unwrap(),
                None => {
                    let (server, trust) = (tool.server, decided.trust);
                    let (seen, scope) = (decided.seen.definitions(), TrustScope::Server);
                    store.set_trust(&authorised(SetTrust { server, trust, seen, scope })).unwrap()
                }
            };
        }
    }
}

/// Returns the operator's scopes, denied scopes and at most one rule.
fn authority() -> impl Strategy<Value = Authority> {
    let base = prop_oneof![Just(vec!["read"]), subsequence(SCOPES.to_vec(), 0..4)];
    let denied = prop_oneof![4 => Just(Vec::new()), 1 => subsequence(SCOPES.to_vec(), 1..3)];
    let action = select(vec![
        json!({ "action": "deny" }),
        json!({ "action": "approve" }),
        json!({ "action": "limit", "limit": { "argument_bytes": 12 } }),
    ]);
    let when = select(vec![
        json!({}),
        json!({ "effect_at_least": "destructive" }),
        json!({ "tool": "claims_*" }),
        json!({ "tool": "peek" }),
        json!({ "declared": true }),
        json!({ "declared": false }),
    ]);
    let rule = proptest::option::weighted(0.2, (action, when));
    (base, denied, rule, weighted(0.5), weighted(0.2)).prop_map(|(base, denied, rule, honours, believes)| {
        let rules = rule.map(|(mut rule, when)| {
            rule["id"] = json!("r");
            rule["when"] = when;
            Rules::parse(&json!([rule])).unwrap()
        });
        Authority {
            base: set(&base),
            denied: set(&denied),
            rules: rules.unwrap_or_default(),
            honour_declared_approval: honours,
            believes_claims: believes,
            ..Authority::careful()
        }
    })
}

pub(crate) fn set(texts: &[&str]) -> ScopeSet {
    scopes(texts).into_iter().collect()
}

fn scopes(texts: &[&str]) -> Vec<Scope> {
    texts.iter().map(|text| Scope::parse(text).unwrap()).collect()
}

fn project() -> impl Strategy<Value = Option<&'static str>> {
    select(vec![Some(PROJECT), Some(PROJECT), Some(PROJECT), Some(PROJECT), None, Some("/elsewhere")])
}

impl Given {
    fn any() -> impl Strategy<Value = Self> {
        let one = || select(&TOOLS[..]).prop_map(|tool| GrantedTools::One(tool.to_owned()));
        let allowed =
            prop_oneof![4 => one(), 1 => Just(GrantedTools::Every), 1 => Just(GrantedTools::Reading)];
        // What is refused for good is always one tool.
        let about = prop_oneof![
            3 => allowed.prop_map(|tools| (GrantVerdict::Allow, tools)),
            1 => one().prop_map(|tools| (GrantVerdict::Refuse, tools)),
        ];
        let holder = select(vec![Who::Everyone, Who::Everyone, Who::Everyone, Who::OtherSession, Who::Other]);
        (about, subsequence(SCOPES.to_vec(), 1..5), project(), Seen::any(), holder).prop_map(
            |((verdict, tools), scopes, project, seen, holder)| Self {
                verdict,
                tools,
                scopes,
                project,
                seen,
                holder,
            },
        )
    }

    fn terms(&self, server: &str) -> Terms {
        let is_session = matches!(self.holder, Who::OtherSession) && self.verdict == GrantVerdict::Allow;
        Terms {
            verdict: self.verdict,
            client: None,
            server: server.to_owned(),
            project: self.project.map(str::to_owned),
            tools: self.tools.clone(),
            tool_digest: self.seen.digest(self.tools.name()),
            scopes: scopes(&self.scopes),
            lifetime: if is_session { GrantLifetime::Session } else { GrantLifetime::Always },
            arguments: None,
            plan: None,
            expires: None,
        }
    }
}

impl Decided {
    fn any() -> impl Strategy<Value = Self> {
        let tool = proptest::option::weighted(0.3, select(&TOOLS[..]));
        (select(Trust::ALL), project(), tool, Seen::any()).prop_map(|(trust, project, tool, seen)| Self {
            trust,
            project,
            tool,
            seen,
        })
    }

    fn trusted_tool(&self, server: &str) -> TrustedTool {
        TrustedTool {
            server: TrustedServerKey {
                principal: Principal::local(),
                server: server.to_owned(),
                project: self.project.map(str::to_owned),
            },
            tool: self.tool.unwrap_or_default().to_owned(),
            digest: self.seen.digest(self.tool).unwrap_or_default(),
        }
    }
}

impl Seen {
    fn any() -> impl Strategy<Value = Self> {
        select(vec![Self::Nothing, Self::Present, Self::Present, Self::Earlier])
    }

    /// Returns the definitions of all tools.
    fn definitions(self) -> Vec<SeenTool> {
        let seen =
            |tool: &&'static str| SeenTool { name: (*tool).to_owned(), digest: self.digest(Some(tool)) };
        TOOLS.iter().map(seen).collect()
    }

    /// Returns the digest of this tool's definition, or of all without a name.
    fn digest(self, tool: Option<&str>) -> Option<String> {
        let definitions = definitions();
        let digests: Vec<_> = definitions
            .iter()
            .map(|of| (Tool(of.as_json()).name().unwrap().into_owned(), DefinitionDigest::of(of.as_json())))
            .collect();
        match (self, tool) {
            (Self::Nothing, _) => None,
            (Self::Earlier, _) => Some("earlier".to_owned()),
            (Self::Present, Some(tool)) => {
                digests.iter().find(|(name, _)| name == tool).map(|(_, digest)| digest.to_string())
            }
            (Self::Present, None) => {
                let digests = digests.iter().map(|(name, digest)| (name.as_str(), digest));
                Some(ServerDigest::of(digests).to_string())
            }
        }
    }
}

impl Who {
    fn holder(self) -> Holder {
        match self {
            Self::Everyone => Holder::any_client(Principal::local()),
            Self::OtherSession => Holder::session(Principal::local(), "other"),
            Self::Other => Holder::any_client(Principal::token_holder("other")),
        }
    }
}
