//! Standing decisions: grants, and trust in the server. They are combined with settings and rules
//! as `overt run` combines them.
use std::collections::BTreeMap;

use overt_layers::decide::{CallDecision, CallToDecide};
use overt_layers::definition::{DefinitionDigest, ServerDigest};
use overt_layers::grants::{
    Candidates, Holder, PendingQuestion, QuestionKind, StoreError, TrustedServerKey, TrustedTool,
};
use overt_policy::record::Effect;
use overt_policy::scope::ScopeSet;
use overt_policy::{Authority, Overlays, Policy, ToolFacts, Trust, Verdict};
use overt_state::grants::SqliteStore;
use overt_wire::Principal;
use overt_wire::json::JsonBuf;
use overt_wire::view::Tool;
use serde_json::Value;

/// A tool of a server in a project, with the settings in force and what people decided before.
#[derive(Debug)]
pub(in crate::commands) struct Standing<'a> {
    /// The full name of the server, as grants have it.
    pub(in crate::commands) server: &'a str,
    pub(in crate::commands) project: Option<&'a str>,
    pub(in crate::commands) tool: &'a str,
    pub(in crate::commands) definitions: Definitions,
    pub(in crate::commands) authority: &'a Authority,
    /// Policies that the call itself brings.
    pub(in crate::commands) policies: &'a [Policy],
    /// Scopes to treat as granted.
    pub(in crate::commands) supposed: &'a ScopeSet,
    /// `None` if no person has decided anything yet.
    pub(in crate::commands) store: Option<&'a SqliteStore>,
    /// The trust that the user's file gives the server, if the store does not have it yet.
    pub(in crate::commands) file_trust: Option<Trust>,
}

/// Digests of the current definitions.
#[derive(Debug, Clone, Default)]
pub(in crate::commands) struct Definitions {
    tool: String,
    /// The digest over all tools of the server.
    server: String,
}

impl Definitions {
    /// Returns the digests for each tool of one server, by name.
    pub(in crate::commands) fn each(tools: &[JsonBuf]) -> BTreeMap<String, Self> {
        let all: BTreeMap<String, DefinitionDigest> = tools
            .iter()
            .filter_map(|tool| {
                Some((Tool(tool.as_json()).name()?.into_owned(), DefinitionDigest::of(tool.as_json())))
            })
            .collect();
        let server = ServerDigest::of(all.iter().map(|(name, digest)| (name.as_str(), digest)));
        let texts = |tool: &DefinitionDigest| Self { tool: tool.to_string(), server: server.to_string() };
        all.into_iter().map(|(name, tool)| (name, texts(&tool))).collect()
    }
}

impl Standing<'_> {
    /// Decides as a call is decided, but without a session: a grant for one call or one session
    /// does not apply to another call.
    pub(in crate::commands) fn decide(
        &self,
        facts: &ToolFacts,
        arguments: &Value,
    ) -> Result<CallDecision, StoreError> {
        let holder = Holder::any_client(Principal::local());
        let tool = TrustedTool {
            server: TrustedServerKey {
                principal: Principal::local(),
                server: self.server.to_owned(),
                project: self.project.map(str::to_owned),
            },
            tool: self.tool.to_owned(),
            digest: self.definitions.tool.clone(),
        };
        let call = CallToDecide {
            authority: self.authority,
            overlays: Overlays { call: self.policies, ..Overlays::default() },
            holder: &holder,
            tool: &tool,
            server_digest: &self.definitions.server,
            facts,
            planning: None,
            only_reads: facts.claims_to_read() || (facts.is_declared() && facts.effect == Effect::Read),
            arguments,
            arguments_digest: "",
            plan: None,
            approved: None,
            server_requests: false,
            supposed: self.supposed,
            token: None,
        };
        let (decided, query) = call.decide_without_answers();
        let Some(query) = query else { return Ok(decided) };
        let found = self.store.map_or_else(|| Ok(Candidates::default()), |store| store.candidates(&query))?;
        let found = Candidates { trust: self.file_trust.or(found.trust), ..found };
        let mut decided = call.decide_with(&found);
        if decided.decision.verdict == Verdict::NeedsApproval {
            // Nobody is asked about what a person refused for good.
            if decided.refusal.is_some() {
                decided.decision.verdict = Verdict::Deny;
            }
            // This trust changes nothing; it says why a person is asked.
            decided.trust = decided.trust.or(found.trust.filter(|trust| *trust == Trust::Everything));
        }
        Ok(decided)
    }

    /// Returns the open questions about this tool, or about how far to trust its server.
    pub(super) fn questions(&self) -> Result<Vec<PendingQuestion>, StoreError> {
        let Some(store) = self.store else { return Ok(Vec::new()) };
        let is_about = |open: &PendingQuestion| {
            open.question.server == self.server
                && (open.question.kind == QuestionKind::Trust || open.question.tool == self.tool)
        };
        Ok(store.questions()?.into_iter().filter(is_about).collect())
    }
}
