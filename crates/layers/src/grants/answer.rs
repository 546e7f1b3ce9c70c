//! A person's answer to a question, and the grant that follows from it.
use std::fmt;
use std::time::{Duration, UNIX_EPOCH};

use overt_policy::Trust;
use overt_wire::rfc3339::format_millis;

use super::grant::{
    GivenGrant, Grant, GrantId, GrantLifetime, GrantVerdict, GrantedTools, Terms, every_scope,
};
use crate::person::Reach;

use super::question::{Breadth, GRACE, Question, QuestionId, QuestionKind};

/// A person's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Yes {
        lifetime: GrantLifetime,
        extent: Extent,
        breadth: Breadth,
        /// When the grant ends, in seconds since 1970.
        expires: Option<u64>,
    },
    No,
    /// No, and this session must not ask again.
    NoThisSession,
    /// No, and Overt refuses such calls in this project without asking again.
    NeverInProject,
    /// How much the person wants to be asked about the server, in this project.
    Trust(Trust),
    /// How much the person wants to be asked about the server, until this session ends.
    TrustThisSession(Trust),
}

/// Where a yes is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// In the project of the question.
    Project,
    /// In every project.
    Everywhere,
}

/// An open question, with its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingQuestion {
    pub id: QuestionId,
    pub question: Question,
    /// When the question was asked, in seconds since 1970.
    pub asked: u64,
    /// The answer that counts. `None` while a person may still be asked.
    pub answer: Option<Answer>,
    /// The grant that the answer gave.
    pub grant: Option<GrantId>,
    /// How many calls wait for the same answer.
    pub waiting: u32,
    /// Whether a person answered, and the answer does not count because it can't be recorded.
    pub is_unrecorded: bool,
}

/// The result of giving an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "there is one for each answer of a person")]
pub enum AnswerOutcome {
    /// The answer counts. It gave this grant, if it gave one.
    Taken(Option<GivenGrant>),
    /// An earlier answer counts instead.
    Before(Answer),
    /// The question is no longer open.
    Gone,
}

/// What a store does with an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "there is one for each answer of a person")]
pub enum DecidedAnswer {
    /// Puts these effects into force.
    Taken(AnswerEffects),
    /// An earlier answer counts instead.
    Before(Answer),
}

/// The effects of an answer that counts. All of them, or none, come into force.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnswerEffects {
    /// The grant of an earlier answer, which this one replaces.
    pub revoke: Option<GrantId>,
    /// What earlier answers gave for one call of this kind, and no call has used, ends too.
    pub revoke_unused: bool,
    pub give: Option<Terms>,
    pub trust: Option<GivenTrust>,
    /// The session must not ask again.
    pub never_again: bool,
}

/// What an answer says about a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GivenTrust {
    pub trust: Trust,
    /// Whether it ends with the session.
    pub is_for_session: bool,
}

impl PendingQuestion {
    /// Returns a question that no call waits for.
    pub fn unlisted(id: QuestionId, question: Question, asked: u64) -> Self {
        Self { id, question, asked, answer: None, grant: None, waiting: 0, is_unrecorded: false }
    }

    /// Notes a person's answer and returns what follows from it. `is_live` says whether a grant
    /// still exists: a call uses up a grant for one call.
    pub fn decide(&mut self, answer: Answer, is_live: impl FnOnce(&GrantId) -> bool) -> DecidedAnswer {
        let answer = answer.fitting(&self.question).unwrap_or(Answer::No);
        // An answer that can't be recorded is none.
        let before = self.answer.take().filter(|_| !std::mem::take(&mut self.is_unrecorded));
        if let Some(before) = before {
            let is_used = match &self.grant {
                Some(grant) => !is_live(grant),
                // A decision about a server holds for all its calls, and some may have used it.
                None => before.given_trust().is_some(),
            };
            if is_used || Answer::stricter(Some(before), Some(answer)) == Some(before) {
                self.answer = Some(before);
                return DecidedAnswer::Before(before);
            }
        }
        let effects = AnswerEffects {
            revoke: self.grant.take(),
            revoke_unused: !answer.is_yes(),
            give: answer.terms(&self.question).map(|terms| self.until_it_is_useless(terms)),
            trust: answer.given_trust(),
            never_again: answer == Answer::NoThisSession,
        };
        // A yes for one call lets one call through. The others keep waiting.
        self.answer = Some(answer).filter(|answer| !answer.is_for_one_call() || self.waiting <= 1);
        DecidedAnswer::Taken(effects)
    }

    /// Notes the grant that the answer gave.
    pub fn note_given(&mut self, grant: Option<&Grant>) {
        self.grant = grant.filter(|_| self.answer.is_some()).map(|grant| grant.id.clone());
    }

    /// A yes for one call counts as long as its question would have been open.
    fn until_it_is_useless(&self, terms: Terms) -> Terms {
        let until = self.question.until.saturating_add(GRACE);
        let expires = (terms.lifetime == GrantLifetime::Once).then_some(until);
        Terms { expires: terms.expires.or(expires), ..terms }
    }
}

impl Answer {
    /// A yes to one call.
    pub const ONCE: Self = Self::Yes {
        lifetime: GrantLifetime::Once,
        extent: Extent::Project,
        breadth: Breadth::Call,
        expires: None,
    };

    pub fn is_yes(self) -> bool {
        matches!(self, Self::Yes { .. } | Self::Trust(_) | Self::TrustThisSession(_))
    }

    /// Returns whether the answer lets only one call through.
    pub fn is_for_one_call(self) -> bool {
        matches!(self, Self::Yes { lifetime: GrantLifetime::Once, .. })
    }

    /// Returns what the answer says about the server.
    pub fn given_trust(self) -> Option<GivenTrust> {
        match self {
            Self::Trust(trust) => Some(GivenTrust { trust, is_for_session: false }),
            Self::TrustThisSession(trust) => Some(GivenTrust { trust, is_for_session: true }),
            _ => None,
        }
    }

    /// Returns the terms of the grant that this answer gives: exactly what the question showed, for
    /// a yes to a call, or what the person refused for good. `None` for every other answer.
    pub fn terms(self, question: &Question) -> Option<Terms> {
        let common = Terms {
            verdict: GrantVerdict::Refuse,
            client: question.shown.client.clone(),
            server: question.server.clone(),
            project: question.project.clone(),
            tools: GrantedTools::One(question.tool.clone()),
            // A refusal has no digest, so it stays valid when the tool's definition changes.
            tool_digest: None,
            scopes: question.scopes.clone(),
            lifetime: GrantLifetime::Always,
            arguments: None,
            plan: None,
            expires: None,
        };
        match self.fitting(question)? {
            Self::Yes { lifetime, extent, breadth, expires } => {
                let once = lifetime == GrantLifetime::Once;
                let digest = match breadth {
                    Breadth::Call | Breadth::Folder | Breadth::Tool => &question.tool_digest,
                    Breadth::Server | Breadth::Reads => &question.broader.server_digest,
                };
                Some(Terms {
                    verdict: GrantVerdict::Allow,
                    project: question.project.clone().filter(|_| extent == Extent::Project),
                    tools: match breadth {
                        Breadth::Call | Breadth::Folder | Breadth::Tool => common.tools,
                        Breadth::Server => GrantedTools::Every,
                        Breadth::Reads => GrantedTools::Reading,
                    },
                    tool_digest: Some(digest.clone()),
                    scopes: match breadth {
                        Breadth::Call => question.scopes.clone(),
                        Breadth::Folder => question.all_wider(),
                        Breadth::Tool | Breadth::Server | Breadth::Reads => every_scope(),
                    },
                    lifetime,
                    arguments: once.then(|| question.arguments.clone()),
                    plan: question.plan.clone().filter(|_| once),
                    expires,
                    ..common
                })
            }
            Self::NeverInProject => Some(common),
            Self::No | Self::NoThisSession | Self::Trust(_) | Self::TrustThisSession(_) => None,
        }
    }

    /// Returns what holds of an answer that reaches further than its channel, and the answer itself
    /// as a proposal. Without a session nothing of it holds.
    pub fn within(self, reach: Reach, question: &Question) -> (Self, Option<Self>) {
        if self.reach() <= reach {
            return (self, None);
        }
        match self {
            _ if !question.holder.has_session() => (Self::No, None),
            Self::Yes { breadth, .. } => {
                let (lifetime, extent) = (GrantLifetime::Session, Extent::Project);
                (Self::Yes { lifetime, extent, breadth, expires: None }, Some(self))
            }
            Self::Trust(trust) => (Self::TrustThisSession(trust), Some(self)),
            Self::No | Self::NoThisSession | Self::NeverInProject | Self::TrustThisSession(_) => {
                (Self::No, None)
            }
        }
    }

    /// Returns the answer as this question accepts it, or `None` if it answers another kind of
    /// question. An answer about a session or project that the question doesn't have is unclear,
    /// and an unclear answer counts as a no.
    pub fn fitting(self, question: &Question) -> Option<Self> {
        let (has_session, has_project) = (question.holder.has_session(), question.project.is_some());
        let is_clear = match (self, question.kind) {
            (Self::Trust(_) | Self::TrustThisSession(_), QuestionKind::Call) => return None,
            // A person may let one call through and decide about the server later.
            (Self::Yes { lifetime, breadth, .. }, QuestionKind::Trust) => {
                if (lifetime, breadth) != (GrantLifetime::Once, Breadth::Call) || question.scopes.is_empty() {
                    return None;
                }
                true
            }
            (Self::Yes { lifetime, extent, breadth, .. }, QuestionKind::Call) => {
                question.has(breadth)
                    && (lifetime == GrantLifetime::Once || !question.is_for_this_call_alone())
                    && match (lifetime, extent) {
                        (GrantLifetime::Once, _) => matches!(breadth, Breadth::Call | Breadth::Folder),
                        (GrantLifetime::Session, _) => has_session,
                        (GrantLifetime::Always, Extent::Project) => has_project,
                        (GrantLifetime::Always, Extent::Everywhere) => true,
                    }
            }
            (Self::NoThisSession | Self::TrustThisSession(_), _) => has_session,
            (Self::NeverInProject, kind) => has_project && kind == QuestionKind::Call,
            (Self::No | Self::Trust(_), _) => true,
        };
        Some(if is_clear { self } else { Self::No })
    }

    /// Returns the answer that counts of two that no call has acted on: a no if there is one,
    /// otherwise the first (SCP-09).
    fn stricter(first: Option<Self>, second: Option<Self>) -> Option<Self> {
        match (first, second) {
            (Some(Self::NeverInProject), _) | (_, Some(Self::NeverInProject)) => Some(Self::NeverInProject),
            (Some(Self::NoThisSession), _) | (_, Some(Self::NoThisSession)) => Some(Self::NoThisSession),
            (Some(Self::No), _) | (_, Some(Self::No)) => Some(Self::No),
            (first, second) => first.or(second),
        }
    }
}

impl fmt::Display for AnswerOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taken(_) => f.write_str("the answer counts"),
            Self::Before(before) if before.is_yes() => {
                f.write_str("the question was answered with yes already")
            }
            Self::Before(_) => f.write_str("the question was answered with no already"),
            Self::Gone => f.write_str("the question is not open: no call waits for an answer"),
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Yes { lifetime, extent, breadth, expires } => {
                let breadth = match breadth {
                    Breadth::Call => "",
                    Breadth::Folder => ", the wider choice",
                    Breadth::Tool => ", whatever its arguments are",
                    Breadth::Server => ", every tool of the server",
                    Breadth::Reads => ", every tool of the server that only reads",
                };
                let extent = if *extent == Extent::Everywhere { ", everywhere" } else { "" };
                write!(f, "yes, {lifetime}{breadth}{extent}")?;
                let end = expires.and_then(|end| UNIX_EPOCH.checked_add(Duration::from_secs(end)));
                end.map_or(Ok(()), |end| write!(f, ", until {}", format_millis(end)))
            }
            Self::No => f.write_str("no"),
            Self::NoThisSession => f.write_str("no, to the whole session"),
            Self::NeverInProject => f.write_str("no, and never in this project"),
            Self::Trust(trust) => write!(f, "trust: {trust}"),
            Self::TrustThisSession(trust) => write!(f, "trust: {trust}, session"),
        }
    }
}
