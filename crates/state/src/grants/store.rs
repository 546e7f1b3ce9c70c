//! The grant store of every Overt process, in SQLite.
use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use overt_layers::grants::{
    Answer, AnswerOutcome, AskOutcome, Clock, Grant, GrantId, GrantLifetime, GrantStore, Holder, Need,
    PendingApprovals, PendingQuestion, Question, QuestionId, Review, StoreError, Terms, Tokens,
    TrustedServer, TrustedTool,
};
use overt_policy::Trust;
use overt_wire::BoxFuture;

use super::client_process::ClientProcess;
use super::folder::Folder;
use super::inner::Inner;
use super::liveness_lock::LivenessLock;
use super::schema;

/// How long a call waits for another process that holds the store. Other calls go on meanwhile.
const PATIENCE: Duration = Duration::from_secs(2);
/// The pause between two checks whether the store is free.
const PAUSE: Duration = Duration::from_millis(10);

/// Counts of a person's decisions that an earlier version stored and that the migration ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndedDecisions {
    /// Lasting grants.
    pub grants: u64,
    /// Decisions about how far to trust a server.
    pub trust: u64,
}

/// Grants and questions in the folder `grants` of the state folder. Any number of processes may use
/// it at the same time.
#[derive(Debug)]
pub struct SqliteStore {
    inner: Mutex<Inner>,
    tokens: Tokens,
    clock: Clock,
    alive: LivenessLock,
}

impl SqliteStore {
    /// Opens the store, and creates it if it does not exist.
    pub fn open(state: &Path) -> Result<Self, StoreError> {
        Self::open_with(state, Clock::default())
    }

    /// Opens the store if it exists, and creates nothing.
    pub fn open_if_there(state: &Path) -> Result<Option<Self>, StoreError> {
        match Folder::of(state).database().exists() {
            true => Self::open(state).map(Some),
            false => Ok(None),
        }
    }

    pub fn open_with(state: &Path, clock: Clock) -> Result<Self, StoreError> {
        let folder = Folder::of(state);
        folder.create()?;
        let alive = LivenessLock::start(folder.alive())?;
        let tokens = Tokens::keyed(folder.key()?);
        let inner = Inner::new(schema::open(&folder)?, alive.run.clone());
        let store = Self { inner: Mutex::new(inner), tokens, clock, alive };
        drop(store.cleaned_inner()?);
        store.alive.clear_up();
        Ok(store)
    }

    /// Marks this process, until it ends, as one that answers questions, so that calls wait for it.
    pub fn listen(&self) -> Result<(), StoreError> {
        self.inner().listen()
    }

    /// Records the client that this process serves over standard input and output until it ends.
    pub fn note_client(&self, client: ClientProcess) -> Result<(), StoreError> {
        self.alive.note_client(client)
    }

    /// Lists the clients that any running process serves over standard input and output.
    pub fn clients(&self) -> Result<Vec<ClientProcess>, StoreError> {
        self.alive.clients()
    }

    /// Lists the decisions about servers, by server and project.
    pub fn trusted(&self) -> Result<Vec<TrustedServer>, StoreError> {
        self.inner().trusted()
    }

    /// Returns how far a person trusts what a server says about a tool. Does not count as a use of
    /// the decision.
    pub fn look_at_trust(&self, tool: &TrustedTool<'_>) -> Result<Option<Trust>, StoreError> {
        Ok(self.inner().look_at_trust(tool)?.map(|(trust, _)| trust))
    }

    /// Revokes a decision about a server, so that its next call asks again. Returns false if there
    /// was none.
    pub fn forget_trust(&self, server: &str, project: Option<&str>) -> Result<bool, StoreError> {
        self.inner().forget_trust(server, project)
    }

    /// Returns the decisions of an earlier version that the migration ended. Returns them only
    /// once, so that the person is told once.
    pub fn take_ended(&self) -> Result<Option<EndedDecisions>, StoreError> {
        self.inner().take_ended()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // A change that panicked was not committed, and the cache is only changed after a commit.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the store after deleting what belongs to processes that have ended.
    fn cleaned_inner(&self) -> Result<MutexGuard<'_, Inner>, StoreError> {
        let mut inner = self.inner();
        inner.delete_ended_runs(|run| self.alive.is_alive(run))?;
        Ok(inner)
    }
}

impl fmt::Display for EndedDecisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "what you allowed with an earlier version of Overt has ended ({} lasting grants, {} decisions about trust): grants are \
             for a project now, and these named none. You are asked again when a call needs it",
            self.grants, self.trust
        )
    }
}

impl GrantStore for SqliteStore {
    fn writable(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async {
            let begun = Instant::now();
            while !self.inner().is_free()? {
                if begun.elapsed() > PATIENCE {
                    return Err(StoreError { why: "another process holds it for too long".to_owned() });
                }
                tokio::time::sleep(PAUSE).await;
            }
            Ok(())
        })
    }

    fn covering(&self, need: &Need<'_>) -> Result<Option<Grant>, StoreError> {
        self.inner().covering(need, self.clock.now())
    }

    fn refusing(&self, need: &Need<'_>) -> Result<Option<Grant>, StoreError> {
        self.inner().refusing(need, self.clock.now())
    }

    fn spend(&self, id: &GrantId) -> Result<bool, StoreError> {
        let now = self.clock.now();
        let mut inner = self.inner();
        match inner.usable(id, now)?.map(|grant| grant.terms.lifetime) {
            Some(GrantLifetime::Once) => inner.remove(id, now),
            lasting => Ok(lasting.is_some()),
        }
    }

    fn give(&self, holder: &Holder, terms: Terms) -> Result<Grant, StoreError> {
        self.inner().give(holder, terms, self.clock.now())
    }

    fn token(&self, grant: &Grant) -> String {
        self.tokens.token(grant)
    }

    fn of_token(&self, token: &str, need: &Need<'_>) -> Result<Option<Grant>, StoreError> {
        let Some(id) = self.tokens.open(token) else { return Ok(None) };
        let now = self.clock.now();
        let grant = self.inner().usable(&id, now)?;
        Ok(grant.filter(|grant| self.tokens.is_of(token, grant) && grant.permits(need, now)))
    }

    fn trust(&self, tool: &TrustedTool<'_>) -> Result<Option<Trust>, StoreError> {
        self.inner().trust(tool)
    }

    fn covered(
        &self,
        server: &str,
        project: Option<&str>,
    ) -> Result<Option<HashMap<String, String>>, StoreError> {
        self.inner().covered(server, project)
    }

    fn set_trust(&self, tool: &TrustedTool<'_>, trust: Trust) -> Result<(), StoreError> {
        self.inner().set_trust(tool, trust)
    }

    fn ask(&self, question: &Question, review: Option<&Review>) -> Result<AskOutcome, StoreError> {
        let now = self.clock.now();
        let mut inner = self.inner();
        let asked = inner.with_pending(|pending, pace, next| pending.ask(question, pace, now, || next))?;
        if let (AskOutcome::Open(id), Some(review)) = (&asked, review) {
            inner.keep_review(id, review)?;
        }
        Ok(asked)
    }

    fn review(&self, id: &QuestionId) -> Result<Option<Review>, StoreError> {
        self.inner().review(id)
    }

    fn generation(&self) -> Result<u64, StoreError> {
        self.inner().generation()
    }

    fn has_listener(&self) -> Result<bool, StoreError> {
        Ok(self.inner().listeners()?.iter().any(|run| self.alive.is_alive(run)))
    }

    fn answer(&self, id: &QuestionId) -> Result<Option<Answer>, StoreError> {
        let open = self.inner().question(id)?.into_iter().collect();
        Ok(PendingApprovals { open, ..PendingApprovals::default() }.answer(id, self.clock.now()))
    }

    fn is_open(&self, id: &QuestionId) -> Result<bool, StoreError> {
        Ok(self.inner().question(id)?.is_some())
    }

    fn close(&self, id: &QuestionId, here: Option<Answer>) -> Result<Option<Answer>, StoreError> {
        let now = self.clock.now();
        self.inner().with_pending(|pending, _, _| pending.close(id, here, now))
    }

    fn leave(&self, id: &QuestionId) -> Result<(), StoreError> {
        self.inner().with_pending(|pending, _, _| pending.leave(id))
    }

    fn session_ended(&self, session: &str) -> Result<(), StoreError> {
        self.inner().session_ended(session)
    }

    fn grants(&self) -> Result<Vec<Grant>, StoreError> {
        self.cleaned_inner()?.grants(self.clock.now())
    }

    fn revoke(&self, id: &GrantId) -> Result<bool, StoreError> {
        self.cleaned_inner()?.remove(id, self.clock.now())
    }

    fn questions(&self) -> Result<Vec<PendingQuestion>, StoreError> {
        Ok(self.cleaned_inner()?.questions()?.pending(self.clock.now()))
    }

    fn decide(&self, id: &QuestionId, answer: Answer) -> Result<AnswerOutcome, StoreError> {
        let now = self.clock.now();
        let mut inner = self.cleaned_inner()?;
        let decided = inner.with_pending(|pending, _, _| pending.decide(id, answer, now))?;
        if decided == AnswerOutcome::Taken {
            inner.count_answer()?;
        }
        Ok(decided)
    }
}
