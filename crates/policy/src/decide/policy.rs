//! Applies a policy to a call, a resource or a prompt.
use serde_json::Value;

use super::builder::DecisionBuilder;
use super::layers::PolicyLayer;
use super::need::Need;
use super::size::written_size;
use crate::facts::ToolFacts;
use crate::members::brief;
use crate::policy::NameLists;

/// The call to decide about.
pub(super) struct Call<'a> {
    pub(super) facts: &'a ToolFacts,
    pub(super) arguments: Option<&'a Value>,
    pub(super) needs: &'a [Need],
}

pub(super) fn apply(decision: &mut DecisionBuilder, layer: PolicyLayer<'_>, call: &Call<'_>) {
    let said = decision.verdicts.len();
    let policy = layer.policy;
    decision.limits = decision.limits.meet(&policy.limits);
    judge_name(decision, layer, "tools", &policy.tools, &call.facts.tool);
    judge_inner_name(decision, layer, call.facts);
    judge_effect(decision, layer, call.facts);
    judge_scopes(decision, layer, call.needs);
    if let Some(arguments) = call.arguments {
        judge_arguments(decision, layer, &call.facts.tool, arguments);
    }
    if decision.verdicts.len() == said {
        decision.allow(layer.layer, "nothing in this policy is against it");
    }
}

/// Checks a name against the lists.
pub(super) fn judge_name(
    decision: &mut DecisionBuilder,
    layer: PolicyLayer<'_>,
    member: &str,
    lists: &NameLists,
    name: &str,
) {
    let is_denied = lists.deny.iter().any(|globs| globs.matches(name));
    let is_allowed = lists.allow.iter().all(|globs| globs.matches(name));
    judge_lists(decision, layer, member, name, ListMatch { is_denied, is_allowed });
}

/// Checks the name of the tool that the call acts as. Only deny lists apply to it: lists of allowed
/// tools are about what is called.
fn judge_inner_name(decision: &mut DecisionBuilder, layer: PolicyLayer<'_>, facts: &ToolFacts) {
    for name in facts.judged_names().skip(1) {
        if layer.policy.tools.deny.iter().any(|globs| globs.matches(name)) {
            let (tool, name) = (brief(&facts.tool), brief(name));
            let why = format!("this call of `{tool}` does what `{name}` does, and `{name}` is denied");
            let change = format!("remove the pattern that matches `{name}` from `tools.deny`");
            decision.deny(layer.layer, layer.at("tools", "deny"), why, change);
        }
    }
}

/// How the lists match a name.
#[derive(Clone, Copy)]
pub(super) struct ListMatch {
    pub(super) is_denied: bool,
    pub(super) is_allowed: bool,
}

pub(super) fn judge_lists(
    decision: &mut DecisionBuilder,
    layer: PolicyLayer<'_>,
    member: &str,
    name: &str,
    listed: ListMatch,
) {
    let name = brief(name);
    if listed.is_denied {
        let change = format!("remove the pattern that matches `{name}` from `{member}.deny`");
        decision.deny(layer.layer, layer.at(member, "deny"), format!("`{name}` is denied"), change);
    }
    if !listed.is_allowed {
        let why = format!("`{name}` is not in the list of what is allowed");
        let change = format!("add `{name}` to `{member}.allow`");
        decision.deny(layer.layer, layer.at(member, "allow"), why, change);
    }
}

fn judge_effect(decision: &mut DecisionBuilder, layer: PolicyLayer<'_>, facts: &ToolFacts) {
    let Some(strongest) = layer.policy.effect.filter(|strongest| facts.effect > *strongest) else { return };
    let effect = facts.effect;
    let (why, change) = if facts.is_declared() {
        (
            format!("its effect is `{effect}`, and at most `{strongest}` is allowed"),
            format!("raise `effect` to `{effect}`"),
        )
    } else {
        (
            format!("its effect is not declared and counts as `{effect}`; at most `{strongest}` is allowed"),
            format!("declare the effect of the tool in the manifest, or raise `effect` to `{effect}`"),
        )
    };
    decision.deny(layer.layer, layer.at("effect", ""), why, change);
}

pub(super) fn judge_scopes(decision: &mut DecisionBuilder, layer: PolicyLayer<'_>, needs: &[Need]) {
    let scopes = &layer.policy.scopes;
    for need in needs {
        let scope = &need.scope;
        if need.is_denied_by(&scopes.deny) {
            let why = format!("it needs `{scope}`, of which something is denied");
            decision.deny(layer.layer, layer.at("scopes", "deny"), why, "narrow `scopes.deny`, or the call");
        }
        if scopes.allow.iter().any(|set| !need.is_within(set)) {
            let why = format!("it needs `{scope}`, which is not allowed");
            decision.deny(
                layer.layer,
                layer.at("scopes", "allow"),
                why,
                format!("add `{scope}` to `scopes.allow`"),
            );
        }
    }
}

fn judge_arguments(decision: &mut DecisionBuilder, layer: PolicyLayer<'_>, tool: &str, arguments: &Value) {
    for constraint in layer.policy.arguments.iter().filter(|constraint| constraint.tools.matches(tool)) {
        if let Some(problem) = constraint.problem(arguments) {
            let pattern = constraint.tools.patterns().next().unwrap_or_default();
            let why = format!("the arguments are not as they must be: {problem}");
            decision.deny(
                layer.layer,
                layer.at("arguments", pattern),
                why,
                "change the arguments, or the constraint",
            );
        }
    }
    if let Some(most) = layer.policy.limits.argument_bytes {
        judge_size(decision, layer, most, arguments);
    }
}

fn judge_size(decision: &mut DecisionBuilder, layer: PolicyLayer<'_>, most: u64, arguments: &Value) {
    let bytes = written_size(arguments);
    if bytes > most {
        let why = format!("the arguments have {bytes} bytes, and at most {most} are allowed");
        decision.deny(
            layer.layer,
            layer.at("limits", "argument_bytes"),
            why,
            "send less, or raise the limit",
        );
    }
}
