//! Decides about reading without a tool: resources, prompts, and information of a server about
//! itself. These never require approval.
use super::builder::DecisionBuilder;
use super::layers::{PolicyLayer, policy_layers};
use super::need::Need;
use super::operator;
use super::policy::{ListMatch, judge_lists, judge_name, judge_scopes};
use crate::authority::{Authority, Overlays, Subject};
use crate::decision::{Decision, Layer};
use crate::finding::Pointer;
use crate::globs::Globs;
use crate::policy::NameLists;
use crate::scope::{Action, Scope, ScopeSet};
use crate::uri::{ResourceUri, TemplateText};

/// The scopes that reading needs, and one more that must not be denied.
struct ReadNeeds {
    needs: Vec<Need>,
    /// The scope of the same thing under the name of its server. Denying that scope also denies the
    /// thing.
    of_server: Scope,
}

pub(super) fn decide(authority: &Authority, subject: Subject<'_>, overlays: &Overlays<'_>) -> Decision {
    let mut decision = DecisionBuilder::new();
    let Some((server, reading)) = reading(subject) else { return decision.into_decision(Vec::new()) };
    for layer in policy_layers(authority, overlays) {
        decision.limits = decision.limits.meet(&layer.policy.limits);
        judge_subject(&mut decision, layer, subject);
        judge_scopes(&mut decision, layer, &reading.needs);
        if is_denied(&layer.policy.scopes.deny, &reading) {
            let why = format!("`{}` is denied", reading.of_server);
            decision.deny(layer.layer, layer.at("scopes", "deny"), why, "narrow `scopes.deny`");
        }
    }
    operator::judge_denies(&mut decision, authority, overlays, &reading.needs);
    if is_denied(&authority.denied, &reading) {
        let why = format!("the operator denies `{}`", reading.of_server);
        decision.deny(Layer::Base, Pointer::root().join("deny"), why, "start without that `--deny`");
    }
    if is_denied(overlays.denied_scopes, &reading) {
        let why = format!("the call denies itself `{}`", reading.of_server);
        let at = Pointer::root().join("denied_scopes");
        decision.deny(Layer::Call, at, why, "leave it out of `denied_scopes`");
    }
    for need in reading.needs.iter().filter(|need| !need.is_within(&authority.base)) {
        let scope = &need.scope;
        let why = format!("it needs `{scope}`, which is not allowed");
        let change = format!("start with `--allow {scope}`");
        decision.deny(Layer::Base, Pointer::root().join("allow"), why, change);
    }
    operator::judge_reading(&mut decision, authority, server);
    decision.into_decision(reading.needs.into_iter().map(|need| need.scope).collect())
}

fn reading(subject: Subject<'_>) -> Option<(&str, ReadNeeds)> {
    Some(match subject {
        Subject::Tool { .. } => return None,
        Subject::Resource { server, uri, declared } => {
            let needs = match declared {
                [] => vec![Need::exactly(uri.scope(server))],
                declared => declared.iter().cloned().map(Need::exactly).collect(),
            };
            (server, ReadNeeds { needs, of_server: uri.scope_of_server(server) })
        }
        Subject::Template { server, text } => {
            let scope = TemplateText(text).scope(server);
            let need = Need { is_open: true, ..Need::exactly(scope.clone()) };
            (server, ReadNeeds { needs: vec![need], of_server: scope })
        }
        Subject::Prompt { server, name } => {
            let scope = Scope::of_tool(Action::Read, server, name);
            (server, ReadNeeds { needs: vec![Need::exactly(scope.clone())], of_server: scope })
        }
        Subject::Server { server } => {
            let scope = Scope::of_server(Action::Read, server);
            // Denying a part of a server doesn't hide the rest.
            let need = Need { is_open: true, ..Need::exactly(scope.clone()) };
            (server, ReadNeeds { needs: vec![need], of_server: scope })
        }
    })
}

/// Returns whether a set denies the same thing under another name than the needed one.
fn is_denied(denied: &ScopeSet, reading: &ReadNeeds) -> bool {
    denied.covers(&reading.of_server)
        || reading.needs.iter().any(|need| !need.is_open && denied.overlaps_in_any_case(&need.scope))
}

fn judge_subject(decision: &mut DecisionBuilder, layer: PolicyLayer<'_>, subject: Subject<'_>) {
    let policy = layer.policy;
    match subject {
        Subject::Resource { uri, .. } => {
            judge_lists(decision, layer, "resources", uri.as_str(), listed_uri(&policy.resources, uri));
        }
        Subject::Template { text, .. } => {
            judge_lists(
                decision,
                layer,
                "resources",
                text,
                listed_template(&policy.resources, TemplateText(text)),
            );
        }
        Subject::Prompt { name, .. } => judge_name(decision, layer, "prompts", &policy.prompts, name),
        Subject::Tool { .. } | Subject::Server { .. } => {}
    }
}

fn listed_uri(lists: &NameLists, uri: &ResourceUri) -> ListMatch {
    let denies = |globs: &Globs| uri.denied_forms().any(|form| globs.matches_in_any_case(form));
    ListMatch {
        is_denied: lists.deny.iter().any(denies),
        is_allowed: lists.allow.iter().all(|globs| globs.matches(uri.readable())),
    }
}

fn listed_template(lists: &NameLists, template: TemplateText<'_>) -> ListMatch {
    let denies = |globs: &Globs| template.forms().any(|form| globs.matches_in_any_case(&form));
    let allows = |globs: &Globs| template.forms().all(|form| globs.matches(&form));
    ListMatch { is_denied: lists.deny.iter().any(denies), is_allowed: lists.allow.iter().all(allows) }
}
