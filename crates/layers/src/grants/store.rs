//! Where grants and questions are kept. Every method is quick: it is called while a call waits.
//! Only what a person had a part in is written anywhere; `covering`, `answer` and the use of a
//! lasting grant only read.
use std::collections::HashMap;
use std::fmt;

use overt_policy::Trust;
use overt_wire::BoxFuture;

use super::answer::{Answer, AnswerOutcome, PendingQuestion};
use super::error::StoreError;
use super::grant::{Grant, GrantId, Holder, Need, Terms};
use super::question::{AskOutcome, Question, QuestionId, Review};

/// A tool of a server that a person may believe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrustedTool<'a> {
    pub server: &'a str,
    /// None where the server was not started in a project.
    pub project: Option<&'a str>,
    /// Empty for the server as a whole.
    pub tool: &'a str,
    /// Of the tool's definition.
    pub digest: &'a str,
}

/// A person's decision about a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedServer {
    pub server: String,
    /// None where the server was not started in a project.
    pub project: Option<String>,
    pub trust: Trust,
}

/// Grants and open questions.
pub trait GrantStore: fmt::Debug + Send + Sync + 'static {
    /// Waits until a change would not have to wait for another process. Await it before every
    /// change: the changes below block the thread while another process holds the store. An error
    /// if the store stays held for too long.
    fn writable(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// The live grant that lets this call through, if there is one. Must not scan all grants
    /// (SCP-14).
    fn covering(&self, need: &Need<'_>) -> Result<Option<Grant>, StoreError>;

    /// What a person refused for good, if this call is that. Must not scan all grants.
    fn refusing(&self, need: &Need<'_>) -> Result<Option<Grant>, StoreError>;

    /// Uses a grant for one call. False if it is gone meanwhile: a grant for one call is used once.
    fn spend(&self, id: &GrantId) -> Result<bool, StoreError>;

    fn give(&self, holder: &Holder, terms: Terms) -> Result<Grant, StoreError>;

    /// The token of a grant.
    fn token(&self, grant: &Grant) -> String;

    /// The grant that a token stands for, if the token is ours and unchanged, and the grant is live
    /// and lets this call through (SCP-04).
    fn of_token(&self, token: &str, need: &Need<'_>) -> Result<Option<Grant>, StoreError>;

    /// How far a person believes what this server says about its tools, in this project. None if
    /// the person has not said, or if the tool's definition is not the one that it had when it was
    /// first used under the decision.
    fn trust(&self, tool: &TrustedTool<'_>) -> Result<Option<Trust>, StoreError>;

    /// The definitions that the person's decision about a server covers, as digests by tool: as
    /// each tool was when it was first used under the decision, or when the person decided about
    /// it. None if the person has not decided.
    fn covered(
        &self,
        server: &str,
        project: Option<&str>,
    ) -> Result<Option<HashMap<String, String>>, StoreError>;

    /// A person decided how far to believe a server in a project, with the tool as it is now. A
    /// decision about the server as a whole takes a tool that was not used before as it is at its
    /// next call. It does not cover a tool that changed: the person has not seen the change.
    fn set_trust(&self, tool: &TrustedTool<'_>, trust: Trust) -> Result<(), StoreError>;

    /// Puts a question where people can see it. The same question of the same holder is the same
    /// one (SCP-10).
    fn ask(&self, question: &Question, review: Option<&Review>) -> Result<AskOutcome, StoreError>;

    /// What was kept beside a question.
    fn review(&self, id: &QuestionId) -> Result<Option<Review>, StoreError>;

    /// Changes whenever a grant is given or taken back, a question is answered, or a server is
    /// trusted, in any process: a waiting call is then attempted again.
    fn generation(&self) -> Result<u64, StoreError>;

    /// Whether a person is watching for questions now, in any process.
    fn has_listener(&self) -> Result<bool, StoreError> {
        Ok(false)
    }

    /// What a person decided about it elsewhere. Only a look: what counts is what
    /// [`close`](Self::close) says.
    fn answer(&self, id: &QuestionId) -> Result<Option<Answer>, StoreError>;

    /// Whether the question is still there. It goes with its session, and then no answer comes.
    fn is_open(&self, id: &QuestionId) -> Result<bool, StoreError>;

    /// This call doesn't wait any more, because it was answered here or for another reason. Gives
    /// the answer that counts for this call: the first, or a no if there are two that no call acted
    /// on (SCP-09). A yes for one call is given to one call; nothing was decided if there is none.
    fn close(&self, id: &QuestionId, here: Option<Answer>) -> Result<Option<Answer>, StoreError>;

    /// This call doesn't wait any more, but the question stays until its time is over: a yes lets
    /// the same call through when it is tried again.
    fn leave(&self, id: &QuestionId) -> Result<(), StoreError>;

    /// Whether other processes see the questions, so that waiting for an answer is worth it.
    fn is_shared(&self) -> bool {
        true
    }

    /// The session is over: what held for it is gone.
    fn session_ended(&self, session: &str) -> Result<(), StoreError>;

    /// Every live grant, in the order in which they were given.
    fn grants(&self) -> Result<Vec<Grant>, StoreError>;

    /// Takes a grant back; in force for the next decision in every process. False if there is none.
    fn revoke(&self, id: &GrantId) -> Result<bool, StoreError>;

    /// What waits for a person, in the order in which it was asked.
    fn questions(&self) -> Result<Vec<PendingQuestion>, StoreError>;

    /// A person decides, from wherever they are.
    fn decide(&self, id: &QuestionId, answer: Answer) -> Result<AnswerOutcome, StoreError>;
}
