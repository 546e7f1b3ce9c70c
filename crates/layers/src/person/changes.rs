//! The changes of what is kept for people: answers, grants and trust.
use overt_policy::Trust;
use overt_policy::scope::Scope;
use overt_wire::text::Untrusted;

use super::action::{PersonAction, without_effect};
use super::channel::{Channel, Reach};
use crate::audit::{Durability, Entry, Kind};
use crate::grants::{
    Answer, AnswerOutcome, Extent, GivenGrant, Grant, GrantLifetime, GrantVerdict, Holder, PendingQuestion,
    Question, QuestionId, QuestionKind, SeenTool, Terms, TrustedServerKey,
};

/// An answer to a question, and what it gives.
#[derive(Debug)]
pub struct GiveAnswer {
    pub id: QuestionId,
    /// The question as the person saw it.
    pub question: Question,
    /// What holds of the answer.
    pub answer: Answer,
    /// The answer of the person, if it reaches further than its channel.
    pub proposes: Option<Answer>,
    way: Way,
}

/// The way on which an answer comes.
#[derive(Debug)]
enum Way {
    /// From outside of the client. The question must still be open.
    Elsewhere,
    /// From the client of the call, with the record that the call's entries share.
    Dialog(Option<Box<Entry>>),
    /// With the next request of the client. The question may be closed by then, because old
    /// questions make room for new ones; the answer still applies to this request.
    Brought(Option<Box<Entry>>),
}

/// A permission, or a refusal for good, before any call asks for it.
#[derive(Debug)]
pub struct GiveGrant {
    pub holder: Holder,
    pub terms: Terms,
    reason: String,
}

/// The end of a grant.
#[derive(Debug)]
pub struct RevokeGrant {
    pub grant: Grant,
}

/// A decision about how far to trust a server in a project.
#[derive(Debug)]
pub struct SetTrust {
    pub server: TrustedServerKey,
    pub trust: Trust,
    /// Tools whose definitions the person saw. The decision covers them as they were seen.
    pub seen: Vec<SeenTool>,
    pub scope: TrustScope,
}

/// What of a server a decision is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustScope {
    /// The server, and the tools that were seen.
    Server,
    /// Only the tools that were seen; the server was decided about before.
    SeenTools,
}

/// The end of a decision about a server. Every principal's decision ends.
#[derive(Debug)]
pub struct ForgetTrust {
    pub server: String,
    pub project: Option<String>,
}

// === impl GiveAnswer ===

impl GiveAnswer {
    /// An answer from outside of the client. `None` if it belongs to another kind of question.
    pub fn elsewhere(open: &PendingQuestion, answer: Answer) -> Option<Self> {
        answer.fitting(&open.question)?;
        Some(Self::new(open.id.clone(), open.question.clone(), answer, Way::Elsewhere))
    }

    /// An answer in a dialog of the client. `entry` has the members that all records of the call
    /// share; `None` if nothing is recorded.
    pub fn in_dialog(id: QuestionId, question: Question, answer: Answer, entry: Option<Entry>) -> Self {
        Self::new(id, question, answer, Way::Dialog(entry.map(Box::new)))
    }

    /// An answer that the client brought with its request.
    pub fn brought(id: QuestionId, question: Question, answer: Answer, entry: Option<Entry>) -> Self {
        Self::new(id, question, answer, Way::Brought(entry.map(Box::new)))
    }

    fn new(id: QuestionId, question: Question, answer: Answer, way: Way) -> Self {
        // An unclear answer counts as a no, and is recorded as one.
        let answer = answer.fitting(&question).unwrap_or(Answer::No);
        let (answer, proposes) = match way {
            Way::Elsewhere => (answer, None),
            Way::Dialog(_) | Way::Brought(_) => answer.within(Channel::Dialog.reach(), &question),
        };
        Self { id, question, answer, proposes, way }
    }

    /// Returns whether the answer applies although the question is closed.
    pub fn is_brought(&self) -> bool {
        matches!(self.way, Way::Brought(_))
    }

    /// Returns the proposal that the answer leaves.
    pub fn proposal(&self, now: u64) -> Option<Question> {
        Some(self.question.proposal(self.proposes?.to_string(), now))
    }

    fn is_elsewhere(&self) -> bool {
        matches!(self.way, Way::Elsewhere)
    }
}

impl PersonAction for GiveAnswer {
    type Effect = AnswerOutcome;

    fn intent(&self) -> Vec<Entry> {
        let Self { id, question, answer, .. } = self;
        let terms = answer.terms(question);
        let decision = Some(if answer.is_yes() { "allow" } else { "deny" });
        match &self.way {
            Way::Dialog(None) | Way::Brought(None) => Vec::new(),
            Way::Dialog(Some(entry)) | Way::Brought(Some(entry)) => vec![Entry {
                kind: Kind::Approval,
                decision,
                reason: Some(answer.to_string()),
                requested: words(terms.iter().flat_map(|terms| &terms.scopes)),
                ..(**entry).clone()
            }],
            Way::Elsewhere => {
                // A no without terms applies to the project that asks.
                let project = match &terms {
                    Some(terms) => terms.project.as_deref(),
                    None => question.project.as_deref(),
                };
                let scopes = terms.as_ref().map_or(&question.scopes, |terms| &terms.scopes);
                vec![Entry {
                    decision,
                    reason: Some(format!("{id}: {answer}")),
                    intent: Some(question.shown.intent.clone()),
                    agent: question.shown.client.clone(),
                    ..entry(Kind::Approval, (&question.server, project), &question.tool, scopes)
                }]
            }
        }
    }

    fn outcome(&self, outcome: &AnswerOutcome) -> Vec<Entry> {
        let intent = || self.intent().into_iter();
        match outcome {
            AnswerOutcome::Taken(Some(given)) if given.is_lasting() => {
                intent().map(|entry| of_grant(entry, given)).collect()
            }
            AnswerOutcome::Taken(_) => Vec::new(),
            other => intent().map(|entry| without_effect(entry, other)).collect(),
        }
    }

    /// A yes to what can start programs or permit tools reaches everywhere, because nobody is asked
    /// about what these programs do.
    fn reach(&self) -> Reach {
        match self.answer.is_yes() && self.question.guarded().is_some() {
            true => Reach::Everywhere,
            false => self.answer.reach(),
        }
    }

    /// Of a question, every answer needs a person: a no that an agent gives would hide the question
    /// from the person.
    fn allows_more(&self) -> bool {
        true
    }

    fn durability(&self) -> Durability {
        let is_lasting = self.answer.is_yes() || self.answer.terms(&self.question).is_some();
        match is_lasting || self.is_elsewhere() {
            true => Durability::Durable,
            false => Durability::Batched,
        }
    }

    fn must_be_recorded(&self) -> bool {
        self.answer.is_yes() || self.is_elsewhere()
    }
}

impl Answer {
    /// Returns how far the answer reaches.
    pub fn reach(self) -> Reach {
        match self {
            Self::Yes { lifetime: GrantLifetime::Once, .. }
            | Self::No
            | Self::NoThisSession
            | Self::NeverInProject => Reach::Call,
            Self::Yes { lifetime: GrantLifetime::Session, .. } | Self::TrustThisSession(_) => Reach::Session,
            Self::Yes { extent: Extent::Everywhere, .. } => Reach::Everywhere,
            Self::Yes { extent: Extent::Project, .. } | Self::Trust(_) => Reach::Project,
        }
    }
}

// === impl GiveGrant ===

impl GiveGrant {
    /// `reason` says in words for how long, for the record.
    pub fn in_advance(holder: Holder, terms: Terms, lasting: &str) -> Self {
        Self { holder, terms, reason: format!("in advance, {lasting}") }
    }
}

impl PersonAction for GiveGrant {
    type Effect = GivenGrant;

    fn intent(&self) -> Vec<Entry> {
        let Terms { verdict, server, project, tools, scopes, .. } = &self.terms;
        let decision = match verdict {
            GrantVerdict::Allow => "allow",
            GrantVerdict::Refuse => "deny",
        };
        let tools = tools.to_string();
        vec![Entry {
            decision: Some(decision),
            reason: Some(self.reason.clone()),
            ..entry(Kind::Approval, (server, project.as_deref()), &tools, scopes)
        }]
    }

    fn outcome(&self, given: &GivenGrant) -> Vec<Entry> {
        self.intent().into_iter().map(|entry| of_grant(entry, given)).collect()
    }

    fn reach(&self) -> Reach {
        match (self.terms.verdict, &self.terms.project) {
            (GrantVerdict::Refuse, _) => Reach::Call,
            (GrantVerdict::Allow, Some(_)) => Reach::Project,
            (GrantVerdict::Allow, None) => Reach::Everywhere,
        }
    }

    fn allows_more(&self) -> bool {
        true
    }
}

// === impl RevokeGrant ===

impl PersonAction for RevokeGrant {
    /// Whether the grant still existed.
    type Effect = bool;

    fn intent(&self) -> Vec<Entry> {
        let Grant { id, terms, .. } = &self.grant;
        let place = (terms.server.as_str(), terms.project.as_deref());
        vec![Entry {
            grant: Some(id.0.clone()),
            agent: terms.client.clone(),
            ..entry(Kind::Revoke, place, &terms.tools.to_string(), &terms.scopes)
        }]
    }

    fn outcome(&self, _existed: &bool) -> Vec<Entry> {
        Vec::new()
    }

    fn reach(&self) -> Reach {
        Reach::Call
    }

    /// The end of a refusal allows more.
    fn allows_more(&self) -> bool {
        self.grant.terms.verdict == GrantVerdict::Refuse
    }
}

// === impl SetTrust ===

impl PersonAction for SetTrust {
    /// The questions that the decision answered.
    type Effect = Vec<QuestionId>;

    fn intent(&self) -> Vec<Entry> {
        let (server, project) = (self.server.server.as_str(), self.server.project.as_deref());
        let (trust, place) = (Answer::Trust(self.trust), place(project));
        let of_server =
            || Entry { decision: Some("allow"), ..Entry::of_server(Kind::Approval, server, project) };
        let whole = (self.scope == TrustScope::Server)
            .then(|| Entry { reason: Some(format!("{trust}, {place}")), ..of_server() });
        let tools =
            self.seen.iter().filter(|tool| self.scope == TrustScope::SeenTools && tool.digest.is_some());
        let tools = tools.map(|tool| Entry {
            target: Some(tool.name.clone()),
            reason: Some(format!("{trust} covers its new definition, {place}")),
            ..of_server()
        });
        whole.into_iter().chain(tools).collect()
    }

    fn outcome(&self, _answered: &Vec<QuestionId>) -> Vec<Entry> {
        Vec::new()
    }

    fn reach(&self) -> Reach {
        Reach::Project
    }

    fn allows_more(&self) -> bool {
        true
    }
}

impl SetTrust {
    /// Returns whether the decision answers this question, asked by any principal. Each principal
    /// whose question is answered trusts the server from then on.
    pub fn answers(&self, question: &Question) -> bool {
        let is_asked = match question.is_redefined() {
            true => self.seen.iter().any(|tool| tool.is_asked_by(question)),
            false => self.scope == TrustScope::Server,
        };
        // Other principals may have decided otherwise about the server.
        let is_theirs =
            self.scope == TrustScope::Server || question.holder.principal == self.server.principal;
        is_asked
            && is_theirs
            && question.kind == QuestionKind::Trust
            && question.server == self.server.server
            && question.project == self.server.project
    }
}

impl SeenTool {
    /// Returns whether a question asks about exactly this definition.
    pub fn is_asked_by(&self, question: &Question) -> bool {
        question.tool == self.name && self.digest.as_ref() == Some(&question.tool_digest)
    }
}

// === impl ForgetTrust ===

impl PersonAction for ForgetTrust {
    /// Whether there was a decision.
    type Effect = bool;

    fn intent(&self) -> Vec<Entry> {
        let project = self.project.as_deref();
        vec![Entry {
            reason: Some(format!("trust, {}", place(project))),
            ..Entry::of_server(Kind::Revoke, &self.server, project)
        }]
    }

    fn outcome(&self, _existed: &bool) -> Vec<Entry> {
        Vec::new()
    }

    fn reach(&self) -> Reach {
        Reach::Call
    }

    fn allows_more(&self) -> bool {
        false
    }
}

/// Returns where a decision holds, in words.
fn place(project: Option<&str>) -> String {
    project.map_or_else(|| "without a project".to_owned(), |project| format!("in {}", Untrusted(project)))
}

fn of_grant(entry: Entry, given: &GivenGrant) -> Entry {
    Entry { kind: Kind::Grant, grant: Some(given.grant.id.0.clone()), ..entry }
}

/// Returns a record about a tool of a server, in a project or everywhere.
fn entry(kind: Kind, (server, project): (&str, Option<&str>), tool: &str, scopes: &[Scope]) -> Entry {
    Entry {
        target: Some(tool.to_owned()),
        requested: words(scopes),
        ..Entry::of_server(kind, server, project)
    }
}

fn words<'a>(scopes: impl IntoIterator<Item = &'a Scope>) -> Vec<String> {
    scopes.into_iter().map(ToString::to_string).collect()
}
