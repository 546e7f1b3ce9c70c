//! A store in memory. Its contents are lost when the process ends. Servers made with the Toolbox
//! and tests use it.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use overt_policy::Trust;
use tokio::sync::watch;

use super::{
    Answer, AnswerOutcome, AskOutcome, CandidateQuery, Candidates, Clock, GivenGrant, Grant, GrantId,
    GrantIndex, GrantLifetime, Holder, Pace, PendingApprovals, PendingQuestion, Question, QuestionId,
    QuestionState, Reliance, Review, Spent, StateStore, StoreError, StoreFuture, Terms, Tokens,
    TrustedServerKey, TrustedTool,
};

/// The most grants that the store keeps.
const MOST_GRANTS: usize = 200_000;

#[derive(Debug)]
pub struct MemoryStore {
    state: Arc<Mutex<MemoryState>>,
    changes: watch::Sender<u64>,
    tokens: Tokens,
    clock: Clock,
}

#[derive(Debug, Default)]
struct MemoryState {
    index: GrantIndex,
    pending: PendingApprovals,
    pace: Pace,
    /// The number of the last grant. `questions` is that of the last question.
    grants: u64,
    questions: u64,
    reviews: HashMap<QuestionId, Review>,
    trust: HashMap<TrustedServerKey, TrustEntry>,
    /// The number of grants at which the store next looks for expired ones.
    crowded: usize,
}

/// How far a person trusts a server, and the digest of each tool's definition at its first use
/// under that decision.
#[derive(Debug)]
struct TrustEntry {
    trust: Trust,
    tools: HashMap<String, String>,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new(Clock::default())
    }
}

impl MemoryStore {
    pub fn new(clock: Clock) -> Self {
        Self { state: Arc::default(), changes: watch::channel(0).0, tokens: Tokens::random(), clock }
    }

    fn state(&self) -> MutexGuard<'_, MemoryState> {
        locked(&self.state)
    }

    fn changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }
}

/// Returns a future that is ready.
fn ready<'a, T: Send + 'a>(result: Result<T, StoreError>) -> StoreFuture<'a, T> {
    Box::pin(std::future::ready(result))
}

fn locked(state: &Mutex<MemoryState>) -> MutexGuard<'_, MemoryState> {
    // No change can panic half-way, so the state of a poisoned lock is consistent.
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl StateStore for MemoryStore {
    fn candidates(&self, query: CandidateQuery) -> StoreFuture<'_, Candidates> {
        let now = self.clock.now();
        let state = self.state();
        let of_token = query.token.as_ref().and_then(|token| {
            let grant = state.index.get(&self.tokens.open(token)?)?;
            self.tokens.is_of(token, grant).then(|| grant.clone())
        });
        let grants = state.index.candidates(&query).cloned().collect();
        let trust = state.trusted(&query.tool).map(|(trust, _)| trust);
        ready(Ok(Candidates { now, grants, of_token, trust }))
    }

    fn spend(&self, Reliance { grant, trust }: Reliance) -> StoreFuture<'_, Option<Spent>> {
        let now = self.clock.now();
        let mut state = self.state();
        let is_live = |grant: &Grant| state.index.get(&grant.id).is_some_and(|grant| !grant.is_over(now));
        if !grant.as_ref().is_none_or(is_live) {
            return ready(Ok(None));
        }
        if let Some((tool, trust)) = trust {
            match state.trusted(&tool) {
                Some((found, is_first)) if found == trust => {
                    if is_first && let Some(entry) = state.trust.get_mut(&tool.server) {
                        entry.tools.insert(tool.tool, tool.digest);
                    }
                }
                _ => return ready(Ok(None)),
            }
        }
        let Some(grant) = grant.filter(|grant| grant.terms.lifetime == GrantLifetime::Once) else {
            return ready(Ok(Some(Spent::nothing())));
        };
        state.index.remove(&grant.id);
        let state = Arc::clone(&self.state);
        let give_back = move || locked(&state).index.insert(grant);
        ready(Ok(Some(Spent::with_give_back(give_back))))
    }

    fn give(&self, holder: Holder, terms: Terms) -> StoreFuture<'_, GivenGrant> {
        let given = self.state().give(holder, terms, self.clock.now());
        self.changed();
        ready(given.map(|grant| GivenGrant { token: self.tokens.token(&grant), grant }))
    }

    fn covered(&self, server: TrustedServerKey) -> StoreFuture<'_, Option<HashMap<String, String>>> {
        ready(Ok(self.state().trust.get(&server).map(|trusted| trusted.tools.clone())))
    }

    fn set_trust(&self, tool: TrustedTool, trust: Trust) -> StoreFuture<'_, ()> {
        let mut state = self.state();
        let entry =
            state.trust.entry(tool.server).or_insert_with(|| TrustEntry { trust, tools: HashMap::new() });
        entry.trust = trust;
        if !tool.tool.is_empty() {
            entry.tools.insert(tool.tool, tool.digest);
        }
        self.changed();
        ready(Ok(()))
    }

    fn ask(&self, question: Question, review: Option<Review>) -> StoreFuture<'_, AskOutcome> {
        let now = self.clock.now();
        let MemoryState { pending, pace, questions, reviews, .. } = &mut *self.state();
        let asked = pending.ask(&question, pace, now, || {
            *questions += 1;
            QuestionId(format!("q-{questions}"))
        });
        reviews.retain(|id, _| pending.open.iter().any(|open| open.id == *id));
        if let (AskOutcome::Open(id), Some(review)) = (&asked, review) {
            reviews.insert(id.clone(), review);
        }
        ready(Ok(asked))
    }

    fn question_state(&self, id: QuestionId) -> StoreFuture<'_, QuestionState> {
        ready(Ok(self.state().pending.state(&id, self.clock.now())))
    }

    fn close(&self, id: QuestionId, here: Option<Answer>) -> StoreFuture<'_, Option<Answer>> {
        ready(Ok(self.state().pending.close(&id, here, self.clock.now())))
    }

    fn leave(&self, id: &QuestionId) {
        self.state().pending.leave(id);
    }

    fn session_ended(&self, holder: &Holder) {
        let mut state = self.state();
        state.index.remove_if(|grant| grant.is_of_session(holder));
        state.pending.session_ended(holder);
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn has_listener(&self) -> StoreFuture<'_, bool> {
        ready(Ok(false))
    }

    fn is_shared(&self) -> bool {
        false
    }

    fn review(&self, id: QuestionId) -> StoreFuture<'_, Option<Review>> {
        ready(Ok(self.state().reviews.get(&id).cloned()))
    }

    fn grants(&self) -> StoreFuture<'_, Vec<Grant>> {
        let now = self.clock.now();
        let state = self.state();
        let mut live: Vec<Grant> = state.index.all().filter(|grant| !grant.is_over(now)).cloned().collect();
        live.sort_by_key(|grant| grant.id.number());
        ready(Ok(live))
    }

    fn revoke(&self, id: GrantId) -> StoreFuture<'_, bool> {
        let now = self.clock.now();
        let removed = self.state().index.remove(&id);
        self.changed();
        ready(Ok(removed.is_some_and(|grant| !grant.is_over(now))))
    }

    fn questions(&self) -> StoreFuture<'_, Vec<PendingQuestion>> {
        ready(Ok(self.state().pending.pending(self.clock.now())))
    }

    fn decide(&self, id: QuestionId, answer: Answer) -> StoreFuture<'_, AnswerOutcome> {
        let decided = self.state().pending.decide(&id, answer, self.clock.now());
        self.changed();
        ready(Ok(decided))
    }
}

impl MemoryState {
    /// Returns the trust level for this tool, and whether this would be its first use.
    fn trusted(&self, tool: &TrustedTool) -> Option<(Trust, bool)> {
        let trusted = self.trust.get(&tool.server)?;
        match trusted.tools.get(&tool.tool) {
            Some(digest) => (*digest == tool.digest).then_some((trusted.trust, false)),
            None => Some((trusted.trust, true)),
        }
    }

    fn give(&mut self, holder: Holder, terms: Terms, now: u64) -> Result<Grant, StoreError> {
        terms.check()?;
        self.make_room(now)?;
        let id = GrantId(format!("g-{}", self.grants + 1));
        let grant = Grant { id, holder, terms, issued_at: now };
        if let Some(existing) = self.index.find_equal(&grant).filter(|existing| !existing.is_over(now)) {
            return Ok(existing.clone());
        }
        self.grants += 1;
        self.index.insert(grant.clone());
        Ok(grant)
    }

    /// Makes sure that one more grant fits. Looks for expired grants only when the number has
    /// doubled since the last look.
    fn make_room(&mut self, now: u64) -> Result<(), StoreError> {
        if self.index.len() >= self.crowded.clamp(64, MOST_GRANTS) {
            self.index.remove_if(|grant| grant.is_over(now));
            self.crowded = 2 * self.index.len();
        }
        match self.index.len() < MOST_GRANTS {
            true => Ok(()),
            false => Err(StoreError { why: format!("there are {MOST_GRANTS} grants already; revoke some") }),
        }
    }
}
