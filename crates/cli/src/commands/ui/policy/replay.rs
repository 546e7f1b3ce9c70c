//! Decides a recorded call again, by the present settings or by others. The record says what the
//! call needed. Its arguments are not available, so rules about arguments don't count.
use std::convert::Infallible;

use overt_layers::grants::{Candidates, ToolTrust};
use overt_operator::explain::{CallToExplain, DefinitionDigests};
use overt_policy::record::{Effect, Hints};
use overt_policy::scope::{Scope, ScopeSet, ScopeTemplate};
use overt_policy::word::StringEnum as _;
use overt_policy::{Authority, Basis, Decision, ToolFacts, Trust};
use overt_settings::Origin;
use overt_state::audit::Action;
use serde_json::json;

use crate::settings::ControlSettings;

/// The policies that decide about calls.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) struct Deciders {
    /// Decides about servers behind `overt run`.
    pub(super) servers: Authority,
    /// Decides about our own file server, which allows its roots instead of the defaults of `overt
    /// run`.
    files: Authority,
}

impl Deciders {
    pub(in super::super) fn of(settings: &ControlSettings) -> Self {
        let servers = settings.authority.clone();
        let mut own = servers.clone();
        if settings.values.origin("allow") == Some(&Origin::Default) && !is_open(settings) {
            own.base = ScopeSet::new();
        }
        Self { servers, files: own }
    }
}

fn is_open(settings: &ControlSettings) -> bool {
    settings.values.get::<bool>("allow_all") == Some(true)
}

/// Returns what would be decided about the same call, or `None` if the record does not say what it
/// needed.
pub(in super::super) fn replay(deciders: &Deciders, action: &Action) -> Option<Decision> {
    if action.method != "tools/call" || action.needed.is_empty() {
        return None;
    }
    let needed: Vec<Scope> =
        action.needed.iter().map(|text| Scope::parse(text).ok()).collect::<Option<_>>()?;
    let mut facts = facts(action, &needed);
    // A person agreed to this call, and a file does not revoke what they agreed to.
    let trust = action.trust.as_deref().and_then(Trust::parse);
    let granted: ScopeSet = needed.iter().filter(|_| action.grant.is_some()).cloned().collect();
    let is_agreed = action.grant.is_some() || trust == Some(Trust::Nothing);
    facts.claims_to_delete_nothing = trust == Some(Trust::Deletes);
    let trust = match trust {
        Some(trust) => ToolTrust::Shown(trust),
        None => ToolTrust::Undecided,
    };
    let is_own = action.server_id.is_none();
    let mut authority = if is_own { deciders.files.clone() } else { deciders.servers.clone() };
    authority.ceiling.arguments.clear();
    if is_own && was_made(action) && !is_agreed {
        // Our own server allows what is in its roots, which no settings file names.
        authority.base = authority.base.iter().cloned().chain(needed).collect();
    }
    let call = CallToExplain {
        server: action.server_id.as_ref().unwrap_or(&action.server),
        project: action.project.as_deref(),
        digests: &DefinitionDigests::default(),
        facts: &facts,
        arguments: &json!({}),
        authority: &authority,
        policies: &[],
        supposed: &granted,
        file_trust: None,
    };
    let Ok(explained) =
        call.decide_with(|_| Ok::<_, Infallible>(Candidates { trust, ..Candidates::default() }));
    Some(explained.decision)
}

pub(super) fn was_made(action: &Action) -> bool {
    action.end.was_made()
}

/// Returns what the record says about the tool, and assumes the worst where it says nothing.
fn facts(action: &Action, needed: &[Scope]) -> ToolFacts {
    let basis = action.basis.as_deref().and_then(Basis::parse).unwrap_or(Basis::Claimed);
    let effect = action.effect.as_deref().and_then(Effect::parse).filter(|_| basis >= Basis::Declared);
    ToolFacts {
        effect: effect.unwrap_or(Effect::Destructive),
        basis,
        scopes: needed.iter().cloned().map(ScopeTemplate::exactly).collect(),
        ..ToolFacts::undeclared(&action.server, &action.target, Hints::default())
    }
}
