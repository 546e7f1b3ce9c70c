//! A question that a call waits for, and how the wait ends.
use overt_wire::{BoxFuture, Closed, Message};
use tokio::time::Instant;

use super::continuations::DialogTurn;
use super::uncounted::Uncounted;
use super::wake::Subscription;
use crate::grants::{Question, QuestionId, StateStore};

/// A question that a call waits for. Dropping it leaves the question, however the call ends, even
/// if the call is cancelled.
pub(super) struct OpenQuestion<'a> {
    pub(super) store: &'a dyn StateStore,
    pub(super) id: QuestionId,
    pub(super) question: Question,
    pub(super) through: AskedThrough,
    pub(super) changes: Subscription,
    pub(super) dialog: Option<Dialog<'a>>,
    pub(super) begun: Instant,
    pub(super) until: Instant,
    pub(super) is_open: bool,
    /// Why the client's own answer does not count, if it gave one.
    pub(super) uncounted: Option<Uncounted>,
}

/// The client's dialog, and the turn to show it.
pub(super) struct Dialog<'a> {
    pub(super) answer: BoxFuture<'static, Result<Message, Closed>>,
    pub(super) shown: Instant,
    pub(super) _turn: DialogTurn<'a>,
}

/// How a person can be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AskedThrough {
    /// The client asks while the call waits.
    Dialog,
    /// The client gets the question as a result.
    Result,
    /// A person watches the store for questions.
    Listener,
    /// No person can be reached.
    NoPerson,
}

/// How the wait for an approval ended.
pub(super) enum ApprovalOutcome {
    /// Grants, the policy or the tools changed: attempt the call again.
    Changed,
    /// A grant exists now. Contains its token if the grant lasts.
    Granted(Option<String>),
    /// The answer is no.
    Refused(Option<Message>),
    /// The client will bring the answer with its next request.
    InResult(Option<Message>),
    /// No person answered.
    Unanswered,
}

impl OpenQuestion<'_> {
    /// Returns whether an answer to this open question also answers `question`.
    pub(super) fn serves(&self, question: &Question) -> bool {
        self.is_open && self.question.is_same(question)
    }

    /// Ends the call's wait and keeps the question open: a yes counts when the same call is made
    /// again.
    pub(super) fn leave_open(&mut self) -> Option<QuestionId> {
        self.close();
        Some(self.id.clone())
    }

    pub(super) fn close(&mut self) {
        self.is_open = false;
        self.store.leave(&self.id);
    }
}

impl Drop for OpenQuestion<'_> {
    fn drop(&mut self) {
        if self.is_open {
            self.close();
        }
    }
}
