//! The interface of what is kept for people and their clients: questions, answers, grants and
//! trust. A call that the policy allows uses none of it. No method blocks the thread that calls it.
use std::collections::HashMap;
use std::fmt;

use overt_policy::Trust;
use overt_wire::{BoxFuture, Principal};
use tokio::sync::watch;

use super::answer::{Answer, AnswerOutcome, PendingQuestion};
use super::candidates::{CandidateQuery, Candidates, Reliance, Spent, TrustedServerKey};
use super::error::StoreError;
use super::grant::{GivenGrant, Grant, Holder, HolderClient};
use super::question::{AskOutcome, Question, QuestionId, Review};
use crate::person::{Authorised, ForgetTrust, GiveAnswer, GiveGrant, RevokeGrant, SetTrust};

pub type StoreFuture<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// A person's decision about how far to trust a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedServer {
    pub principal: Principal,
    pub server: String,
    /// `None` if the server was not started in a project.
    pub project: Option<String>,
    pub trust: Trust,
}

/// What a question has come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuestionState {
    /// A person may still answer.
    Open,
    /// A person answered, and what the answer gives exists. The token is that of its grant, if it
    /// outlasts a call.
    Answered(Answer, Option<String>),
    /// A person answered, and the answer does not count because it can't be recorded.
    Unrecorded,
    /// It ended, with its session or at its deadline, and no answer comes.
    Gone,
}

/// Grants, trust and open questions. What a person decides is written by an [`Authorised`] action
/// and nothing else.
pub trait StateStore: fmt::Debug + Send + Sync + 'static {
    /// Returns the answers of people that may matter for a call. Reads only, and must not scan all
    /// grants (SCP-14).
    fn candidates(&self, query: CandidateQuery) -> StoreFuture<'_, Candidates>;

    /// Uses what a call depends on, all of it or nothing: a grant for one call is used up. `None`
    /// if any of it no longer exists.
    fn spend(&self, reliance: Reliance) -> StoreFuture<'_, Option<Spent>>;

    /// Returns the definitions that the person was shown for the decisions about a server, as
    /// digests by tool: the decision for the project, and the one for this client's session. `None`
    /// if the person has not decided.
    fn covered(
        &self,
        server: TrustedServerKey,
        client: HolderClient,
    ) -> StoreFuture<'_, Option<HashMap<String, String>>>;

    /// Puts a question where people can see it. If the same holder already asked the same question,
    /// they share one (SCP-10).
    fn ask(&self, question: Question, review: Option<Review>) -> StoreFuture<'_, AskOutcome>;

    /// Returns what a question has come to. If it was answered, this call's wait ends with it.
    fn take_answer(&self, id: QuestionId) -> StoreFuture<'_, QuestionState>;

    /// Ends this call's wait but keeps the question open, for ten minutes after the last call has
    /// left it. A yes then permits the same call when it is tried again. Happens soon; nobody waits
    /// for it.
    fn leave(&self, id: &QuestionId);

    /// Notes that a person answered and that the answer can't be recorded. Every call that waits
    /// for it ends.
    fn withdraw(&self, id: QuestionId) -> StoreFuture<'_, ()>;

    /// Ends the session of this holder and removes its grants and questions. Happens soon; nobody
    /// waits for it.
    fn session_ended(&self, holder: &Holder);

    /// Returns a number that changes whenever, in any process, a grant is given or revoked, a
    /// question is answered, or a server is trusted. While no receiver exists, nothing looks for
    /// changes.
    fn changes(&self) -> watch::Receiver<u64>;

    /// Returns whether a person is watching for questions now, in any process.
    fn has_listener(&self) -> StoreFuture<'_, bool>;

    /// Returns whether other processes see the questions, so that waiting for an answer is
    /// worthwhile.
    fn is_shared(&self) -> bool;

    /// Returns the review that is stored with a question.
    fn review(&self, id: QuestionId) -> StoreFuture<'_, Option<Review>>;

    /// Returns every live grant, in the order in which they were given.
    fn grants(&self) -> StoreFuture<'_, Vec<Grant>>;

    /// Returns the questions that wait for a person, in the order in which they were asked.
    fn questions(&self) -> StoreFuture<'_, Vec<PendingQuestion>>;

    /// Decides a question and gives what the answer gives, all or nothing. The rules are
    /// those of [`PendingQuestion::decide`].
    fn answer(&self, answer: Authorised<GiveAnswer>) -> StoreFuture<'_, AnswerOutcome>;

    fn give(&self, grant: Authorised<GiveGrant>) -> StoreFuture<'_, GivenGrant>;

    /// Revokes a grant, with effect on the next decision in every process. Returns false if it does
    /// not exist.
    fn revoke(&self, grant: Authorised<RevokeGrant>) -> StoreFuture<'_, bool>;

    /// Sets how much a person wants to be asked about a server in a project, and answers the
    /// questions that ask this. The decision covers the definitions that were shown for it, and
    /// those that were shown for an earlier one.
    fn set_trust(&self, trust: Authorised<SetTrust>) -> StoreFuture<'_, Vec<QuestionId>>;

    /// Ends every principal's decision about a server in a project. Returns false if there was
    /// none.
    fn forget_trust(&self, forget: Authorised<ForgetTrust>) -> StoreFuture<'_, bool>;
}
