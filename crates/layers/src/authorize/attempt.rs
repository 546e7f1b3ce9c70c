//! The one function that permits a call. It runs from top to bottom and never waits for a person:
//!
//! ```text
//! normalise -> look up -> decide -> plan -> decide on the plan -> check rates -> record
//!   -> spend the grant -> permit
//! ```
//!
//! After every wait, the call is attempted again from the start, so no fact from before the wait is
//! relied on after it.
use std::sync::Arc;

use overt_policy::record::Effect;
use overt_policy::scope::{Scope, ScopeTemplate};
use overt_policy::word::StringEnum;
use overt_policy::{Subject, Verdict};
use overt_wire::ErrorObject;

use super::answers::{RefusedCall, RequestedScopes, word};
use super::attempt_outcome::{ApprovalRequest, Attempt, Run, Step};
use super::layer::{Authorize, ReadRecords as _, Revision};
use super::limiter::Buckets;
use super::plan_outcome::PlanOutcome;
use super::question::{self, Evidence};
use super::records::{CallRecord, RecordedCall};
use super::resolved_call::ResolvedCall;
use super::scope_check;
use super::tool_call::ToolCall;
use crate::Endpoint;
use crate::decide::CallDecision;
use crate::grants::{Broader, Question, QuestionKind, Redefinition, Reliance, Spent};
use crate::permit::{Conditions, ResultAnnotation};
use crate::preview::Preview;

impl Authorize {
    /// Attempts the call once. `is_asking` says whether a person is being asked about it.
    pub(super) async fn attempt(&self, call: &ToolCall, is_asking: bool, record: &mut CallRecord) -> Attempt {
        match self.try_attempt(call, is_asking, record).await {
            Ok(attempt) | Err(attempt) => attempt,
        }
    }

    async fn try_attempt(&self, call: &ToolCall, is_asking: bool, record: &mut CallRecord) -> Step<Attempt> {
        // The policy and the tools must be the same at the end of the attempt.
        let revision = self.revision();
        let mut resolved = self.look_up(call, record).await?;
        self.check_mode(&resolved, record)?;
        let first = self.decide(&resolved, None).await;
        let first = first.map_err(|error| self.broken(&resolved, record, &error))?;
        record.decided(&first.decision);
        if first.decision.verdict == Verdict::Deny {
            return Err(self.denied(&resolved, &first.decision, record));
        }
        self.open_places(&resolved, &first, record).await?;
        let planned = self.plan(&mut resolved, &first, record).await?;
        let plan_digest = bound_digest(&resolved, &first, &planned);
        let decided = match (&planned, first.decision.verdict) {
            (PlanOutcome::No, _) => first,
            (_, Verdict::Allow)
                if !planned.found_scopes()
                    && !first.is_for_one_call()
                    && !resolved.facts.depend_on_plan() =>
            {
                first
            }
            _ => {
                let decided = self.decide(&resolved, plan_digest).await;
                let decided = decided.map_err(|error| self.broken(&resolved, record, &error))?;
                record.decided(&decided.decision);
                if !matches!(planned, PlanOutcome::Yes { .. }) {
                    self.open_places(&resolved, &decided, record).await?;
                }
                decided
            }
        };
        self.check_size(&resolved, &decided.decision, record)?;
        let buckets = self.buckets(
            &resolved.effective,
            call.exchange.principal(),
            self.subject(&resolved),
            (&resolved.facts.tool, resolved.facts.rate),
            &decided.decision.limits,
        );
        match decided.decision.verdict {
            Verdict::Deny => Err(self.denied(&resolved, &decided.decision, record)),
            Verdict::NeedsApproval if decided.refusal.is_some() => {
                Err(Attempt::Answer(self.refused_for_good(call, record)))
            }
            Verdict::NeedsApproval => {
                self.check_foreign_arguments(&resolved, record)?;
                // A call keeps its question while others use up the rate.
                if !is_asking {
                    self.check_rates(&resolved, &buckets, record)?;
                }
                let redefined = self.redefinition(&resolved).await;
                let redefined = redefined.map_err(|error| self.broken(&resolved, record, &error))?;
                Ok(Attempt::Ask(Box::new(self.question(resolved, decided, planned, redefined))))
            }
            Verdict::Allow => self.permit(&resolved, decided, planned, &buckets, revision, record).await,
        }
    }

    /// Opens the places that the call names and the endpoint opens only for a grant.
    async fn open_places(
        &self,
        resolved: &ResolvedCall<'_>,
        decided: &CallDecision,
        record: &mut CallRecord,
    ) -> Step<()> {
        let (Some(places), Verdict::Allow) = (&resolved.places, decided.decision.verdict) else {
            return Ok(());
        };
        let tools = &self.endpoint.description().tools;
        let opened = tools.open_for(&resolved.call.tool, decided.grant.as_ref(), places).await;
        opened.map_err(|failure| self.fail(resolved.call, record, &failure))
    }

    /// Builds the question for a person. The plan itself is dropped here; its digest and its
    /// summary stay.
    fn question(
        &self,
        resolved: ResolvedCall<'_>,
        decided: CallDecision,
        planned: PlanOutcome,
        redefined: Option<Redefinition>,
    ) -> ApprovalRequest {
        let CallDecision { decision, kind, .. } = decided;
        let digest = planned.digest().map(str::to_owned);
        let (summary, failure) = match planned {
            PlanOutcome::Yes { plan, .. } => (Some(plan.summary), None),
            PlanOutcome::Failed { reason, .. } => (None, Some(reason)),
            PlanOutcome::No => (None, None),
        };
        let description = self.endpoint.description();
        let evidence = Evidence {
            resolved: &resolved,
            decision: &decision,
            intent: resolved.sentence.clone(),
            server: description,
            tools: self.tools.by_claim(),
            summary,
            failure,
            redefined,
        };
        let (mut shown, review) = question::shown(evidence, kind);
        if kind == QuestionKind::Trust {
            shown.definitions = self.tools.definitions();
        }
        let question = Question {
            holder: resolved.call.holder.clone(),
            server: description.identity.clone(),
            project: description.project.clone(),
            tool: resolved.call.tool.clone(),
            tool_digest: resolved.tool.digest().to_string(),
            kind,
            scopes: decision.missing.clone(),
            wider: decision.wider.clone(),
            broader: self.broader(&resolved, &decision.missing),
            arguments: resolved.call.arguments_digest(&resolved.effective.options),
            plan: digest,
            shown,
            // Set when the question is asked.
            until: 0,
        };
        let requested =
            RequestedScopes { narrowest: decision.missing.clone(), wider: decision.wider.clone() };
        ApprovalRequest { question, review, requested, effective: resolved.effective }
    }

    /// Returns what a person may allow beyond this call. Scopes that the upstream requested are
    /// asked about separately, so nothing broader is offered then. Neither is it for places that
    /// only a grant opens: such a grant names the places.
    fn broader(&self, resolved: &ResolvedCall<'_>, missing: &[Scope]) -> Broader {
        if !resolved.call.server_scopes.is_empty() || resolved.places.is_some() {
            return Broader::default();
        }
        let any_call: Vec<Scope> = resolved.tool.facts.scopes.iter().map(ScopeTemplate::widest).collect();
        Broader {
            tool: missing.iter().any(|scope| !any_call.contains(scope) && covers(&any_call, scope)),
            server: true,
            reading: resolved.facts.only_reads(),
            server_digest: self.tools.server_digest().to_string(),
        }
    }

    /// Records the intent, spends the grant, and permits the call.
    async fn permit(
        &self,
        resolved: &ResolvedCall<'_>,
        decided: CallDecision,
        planned: PlanOutcome,
        buckets: &Buckets,
        revision: Revision,
        record: &mut CallRecord,
    ) -> Step<Attempt> {
        let approved = decided.approved(resolved, planned.digest());
        let read = decided.of_read(resolved);
        let CallDecision { decision, grant, trust, .. } = decided;
        if let PlanOutcome::Failed { .. } = &planned {
            // The caller may make the call but may not read what the plan reads, so the plan's
            // error is not shown, and only running the call tells whether it works.
            tracing::debug!(tool = %resolved.call.tool, "a call runs although its plan failed");
        }
        let charges = self.charge(&resolved.call.exchange, buckets);
        let charges = charges.map_err(|error| self.refuse_error(resolved.call, record, &error))?;
        record.set(|entry| {
            entry.grant = grant.as_ref().map(|grant| grant.id.0.clone());
            entry.trust = trust.map(StringEnum::as_str);
            if let PlanOutcome::Yes { plan, .. } = &planned {
                entry.change.clone_from(&plan.change);
                entry.changes.clone_from(&plan.summary.changes);
            }
        });
        let recorded = match read {
            Some(read) => Ok(RecordedCall::Read(read, record.defer())),
            None => record.intend().await.map(RecordedCall::Effect),
        };
        let recorded = match recorded {
            Ok(recorded) => recorded,
            Err(error) => {
                tracing::error!(%error, "a call was refused because it can't be recorded");
                let refused = RefusedCall::new(word::NO_AUDIT, NO_AUDIT);
                return Err(Attempt::Answer(refused.answer(&resolved.call.exchange, &self.info())));
            }
        };
        // The person may have revoked the grant or changed the trust decision during the last wait,
        // so both are checked when they are used.
        let client = || resolved.call.holder.client.clone();
        let trust = trust.map(|trust| (self.trusted_tool(resolved), client(), trust));
        let reliance = Reliance { grant, trust };
        let spent = match reliance.is_empty() {
            true => Ok(Some(Spent::nothing())),
            false => self.control.store.spend(reliance).await,
        };
        // From here on, nothing is awaited until the endpoint has the call. If the call does not go
        // out after all, dropping `spent` gives the grant back.
        let is_unchanged =
            || self.revision() == revision && self.tools.is_unchanged(&resolved.call.tool, &resolved.tool);
        let spent = match spent {
            Ok(Some(spent)) if is_unchanged() => spent,
            other => {
                record.withdraw();
                return match other {
                    Err(error) => Err(self.broken(resolved, record, &error)),
                    Ok(_) => Ok(Attempt::Again),
                };
            }
        };
        let template = resolved.tool.intent.is_some();
        let annotation = Arc::new(ResultAnnotation::new(template.then(|| resolved.sentence.clone())));
        let is_preview = resolved.effective.options.preview == Preview::Yes;
        let conditions = Conditions {
            limits: decision.limits,
            preview: is_preview,
            settings: resolved.effective.values.clone(),
            scopes: resolved.checks_scopes.then(|| scope_check::while_running(resolved, &decision)),
            annotation: Arc::clone(&annotation),
            arguments: Some(Arc::clone(&resolved.arguments)),
        };
        let onward = resolved.call.onward(&resolved.effective);
        let plan = planned.into_prepared();
        let Some(permitted) = recorded.permit(onward, &decision, Arc::new(conditions), plan) else {
            return Err(self.refuse_error(resolved.call, record, &ErrorObject::internal()));
        };
        charges.keep();
        spent.keep();
        // A read is its own preview, also where the server knows nothing of previews (H-02).
        let marks_preview = is_preview && !resolved.facts.preview;
        let limits = decision.limits;
        Ok(Attempt::Run(Box::new(Run { permitted, limits, annotation, approved, marks_preview })))
    }

    pub(super) fn subject<'a>(&self, resolved: &'a ResolvedCall<'_>) -> Subject<'a> {
        Subject::Tool { facts: &resolved.facts, arguments: Some(&*resolved.arguments) }
    }
}

/// Returns the digest of the plan that a yes must be for. Where only the yes opens the place of the
/// call, there was no plan to show, and the arguments were shown instead. What deletes or is
/// asked about each time is shown once more, with its plan.
fn bound_digest<'a>(
    resolved: &ResolvedCall<'_>,
    first: &CallDecision,
    planned: &'a PlanOutcome,
) -> Option<&'a str> {
    let was_unplanned = first.grant.as_ref().is_some_and(|grant| grant.terms.plan.is_none());
    let is_shown_again = resolved.facts.effect == Effect::Destructive || resolved.facts.each_time.is_some();
    planned.digest().filter(|_| resolved.places.is_none() || !was_unplanned || is_shown_again)
}

fn covers(scopes: &[Scope], wanted: &Scope) -> bool {
    scopes.iter().any(|scope| scope.covers(wanted))
}

const NO_AUDIT: &str = "Not done: the call can't be recorded, and calls that may change something run only when they are. \
     Ask the user to look at the server's log.";
