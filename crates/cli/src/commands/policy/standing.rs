//! What people granted and how far they trust the server, joined with the rest as `overt run` joins them.
use std::cell::RefCell;

use overt_layers::grants::{
    Asks, Grant, GrantStore as _, Holder, LOCAL, Need, Open, StoreError, TrustedTool,
};
use overt_policy::record::Effect;
use overt_policy::scope::Scope;
use overt_policy::{Decision, Overlays, Subject, ToolFacts, Trust, Verdict};
use overt_state::grants::SqliteStore;
use serde_json::Value;

use crate::settings::ExplainSettings;

/// A call, and what people decided about it before.
#[derive(Debug)]
pub(super) struct Standing<'a> {
    settings: &'a ExplainSettings,
    /// The whole name of the server in grants.
    pub(super) server: String,
    definitions: Definitions,
    store: Option<SqliteStore>,
}

/// Digests of definitions as they are now.
#[derive(Debug)]
pub(super) struct Definitions {
    pub(super) tool: String,
    /// Of all tools of the server.
    pub(super) server: String,
}

/// What would be decided, and what it rests on.
#[derive(Debug)]
pub(super) struct Explained {
    pub(super) decision: Decision,
    /// The grant that the call would use.
    pub(super) grant: Option<Grant>,
    /// What a person refused for good, if that decides it.
    pub(super) refusal: Option<Grant>,
    /// How far a person trusts the server, if it rests on that.
    pub(super) trust: Option<Trust>,
    /// What a person would be asked.
    pub(super) asks: Asks,
}

impl<'a> Standing<'a> {
    pub(super) fn open(settings: &'a ExplainSettings, definitions: Definitions) -> Result<Self, StoreError> {
        Ok(Self {
            settings,
            server: settings.connection.identity(),
            definitions,
            store: SqliteStore::open_if_there(settings.state.path())?,
        })
    }

    /// The same steps as those of a call (`overt_layers::authorize`), without its session: what was allowed for one call or one
    /// session is of no use to another.
    pub(super) fn decide(&self, facts: &ToolFacts, arguments: &Value) -> Result<Explained, StoreError> {
        let believes = self.settings.authority.believes_claims;
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
                Ok(Explained { decision, asks: Asks::Trust, ..decided })
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
            let is_supposed = scopes.iter().all(|scope| self.settings.grants.covers(scope));
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
        let overlays = Overlays { call: &self.settings.policies, ..Overlays::default() };
        let subject = Subject::Tool { facts, arguments: Some(arguments) };
        let mut decision = self.settings.authority.decide(subject, &overlays, &granted);
        if let Some(error) = failed.into_inner() {
            return Err(error);
        }
        let refusal = refusal.into_inner().filter(|_| decision.verdict == Verdict::NeedsApproval);
        if refusal.is_some() {
            decision.verdict = Verdict::Deny;
        }
        Ok(Explained { decision, grant: used.into_inner(), refusal, trust, asks: Asks::Call })
    }

    fn covering(&self, facts: &ToolFacts, scopes: &[Scope]) -> Result<Option<Grant>, StoreError> {
        let holder = Holder { principal: LOCAL.to_owned(), session: String::new() };
        self.store.as_ref().map_or(Ok(None), |store| store.covering(&self.need(&holder, facts, scopes)))
    }

    fn refusing(&self, facts: &ToolFacts, scopes: &[Scope]) -> Result<Option<Grant>, StoreError> {
        let holder = Holder { principal: LOCAL.to_owned(), session: String::new() };
        self.store.as_ref().map_or(Ok(None), |store| store.refusing(&self.need(&holder, facts, scopes)))
    }

    fn need<'b>(&'b self, holder: &'b Holder, facts: &ToolFacts, scopes: &'b [Scope]) -> Need<'b> {
        Need {
            holder,
            server: &self.server,
            project: self.settings.project.as_deref(),
            tool: &self.settings.tool,
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
        let Some(store) = &self.store else { return Ok(None) };
        store.look_at_trust(&TrustedTool {
            server: &self.server,
            project: self.settings.project.as_deref(),
            tool: &self.settings.tool,
            digest: &self.definitions.tool,
        })
    }

    /// The open questions about this tool, or about how far to trust its server.
    pub(super) fn questions(&self) -> Result<Vec<Open>, StoreError> {
        let Some(store) = &self.store else { return Ok(Vec::new()) };
        let is_about = |open: &Open| {
            open.question.server == self.server
                && (open.question.asks == Asks::Trust || open.question.tool == self.settings.tool)
        };
        Ok(store.questions()?.into_iter().filter(is_about).collect())
    }
}
