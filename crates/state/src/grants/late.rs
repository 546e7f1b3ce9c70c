//! A store that is opened when it is first used. Most servers never ask a question, and opening a
//! database takes longer than the rest of their start.
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use overt_layers::grants::{
    Answer, AnswerOutcome, AskOutcome, Grant, GrantId, GrantStore, Holder, Need, PendingQuestion, Question,
    QuestionId, Review, StoreError, Terms, TrustedTool,
};
use overt_policy::Trust;
use overt_wire::BoxFuture;

type StoreOpener = Box<dyn Fn() -> Arc<dyn GrantStore> + Send + Sync>;

/// A store that forwards to another one, which it opens on first use.
pub struct LateStore {
    open: StoreOpener,
    store: OnceLock<Arc<dyn GrantStore>>,
}

impl LateStore {
    /// `open` is called at most once.
    pub fn new(open: impl Fn() -> Arc<dyn GrantStore> + Send + Sync + 'static) -> Self {
        Self { open: Box::new(open), store: OnceLock::new() }
    }

    fn store(&self) -> &dyn GrantStore {
        &**self.store.get_or_init(|| (self.open)())
    }
}

impl GrantStore for LateStore {
    fn writable(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        self.store().writable()
    }

    fn covering(&self, need: &Need<'_>) -> Result<Option<Grant>, StoreError> {
        self.store().covering(need)
    }

    fn refusing(&self, need: &Need<'_>) -> Result<Option<Grant>, StoreError> {
        self.store().refusing(need)
    }

    fn spend(&self, id: &GrantId) -> Result<bool, StoreError> {
        self.store().spend(id)
    }

    fn give(&self, holder: &Holder, terms: Terms) -> Result<Grant, StoreError> {
        self.store().give(holder, terms)
    }

    fn token(&self, grant: &Grant) -> String {
        self.store().token(grant)
    }

    fn of_token(&self, token: &str, need: &Need<'_>) -> Result<Option<Grant>, StoreError> {
        self.store().of_token(token, need)
    }

    fn trust(&self, tool: &TrustedTool<'_>) -> Result<Option<Trust>, StoreError> {
        self.store().trust(tool)
    }

    fn covered(
        &self,
        server: &str,
        project: Option<&str>,
    ) -> Result<Option<HashMap<String, String>>, StoreError> {
        self.store().covered(server, project)
    }

    fn set_trust(&self, tool: &TrustedTool<'_>, trust: Trust) -> Result<(), StoreError> {
        self.store().set_trust(tool, trust)
    }

    fn ask(&self, question: &Question, review: Option<&Review>) -> Result<AskOutcome, StoreError> {
        self.store().ask(question, review)
    }

    fn review(&self, id: &QuestionId) -> Result<Option<Review>, StoreError> {
        self.store().review(id)
    }

    fn generation(&self) -> Result<u64, StoreError> {
        self.store().generation()
    }

    fn has_listener(&self) -> Result<bool, StoreError> {
        self.store().has_listener()
    }

    fn answer(&self, id: &QuestionId) -> Result<Option<Answer>, StoreError> {
        self.store().answer(id)
    }

    fn is_open(&self, id: &QuestionId) -> Result<bool, StoreError> {
        self.store().is_open(id)
    }

    fn close(&self, id: &QuestionId, here: Option<Answer>) -> Result<Option<Answer>, StoreError> {
        self.store().close(id, here)
    }

    fn leave(&self, id: &QuestionId) -> Result<(), StoreError> {
        self.store().leave(id)
    }

    fn is_shared(&self) -> bool {
        self.store().is_shared()
    }

    fn session_ended(&self, session: &str) -> Result<(), StoreError> {
        // The session belongs to this process, so a store that was never opened holds no grants for
        // it.
        self.store.get().map_or(Ok(()), |store| store.session_ended(session))
    }

    fn grants(&self) -> Result<Vec<Grant>, StoreError> {
        self.store().grants()
    }

    fn revoke(&self, id: &GrantId) -> Result<bool, StoreError> {
        self.store().revoke(id)
    }

    fn questions(&self) -> Result<Vec<PendingQuestion>, StoreError> {
        self.store().questions()
    }

    fn decide(&self, id: &QuestionId, answer: Answer) -> Result<AnswerOutcome, StoreError> {
        self.store().decide(id, answer)
    }
}

impl fmt::Debug for LateStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LateStore").field("store", &self.store).finish_non_exhaustive()
    }
}
