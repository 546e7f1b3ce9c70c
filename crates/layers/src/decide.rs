//! The decision about a call: the policy in force, people's grants, and their trust in the server.
//! It is pure, and the only one: the call path, `overt policy explain` and the page make it here.
//!
//! It is made at most twice: first without people's answers, and, only if an answer could change
//! it, once more with those that were looked up.
use std::cell::{Cell, RefCell};

use overt_policy::scope::{Scope, ScopeSet};
use overt_policy::{Authority, Decision, Overlays, Subject, ToolFacts, Trust, Verdict};
use serde_json::Value;

use crate::grants::{CandidateQuery, Candidates, Grant, Holder, Need, QuestionKind, TrustedTool};

/// What a decision about a call depends on, apart from people's answers.
#[derive(Debug, Clone, Copy)]
pub struct CallToDecide<'a> {
    pub authority: &'a Authority,
    pub overlays: Overlays<'a>,
    pub holder: &'a Holder,
    pub tool: &'a TrustedTool,
    /// A digest of the definitions of all tools of the server.
    pub server_digest: &'a str,
    pub facts: &'a ToolFacts,
    /// The facts about the tool if only its plan is made. `None` unless the call is a preview of a
    /// tool with a plan.
    pub planning: Option<&'a ToolFacts>,
    pub arguments: &'a Value,
    /// A digest of the arguments as they were written.
    pub arguments_digest: &'a str,
    /// The digest of the plan that was just made.
    pub plan: Option<&'a str>,
    /// What was approved for this call before the server asked the client something.
    pub approved: Option<&'a Approved>,
    /// Whether the server requested scopes in its answer. Trust in the server does not cover those.
    pub server_requests: bool,
    /// Scopes to treat as granted.
    pub supposed: &'a ScopeSet,
    /// The token of a grant that the client sent.
    pub token: Option<&'a str>,
}

/// What a person approved for one call. It stays valid after the server's own questions are
/// answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approved {
    pub tool_digest: String,
    pub plan: Option<String>,
    pub scopes: Vec<Scope>,
}

/// A decision and what it depends on.
#[derive(Debug)]
pub struct CallDecision {
    pub decision: Decision,
    /// The grant that the call uses.
    pub grant: Option<Grant>,
    /// The refusal for good that forbids the call, so no question is asked.
    pub refusal: Option<Grant>,
    /// How far a person trusts the server, if the decision depends on it.
    pub trust: Option<Trust>,
    /// Whether the decision depends on what was approved before the server asked the client
    /// something.
    pub resumes: bool,
    /// What to ask a person, if one must be asked.
    pub kind: QuestionKind,
}

/// What a decision knows of people's answers.
#[derive(Clone, Copy)]
enum Answers<'a> {
    /// Nothing yet. Notes what would have to be looked up.
    Unknown(&'a Wanted),
    Known(&'a Candidates),
}

/// The answers that could change a decision.
#[derive(Default)]
struct Wanted {
    is_any: Cell<bool>,
    /// The sets of scopes that a grant would have to cover.
    scopes: RefCell<Vec<Vec<Scope>>>,
}

impl CallToDecide<'_> {
    /// Decides as if nobody had answered anything. Also returns what to look up, if an answer could
    /// change the decision.
    pub fn decide_without_answers(&self) -> (CallDecision, Option<CandidateQuery>) {
        let wanted = Wanted::default();
        let decided = self.decide(Answers::Unknown(&wanted));
        let query = wanted.is_any.get().then(|| CandidateQuery {
            holder: self.holder.clone(),
            tool: self.tool.clone(),
            wanted: wanted.scopes.into_inner(),
            arguments: self.arguments_digest.to_owned(),
            token: self.token.map(str::to_owned),
        });
        (decided, query)
    }

    /// Decides with the answers that were looked up.
    pub fn decide_with(&self, found: &Candidates) -> CallDecision {
        self.decide(Answers::Known(found))
    }

    fn decide(&self, answers: Answers<'_>) -> CallDecision {
        if self.facts.claims_to_read() && !self.authority.believes_claims {
            return self.decide_claim(answers);
        }
        let decided = self.decide_by(self.facts, answers, None);
        match (decided.decision.verdict, self.planning) {
            // A preview needs no approval, but its caller must be allowed to see it.
            (Verdict::NeedsApproval, Some(planning)) => self.decide_by(planning, answers, None),
            (Verdict::NeedsApproval, None) if !self.facts.is_declared() => match answers.trust() {
                Some(Trust::Record) => self.decide_by(self.facts, answers, Some(Trust::Record)),
                Some(Trust::Changes | Trust::Everything) | None => decided,
            },
            _ => decided,
        }
    }

    /// Decides about a tool that reads by the server's claim only. A person decides once how far to
    /// trust the server; a call that is denied either way stays denied.
    fn decide_claim(&self, answers: Answers<'_>) -> CallDecision {
        let disbelieved = self.facts.with_trust(false);
        let decided = self.decide_by(&disbelieved, answers, None);
        let believed = self.decide_by(self.facts, answers, None);
        if believed.decision.verdict == Verdict::Deny {
            return believed;
        }
        if decided.decision.verdict == Verdict::Allow {
            return decided;
        }
        match answers.trust() {
            Some(trust @ Trust::Changes) => CallDecision { trust: Some(trust), ..believed },
            Some(Trust::Record) => self.decide_by(self.facts, answers, Some(Trust::Record)),
            None if believed.decision.verdict == Verdict::Allow => {
                let decision = Decision { verdict: Verdict::NeedsApproval, ..decided.decision };
                CallDecision { decision, kind: QuestionKind::Trust, ..decided }
            }
            Some(Trust::Everything) | None => decided,
        }
    }

    fn decide_by(&self, facts: &ToolFacts, answers: Answers<'_>, trust: Option<Trust>) -> CallDecision {
        let used: RefCell<Option<Grant>> = RefCell::default();
        let refusal: RefCell<Option<Grant>> = RefCell::default();
        let resumes = Cell::new(false);
        let granted = |scopes: &[Scope]| {
            let digest = &self.tool.digest;
            if self.approved.is_some_and(|approved| approved.covers(digest, self.plan, scopes)) {
                resumes.set(true);
                return true;
            }
            let is_supposed = scopes.iter().all(|scope| self.supposed.covers(scope));
            let scopes = &self.not_approved_yet(scopes)[..];
            let found = match answers {
                Answers::Unknown(wanted) => {
                    wanted.add(scopes);
                    return false;
                }
                Answers::Known(found) => found,
            };
            let need = self.need(scopes, facts.is_asked_each_time());
            // A person's refusal for good outranks their grants, and any trust in the server.
            if let Some(refused) = found.refusing(&need) {
                *refusal.borrow_mut() = Some(refused.clone());
                return false;
            }
            // Trust in the server does not cover scopes that it requests in its answer.
            let is_recorded = trust == Some(Trust::Record) && !self.server_requests;
            // Neither trust nor the client's claim was given for this particular call, and some
            // calls are asked about each time.
            if !need.each_time && (is_recorded || is_supposed) {
                return true;
            }
            let grant = found.covering(&need).cloned();
            let is_granted = grant.is_some();
            *used.borrow_mut() = grant;
            is_granted
        };
        let subject = Subject::Tool { facts, arguments: Some(self.arguments) };
        let mut decision = self.authority.decide(subject, &self.overlays, &granted);
        decision.missing = self.not_approved_yet(&decision.missing);
        CallDecision {
            decision,
            grant: used.into_inner(),
            refusal: refusal.into_inner(),
            trust,
            resumes: resumes.get(),
            kind: QuestionKind::Call,
        }
    }

    fn need<'b>(&'b self, scopes: &'b [Scope], each_time: bool) -> Need<'b> {
        Need {
            holder: self.holder,
            server: &self.tool.server.server,
            project: self.tool.server.project.as_deref(),
            tool: &self.tool.tool,
            tool_digest: &self.tool.digest,
            server_digest: self.server_digest,
            only_reads: self.facts.only_reads(),
            scopes,
            arguments: self.arguments_digest,
            plan: self.plan,
            each_time,
        }
    }

    /// Returns the scopes except those that a person approved for this call before the upstream
    /// requested more.
    fn not_approved_yet(&self, scopes: &[Scope]) -> Vec<Scope> {
        let is_approved = |scope: &Scope| {
            let scope = std::slice::from_ref(scope);
            self.approved.is_some_and(|approved| approved.covers(&self.tool.digest, self.plan, scope))
        };
        scopes.iter().filter(|scope| !is_approved(scope)).cloned().collect()
    }
}

impl Approved {
    /// Returns whether the tool and the plan are unchanged and the call needs no more than was
    /// approved.
    fn covers(&self, tool_digest: &str, plan: Option<&str>, scopes: &[Scope]) -> bool {
        let covered = |wanted: &Scope| self.scopes.iter().any(|approved| approved.covers(wanted));
        self.tool_digest == tool_digest && self.plan.as_deref() == plan && scopes.iter().all(covered)
    }
}

impl Answers<'_> {
    /// Returns how far a person trusts what the server says about the tool.
    fn trust(self) -> Option<Trust> {
        match self {
            Self::Unknown(wanted) => {
                wanted.add(&[]);
                None
            }
            Self::Known(found) => found.trust,
        }
    }
}

impl Wanted {
    fn add(&self, scopes: &[Scope]) {
        self.is_any.set(true);
        let mut known = self.scopes.borrow_mut();
        if !scopes.is_empty() && known.iter().all(|known| known != scopes) {
            known.push(scopes.to_vec());
        }
    }
}
