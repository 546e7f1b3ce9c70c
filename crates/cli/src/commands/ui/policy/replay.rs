//! Decides a recorded call again, by the present settings or by others. The record says what the
//! call needed. Its arguments are not available, so rules about arguments don't count.
use overt_policy::record::{Effect, Hints};
use overt_policy::scope::{Scope, ScopeSet, ScopeTemplate};
use overt_policy::word::StringEnum as _;
use overt_policy::{Authority, Basis, Decision, Overlays, Subject, ToolFacts, Trust};
use overt_settings::Origin;
use overt_state::audit::Action;

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
    let facts = facts(action, &needed);
    // A person agreed to this call, and a file does not revoke what they agreed to.
    let is_agreed = action.grant.is_some() || action.trust.as_deref() == Some(Trust::Record.as_str());
    let is_own = action.server_id.is_none();
    let mut authority = if is_own { deciders.files.clone() } else { deciders.servers.clone() };
    if is_own && was_made(action) && !is_agreed {
        // Our own server allows what is in its roots, which no settings file names.
        authority.base = authority.base.iter().cloned().chain(needed).collect();
    }
    let subject = Subject::Tool { facts: &facts, arguments: None };
    let mut decision = authority.decide(subject, &Overlays::default(), &|_| false);
    if is_agreed && decision.verdict == overt_policy::Verdict::NeedsApproval {
        decision.verdict = overt_policy::Verdict::Allow;
    }
    Some(decision)
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
