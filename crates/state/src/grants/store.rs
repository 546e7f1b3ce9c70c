//! Grants, trust and questions of every Overt process of a user, in SQLite.
use std::collections::HashMap;
use std::fmt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use overt_layers::grants::{
    AnswerOutcome, AskOutcome, CandidateQuery, Candidates, Clock, GivenGrant, Grant, GrantLifetime, Holder,
    HolderClient, PendingQuestion, Question, QuestionId, QuestionState, Reliance, Review, StoreError, Tokens,
    ToolTrust, TrustedServer, TrustedServerKey, TrustedTool,
};
use overt_layers::person::{Authorised, ForgetTrust, GiveAnswer, GiveGrant, RevokeGrant, SetTrust};

use super::client_process::ClientProcess;
use super::feed::ChangeMark;
use super::folder::Folder;
use super::inner::Inner;
use super::liveness_lock::LivenessLock;
use super::questions::{DecidedOutcome, LookedAt};
use super::schema;
use super::trust_rows::look_at_trust;

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
    mark: ChangeMark,
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
        let mark = ChangeMark::at(folder.change_mark());
        let store = Self { inner: Mutex::new(inner), tokens, clock, alive, mark };
        drop(store.cleaned_inner()?);
        store.alive.clear_up();
        Ok(store)
    }

    /// Marks this process, until it ends, as one that answers questions, so that calls wait for it.
    pub fn listen(&self) -> Result<(), StoreError> {
        self.change(Inner::listen)
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

    /// Returns what the lasting decision about a server says about a tool.
    pub fn look_at_trust(&self, tool: &TrustedTool) -> Result<ToolTrust, StoreError> {
        look_at_trust(&self.inner().db, tool, &HolderClient::Any)
    }

    /// Returns the decisions of an earlier version that the migration ended. Returns them only
    /// once, so that the person is told once.
    pub fn take_ended(&self) -> Result<Option<EndedDecisions>, StoreError> {
        self.inner().take_ended()
    }

    /// Runs one operation that may change the store, and tells other processes.
    fn change<T>(
        &self,
        operation: impl FnOnce(&mut Inner) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let done = operation(&mut self.inner())?;
        self.mark.touch();
        Ok(done)
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // A change that panicked was not committed.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the store after deleting what belongs to processes that have ended.
    fn cleaned_inner(&self) -> Result<MutexGuard<'_, Inner>, StoreError> {
        let mut inner = self.inner();
        inner.delete_ended_runs(|run| self.alive.is_alive(run))?;
        Ok(inner)
    }

    pub(super) fn mark(&self) -> &ChangeMark {
        &self.mark
    }
}

/// What `StateStore` describes, for commands, which may wait.
impl SqliteStore {
    pub fn candidates(&self, query: &CandidateQuery) -> Result<Candidates, StoreError> {
        let now = self.clock.now();
        let inner = self.inner();
        let found = inner.candidates(query, now)?;
        let of_token = match query.token.as_ref().and_then(|token| Some((token, self.tokens.open(token)?))) {
            Some((token, id)) => inner.usable(&id, now)?.filter(|grant| self.tokens.is_of(token, grant)),
            None => None,
        };
        Ok(Candidates { of_token, ..found })
    }

    /// Uses what a call depends on, all of it or nothing. Returns the grant that was used up; the
    /// outer `None` means that something no longer exists.
    pub(super) fn spend(&self, reliance: &Reliance) -> Result<Option<Option<Grant>>, StoreError> {
        self.inner().spend(reliance, self.clock.now())
    }

    pub(super) fn give_back(&self, grant: &Grant) -> Result<(), StoreError> {
        self.change(|inner| inner.give_back(grant))
    }

    pub fn token(&self, grant: &Grant) -> String {
        self.tokens.token(grant)
    }

    /// Returns the definitions that the person was shown for the decisions about a server.
    pub fn covered(
        &self,
        server: &TrustedServerKey,
        client: &HolderClient,
    ) -> Result<Option<HashMap<String, String>>, StoreError> {
        self.inner().covered(server, client)
    }

    pub fn ask(&self, question: &Question, review: Option<&Review>) -> Result<AskOutcome, StoreError> {
        self.change(|inner| inner.ask(question, review, self.clock.now()))
    }

    pub fn review(&self, id: &QuestionId) -> Result<Option<Review>, StoreError> {
        self.inner().review(id)
    }

    pub fn has_listener(&self) -> Result<bool, StoreError> {
        Ok(self.inner().listeners()?.iter().any(|run| self.alive.is_alive(run)))
    }

    /// Returns what a question has come to, and does not take the answer.
    pub fn question_state(&self, id: &QuestionId) -> Result<QuestionState, StoreError> {
        let (now, inner) = (self.clock.now(), self.inner());
        Ok(match inner.look_at_answer(id, now)? {
            LookedAt::Gone => QuestionState::Gone,
            LookedAt::Open => QuestionState::Open,
            LookedAt::Unrecorded => QuestionState::Unrecorded,
            LookedAt::Answered(answer, grant) => {
                let grant = grant.map(|grant| inner.usable(&grant, now)).transpose()?.flatten();
                let lasting = grant.filter(|grant| grant.terms.lifetime != GrantLifetime::Once);
                QuestionState::Answered(answer, lasting.map(|grant| self.token(&grant)))
            }
        })
    }

    pub fn take_answer(&self, id: &QuestionId) -> Result<QuestionState, StoreError> {
        let state = self.question_state(id)?;
        if let QuestionState::Answered(..) | QuestionState::Unrecorded = state {
            self.leave(id)?;
        }
        Ok(state)
    }

    pub fn leave(&self, id: &QuestionId) -> Result<(), StoreError> {
        self.inner().leave(id, self.clock.now())
    }

    pub fn withdraw(&self, id: &QuestionId) -> Result<(), StoreError> {
        self.change(|inner| inner.withdraw(id))
    }

    pub fn session_ended(&self, holder: &Holder) -> Result<(), StoreError> {
        let had_any = self.inner().session_ended(holder)?;
        if had_any {
            self.mark.touch();
        }
        Ok(())
    }

    pub fn grants(&self) -> Result<Vec<Grant>, StoreError> {
        self.cleaned_inner()?.grants(self.clock.now())
    }

    pub fn questions(&self) -> Result<Vec<PendingQuestion>, StoreError> {
        self.cleaned_inner()?.questions(self.clock.now())
    }

    pub fn answer(&self, answer: &Authorised<GiveAnswer>) -> Result<AnswerOutcome, StoreError> {
        drop(self.cleaned_inner()?);
        let decided = self.change(|inner| inner.answer(answer, self.clock.now()))?;
        Ok(match decided {
            DecidedOutcome::Taken(grant) => AnswerOutcome::Taken(grant.map(|grant| self.tokens.given(grant))),
            DecidedOutcome::Before(before) => AnswerOutcome::Before(before),
            DecidedOutcome::Gone => AnswerOutcome::Gone,
        })
    }

    pub fn give(&self, grant: &Authorised<GiveGrant>) -> Result<GivenGrant, StoreError> {
        let given = self.change(|inner| inner.give(grant, self.clock.now()))?;
        Ok(self.tokens.given(given))
    }

    pub fn revoke(&self, grant: &Authorised<RevokeGrant>) -> Result<bool, StoreError> {
        drop(self.cleaned_inner()?);
        self.change(|inner| inner.revoke(&grant.grant.id, self.clock.now()))
    }

    pub fn set_trust(&self, trust: &Authorised<SetTrust>) -> Result<Vec<QuestionId>, StoreError> {
        self.change(|inner| inner.set_trust(trust, self.clock.now()))
    }

    pub fn forget_trust(&self, forget: &Authorised<ForgetTrust>) -> Result<bool, StoreError> {
        self.change(|inner| inner.forget_trust(forget))
    }
}

impl fmt::Display for EndedDecisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "what you allowed with an earlier version of Overt has ended ({} lasting grants, {} decisions about trust): it did not \
             say where you answered, or which definitions you were shown. You are asked again when a call needs it",
            self.grants, self.trust
        )
    }
}
