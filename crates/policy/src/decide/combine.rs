//! Asks every layer and takes the most restrictive verdict.
use serde_json::Value;

use super::builder::DecisionBuilder;
use super::layers::{allows, denies, policy_layers};
use super::need::Need;
use super::policy::Call;
use super::{list, operator, policy, read};
use crate::authority::{Authority, Overlays, Subject};
use crate::decision::{Decision, Layer, LayerVerdict, Verdict};
use crate::facts::ToolFacts;
use crate::finding::Pointer;
use crate::scope::Scope;

/// The scopes that a grant would have to cover.
struct MissingScopes {
    scopes: Vec<Scope>,
    /// Needed scopes that the arguments made narrower.
    narrowed: Vec<Scope>,
}

impl Authority {
    /// Decides about a subject. `granted` returns whether a person's live grants cover all of these
    /// scopes; it is called at most once, and only if a grant could help.
    pub fn decide(
        &self,
        subject: Subject<'_>,
        overlays: &Overlays<'_>,
        granted: &dyn Fn(&[Scope]) -> bool,
    ) -> Decision {
        match subject {
            Subject::Tool { facts, arguments } => self.decide_tool(facts, arguments, overlays, granted),
            reading => read::decide(self, reading, overlays),
        }
    }

    /// Decides by what the operator and the overlays allow, whatever people have granted.
    pub fn decide_without_grants(&self, subject: Subject<'_>, overlays: &Overlays<'_>) -> Decision {
        self.decide(subject, overlays, &|_| false)
    }

    fn decide_tool(
        &self,
        facts: &ToolFacts,
        arguments: Option<&Value>,
        overlays: &Overlays<'_>,
        granted: &dyn Fn(&[Scope]) -> bool,
    ) -> Decision {
        let mut decision = DecisionBuilder::new();
        let needs = Need::all(facts, arguments).unwrap_or_else(|error| {
            decision.error = true;
            let why = format!("what the call needs can't be told: {error}");
            decision.deny(Layer::Declared, Pointer::root().join("scopes"), why, "change the argument");
            Vec::new()
        });
        for layer in policy_layers(self, overlays) {
            policy::apply(&mut decision, layer, &Call { facts, arguments, needs: &needs });
        }
        operator::judge_denies(&mut decision, self, overlays, &needs);
        let uncovered = operator::judge_base(&mut decision, self, &needs);
        let must_ask = operator::judge_rules(&mut decision, self, facts, arguments);
        if arguments.is_none() {
            if decision.verdict > Verdict::Deny && !list::allows_any_call(self, overlays, &needs) {
                let why = "the layers together leave no call that could be allowed";
                decision.deny(
                    Layer::Ceiling,
                    Pointer::root().join("scopes"),
                    why,
                    "widen `scopes.allow` of one of them",
                );
            }
            return decision.into_decision(needs.into_iter().map(|need| need.scope).collect());
        }
        let narrowed = needs.iter().filter(|need| need.is_narrowed).map(|need| need.scope.clone()).collect();
        let mut decision = decision.into_decision(needs.into_iter().map(|need| need.scope).collect());
        if decision.verdict == Verdict::NeedsApproval {
            let missing = if must_ask { decision.needed.clone() } else { uncovered };
            self.settle(&mut decision, MissingScopes { scopes: missing, narrowed }, overlays, granted);
        }
        decision
    }

    /// Applies a person's grant, or sets what to ask a person for.
    fn settle(
        &self,
        decision: &mut Decision,
        missing: MissingScopes,
        overlays: &Overlays<'_>,
        granted: &dyn Fn(&[Scope]) -> bool,
    ) {
        let MissingScopes { scopes: missing, narrowed } = missing;
        if granted(&missing) {
            decision.verdict = Verdict::Allow;
            decision.verdicts.push(LayerVerdict {
                layer: Layer::Grant,
                verdict: Verdict::Allow,
                why: "a person granted it".to_owned(),
                at: Pointer::root(),
                change: String::new(),
                rule: None,
            });
            return;
        }
        // A scope that every call needs is granted once, so a wider grant would save no question.
        let widened = missing.iter().filter(|scope| narrowed.contains(scope));
        for parent in widened.filter_map(Scope::parent) {
            let is_new = !decision.wider.contains(&parent) && !missing.contains(&parent);
            if is_new && self.could_be_granted(&parent, overlays) {
                decision.wider.push(parent);
            }
        }
        decision.missing = missing;
    }

    /// Returns whether a grant of this scope would help: a person must not be asked for something
    /// that a policy or a deny refuses anyway.
    fn could_be_granted(&self, scope: &Scope, overlays: &Overlays<'_>) -> bool {
        let need = Need::exactly(scope.clone());
        // If the base allows the scope, the grant only replaces a person's approval and gives
        // nothing else away.
        (need.is_within(&self.base) || need.is_grantable(self.grantable.as_ref()))
            && allows(self, overlays).all(|set| need.is_within(set))
            && !denies(self, overlays).any(|set| need.is_denied_by(set))
    }
}
