//! What somebody is asked, and the answer.
use std::fmt;

use super::{Holder, Lasts, Terms};
use overt_policy::scope::Scope;

/// The name of a question, such as `q-17`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QuestionId(pub String);

/// A call that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    pub holder: Holder,
    pub server: String,
    pub tool: String,
    /// What the call will do, in words.
    pub intent: String,
    /// Why it needs a person.
    pub reason: String,
    /// The narrowest scopes that let the call through.
    pub scopes: Vec<Scope>,
    /// A wider choice that saves further questions.
    pub wider: Vec<Scope>,
    /// A digest of the arguments.
    pub arguments: String,
    /// The arguments for whoever decides, redacted and cut.
    pub shown_arguments: String,
    /// Seconds since 1970 at which a yes is of no use any more. The call itself waits [`ANSWERABLE`] seconds less.
    pub until: u64,
}

/// So many seconds after a call has ended somebody may still answer, for when it is made again.
pub const ANSWERABLE: u64 = 600;

/// What a person said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Yes {
        lasts: Lasts,
        /// The wider scopes rather than the narrowest.
        wider: bool,
        /// Seconds since 1970 at which the grant is over.
        expires: Option<u64>,
    },
    No,
    /// No, and nothing of this session need be asked again.
    NeverThisSession,
}

/// What became of a question that a call wants to ask.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// People can see it. Whoever asked closes it.
    Open(QuestionId),
    /// Somebody said that this session need not ask again: that is a no.
    Never,
    /// Too many are open, or they come too fast (SCP-10): that is a no.
    TooMany,
}

/// A question that people can see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open {
    pub id: QuestionId,
    pub question: Question,
    /// Seconds since 1970.
    pub asked: u64,
    /// What somebody said that no call has acted on yet.
    pub answer: Option<Answer>,
    /// How many calls wait for the same answer.
    pub waiting: u32,
}

/// What became of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decided {
    /// It counts.
    Taken,
    /// Somebody was faster and said this.
    Before(Answer),
    /// There is no such question, or nobody waits any more.
    Gone,
}

impl Answer {
    pub fn is_yes(self) -> bool {
        matches!(self, Self::Yes { .. })
    }

    /// What was agreed to, if it was a yes.
    pub fn terms(self, question: &Question) -> Option<Terms> {
        let Self::Yes { lasts, wider, expires } = self.fitting(&question.holder) else { return None };
        // A choice that isn't there can't be meant.
        let wider = wider && !question.wider.is_empty();
        Some(Terms {
            server: question.server.clone(),
            tool: question.tool.clone(),
            scopes: if wider { question.all_wider() } else { question.scopes.clone() },
            lasts,
            arguments: (lasts == Lasts::Once).then(|| question.arguments.clone()),
            expires,
        })
    }

    /// What it means for this holder: where there is no session, nothing can be said about it, and what isn't clear is a no.
    pub(super) fn fitting(self, holder: &Holder) -> Self {
        match self {
            Self::NeverThisSession | Self::Yes { lasts: Lasts::Session, .. } if !holder.has_session() => {
                Self::No
            }
            answer => answer,
        }
    }

    /// Of two answers that nobody has acted on, a no counts; else the first (SCP-09).
    pub(super) fn stricter(first: Option<Self>, second: Option<Self>) -> Option<Self> {
        match (first, second) {
            (Some(Self::NeverThisSession), _) | (_, Some(Self::NeverThisSession)) => {
                Some(Self::NeverThisSession)
            }
            (Some(Self::No), _) | (_, Some(Self::No)) => Some(Self::No),
            (first, second) => first.or(second),
        }
    }
}

impl Question {
    /// Seconds since 1970 at which the call that asks gives up.
    pub fn waits_until(&self) -> u64 {
        self.until.saturating_sub(ANSWERABLE)
    }

    /// The wider choice, with what the call needs besides: whoever allows more allows the call.
    pub fn all_wider(&self) -> Vec<Scope> {
        let besides = self.scopes.iter().filter(|scope| !self.wider.iter().any(|wide| wide.covers(scope)));
        self.wider.iter().chain(besides).cloned().collect()
    }

    /// Whether one answer serves both (SCP-10).
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let key = |question: &'_ Self| {
            let Self { holder, server, tool, scopes, arguments, .. } = question;
            (holder.clone(), server.clone(), tool.clone(), scopes.clone(), arguments.clone())
        };
        key(self) == key(other)
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Yes { lasts, wider, .. } => {
                write!(f, "yes, {lasts}{}", if *wider { ", the wider choice" } else { "" })
            }
            Self::No => f.write_str("no"),
            Self::NeverThisSession => f.write_str("no, to the whole session"),
        }
    }
}

impl fmt::Display for QuestionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
