//! Finds what changed in a tool since a person decided about its server. The decision covers the
//! definitions that were shown, by their digests. The earlier text is the definition that a person
//! accepted, if one is remembered.
use super::layer::Authorize;
use super::resolved_call::ResolvedCall;
use crate::Endpoint;
use crate::definition::{DefinitionDigest, changed_members};
use crate::grants::{Question, Redefinition, StoreError};

impl Authorize {
    /// Returns `None` if the person was shown the tool as it is, or was shown none of the server's
    /// tools.
    pub(super) async fn redefinition(
        &self,
        resolved: &ResolvedCall<'_>,
    ) -> Result<Option<Redefinition>, StoreError> {
        let (description, known) = (self.endpoint.description(), &resolved.tool);
        let holder = &resolved.call.holder;
        let server = self.trusted_server(&holder.principal);
        let covered = self.control.store.covered(server, holder.client.clone()).await?;
        let Some(covered) = covered.filter(|covered| !covered.is_empty()) else { return Ok(None) };
        let tool = &resolved.call.tool;
        let shown = covered.get(tool);
        if shown.is_some_and(|digest| **digest == **known.digest()) {
            return Ok(None);
        }
        let was = description.tools.accepted_definition(tool);
        let was =
            was.filter(|was| shown.is_some_and(|shown| *DefinitionDigest::of(was.as_json()) == **shown));
        let members = was.map(|was| changed_members(was.as_json(), known.definition.as_json()));
        let others = self.tools.not_covered(&covered).into_iter().filter(|other| other != tool).collect();
        Ok(Some(Redefinition { is_new: shown.is_none(), members: members.unwrap_or_default(), others }))
    }

    /// Accepts the definition that the question showed, also where definitions are remembered
    /// (pins).
    pub(super) fn accept_redefinition(&self, question: &Question) {
        let known = self.tools.last_listed(&question.tool).filter(|_| question.is_redefined());
        if let Some(known) = known.filter(|known| **known.digest() == *question.tool_digest) {
            self.endpoint.description().tools.accept_definition(&question.tool, &known.definition);
        }
    }
}
