//! A person's answer to a question, and the grant that follows from it.
use std::fmt;
use std::time::{Duration, UNIX_EPOCH};

use overt_policy::Trust;
use overt_wire::rfc3339::format_millis;

use super::grant::{GrantLifetime, GrantVerdict, GrantedTools, Terms, every_scope};
use super::question::{Breadth, Question, QuestionId, QuestionKind};

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
    /// How far the person trusts the server.
    Trust(Trust),
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
    /// An answer that no call has acted on yet.
    pub answer: Option<Answer>,
    /// How many calls wait for the same answer.
    pub waiting: u32,
}

/// The result of giving an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerOutcome {
    /// The answer counts.
    Taken,
    /// An earlier answer counts instead.
    Before(Answer),
    /// The question is no longer open.
    Gone,
    /// The answer belongs to another kind of question.
    Unfit,
}

impl PendingQuestion {
    /// Notes a person's answer, if it counts.
    pub fn decide(&mut self, answer: Answer) -> AnswerOutcome {
        let Some(answer) = answer.fitting(&self.question) else { return AnswerOutcome::Unfit };
        let counts = Answer::stricter(self.answer, Some(answer));
        match self.answer.filter(|before| counts == Some(*before)) {
            Some(before) => AnswerOutcome::Before(before),
            None => {
                self.answer = counts;
                AnswerOutcome::Taken
            }
        }
    }

    /// Ends the wait of one call, and returns the answer that counts for it. `here` is the fitting
    /// answer that came with the call.
    pub fn close(&mut self, here: Option<Answer>) -> Option<Answer> {
        let counts = Answer::stricter(self.answer, here);
        self.waiting = self.waiting.saturating_sub(1);
        // A yes for one call belongs to the call that takes it. The other calls keep waiting.
        let is_once = |answer: &Answer| matches!(answer, Answer::Yes { lifetime: GrantLifetime::Once, .. });
        self.answer = counts.filter(|answer| !is_once(answer));
        counts
    }
}

impl Answer {
    pub fn is_yes(self) -> bool {
        matches!(self, Self::Yes { .. } | Self::Trust(_))
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
            Self::No | Self::NoThisSession | Self::Trust(_) => None,
        }
    }

    /// Returns the answer as this question accepts it, or `None` if it answers another kind of
    /// question. An answer about a session or project that the question doesn't have is unclear,
    /// and an unclear answer counts as a no.
    pub fn fitting(self, question: &Question) -> Option<Self> {
        let (has_session, has_project) = (question.holder.has_session(), question.project.is_some());
        let is_clear = match (self, question.kind) {
            (Self::Yes { .. }, QuestionKind::Trust) | (Self::Trust(_), QuestionKind::Call) => return None,
            (Self::Yes { lifetime, extent, breadth, .. }, QuestionKind::Call) => {
                question.has(breadth)
                    && (lifetime == GrantLifetime::Once || question.irreversible().is_none())
                    && match (lifetime, extent) {
                        (GrantLifetime::Once, _) => matches!(breadth, Breadth::Call | Breadth::Folder),
                        (GrantLifetime::Session, _) => has_session,
                        (GrantLifetime::Always, Extent::Project) => has_project,
                        (GrantLifetime::Always, Extent::Everywhere) => true,
                    }
            }
            (Self::NoThisSession, _) => has_session,
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
        }
    }
}
