//! The decision about a call, with the answers of people that may change it.
use overt_policy::scope::Scope;
use overt_policy::{Decision, Subject};
use overt_wire::Principal;

use super::effective::EffectivePolicy;
use super::layer::Authorize;
use super::resolved_call::ResolvedCall;
use crate::Endpoint;
use crate::decide::{Approved, CallDecision, CallToDecide};
use crate::grants::{
    Candidates, Grant, GrantLifetime, GrantVerdict, StoreError, TrustedServerKey, TrustedTool,
};
use crate::read_decision::ReadDecision;

impl Authorize {
    /// Decides about the call. `plan` is the digest of the plan that was just made. The store is
    /// asked only if an answer could change the decision.
    pub(super) async fn decide(
        &self,
        resolved: &ResolvedCall<'_>,
        plan: Option<&str>,
    ) -> Result<CallDecision, StoreError> {
        let (call, options) = (resolved.call, &resolved.effective.options);
        let (tool, server_digest) = (self.trusted_tool(resolved), self.tools.server_digest());
        let arguments_digest = call.arguments_digest(options);
        let to_decide = CallToDecide {
            authority: &resolved.effective.snapshot.authority,
            overlays: options.overlays(),
            holder: &call.holder,
            tool: &tool,
            server_digest: &server_digest,
            facts: &resolved.facts,
            planning: resolved.planning.as_ref(),
            arguments: &resolved.arguments,
            arguments_digest: &arguments_digest,
            plan,
            approved: call.approved.as_ref(),
            server_requests: !call.server_scopes.is_empty(),
            supposed: &options.trusted,
            token: options.token.as_deref(),
        };
        let (decided, query) = to_decide.decide_without_answers();
        match query {
            None => Ok(decided),
            Some(query) => {
                let found = self.control.store.candidates(query).await?;
                let found = if resolved.places.is_some() { of_named_places(found) } else { found };
                Ok(to_decide.decide_with(&found))
            }
        }
    }

    /// Returns the tool as trust in its server covers it.
    pub(super) fn trusted_tool(&self, resolved: &ResolvedCall<'_>) -> TrustedTool {
        TrustedTool {
            server: self.trusted_server(&resolved.call.holder.principal),
            tool: resolved.call.tool.clone(),
            digest: resolved.tool.digest().to_string(),
        }
    }

    /// Returns the server as this principal uses it.
    pub(super) fn trusted_server(&self, principal: &Principal) -> TrustedServerKey {
        let description = self.endpoint.description();
        TrustedServerKey {
            principal: principal.clone(),
            server: description.identity.clone(),
            project: description.project.clone(),
        }
    }
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

/// Returns the candidates without grants that name no place. Such a grant is about a tool or a
/// server, and opens nothing that is closed to every other call.
fn of_named_places(found: Candidates) -> Candidates {
    let is_place = |scope: &Scope| scope.path().is_some_and(|path| path != "/");
    let names_places = |grant: &Grant| {
        grant.terms.verdict == GrantVerdict::Refuse || grant.terms.scopes.iter().all(is_place)
    };
    let grants = found.grants.into_iter().filter(names_places).collect();
    Candidates { grants, of_token: found.of_token.filter(names_places), ..found }
}

/// Decides without grants about what a request names, and whether it is to read it.
pub(super) fn decide_use(
    effective: &EffectivePolicy,
    subject: Subject<'_>,
) -> (Decision, Option<ReadDecision>) {
    let decision = effective.snapshot.authority.decide_without_grants(subject, &effective.options.overlays());
    let read = ReadDecision::of(&decision, subject);
    (decision, read)
}
