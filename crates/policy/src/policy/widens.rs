//! Finds where a policy allows more than the policy in force. That part would have no effect,
//! because layers only restrict; its author expects one, so it is an error and not ignored.
use super::model::{NameLists, Policy, ScopeLists};
use crate::finding::{Findings, Pointer};
use crate::globs::Globs;
use crate::members::brief;

impl Policy {
    /// Reports every place where this policy allows more than the other, as far as the texts show
    /// it.
    pub fn widens(&self, of: &Self) -> Findings {
        let mut findings = Findings::default();
        let at = Pointer::root();
        self.tools.widens(&of.tools, &at.join("tools"), &mut findings);
        self.resources.widens(&of.resources, &at.join("resources"), &mut findings);
        self.prompts.widens(&of.prompts, &at.join("prompts"), &mut findings);
        self.scopes.widens(&of.scopes, &at.join("scopes"), &mut findings);
        if let (Some(new), Some(old)) = (self.effect, of.effect)
            && new > old
        {
            findings.error(
                at.join("effect"),
                format!("`{new}` is stronger than `{old}`, which is the strongest in force"),
                format!("use `{old}` or a weaker one, or leave it out"),
            );
        }
        self.limits.widens(&of.limits, &at.join("limits"), &mut findings);
        findings
    }
}

impl NameLists {
    fn widens(&self, of: &Self, at: &Pointer, findings: &mut Findings) {
        let at = at.join("allow");
        for entries in &self.allow {
            for (index, pattern) in entries.written().enumerate() {
                if let Some(outer) = of.allow.iter().find(|outer| !outer.contains(pattern)) {
                    findings.error(
                        at.index(index),
                        format!("`{}` is not within what is allowed", brief(pattern)),
                        format!("use a pattern within {}", list(outer)),
                    );
                }
            }
        }
    }
}

impl ScopeLists {
    fn widens(&self, of: &Self, at: &Pointer, findings: &mut Findings) {
        let at = at.join("allow");
        for (index, scope) in self.written.0.iter().enumerate() {
            if of.allow.iter().any(|outer| !outer.covers(scope)) {
                findings.error(
                    at.index(index),
                    format!("`{}` is not within the scopes that are allowed", brief(&scope.to_string())),
                    "use a scope that one of them covers",
                );
            }
        }
    }
}

fn list(globs: &Globs) -> String {
    const SHOWN: usize = 5;
    let patterns: Vec<String> =
        globs.patterns().take(SHOWN).map(|pattern| format!("`{}`", brief(pattern))).collect();
    if patterns.is_empty() { "an empty list: nothing is allowed".to_owned() } else { patterns.join(", ") }
}
