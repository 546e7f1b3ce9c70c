//! Finds what changed in a tool since a person trusted its server. The trust decision covers
//! definitions by their digests. The earlier text is the definition that a person accepted, if one
//! is remembered.
use super::layer::Authorize;
use super::resolved_call::ResolvedCall;
use crate::Endpoint;
use crate::definition::{DefinitionDigest, changed_members};
use crate::grants::{Question, Redefinition, StoreError};

impl Authorize {
    /// Returns `None` if no person decided about the server, or if the decision covers the tool as
    /// it is.
    pub(super) async fn redefinition(
        &self,
        resolved: &ResolvedCall<'_>,
    ) -> Result<Option<Redefinition>, StoreError> {
        let (description, known) = (self.endpoint.description(), &resolved.tool);
        let server = self.trusted_server(&resolved.call.holder.principal);
        let covered = self.control.store.covered(server).await?;
        let Some(covered) = covered else { return Ok(None) };
        let tool = &resolved.call.tool;
        let Some(trusted) = covered.get(tool).filter(|digest| **digest != **known.digest()) else {
            return Ok(None);
        };
        let was = description.tools.accepted_definition(tool);
        let was = was.filter(|was| *DefinitionDigest::of(was.as_json()) == **trusted);
        let members = was.map(|was| changed_members(was.as_json(), known.definition.as_json()));
        let others = self.tools.redefined(&covered).into_iter().filter(|other| other != tool).collect();
        Ok(Some(Redefinition { members: members.unwrap_or_default(), others }))
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
