//! A recorded call, decided once more by what is in force now or would be. The record says what the call needed; what it was called
//! with is not looked at, so rules about arguments don't count.
use overt_policy::record::{Effect, Hints};
use overt_policy::scope::{Scope, ScopeTemplate};
use overt_policy::word::Word as _;
use overt_policy::{Authority, Basis, Decision, Overlays, Subject, ToolFacts, Trust};
use overt_state::audit::{Action, End};

/// What would be decided about the same call. None if the record does not say what the call needed.
pub(in super::super) fn replay(authority: &Authority, action: &Action) -> Option<Decision> {
    if action.method != "tools/call" || action.needed.is_empty() {
        return None;
    }
    let needed: Vec<Scope> =
        action.needed.iter().map(|text| Scope::parse(text).ok()).collect::<Option<_>>()?;
    let facts = facts(action, &needed);
    // A person agreed to it, and what they agreed to is not taken away by a file.
    let is_agreed = action.grant.is_some() || action.trust.as_deref() == Some(Trust::Record.as_str());
    let mut authority = authority.clone();
    if action.server_id.is_none() && was_made(action) && !is_agreed {
        // Our own server allows what is in its roots, which no file says.
        authority.base = authority.base.iter().cloned().chain(needed).collect();
    }
    let subject = Subject::Tool { facts: &facts, arguments: None };
    let mut decision = authority.decide(subject, &Overlays::default(), &|_| false);
    if is_agreed && decision.verdict == overt_policy::Verdict::NeedsApproval {
        decision.verdict = overt_policy::Verdict::Allow;
    }
    Some(decision)
}

fn was_made(action: &Action) -> bool {
    !matches!(action.end, End::Refused(_))
}

/// What the record says about the tool. What it does not say counts as the worst.
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
