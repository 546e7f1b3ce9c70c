//! The interface of a store of grants and questions. Every method must be fast, because it is
//! called while a call waits. Only actions that involve a person are written; `covering`, `answer`
//! and the use of a lasting grant only read.
use std::collections::HashMap;
use std::fmt;

use overt_policy::Trust;
use overt_wire::BoxFuture;

use super::answer::{Answer, AnswerOutcome, PendingQuestion};
use super::error::StoreError;
use super::grant::{Grant, GrantId, Holder, Need, Terms};
use super::question::{AskOutcome, Question, QuestionId, Review};

/// A tool of a server, for decisions about trust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrustedTool<'a> {
    pub server: &'a str,
    /// `None` if the server was not started in a project.
    pub project: Option<&'a str>,
    /// Empty for the server as a whole.
    pub tool: &'a str,
    /// The digest of the tool's definition.
    pub digest: &'a str,
}

/// A person's decision about how far to trust a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedServer {
    pub server: String,
    /// `None` if the server was not started in a project.
    pub project: Option<String>,
    pub trust: Trust,
}

/// Grants and open questions.
pub trait GrantStore: fmt::Debug + Send + Sync + 'static {
    /// Waits until a change would not have to wait for another process. Await it before every
    /// change: the methods below that change the store block the thread while another process holds
    /// it. Returns an error if the store is held for too long.
    fn writable(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Returns the live grant that permits this call, if there is one. Must not scan all grants
    /// (SCP-14).
    fn covering(&self, need: &Need<'_>) -> Result<Option<Grant>, StoreError>;

    /// Returns the refusal for good that covers this call, if there is one. Must not scan all
    /// grants.
    fn refusing(&self, need: &Need<'_>) -> Result<Option<Grant>, StoreError>;

    /// Uses a grant for one call. Returns false if the grant no longer exists: a grant for one call
    /// can be used only once.
    fn spend(&self, id: &GrantId) -> Result<bool, StoreError>;

    fn give(&self, holder: &Holder, terms: Terms) -> Result<Grant, StoreError>;

    /// Returns the token of a grant.
    fn token(&self, grant: &Grant) -> String;

    /// Returns the grant of a token, if Overt made the token, it is unchanged, and the grant is
    /// live and permits this call (SCP-04).
    fn of_token(&self, token: &str, need: &Need<'_>) -> Result<Option<Grant>, StoreError>;

    /// Returns how far a person trusts what this server says about its tools, in this project.
    /// `None` if the person has not decided, or if the tool's definition differs from the one at
    /// its first use under the decision.
    fn trust(&self, tool: &TrustedTool<'_>) -> Result<Option<Trust>, StoreError>;

    /// Returns the definitions that the person's decision about a server covers, as digests by
    /// tool. They date from each tool's first use under the decision, or from when the person
    /// decided about the tool. `None` if the person has not decided.
    fn covered(
        &self,
        server: &str,
        project: Option<&str>,
    ) -> Result<Option<HashMap<String, String>>, StoreError>;

    /// Records how far a person trusts a server in a project, and the tool's current definition. A
    /// decision about the server as a whole accepts each unused tool as it is at its next call. It
    /// does not cover a tool that changed, because the person has not seen the change.
    fn set_trust(&self, tool: &TrustedTool<'_>, trust: Trust) -> Result<(), StoreError>;

    /// Puts a question where people can see it. If the same holder already asked the same question,
    /// they share one (SCP-10).
    fn ask(&self, question: &Question, review: Option<&Review>) -> Result<AskOutcome, StoreError>;

    /// Returns the review that is stored with a question.
    fn review(&self, id: &QuestionId) -> Result<Option<Review>, StoreError>;

    /// Returns a number that changes whenever, in any process, a grant is given or revoked, a
    /// question is answered, or a server is trusted. Waiting calls are then attempted again.
    fn generation(&self) -> Result<u64, StoreError>;

    /// Returns whether a person is watching for questions now, in any process.
    fn has_listener(&self) -> Result<bool, StoreError> {
        Ok(false)
    }

    /// Returns a person's answer that was given elsewhere. It is only a preview; the result of
    /// [`close`](Self::close) counts.
    fn answer(&self, id: &QuestionId) -> Result<Option<Answer>, StoreError>;

    /// Returns whether the question still exists. It ends with its session, and then no answer
    /// comes.
    fn is_open(&self, id: &QuestionId) -> Result<bool, StoreError>;

    /// Ends this call's wait, because the person answered in the client or for another reason.
    /// Returns the answer that counts for this call: the first, or a no if two answers exist that
    /// no call acted on (SCP-09). Only one call receives a yes for one call. `None` if nothing was
    /// decided.
    fn close(&self, id: &QuestionId, here: Option<Answer>) -> Result<Option<Answer>, StoreError>;

    /// Ends this call's wait but keeps the question open until its deadline. A yes then permits the
    /// same call when it is tried again.
    fn leave(&self, id: &QuestionId) -> Result<(), StoreError>;

    /// Returns whether other processes see the questions, so that waiting for an answer is
    /// worthwhile.
    fn is_shared(&self) -> bool {
        true
    }

    /// Ends the session and removes its grants and questions.
    fn session_ended(&self, session: &str) -> Result<(), StoreError>;

    /// Returns every live grant, in the order in which they were given.
    fn grants(&self) -> Result<Vec<Grant>, StoreError>;

    /// Revokes a grant, with effect on the next decision in every process. Returns false if it does
    /// not exist.
    fn revoke(&self, id: &GrantId) -> Result<bool, StoreError>;

    /// Returns the questions that wait for a person, in the order in which they were asked.
    fn questions(&self) -> Result<Vec<PendingQuestion>, StoreError>;

    /// Records a person's answer, wherever it was given.
    fn decide(&self, id: &QuestionId, answer: Answer) -> Result<AnswerOutcome, StoreError>;
}
