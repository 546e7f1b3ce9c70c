//! Warns about entries of a policy or of rules that are valid but can't be intended: they allow
//! nothing, or something else makes them pointless.
use super::policy::{NameLists, Policy, ScopeLists};
use super::rule::{Rule, RuleAction, RuleConditions, Rules};
use crate::finding::{Findings, Pointer};
use crate::members::brief;
use crate::record::Effect;
use crate::scope::ScopeSet;

/// Returns warnings about a policy at this place of a document.
pub fn lint_policy(policy: &Policy, at: &Pointer) -> Findings {
    let mut findings = Findings::default();
    lint_names(&policy.tools, &at.join("tools"), &mut findings);
    lint_names(&policy.resources, &at.join("resources"), &mut findings);
    lint_names(&policy.prompts, &at.join("prompts"), &mut findings);
    lint_scopes(&policy.scopes, &at.join("scopes"), &mut findings);
    if policy.effect == Some(Effect::Destructive) {
        let problem = "is the strongest effect there is, so it holds nothing back";
        findings.warning(at.join("effect"), problem, "use a weaker one, or leave it out");
    }
    findings
}

/// Returns warnings about rules at this place of a document.
pub fn lint_rules(rules: &Rules, at: &Pointer) -> Findings {
    let mut findings = Findings::default();
    let all: Vec<&Rule> = rules.iter().collect();
    for (index, rule) in all.iter().enumerate() {
        let denies = |other: &(usize, &&Rule)| {
            let (place, other) = (other.0, other.1);
            // Of two identical rules, only the second is pointless.
            let is_same = other.when == rule.when && rule.action == RuleAction::Deny;
            other.action == RuleAction::Deny
                && place != index
                && other.when.is_implied_by(&rule.when)
                && !(is_same && place > index)
        };
        if let Some((_, other)) = all.iter().enumerate().find(denies) {
            findings.warning(
                at.index(index),
                format!(
                    "rule `{}` has no effect: rule `{}` denies all that it matches",
                    brief(&rule.id),
                    brief(&other.id)
                ),
                "remove it, or narrow the other one",
            );
        }
    }
    findings
}

fn lint_names(lists: &NameLists, at: &Pointer, findings: &mut Findings) {
    let at = at.join("allow");
    for entries in &lists.allow {
        if entries.is_empty() {
            findings.warning(
                at.clone(),
                "is empty, so nothing is allowed",
                "leave it out to allow everything",
            );
        }
        for (index, pattern) in entries.written().enumerate() {
            if lists.deny.iter().any(|deny| deny.contains(pattern)) {
                let problem = format!("`{}` is denied anyway", brief(pattern));
                findings.warning(at.index(index), problem, "remove it here, or there");
            }
        }
    }
}

fn lint_scopes(scopes: &ScopeLists, at: &Pointer, findings: &mut Findings) {
    let at = at.join("allow");
    if scopes.allow.iter().any(ScopeSet::is_empty) {
        findings.warning(
            at.clone(),
            "is empty, so no tool can be called",
            "leave it out to allow everything",
        );
    }
    for (index, scope) in scopes.written().enumerate() {
        if scopes.deny.covers(scope) {
            let problem = format!("`{}` is denied anyway", brief(&scope.to_string()));
            findings.warning(at.index(index), problem, "remove it here, or there");
        }
    }
}

impl RuleConditions {
    /// Returns whether these conditions hold wherever the other ones do, as far as the patterns
    /// show it.
    fn is_implied_by(&self, other: &Self) -> bool {
        fn implied<T>(wide: Option<&T>, narrow: Option<&T>, is_within: impl Fn(&T, &T) -> bool) -> bool {
            match (wide, narrow) {
                (None, _) => true,
                (Some(wide), Some(narrow)) => is_within(wide, narrow),
                (Some(_), None) => false,
            }
        }
        implied(self.effect_at_least.as_ref(), other.effect_at_least.as_ref(), |wide, narrow| wide <= narrow)
            && implied(self.pii_at_least.as_ref(), other.pii_at_least.as_ref(), |wide, narrow| wide <= narrow)
            && implied(self.reversible.as_ref(), other.reversible.as_ref(), PartialEq::eq)
            && implied(self.secrets.as_ref(), other.secrets.as_ref(), PartialEq::eq)
            && implied(self.declared.as_ref(), other.declared.as_ref(), PartialEq::eq)
            && implied(self.server.as_ref(), other.server.as_ref(), |wide, narrow| {
                narrow.patterns().all(|pattern| wide.contains(pattern))
            })
            && implied(self.tool.as_ref(), other.tool.as_ref(), |wide, narrow| {
                narrow.patterns().all(|pattern| wide.contains(pattern))
            })
    }
}
