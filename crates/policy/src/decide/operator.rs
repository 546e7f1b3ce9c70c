//! Applies the operator's scopes and rules, and what is declared about the tool itself.
use serde_json::Value;

use super::builder::DecisionBuilder;
use super::need::Need;
use super::size::written_size;
use crate::authority::{Authority, Overlays};
use crate::decision::{Layer, LayerVerdict, Verdict};
use crate::facts::ToolFacts;
use crate::finding::Pointer;
use crate::rule::{Rule, RuleAction};
use crate::scope::Scope;

/// Applies the operator's denies, and the scopes that the call denies or allows itself.
pub(super) fn judge_denies(
    decision: &mut DecisionBuilder,
    authority: &Authority,
    overlays: &Overlays<'_>,
    needs: &[Need],
) {
    for need in needs {
        let scope = &need.scope;
        if need.is_denied_by(&authority.denied) {
            let why = format!("it needs `{scope}`, of which the operator denies something");
            decision.deny(Layer::Base, Pointer::root().join("deny"), why, "start without that `--deny`");
        }
        if need.is_denied_by(overlays.denied_scopes) {
            let why = format!("it needs `{scope}`, of which the call denies itself something");
            decision.deny(
                Layer::Call,
                Pointer::root().join("denied_scopes"),
                why,
                "leave it out of `denied_scopes`",
            );
        }
        if overlays.allowed_scopes.is_some_and(|set| !need.is_within(set)) {
            let why = format!("it needs `{scope}`, which is not in the call's own `allowed_scopes`");
            decision.deny(
                Layer::Call,
                Pointer::root().join("allowed_scopes"),
                why,
                format!("add `{scope}` there"),
            );
        }
    }
}

/// Applies the rules without a tool condition to something that is only read. Reading never
/// requires approval, so approve rules are ignored.
pub(super) fn judge_reading(decision: &mut DecisionBuilder, authority: &Authority, server: &str) {
    let facts = ToolFacts::of_reading(server);
    for (index, rule) in authority.rules.matching(&facts).filter(|(_, rule)| rule.when.tool.is_none()) {
        match rule.action {
            RuleAction::Deny => {
                decision.add_verdict(rule_verdict(index, rule, Verdict::Deny, "change the rule"));
            }
            RuleAction::Limit => decision.limits = decision.limits.meet(&rule.limit),
            RuleAction::Approve => {}
        }
    }
}

/// Applies the scopes that are allowed without asking. Returns the scopes that are not among them.
pub(super) fn judge_base(
    decision: &mut DecisionBuilder,
    authority: &Authority,
    needs: &[Need],
) -> Vec<Scope> {
    let mut uncovered = Vec::new();
    for need in needs.iter().filter(|need| !need.is_within(&authority.base)) {
        let scope = &need.scope;
        let at = Pointer::root().join("allow");
        let change = format!("start with `--allow {scope}`");
        if need.is_grantable(authority.grantable.as_ref()) {
            decision.add_verdict(LayerVerdict {
                layer: Layer::Base,
                verdict: Verdict::NeedsApproval,
                why: format!("it needs `{scope}`, which is not allowed without asking"),
                at,
                change: format!("a person grants it, or {change}"),
                rule: None,
            });
        } else {
            let why = format!("it needs `{scope}`, which is not allowed and can't be granted");
            decision.deny(Layer::Base, at, why, change);
        }
        uncovered.push(scope.clone());
    }
    if uncovered.is_empty() && !needs.is_empty() {
        decision.allow(Layer::Base, "all that it needs is allowed without asking");
    }
    uncovered
}

/// Applies the rules and what is declared about the tool. Returns whether a person must approve the
/// call.
pub(super) fn judge_rules(
    decision: &mut DecisionBuilder,
    authority: &Authority,
    facts: &ToolFacts,
    arguments: Option<&Value>,
) -> bool {
    let mut must_ask = false;
    for (index, rule) in authority.rules.matching(facts) {
        match rule.action {
            RuleAction::Deny => {
                decision.add_verdict(rule_verdict(index, rule, Verdict::Deny, "change the rule"));
            }
            RuleAction::Approve => {
                must_ask = true;
                decision.add_verdict(rule_verdict(
                    index,
                    rule,
                    Verdict::NeedsApproval,
                    "a person agrees, or change the rule",
                ));
            }
            RuleAction::Limit => {
                decision.limits = decision.limits.meet(&rule.limit);
                decision.add_verdict(limited(index, rule, arguments));
            }
        }
    }
    if authority.honour_declared_approval && facts.approval {
        must_ask = true;
        decision.add_verdict(LayerVerdict {
            layer: Layer::Declared,
            verdict: Verdict::NeedsApproval,
            why: "it is declared that a person must agree to each call".to_owned(),
            at: Pointer::root().join("human_approval"),
            change: "a person agrees".to_owned(),
            rule: None,
        });
    }
    // Applies even if nothing else requires approval: only a person may accept a permanent loss.
    if let Some(why) = &facts.irreversible {
        must_ask = true;
        decision.add_verdict(LayerVerdict {
            layer: Layer::Declared,
            verdict: Verdict::NeedsApproval,
            why: format!("this call can't be undone: {why}"),
            at: Pointer::root().join("reversible"),
            change: "a person agrees to this call".to_owned(),
            rule: None,
        });
    }
    // What starts programs later is outside of every decision about calls.
    if let Some(what) = &facts.guarded {
        must_ask = true;
        decision.add_verdict(LayerVerdict {
            layer: Layer::Declared,
            verdict: Verdict::NeedsApproval,
            why: format!("this call changes what can start programs or permit tools: {what}"),
            at: Pointer::root().join("guarded"),
            change: "a person agrees to this call, outside of the client".to_owned(),
            rule: None,
        });
    }
    must_ask
}

fn rule_verdict(index: usize, rule: &Rule, verdict: Verdict, change: &str) -> LayerVerdict {
    let why = match &rule.reason {
        Some(reason) => format!("rule `{}`: {reason}", rule.id),
        None => format!("rule `{}`", rule.id),
    };
    LayerVerdict {
        layer: Layer::Rules,
        verdict,
        why,
        at: Pointer::root().index(index),
        change: change.to_owned(),
        rule: Some(rule.id.clone()),
    }
}

fn limited(index: usize, rule: &Rule, arguments: Option<&Value>) -> LayerVerdict {
    let bytes = arguments.map_or(0, written_size);
    if rule.limit.argument_bytes.is_some_and(|most| bytes > most) {
        rule_verdict(index, rule, Verdict::Deny, "send smaller arguments, or change the rule")
    } else {
        rule_verdict(index, rule, Verdict::Allow, "")
    }
}
