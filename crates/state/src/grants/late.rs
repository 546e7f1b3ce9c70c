//! A store that is opened when it is first used. Most servers never ask a question, and opening a
//! database takes longer than the rest of their start.
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use overt_layers::grants::{
    AnswerOutcome, AskOutcome, CandidateQuery, Candidates, GivenGrant, Grant, Holder, HolderClient,
    PendingQuestion, Question, QuestionId, QuestionState, Reliance, Review, Spent, StateStore, StoreError,
    StoreFuture, TrustedServerKey,
};
use overt_layers::person::{Authorised, ForgetTrust, GiveAnswer, GiveGrant, RevokeGrant, SetTrust};
use tokio::sync::watch;

type StoreOpener = Box<dyn Fn() -> Arc<dyn StateStore> + Send + Sync>;

/// A store that forwards to another one, which it opens on first use. Clones share it.
#[derive(Clone)]
pub struct LateStore(Arc<Inner>);

struct Inner {
    open: StoreOpener,
    store: OnceLock<Arc<dyn StateStore>>,
}

impl LateStore {
    /// `open` is called at most once, where it may block.
    pub fn new(open: impl Fn() -> Arc<dyn StateStore> + Send + Sync + 'static) -> Self {
        Self(Arc::new(Inner { open: Box::new(open), store: OnceLock::new() }))
    }

    fn store(&self) -> &Arc<dyn StateStore> {
        self.0.store.get_or_init(|| (self.0.open)())
    }

    /// Runs an operation on the store, which is opened first.
    fn with<T: Send + 'static>(
        &self,
        operation: impl FnOnce(&dyn StateStore) -> StoreFuture<'_, T> + Send + 'static,
    ) -> StoreFuture<'_, T> {
        if let Some(store) = self.0.store.get() {
            return operation(&**store);
        }
        let late = self.clone();
        Box::pin(async move {
            let opened = tokio::task::spawn_blocking(move || Arc::clone(late.store())).await;
            let opened = opened.map_err(|error| StoreError { why: error.to_string() })?;
            operation(&*opened).await
        })
    }
}

impl StateStore for LateStore {
    fn candidates(&self, query: CandidateQuery) -> StoreFuture<'_, Candidates> {
        self.with(|store| store.candidates(query))
    }

    fn spend(&self, reliance: Reliance) -> StoreFuture<'_, Option<Spent>> {
        self.with(|store| store.spend(reliance))
    }

    fn covered(
        &self,
        server: TrustedServerKey,
        client: HolderClient,
    ) -> StoreFuture<'_, Option<HashMap<String, String>>> {
        self.with(|store| store.covered(server, client))
    }

    fn ask(&self, question: Question, review: Option<Review>) -> StoreFuture<'_, AskOutcome> {
        self.with(|store| store.ask(question, review))
    }

    fn take_answer(&self, id: QuestionId) -> StoreFuture<'_, QuestionState> {
        self.with(|store| store.take_answer(id))
    }

    fn leave(&self, id: &QuestionId) {
        if let Some(store) = self.0.store.get() {
            store.leave(id);
        }
    }

    fn withdraw(&self, id: QuestionId) -> StoreFuture<'_, ()> {
        self.with(|store| store.withdraw(id))
    }

    fn session_ended(&self, holder: &Holder) {
        // The session belongs to this process, so a store that was never opened holds nothing for
        // it.
        if let Some(store) = self.0.store.get() {
            store.session_ended(holder);
        }
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.store().changes()
    }

    fn has_listener(&self) -> StoreFuture<'_, bool> {
        self.with(|store| store.has_listener())
    }

    fn is_shared(&self) -> bool {
        self.store().is_shared()
    }

    fn review(&self, id: QuestionId) -> StoreFuture<'_, Option<Review>> {
        self.with(|store| store.review(id))
    }

    fn grants(&self) -> StoreFuture<'_, Vec<Grant>> {
        self.with(|store| store.grants())
    }

    fn questions(&self) -> StoreFuture<'_, Vec<PendingQuestion>> {
        self.with(|store| store.questions())
    }

    fn answer(&self, answer: Authorised<GiveAnswer>) -> StoreFuture<'_, AnswerOutcome> {
        self.with(|store| store.answer(answer))
    }

    fn give(&self, grant: Authorised<GiveGrant>) -> StoreFuture<'_, GivenGrant> {
        self.with(|store| store.give(grant))
    }

    fn revoke(&self, grant: Authorised<RevokeGrant>) -> StoreFuture<'_, bool> {
        self.with(|store| store.revoke(grant))
    }

    fn set_trust(&self, trust: Authorised<SetTrust>) -> StoreFuture<'_, Vec<QuestionId>> {
        self.with(|store| store.set_trust(trust))
    }

    fn forget_trust(&self, forget: Authorised<ForgetTrust>) -> StoreFuture<'_, bool> {
        self.with(|store| store.forget_trust(forget))
    }
}

impl fmt::Debug for LateStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LateStore").field("store", &self.0.store).finish_non_exhaustive()
    }
}
