//! Decides about scopes that the endpoint discovers while it plans or runs a call, such as the
//! scope of the file that a link leads to.
use std::sync::{Arc, Mutex, PoisonError};

use overt_policy::scope::{Action, Scope, ScopeTemplate};
use overt_policy::uri::ResourceUri;
use overt_policy::{Decision, Subject, Verdict};

use super::effective::EffectivePolicy;
use super::resolved_call::ResolvedCall;
use crate::permit::ScopeCheck;

/// Returns the check for planning. A scope that a person could grant is noted and allowed: that
/// person sees the plan, and the call is decided again with the scope. A denied scope stops the
/// plan.
pub(super) fn while_planning(resolved: &ResolvedCall<'_>, found: Arc<Mutex<Vec<Scope>>>) -> ScopeCheck {
    let decide = decider(resolved);
    ScopeCheck(Arc::new(move |scope| match decide(scope) {
        Verdict::Allow => true,
        Verdict::Deny => false,
        Verdict::NeedsApproval => {
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            if !found.contains(scope) && found.len() < MOST_FOUND {
                found.push(scope.clone());
            }
            found.contains(scope)
        }
    }))
}

/// Returns the check for running. What the call was permitted applies to these scopes too; no
/// further question is asked.
pub(super) fn while_running(resolved: &ResolvedCall<'_>, decision: &Decision) -> ScopeCheck {
    let permitted = decision.needed.clone();
    let decide = decider(resolved);
    ScopeCheck(Arc::new(move |scope| {
        permitted.iter().any(|known| known.covers(scope)) || decide(scope) == Verdict::Allow
    }))
}

/// Returns the check for reading or watching a resource, or making a prompt. A discovered resource,
/// such as the target of a link or of another address, is decided as if the client had named it.
pub(super) fn while_reading(
    server: &str,
    named: Option<&ResourceUri>,
    effective: &EffectivePolicy,
) -> ScopeCheck {
    let (server, named) = (server.to_owned(), named.cloned());
    let (snapshot, options) = (Arc::clone(&effective.snapshot), effective.options.clone());
    ScopeCheck(Arc::new(move |scope| {
        let Some(uri) = found_uri(&server, scope).or_else(|| named.clone()) else { return false };
        let declared = std::slice::from_ref(scope);
        let subject = Subject::Resource { server: &server, uri: &uri, declared };
        snapshot.authority.decide_without_grants(subject, &options.overlays()).verdict == Verdict::Allow
    }))
}

/// Returns the resource that a scope names: a file, or a resource of the server.
fn found_uri(server: &str, scope: &Scope) -> Option<ResourceUri> {
    if let Some(path) = scope.path().filter(|_| scope.kind() == Some("file")) {
        return Some(ResourceUri::of_path(&path));
    }
    let of_server = Scope::of_server(Action::Read, server).to_string();
    let text = scope.to_string();
    ResourceUri::parse_listed(text.strip_prefix(&of_server)?.strip_prefix(':')?).ok()
}

/// The most scopes that one plan may find.
const MOST_FOUND: usize = 1_000;

/// Returns a function that decides about one more scope, by the policy of the call itself.
fn decider(resolved: &ResolvedCall<'_>) -> impl Fn(&Scope) -> Verdict + Send + Sync + use<> {
    let facts = resolved.planning.as_ref().unwrap_or(&resolved.facts).clone();
    let (snapshot, options) = (Arc::clone(&resolved.effective.snapshot), resolved.effective.options.clone());
    move |scope| {
        let mut permitted = facts.scopes.iter().filter_map(ScopeTemplate::as_fixed);
        if permitted.any(|known| known.covers(scope)) {
            return Verdict::Allow;
        }
        let facts = facts.needing(scope.clone());
        let subject = Subject::Tool { facts: &facts, arguments: None };
        let granted = |scopes: &[Scope]| scopes.iter().all(|scope| options.trusted.covers(scope));
        snapshot.authority.decide(subject, &options.overlays(), &granted).verdict
    }
}
