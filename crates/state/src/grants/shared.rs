//! The store of a server: one operation at a time, on a thread where waiting for another process
//! blocks no call.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use overt_layers::grants::{
    AnswerOutcome, AskOutcome, CandidateQuery, Candidates, GivenGrant, Grant, Holder, HolderClient,
    PendingQuestion, Question, QuestionId, QuestionState, Reliance, Review, Spent, StateStore, StoreError,
    StoreFuture, TrustedServerKey,
};
use overt_layers::person::{Authorised, ForgetTrust, GiveAnswer, GiveGrant, RevokeGrant, SetTrust};
use tokio::sync::watch;

use super::feed::Feed;
use super::store::SqliteStore;

/// A store in SQLite for the calls of a server.
#[derive(Debug)]
pub struct SharedStore {
    /// Its turn is taken in the order in which operations come. The lock inside is held by the
    /// thread that works.
    turn: Arc<tokio::sync::Mutex<()>>,
    store: Arc<Mutex<SqliteStore>>,
    feed: Feed,
}

impl SharedStore {
    pub fn new(store: SqliteStore) -> Self {
        let feed = Feed::new(store.mark().clone());
        Self { turn: Arc::default(), store: Arc::new(Mutex::new(store)), feed }
    }

    /// Runs an operation where it may block.
    fn run<T: Send + 'static>(
        &self,
        operation: impl FnOnce(&SqliteStore) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<'static, T> {
        let (turn, store) = (Arc::clone(&self.turn), Arc::clone(&self.store));
        Box::pin(async move {
            let turn = turn.lock_owned().await;
            let done = tokio::task::spawn_blocking(move || {
                let done = operation(&locked(&store));
                drop(turn);
                done
            });
            done.await.unwrap_or_else(|error| Err(StoreError { why: error.to_string() }))
        })
    }

    /// Runs an operation soon. Nobody waits for it. At the end of a process it may not run; what it
    /// would have removed ends with the process.
    fn post(&self, operation: impl FnOnce(&SqliteStore) -> Result<(), StoreError> + Send + 'static) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let operation = self.run(operation);
        runtime.spawn(async move {
            if let Err(error) = operation.await {
                tracing::error!(%error, "what ended can't be removed from the store; it ends with this process");
            }
        });
    }
}

fn locked(store: &Mutex<SqliteStore>) -> std::sync::MutexGuard<'_, SqliteStore> {
    // A change that panicked was not committed.
    store.lock().unwrap_or_else(PoisonError::into_inner)
}

impl StateStore for SharedStore {
    fn candidates(&self, query: CandidateQuery) -> StoreFuture<'_, Candidates> {
        self.run(move |store| store.candidates(&query))
    }

    fn spend(&self, reliance: Reliance) -> StoreFuture<'_, Option<Spent>> {
        let (shared, runtime) = (Arc::clone(&self.store), tokio::runtime::Handle::try_current());
        self.run(move |store| {
            let spent = store.spend(&reliance)?;
            Ok(spent.map(|used_up| match used_up {
                None => Spent::nothing(),
                Some(grant) => Spent::with_give_back(move || {
                    let give_back = move || {
                        if let Err(error) = locked(&shared).give_back(&grant) {
                            tracing::error!(%error, "a grant that no call used can't be given back");
                        }
                    };
                    match runtime {
                        Ok(runtime) => drop(runtime.spawn_blocking(give_back)),
                        Err(_) => give_back(),
                    }
                }),
            }))
        })
    }

    fn covered(
        &self,
        server: TrustedServerKey,
        client: HolderClient,
    ) -> StoreFuture<'_, Option<HashMap<String, String>>> {
        self.run(move |store| store.covered(&server, &client))
    }

    fn ask(&self, question: Question, review: Option<Review>) -> StoreFuture<'_, AskOutcome> {
        self.run(move |store| store.ask(&question, review.as_ref()))
    }

    fn take_answer(&self, id: QuestionId) -> StoreFuture<'_, QuestionState> {
        self.run(move |store| store.take_answer(&id))
    }

    fn leave(&self, id: &QuestionId) {
        let id = id.clone();
        self.post(move |store| store.leave(&id));
    }

    fn withdraw(&self, id: QuestionId) -> StoreFuture<'_, ()> {
        self.run(move |store| store.withdraw(&id))
    }

    fn session_ended(&self, holder: &Holder) {
        let holder = holder.clone();
        self.post(move |store| store.session_ended(&holder));
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.feed.subscribe()
    }

    fn has_listener(&self) -> StoreFuture<'_, bool> {
        self.run(SqliteStore::has_listener)
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn review(&self, id: QuestionId) -> StoreFuture<'_, Option<Review>> {
        self.run(move |store| store.review(&id))
    }

    fn grants(&self) -> StoreFuture<'_, Vec<Grant>> {
        self.run(SqliteStore::grants)
    }

    fn questions(&self) -> StoreFuture<'_, Vec<PendingQuestion>> {
        self.run(SqliteStore::questions)
    }

    fn answer(&self, answer: Authorised<GiveAnswer>) -> StoreFuture<'_, AnswerOutcome> {
        self.run(move |store| store.answer(&answer))
    }

    fn give(&self, grant: Authorised<GiveGrant>) -> StoreFuture<'_, GivenGrant> {
        self.run(move |store| store.give(&grant))
    }

    fn revoke(&self, grant: Authorised<RevokeGrant>) -> StoreFuture<'_, bool> {
        self.run(move |store| store.revoke(&grant))
    }

    fn set_trust(&self, trust: Authorised<SetTrust>) -> StoreFuture<'_, Vec<QuestionId>> {
        self.run(move |store| store.set_trust(&trust))
    }

    fn forget_trust(&self, forget: Authorised<ForgetTrust>) -> StoreFuture<'_, bool> {
        self.run(move |store| store.forget_trust(&forget))
    }
}
