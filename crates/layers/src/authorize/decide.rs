//! The decision about a call, with the grants of people and their trust in the server.
use std::cell::{Cell, RefCell};

use overt_policy::scope::Scope;
use overt_policy::{Decision, Subject, ToolFacts, Trust, Verdict};

use super::approved::Approved;
use super::effective::EffectivePolicy;
use super::layer::Authorize;
use super::resolved_call::ResolvedCall;
use crate::Endpoint;
use crate::grants::{Grant, GrantLifetime, Need, QuestionKind, StoreError, TrustedTool};
use crate::read_decision::ReadDecision;

/// A decision and what it depends on.
pub(super) struct CallDecision {
    pub(super) decision: Decision,
    /// The grant that the call uses.
    pub(super) grant: Option<Grant>,
    /// How far a person trusts the server, if the decision depends on it.
    pub(super) trust: Option<Trust>,
    /// Whether the decision depends on what was approved before the server asked the client
    /// something.
    pub(super) resumes: bool,
    /// What to ask a person, if one must be asked.
    pub(super) kind: QuestionKind,
    /// Whether a person refused this call for good, so no question is asked.
    pub(super) is_refused: bool,
}

impl CallDecision {
    /// Returns the decision as one about a read, if the call is allowed and only reads.
    pub(super) fn of_read(&self, resolved: &ResolvedCall<'_>) -> Option<ReadDecision> {
        let facts = resolved.planning.as_ref().unwrap_or(&resolved.facts);
        ReadDecision::of(&self.decision, Subject::Tool { facts, arguments: None })
    }

    /// Returns whether the decision depends on what a person approved for this call alone.
    pub(super) fn is_for_one_call(&self) -> bool {
        self.resumes || self.grant.as_ref().is_some_and(|grant| grant.terms.lifetime == GrantLifetime::Once)
    }

    /// Returns what a person approved for this call alone. `plan` is the digest of its plan.
    pub(super) fn approved(&self, resolved: &ResolvedCall<'_>, plan: Option<&str>) -> Option<Approved> {
        let once = self.grant.as_ref().filter(|grant| grant.terms.lifetime == GrantLifetime::Once);
        match once {
            Some(grant) => Some(Approved {
                tool_digest: resolved.tool.digest().to_string(),
                plan: plan.map(str::to_owned),
                // An approval from before the upstream requested more stays valid.
                scopes: [
                    &grant.terms.scopes[..],
                    resolved.call.approved.as_ref().map_or(&[], |approved| &approved.scopes),
                ]
                .concat(),
            }),
            None => resolved.call.approved.clone().filter(|_| self.resumes),
        }
    }
}

/// Decides without grants about what a request names, and whether it is to read it.
pub(super) fn decide_use(
    effective: &EffectivePolicy,
    subject: Subject<'_>,
) -> (Decision, Option<ReadDecision>) {
    let decision = effective.snapshot.authority.decide(subject, &effective.options.overlays(), &|_| false);
    let read = ReadDecision::of(&decision, subject);
    (decision, read)
}

impl Authorize {
    /// Decides about the call. `plan` is the digest of the plan that was just made.
    pub(super) fn decide(
        &self,
        resolved: &ResolvedCall<'_>,
        plan: Option<&str>,
    ) -> Result<CallDecision, StoreError> {
        let believes = resolved.effective.snapshot.authority.believes_claims;
        if resolved.facts.claims_to_read() && !believes {
            return self.decide_claim(resolved, plan);
        }
        let decided = self.decide_by(resolved, &resolved.facts, plan, None)?;
        match (decided.decision.verdict, &resolved.planning) {
            // A preview needs no approval, but its caller must be allowed to see it.
            (Verdict::NeedsApproval, Some(planning)) => self.decide_by(resolved, planning, plan, None),
            (Verdict::NeedsApproval, None) if !resolved.facts.is_declared() => match self.trust(resolved)? {
                Some(Trust::Record) => self.decide_by(resolved, &resolved.facts, plan, Some(Trust::Record)),
                Some(Trust::Changes | Trust::Everything) | None => Ok(decided),
            },
            _ => Ok(decided),
        }
    }

    /// Decides about a tool that reads by the server's claim only. A person decides once how far to
    /// trust the server; a call that is denied either way stays denied.
    fn decide_claim(
        &self,
        resolved: &ResolvedCall<'_>,
        plan: Option<&str>,
    ) -> Result<CallDecision, StoreError> {
        let disbelieved = resolved.facts.with_trust(false);
        let decided = self.decide_by(resolved, &disbelieved, plan, None)?;
        let believed = self.decide_by(resolved, &resolved.facts, plan, None)?;
        if decided.decision.verdict == Verdict::Allow || believed.decision.verdict == Verdict::Deny {
            return Ok(if believed.decision.verdict == Verdict::Deny { believed } else { decided });
        }
        match self.trust(resolved)? {
            Some(trust @ Trust::Changes) => Ok(CallDecision { trust: Some(trust), ..believed }),
            Some(Trust::Record) => self.decide_by(resolved, &resolved.facts, plan, Some(Trust::Record)),
            None if believed.decision.verdict == Verdict::Allow => {
                let decision = Decision { verdict: Verdict::NeedsApproval, ..decided.decision };
                Ok(CallDecision { decision, kind: QuestionKind::Trust, ..decided })
            }
            Some(Trust::Everything) | None => Ok(decided),
        }
    }

    /// Returns how far a person trusts what the server says about this tool.
    pub(super) fn trust(&self, resolved: &ResolvedCall<'_>) -> Result<Option<Trust>, StoreError> {
        let description = self.endpoint.description();
        self.control.grants.trust(&TrustedTool {
            server: &description.identity,
            project: description.project.as_deref(),
            tool: &resolved.call.tool,
            digest: resolved.tool.digest(),
        })
    }

    /// Returns the scopes except those that a person approved for this call before the upstream
    /// requested more.
    fn not_approved_yet(
        &self,
        resolved: &ResolvedCall<'_>,
        plan: Option<&str>,
        scopes: &[Scope],
    ) -> Vec<Scope> {
        let is_approved = |scope: &Scope| {
            let approved = resolved.call.approved.as_ref();
            approved.is_some_and(|approved| {
                approved.covers(resolved.tool.digest(), plan, std::slice::from_ref(scope))
            })
        };
        scopes.iter().filter(|scope| !is_approved(scope)).cloned().collect()
    }

    fn decide_by(
        &self,
        resolved: &ResolvedCall<'_>,
        facts: &ToolFacts,
        plan: Option<&str>,
        trust: Option<Trust>,
    ) -> Result<CallDecision, StoreError> {
        let (options, call) = (&resolved.effective.options, resolved.call);
        let used: RefCell<Option<Grant>> = RefCell::new(None);
        let failed: RefCell<Option<StoreError>> = RefCell::new(None);
        let (resumes, is_refused) = (Cell::new(false), Cell::new(false));
        let granted = |scopes: &[Scope]| {
            let is_trusted = || scopes.iter().all(|scope| options.trusted.covers(scope));
            if call
                .approved
                .as_ref()
                .is_some_and(|approved| approved.covers(resolved.tool.digest(), plan, scopes))
            {
                resumes.set(true);
                return true;
            }
            let scopes = &self.not_approved_yet(resolved, plan, scopes)[..];
            let arguments = call.arguments_digest(options.preview);
            let (description, server_digest) = (self.endpoint.description(), self.tools.server_digest());
            let need = Need {
                holder: &call.holder,
                server: &description.identity,
                project: description.project.as_deref(),
                tool: &call.tool,
                tool_digest: resolved.tool.digest(),
                server_digest: &server_digest,
                only_reads: resolved.only_reads(),
                scopes,
                arguments: &arguments,
                plan,
                irreversible: facts.irreversible.is_some(),
            };
            let store = &self.control.grants;
            // A person's refusal for good outranks their grants, and any trust in the server.
            match store.refusing(&need) {
                Ok(None) => {}
                Ok(Some(_)) => {
                    is_refused.set(true);
                    return false;
                }
                Err(error) => {
                    *failed.borrow_mut() = Some(error);
                    return false;
                }
            }
            // Trust in the server does not cover scopes that it requests in its answer.
            let is_recorded = trust == Some(Trust::Record) && call.server_scopes.is_empty();
            // Neither trust nor the client's claim was given for this particular call, and
            // irreversible calls are asked about each time.
            if !need.irreversible && (is_recorded || is_trusted()) {
                return true;
            }
            let of_token = options.token.as_deref().map_or(Ok(None), |token| store.of_token(token, &need));
            let grant = of_token.and_then(|grant| match grant {
                Some(grant) => Ok(Some(grant)),
                None => store.covering(&need),
            });
            match grant {
                Ok(grant) => {
                    let found = grant.is_some();
                    *used.borrow_mut() = grant;
                    found
                }
                Err(error) => {
                    *failed.borrow_mut() = Some(error);
                    false
                }
            }
        };
        let subject = Subject::Tool { facts, arguments: Some(&*resolved.arguments) };
        let mut decision =
            resolved.effective.snapshot.authority.decide(subject, &options.overlays(), &granted);
        decision.missing = self.not_approved_yet(resolved, plan, &decision.missing);
        match failed.into_inner() {
            Some(error) => Err(error),
            None => {
                let (grant, resumes, is_refused) = (used.into_inner(), resumes.get(), is_refused.get());
                Ok(CallDecision { decision, grant, trust, resumes, kind: QuestionKind::Call, is_refused })
            }
        }
    }
}
