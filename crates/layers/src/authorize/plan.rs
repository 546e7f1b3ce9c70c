//! The plan of a call, made before it is decided whether a person must be asked.
use std::sync::{Arc, Mutex, PoisonError};

use overt_policy::scope::Scope;
use overt_policy::{Decision, Subject, Verdict};

use super::attempt_outcome::Step;
use super::decide::CallDecision;
use super::layer::Authorize;
use super::plan_outcome::PlanOutcome;
use super::records::CallRecord;
use super::resolved_call::ResolvedCall;
use super::scope_check;
use crate::Endpoint;
use crate::description::{CallPlan, PlanRequest, PlanSummary, ToolFailure};
use crate::permit::Conditions;
use crate::preview::Preview;

impl<E: Endpoint> Authorize<E> {
    /// Makes the plan of a call that was not denied. It changes nothing and asks no question.
    pub(super) async fn plan(
        &self,
        resolved: &mut ResolvedCall<'_>,
        first: &CallDecision,
        record: &CallRecord,
    ) -> Step<PlanOutcome> {
        let decision = &first.decision;
        let tools = &self.endpoint.description().tools;
        let options = &resolved.effective.options;
        if !tools.has_plan(&resolved.call.tool) {
            return Ok(PlanOutcome::No);
        }
        let is_allowed = decision.verdict == Verdict::Allow;
        // A yes for one call is for the plan that was shown.
        let needs_digest =
            !is_allowed || first.is_for_one_call() || options.has_plan || options.preview == Preview::Yes;
        let Some((mut plan, mut found)) = self.make_plan(resolved, decision, needs_digest).await else {
            return Ok(PlanOutcome::No);
        };
        // Only the plan told that a person must be asked, and the answer must be bound to it.
        let must_ask = |plan: &CallPlan| !found.is_empty() || plan.summary.irreversible.is_some();
        if matches!(&plan, Ok(plan) if plan.digest.is_none() && must_ask(plan)) {
            // The next one may need what this one holds.
            drop(plan);
            let Some(made) = self.make_plan(resolved, decision, true).await else {
                return Ok(PlanOutcome::No);
            };
            (plan, found) = made;
        }
        let has_found = !found.is_empty();
        // What the plan says is for the caller only if the caller may read all that the plan has
        // read.
        let may_read = !has_found && (is_allowed || self.may_read(resolved));
        if has_found {
            resolved.facts = resolved.facts.needing_also(found);
        }
        if let Ok(CallPlan { summary: PlanSummary { irreversible: Some(irreversible), .. }, .. }) = &plan {
            resolved.facts = resolved.facts.irreversible(&irreversible.why);
        }
        match plan {
            Ok(plan) => Ok(PlanOutcome::Yes { plan: Box::new(plan), has_found }),
            Err(failure) if may_read => Err(self.fail(resolved.call, record, &failure)),
            Err(failure) => Ok(PlanOutcome::Failed { reason: failure.reason, has_found }),
        }
    }

    /// One plan, with the scopes that it needs besides. None where the tool makes none.
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
            annotation: Arc::default(),
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

    /// Whether the caller may read what the plan of the call reads, without asking.
    fn may_read(&self, resolved: &ResolvedCall<'_>) -> bool {
        let facts = resolved.facts.planning();
        let subject = Subject::Tool { facts: &facts, arguments: Some(&*resolved.arguments) };
        let decision = resolved.effective.snapshot.authority.decide(
            subject,
            &resolved.effective.options.overlays(),
            &|_| false,
        );
        decision.verdict == Verdict::Allow
    }
}
