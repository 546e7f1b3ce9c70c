//! Standing decisions: grants, and trust in the server. They are combined with settings and rules
//! as `overt run` combines them.
use std::cell::RefCell;
use std::collections::BTreeMap;

use overt_layers::definition::{DefinitionDigest, ServerDigest};
use overt_layers::grants::{
    Grant, GrantStore as _, Holder, LOCAL, Need, PendingQuestion, QuestionKind, StoreError, TrustedTool,
};
use overt_policy::record::Effect;
use overt_policy::scope::{Scope, ScopeSet};
use overt_policy::{Authority, Decision, Overlays, Policy, Subject, ToolFacts, Trust, Verdict};
use overt_state::grants::SqliteStore;
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

/// The decision about a call, and what it is based on.
#[derive(Debug)]
pub(in crate::commands) struct Explained {
    pub(in crate::commands) decision: Decision,
    /// The grant that the call would use.
    pub(in crate::commands) grant: Option<Grant>,
    /// A refusal for good, if the decision is based on it.
    pub(in crate::commands) refusal: Option<Grant>,
    /// How far a person trusts the server, if the decision is based on it.
    pub(in crate::commands) trust: Option<Trust>,
    /// What a person would be asked about.
    pub(in crate::commands) kind: QuestionKind,
}

impl Standing<'_> {
    /// Decides as a call is decided (`overt_layers::authorize`), but without a session: a grant for
    /// one call or one session does not apply to another call.
    pub(in crate::commands) fn decide(
        &self,
        facts: &ToolFacts,
        arguments: &Value,
    ) -> Result<Explained, StoreError> {
        let believes = self.authority.believes_claims;
        if facts.claims_to_read() && !believes {
            return self.decide_claim(facts, arguments);
        }
        let decided = self.decide_by(facts, arguments, None)?;
        match decided.decision.verdict {
            Verdict::NeedsApproval if !facts.is_declared() && self.trust()? == Some(Trust::Record) => {
                self.decide_by(facts, arguments, Some(Trust::Record))
            }
            _ => Ok(decided),
        }
    }

    fn decide_claim(&self, facts: &ToolFacts, arguments: &Value) -> Result<Explained, StoreError> {
        let decided = self.decide_by(&facts.with_trust(false), arguments, None)?;
        let believed = self.decide_by(facts, arguments, None)?;
        if believed.decision.verdict == Verdict::Deny {
            return Ok(believed);
        }
        if decided.decision.verdict == Verdict::Allow {
            return Ok(decided);
        }
        match self.trust()? {
            Some(Trust::Changes) => Ok(Explained { trust: Some(Trust::Changes), ..believed }),
            Some(Trust::Record) => self.decide_by(facts, arguments, Some(Trust::Record)),
            None if believed.decision.verdict == Verdict::Allow => {
                let decision = Decision { verdict: Verdict::NeedsApproval, ..decided.decision };
                Ok(Explained { decision, kind: QuestionKind::Trust, ..decided })
            }
            Some(Trust::Everything) => Ok(Explained { trust: Some(Trust::Everything), ..decided }),
            None => Ok(decided),
        }
    }

    fn decide_by(
        &self,
        facts: &ToolFacts,
        arguments: &Value,
        trust: Option<Trust>,
    ) -> Result<Explained, StoreError> {
        let (used, refusal, failed) = (RefCell::new(None), RefCell::new(None), RefCell::new(None));
        let granted = |scopes: &[Scope]| {
            match self.refusing(facts, scopes) {
                Ok(None) => {}
                Ok(found) => {
                    *refusal.borrow_mut() = found;
                    return false;
                }
                Err(error) => {
                    *failed.borrow_mut() = Some(error);
                    return false;
                }
            }
            let is_supposed = scopes.iter().all(|scope| self.supposed.covers(scope));
            if trust == Some(Trust::Record) || is_supposed {
                return true;
            }
            match self.covering(facts, scopes) {
                Ok(grant) => {
                    let is_there = grant.is_some();
                    *used.borrow_mut() = grant;
                    is_there
                }
                Err(error) => {
                    *failed.borrow_mut() = Some(error);
                    false
                }
            }
        };
        let overlays = Overlays { call: self.policies, ..Overlays::default() };
        let subject = Subject::Tool { facts, arguments: Some(arguments) };
        let mut decision = self.authority.decide(subject, &overlays, &granted);
        if let Some(error) = failed.into_inner() {
            return Err(error);
        }
        let refusal = refusal.into_inner().filter(|_| decision.verdict == Verdict::NeedsApproval);
        if refusal.is_some() {
            decision.verdict = Verdict::Deny;
        }
        Ok(Explained { decision, grant: used.into_inner(), refusal, trust, kind: QuestionKind::Call })
    }

    fn covering(&self, facts: &ToolFacts, scopes: &[Scope]) -> Result<Option<Grant>, StoreError> {
        let holder = Holder { principal: LOCAL.to_owned(), session: String::new() };
        self.store.map_or(Ok(None), |store| store.covering(&self.need(&holder, facts, scopes)))
    }

    fn refusing(&self, facts: &ToolFacts, scopes: &[Scope]) -> Result<Option<Grant>, StoreError> {
        let holder = Holder { principal: LOCAL.to_owned(), session: String::new() };
        self.store.map_or(Ok(None), |store| store.refusing(&self.need(&holder, facts, scopes)))
    }

    fn need<'b>(&'b self, holder: &'b Holder, facts: &ToolFacts, scopes: &'b [Scope]) -> Need<'b> {
        Need {
            holder,
            server: self.server,
            project: self.project,
            tool: self.tool,
            tool_digest: &self.definitions.tool,
            server_digest: &self.definitions.server,
            only_reads: facts.claims_to_read() || (facts.is_declared() && facts.effect == Effect::Read),
            scopes,
            arguments: "",
            plan: None,
            irreversible: false,
        }
    }

    fn trust(&self) -> Result<Option<Trust>, StoreError> {
        if self.file_trust.is_some() {
            return Ok(self.file_trust);
        }
        let Some(store) = self.store else { return Ok(None) };
        store.look_at_trust(&TrustedTool {
            server: self.server,
            project: self.project,
            tool: self.tool,
            digest: &self.definitions.tool,
        })
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
