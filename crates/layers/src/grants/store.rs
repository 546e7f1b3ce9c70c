//! Who keeps grants and questions. Every method is quick: it is called while a call waits.
use std::fmt;

use super::{Answer, Grant, GrantId, Holder, Question, QuestionId, Terms};
use overt_spec::scope::Scope;

/// The store can't be read or written. Whoever gets this must refuse.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the store of grants can't be used: {why}")]
pub struct StoreError {
    pub why: String,
}

/// Grants and open questions.
pub trait GrantStore: fmt::Debug + Send + Sync + 'static {
    /// The live grant that covers all of `scopes` for a call of this tool with these arguments, if there is one. Must not
    /// scan all grants (SCP-14).
    fn covering(
        &self,
        holder: &Holder,
        server: &str,
        tool: &str,
        scopes: &[Scope],
        arguments: &str,
    ) -> Result<Option<Grant>, StoreError>;

    /// Uses a grant for one call. False if it is gone meanwhile: a grant for one call is used once.
    fn spend(&self, id: &GrantId) -> Result<bool, StoreError>;

    fn give(&self, holder: &Holder, terms: Terms) -> Result<Grant, StoreError>;

    /// The grant that a token stands for, if the token is ours, unchanged, for this holder, and the grant is live.
    fn of_token(&self, token: &str, holder: &Holder) -> Result<Option<Grant>, StoreError>;

    /// The token of a grant.
    fn token(&self, grant: &Grant) -> String;

    /// Puts a question where people can see it. The same question of the same holder is the same one (SCP-10); `None`
    /// when there are too many open ones.
    fn ask(&self, question: &Question) -> Result<Option<QuestionId>, StoreError>;

    /// What somebody decided about it, somewhere else.
    fn answer(&self, id: &QuestionId) -> Result<Option<Answer>, StoreError>;

    /// It was answered here, or nobody waits for it any more.
    fn close(&self, id: &QuestionId, answer: Option<Answer>) -> Result<(), StoreError>;

    /// The session is over: what held for it is gone.
    fn session_ended(&self, session: &str) -> Result<(), StoreError>;
}
