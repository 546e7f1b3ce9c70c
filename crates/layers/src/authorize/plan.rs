//! Makes the plan of a call before Overt decides whether a person must be asked.
use std::sync::{Arc, Mutex, PoisonError};

use overt_policy::scope::Scope;
use overt_policy::{Decision, Subject, ToolFacts, Verdict};

use super::attempt_outcome::Step;
use super::layer::Authorize;
use super::plan_outcome::PlanOutcome;
use super::records::CallRecord;
use super::resolved_call::ResolvedCall;
use super::scope_check;
use crate::Endpoint;
use crate::decide::CallDecision;
use crate::description::{CallPlan, PlanRequest, PlanSummary, ToolFailure};
use crate::permit::Conditions;
use crate::preview::Preview;

impl Authorize {
    /// Plans a call that was not denied. Planning changes nothing and asks no question.
    pub(super) async fn plan(
        &self,
        resolved: &mut ResolvedCall<'_>,
        first: &CallDecision,
        record: &mut CallRecord,
    ) -> Step<PlanOutcome> {
        let decision = &first.decision;
        let tools = &self.endpoint.description().tools;
        let options = &resolved.effective.options;
        if !tools.has_plan(&resolved.call.tool) {
            return Ok(PlanOutcome::No);
        }
        let is_allowed = decision.verdict == Verdict::Allow;
        // Nothing can be read in a place that is not open yet.
        if resolved.places.is_some() && !is_allowed {
            return Ok(PlanOutcome::No);
        }
        // A yes for one call applies to the plan that was shown.
        let needs_digest =
            !is_allowed || first.is_for_one_call() || options.has_plan || options.preview == Preview::Yes;
        let Some((mut plan, mut found)) = self.make_plan(resolved, decision, needs_digest).await else {
            return Ok(PlanOutcome::No);
        };
        // Only the plan revealed that a person must be asked, and the answer must be bound to the
        // plan.
        let declared = resolved.facts.effect;
        let must_ask = |plan: &CallPlan| {
            !found.is_empty() || plan.summary.effect() > declared || plan.summary.needs_own_approval()
        };
        if matches!(&plan, Ok(plan) if plan.digest.is_none() && must_ask(plan)) {
            // Drop this plan first: the next one may need what it holds, such as a lock.
            drop(plan);
            let Some(made) = self.make_plan(resolved, decision, true).await else {
                return Ok(PlanOutcome::No);
            };
            (plan, found) = made;
        }
        let has_found = !found.is_empty();
        // The plan's error may be shown only to a caller that may read everything the plan has
        // read.
        let may_read = !has_found && (is_allowed || self.may_read(resolved));
        if has_found {
            resolved.facts = resolved.facts.needing_also(found);
        }
        if let Ok(plan) = &mut plan {
            resolved.facts = planned_facts(&resolved.facts, &plan.summary);
            plan.summary.is_worse_than_declared = resolved.facts.is_worse_than_declared;
            record.set_effect(&resolved.facts);
        }
        match plan {
            Ok(plan) => Ok(PlanOutcome::Yes { plan: Box::new(plan), has_found }),
            Err(failure) if may_read => Err(self.fail(resolved.call, record, &failure)),
            Err(failure) => Ok(PlanOutcome::Failed { reason: failure.reason, has_found }),
        }
    }

    /// Makes one plan and returns it with the further scopes that it needs. Returns `None` if the
    /// tool makes no plans.
    async fn make_plan(
        &self,
        resolved: &ResolvedCall<'_>,
        decision: &Decision,
        needs_digest: bool,
    ) -> Option<(Result<CallPlan, ToolFailure>, Vec<Scope>)> {
        let found: Arc<Mutex<Vec<Scope>>> = Arc::default();
        let options = &resolved.effective.options;
        let conditions = Conditions {
            limits: decision.limits,
            preview: options.preview == Preview::Yes,
            settings: resolved.effective.values.clone(),
            scopes: resolved.checks_scopes.then(|| scope_check::while_planning(resolved, Arc::clone(&found))),
            ..Conditions::default()
        };
        let request = PlanRequest {
            exchange: resolved.call.onward(&resolved.effective),
            tool: resolved.call.tool.clone(),
            arguments: Arc::clone(&resolved.arguments),
            conditions: Arc::new(conditions),
            needs_digest,
        };
        let plan = self.endpoint.description().tools.plan(request)?.await;
        let found = std::mem::take(&mut *found.lock().unwrap_or_else(PoisonError::into_inner));
        Some((plan, found))
    }

    /// Returns whether the caller may read what the plan of the call reads, without approval.
    fn may_read(&self, resolved: &ResolvedCall<'_>) -> bool {
        let facts = resolved.facts.planning();
        let subject = Subject::Tool { facts: &facts, arguments: Some(&*resolved.arguments) };
        let decision = resolved
            .effective
            .snapshot
            .authority
            .decide_without_grants(subject, &resolved.effective.options.overlays());
        decision.verdict == Verdict::Allow
    }
}

/// Returns the facts of a call as its plan makes them.
fn planned_facts(facts: &ToolFacts, summary: &PlanSummary) -> ToolFacts {
    let mut facts = facts.planned(summary.effect(), summary.acts_as.as_deref());
    if let Some(why) = &summary.each_time {
        facts = facts.asked_each_time(why);
    }
    if let Some(what) = &summary.guarded {
        let why = format!("this call changes what can start programs or permit tools: {what}");
        facts = facts.asked_each_time(&why);
    }
    if let Some(irreversible) = &summary.irreversible {
        facts = facts.irreversible(&irreversible.why);
    }
    facts
}
