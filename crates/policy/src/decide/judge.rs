//! Asks every layer and takes the least.
use std::borrow::Cow;

use serde_json::Value;

use super::builder::DecisionBuilder;
use super::layers::{allows, denies, policy_layers};
use super::need::Need;
use super::policy::Call;
use super::{list, operator, policy};
use crate::authority::{Authority, Overlays, Subject};
use crate::decision::{Decision, Layer, Said, Verdict};
use crate::facts::ToolFacts;
use crate::finding::Pointer;
use crate::policy::{Lists, Policy};
use crate::scope::{Action, Scope};
use crate::uri;

/// What a grant would have to cover.
struct Missing {
    scopes: Vec<Scope>,
    /// Needs that the arguments made narrower.
    narrowed: Vec<Scope>,
}

impl Authority {
    /// What may be done. `granted` says whether live grants of a person cover all of these scopes; it is asked once at most,
    /// and only where a grant could help.
    pub fn decide(
        &self,
        subject: Subject<'_>,
        overlays: &Overlays<'_>,
        granted: &dyn Fn(&[Scope]) -> bool,
    ) -> Decision {
        match subject {
            Subject::Tool { facts, arguments } => self.decide_tool(facts, arguments, overlays, granted),
            Subject::Resource { server, uri } => {
                let spellings = uri::spellings(uri);
                self.decide_name(server, overlays, "resources", &spellings, |policy| &policy.resources)
            }
            Subject::Prompt { server, name } => {
                self.decide_name(server, overlays, "prompts", &[name.into()], |policy| &policy.prompts)
            }
        }
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
            policy::judge(&mut decision, layer, &Call { facts, arguments, needs: &needs });
        }
        operator::judge_denies(&mut decision, self, overlays, &needs);
        let uncovered = operator::judge_base(&mut decision, self, &needs);
        let must_ask = operator::judge_rules(&mut decision, self, facts, arguments);
        if arguments.is_none() {
            if decision.verdict > Verdict::Deny && !list::leaves_some(self, overlays, &needs) {
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
            self.settle(&mut decision, Missing { scopes: missing, narrowed }, overlays, granted);
        }
        decision
    }

    /// A person's grant, or what to ask one for.
    fn settle(
        &self,
        decision: &mut Decision,
        missing: Missing,
        overlays: &Overlays<'_>,
        granted: &dyn Fn(&[Scope]) -> bool,
    ) {
        let Missing { scopes: missing, narrowed } = missing;
        if granted(&missing) {
            decision.verdict = Verdict::Allow;
            decision.said.push(Said {
                layer: Layer::Grant,
                verdict: Verdict::Allow,
                why: "a person granted it".to_owned(),
                at: Pointer::root(),
                change: String::new(),
                rule: None,
            });
            return;
        }
        // What every call needs alike is granted once, so nothing wider saves a question.
        let widened = missing.iter().filter(|scope| narrowed.contains(scope));
        for parent in widened.filter_map(Scope::parent) {
            let is_new = !decision.wider.contains(&parent) && !missing.contains(&parent);
            if is_new && self.could_be_granted(&parent, overlays) {
                decision.wider.push(parent);
            }
        }
        decision.missing = missing;
    }

    /// Whether a grant of this scope would be of use: nobody may be asked for what a policy or a deny refuses anyway.
    fn could_be_granted(&self, scope: &Scope, overlays: &Overlays<'_>) -> bool {
        let need = Need::exactly(scope.clone());
        need.is_grantable(self.grantable.as_ref())
            && allows(self, overlays).all(|set| need.is_within(set))
            && !denies(self, overlays).any(|set| need.is_denied_by(set))
    }

    /// Resources and prompts: reading them needs `read` of their server, and nobody can be asked for it. Lists of names and rules
    /// over the server hold for them too.
    fn decide_name<'a>(
        &'a self,
        server: &str,
        overlays: &Overlays<'a>,
        member: &str,
        spellings: &[Cow<'_, str>],
        lists: impl Fn(&'a Policy) -> &'a Lists,
    ) -> Decision {
        let mut decision = DecisionBuilder::new();
        let scope = Scope::of_server(Action::Read, server);
        for layer in policy_layers(self, overlays) {
            decision.limits = decision.limits.meet(&layer.policy.limits);
            policy::judge_name(&mut decision, layer, member, lists(layer.policy), spellings);
            let scopes = &layer.policy.scopes;
            if scopes.deny.covers(&scope) {
                let why = format!("everything of `{scope}` is denied");
                decision.deny(layer.layer, layer.at("scopes", "deny"), why, "narrow `scopes.deny`");
            }
            if !scopes.allow.iter().all(|set| set.covers(&scope)) {
                let why = format!("it needs `{scope}`, which is not in the list of what is allowed");
                decision.deny(layer.layer, layer.at("scopes", "allow"), why, format!("add `{scope}` there"));
            }
        }
        operator::judge_server(&mut decision, self, overlays, &scope);
        operator::judge_reading(&mut decision, self, server);
        decision.into_decision(vec![scope])
    }
}
