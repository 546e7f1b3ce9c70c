//! The options in a request's `_meta`. They can only narrow what is allowed. A claim to be allowed
//! more must be proved by a token; otherwise it is ignored.
use overt_policy::finding::{Findings, Pointer};
use overt_policy::mark::request as mark;
use overt_policy::scope::{Scope, ScopeSet};
use overt_policy::{NoDomain, Overlays, Policy};
use overt_settings::{Author, PolicyFields, SettingValues};
use overt_wire::edit::{self, Step};
use overt_wire::json::{Json, JsonBuf, Member, Object};
use overt_wire::{ErrorObject, Message};
use serde_json::Value;

use super::control::PolicySnapshot;
use crate::configure::{Foreign, split_upstream_policy};
use crate::preview::Preview;

/// The options of a request.
#[derive(Debug, Clone, Default)]
pub(super) struct RequestOptions {
    /// The delegation chain. The last policy is the call's own.
    pub(super) policy: Vec<Policy>,
    pub(super) denied: ScopeSet,
    /// Scopes that the client says were granted, if such claims count.
    pub(super) trusted: ScopeSet,
    /// The part of the call's policy that is for the upstream.
    pub(super) upstream_policy: Option<JsonBuf>,
    /// The token of a grant.
    pub(super) token: Option<String>,
    pub(super) plan: Option<String>,
    /// Whether there is a plan member, of any type.
    pub(super) has_plan: bool,
    pub(super) preview: Preview,
}

/// The largest policy that is read, in bytes, because other requests wait while one is read.
const MOST_POLICY: usize = 64 << 10;
/// The most scopes of one request that are read.
const MOST_SCOPES: usize = 1_000;

impl RequestOptions {
    /// Reads the options. Most requests have none.
    pub(super) fn read(
        message: &Message,
        snapshot: &PolicySnapshot,
        settings: Option<&SettingValues>,
        author: Author,
        foreign: &Foreign,
    ) -> Result<Self, ErrorObject> {
        let Some(meta) = message.meta().value() else { return Ok(Self::default()) };
        let text = |name: &str| meta.get(name).string().map(String::from);
        let (policy, upstream_policy) = policies(meta, snapshot, settings, author, foreign)?;
        let mut options = Self {
            policy,
            upstream_policy,
            denied: scopes(meta, mark::DENIED)?,
            token: text(mark::GRANT),
            plan: text(mark::PLAN),
            has_plan: meta.get(mark::PLAN).value().is_some(),
            preview: Preview::of(message),
            ..Self::default()
        };
        if snapshot.approval.trust_grants {
            for name in mark::GRANTED {
                options.trusted.extend(scopes(meta, name)?.iter().cloned());
            }
        }
        Ok(options)
    }

    /// Returns the overlays by which the request narrows the operator's authority.
    pub(super) fn overlays(&self) -> Overlays<'_> {
        Overlays { call: &self.policy, denied_scopes: &self.denied, ..Overlays::default() }
    }

    /// Returns whether the request has any option.
    pub(super) fn has_any(message: &Message) -> bool {
        let Some(meta) = message.meta().value() else { return false };
        let scopes = [mark::GRANTED[0], mark::GRANTED[1], mark::DENIED, mark::DYNAMIC];
        let ours = [mark::POLICY, mark::POLICY_SOURCE, mark::PREVIEW, mark::GRANT, mark::PLAN];
        meta.members().any(|(name, _)| scopes.iter().chain(&ours).any(|known| name.is(known)))
    }

    /// Returns the request as it goes to the endpoint: without the members for Overt, and with the
    /// policy for the upstream, if it has one.
    pub(super) fn onward(&self, message: &Message, trust_grants: bool) -> Message {
        let onward = Self::without(message, trust_grants);
        let Some(policy) = &self.upstream_policy else { return onward };
        let path = |name| [Step::Member("params"), Step::Member("_meta"), Step::Member(name)];
        let source = message.meta().get(mark::POLICY_SOURCE).value();
        let members = [(mark::POLICY, Some(policy.as_json())), (mark::POLICY_SOURCE, source)];
        let present = members.into_iter().filter_map(|(name, value)| Some((name, value?)));
        present.fold(onward, |message, (name, value)| {
            edit::set_in(&message, &path(name), value).unwrap_or(message)
        })
    }

    /// Removes the members that are for Overt alone: no upstream sees Overt's policies and grants.
    pub(super) fn without(message: &Message, trust_grants: bool) -> Message {
        let Some(meta) = message.meta().value() else { return message.clone() };
        let ours = |name: &str| {
            let grants = mark::GRANTED.contains(&name) || name == mark::DENIED || name == mark::DYNAMIC;
            matches!(name, mark::POLICY | mark::POLICY_SOURCE | mark::GRANT) || (grants && !trust_grants)
        };
        let names: Vec<String> =
            meta.members().map(|(name, _)| name.name().into_owned()).filter(|name| ours(name)).collect();
        names.iter().fold(message.clone(), |message, name| {
            let path = [Step::Member("params"), Step::Member("_meta"), Step::Member(name)];
            edit::remove_in(&message, &path).unwrap_or(message)
        })
    }
}

/// Reads the policies of the call, and the part of them that is for the upstream.
fn policies(
    meta: Json<'_>,
    snapshot: &PolicySnapshot,
    settings: Option<&SettingValues>,
    author: Author,
    foreign: &Foreign,
) -> Result<(Vec<Policy>, Option<JsonBuf>), ErrorObject> {
    let Member::Value(written) = meta.get(mark::POLICY) else { return Ok((Vec::new(), None)) };
    if written.as_str().len() > MOST_POLICY {
        let data = Object::new().string("kind", "policy_invalid").string("path", "").finish();
        let what = format!("`_meta.policy` has more than {MOST_POLICY} bytes; nothing was done");
        return Err(ErrorObject::invalid_params(what).with_data(data));
    }
    let mut value: Value =
        written.read().map_err(|_| ErrorObject::invalid_params("`_meta.policy` can't be read"))?;
    let mut findings = Findings::default();
    let declared = settings.map(|values| &**values.declared());
    let theirs = split_upstream_policy(&mut value, declared, foreign, author, &mut findings);
    if findings.has_errors() {
        return Err(refused(&findings, "policy_invalid"));
    }
    let chain = match settings {
        Some(values) => Policy::chain(&value, &PolicyFields { declared: values.declared(), author }),
        None => Policy::chain(&value, &NoDomain),
    };
    let chain = chain.map_err(|wrong| refused(&wrong, "policy_invalid"))?;
    let mut so_far = snapshot.authority.ceiling.clone();
    for (index, policy) in chain.iter().enumerate() {
        let wider = policy.widens(&so_far);
        if !wider.is_empty() {
            let wider = if value.is_array() { wider.below(&Pointer::root().index(index)) } else { wider };
            return Err(refused(&wider, "policy_expansion"));
        }
        so_far = so_far.meet(policy);
    }
    Ok((chain, theirs.map(|theirs| JsonBuf::from(&Value::Object(theirs)))))
}

/// returns an error that always has the same code and lists the place of every problem.
pub(super) fn refused(findings: &Findings, kind: &str) -> ErrorObject {
    let first = findings.iter().next();
    let path = first.map_or("", |finding| finding.at.as_str());
    let all: Vec<String> = findings.iter().map(ToString::to_string).collect();
    let data = Object::new().string("kind", kind).string("path", path).value("problems", &all).finish();
    let what = match kind {
        "policy_expansion" => "a policy can only narrow what is allowed",
        _ => "`_meta.policy` is not a policy",
    };
    let first = first.map_or_else(String::new, ToString::to_string);
    ErrorObject::invalid_params(format!("{what}: {first}; nothing was done")).with_data(data)
}

/// Reads a scope or a list of scopes.
fn scopes(meta: Json<'_>, name: &str) -> Result<ScopeSet, ErrorObject> {
    let Member::Value(value) = meta.get(name) else { return Ok(ScopeSet::default()) };
    let texts: Vec<_> = match value.string() {
        Some(one) => vec![Some(one)],
        None => value.elements().take(MOST_SCOPES + 1).map(Json::string).collect(),
    };
    let wrong = |why: String| {
        let data: JsonBuf =
            Object::new().string("kind", "scopes_invalid").string("path", &format!("/{name}")).finish();
        ErrorObject::invalid_params(format!("`_meta.{name}`: {why}; nothing was done")).with_data(data)
    };
    if !value.is_array() && !value.is_string() || texts.len() > MOST_SCOPES {
        return Err(wrong(format!("must be a scope or a list of at most {MOST_SCOPES} of them")));
    }
    let mut set = ScopeSet::default();
    for text in texts {
        let text = text.ok_or_else(|| wrong("every scope must be a string".to_owned()))?;
        set.insert(Scope::parse(&text).map_err(|error| wrong(error.to_string()))?);
    }
    Ok(set)
}
