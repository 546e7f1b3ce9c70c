//! Explains a call: decides about it as the call path does, without making it. `overt policy
//! explain`, the page, and the page's second look at recorded calls make their decision here.
use std::collections::BTreeMap;

use overt_layers::decide::{CallDecision, CallToDecide};
use overt_layers::definition::{DefinitionDigest, ServerDigest};
use overt_layers::grants::{
    CandidateQuery, Candidates, Holder, PendingQuestion, QuestionKind, StoreError, ToolTrust,
    TrustedServerKey, TrustedTool,
};
use overt_policy::scope::ScopeSet;
use overt_policy::{Authority, Overlays, Policy, ToolFacts, Trust, Verdict};
use overt_state::grants::SqliteStore;
use overt_wire::Principal;
use overt_wire::json::JsonBuf;
use overt_wire::view::Tool;
use serde_json::Value;

/// A call that nobody makes, with the settings that decide about it.
#[derive(Debug, Clone, Copy)]
pub struct CallToExplain<'a> {
    /// The full name of the server, as grants have it.
    pub server: &'a str,
    pub project: Option<&'a str>,
    pub digests: &'a DefinitionDigests,
    pub facts: &'a ToolFacts,
    pub arguments: &'a Value,
    pub authority: &'a Authority,
    /// Policies that the call itself brings.
    pub policies: &'a [Policy],
    /// Scopes to treat as granted.
    pub supposed: &'a ScopeSet,
    /// The trust that the user's file gives the server, if the store does not have it yet.
    pub file_trust: Option<ToolTrust>,
}

/// The digests of a tool's current definition and of all definitions of its server.
#[derive(Debug, Clone, Default)]
pub struct DefinitionDigests {
    tool: String,
    server: String,
}

impl DefinitionDigests {
    /// Returns the digest of the tool's definition.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Returns the digests for each tool of one server, by name.
    pub fn by_name(tools: &[JsonBuf]) -> BTreeMap<String, Self> {
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

impl CallToExplain<'_> {
    /// Decides with what people answered before. `store` is `None` if nobody has answered anything
    /// yet.
    pub fn decide(&self, store: Option<&SqliteStore>) -> Result<CallDecision, StoreError> {
        self.decide_with(|query| match store {
            Some(store) => store.candidates(query),
            None => Ok(Candidates::default()),
        })
    }

    /// Decides with the answers that `find` returns. There is no session: a grant for one call or
    /// one session does not apply to another call.
    pub fn decide_with<E>(
        &self,
        find: impl FnOnce(&CandidateQuery) -> Result<Candidates, E>,
    ) -> Result<CallDecision, E> {
        let holder = Holder::any_client(Principal::local());
        let tool = self.trusted_tool();
        let call = CallToDecide {
            authority: self.authority,
            overlays: Overlays { call: self.policies, ..Overlays::default() },
            holder: &holder,
            tool: &tool,
            server_digest: &self.digests.server,
            facts: self.facts,
            planning: None,
            arguments: self.arguments,
            arguments_digest: "",
            plan: None,
            approved: None,
            server_requests: false,
            supposed: self.supposed,
            token: None,
        };
        let (decided, query) = call.decide_without_answers();
        let Some(query) = query else { return Ok(decided) };
        let found = find(&query)?;
        let found = Candidates { trust: self.file_trust.unwrap_or(found.trust), ..found };
        let mut decided = call.decide_with(&found);
        if decided.decision.verdict == Verdict::NeedsApproval {
            // Nobody is asked about what a person refused for good.
            if decided.refusal.is_some() {
                decided.decision.verdict = Verdict::Deny;
            }
            // This trust changes nothing; it says why a person is asked.
            decided.trust =
                decided.trust.or(found.trust.covering().filter(|trust| *trust == Trust::Everything));
        }
        Ok(decided)
    }

    /// Returns the open questions about this tool, or about how far to trust its server.
    pub fn open_questions(&self, store: &SqliteStore) -> Result<Vec<PendingQuestion>, StoreError> {
        let is_about = |open: &PendingQuestion| {
            open.question.server == self.server
                && (open.question.kind == QuestionKind::Trust || *open.question.tool == *self.facts.tool)
        };
        Ok(store.questions()?.into_iter().filter(is_about).collect())
    }

    fn trusted_tool(&self) -> TrustedTool {
        TrustedTool {
            server: TrustedServerKey {
                principal: Principal::local(),
                server: self.server.to_owned(),
                project: self.project.map(str::to_owned),
            },
            tool: self.facts.tool.to_string(),
            digest: self.digests.tool.clone(),
        }
    }
}
