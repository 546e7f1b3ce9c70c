//! A store in memory. Its contents are lost when the process ends. Servers made with the Toolbox
//! and tests use it.
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use overt_policy::Trust;

use super::{
    Answer, AnswerOutcome, AskOutcome, Clock, Grant, GrantId, GrantIndex, GrantLifetime, GrantStore, Holder,
    Need, Pace, PendingApprovals, PendingQuestion, Question, QuestionId, Review, StoreError, Terms, Tokens,
    TrustedTool,
};

/// The most grants that the store keeps.
const MOST_GRANTS: usize = 200_000;

#[derive(Debug)]
pub struct MemoryStore {
    state: Mutex<MemoryState>,
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
    /// Trust decisions by server and project.
    trust: HashMap<(String, Option<String>), TrustEntry>,
    generation: u64,
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
        Self { state: Mutex::default(), tokens: Tokens::random(), clock }
    }

    fn state(&self) -> MutexGuard<'_, MemoryState> {
        // No change can panic half-way, so the state of a poisoned lock is consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GrantStore for MemoryStore {
    fn covering(&self, need: &Need<'_>) -> Result<Option<Grant>, StoreError> {
        Ok(self.state().index.covering(need, self.clock.now()).cloned())
    }

    fn refusing(&self, need: &Need<'_>) -> Result<Option<Grant>, StoreError> {
        Ok(self.state().index.refusing(need, self.clock.now()).cloned())
    }

    fn spend(&self, id: &GrantId) -> Result<bool, StoreError> {
        let now = self.clock.now();
        let index = &mut self.state().index;
        let live = index.get(id).filter(|grant| !grant.is_over(now)).map(|grant| grant.terms.lifetime);
        if live == Some(GrantLifetime::Once) {
            index.remove(id);
        }
        Ok(live.is_some())
    }

    fn give(&self, holder: &Holder, terms: Terms) -> Result<Grant, StoreError> {
        let now = self.clock.now();
        terms.check()?;
        let mut state = self.state();
        state.make_room(now)?;
        let id = GrantId(format!("g-{}", state.grants + 1));
        let grant = Grant { id, holder: holder.clone(), terms, issued_at: now };
        if let Some(existing) = state.index.find_equal(&grant).filter(|existing| !existing.is_over(now)) {
            return Ok(existing.clone());
        }
        state.grants += 1;
        state.generation += 1;
        state.index.insert(grant.clone());
        Ok(grant)
    }

    fn token(&self, grant: &Grant) -> String {
        self.tokens.token(grant)
    }

    fn of_token(&self, token: &str, need: &Need<'_>) -> Result<Option<Grant>, StoreError> {
        let Some(id) = self.tokens.open(token) else { return Ok(None) };
        let now = self.clock.now();
        let grant = self.state().index.get(&id).cloned();
        Ok(grant.filter(|grant| self.tokens.is_of(token, grant) && grant.permits(need, now)))
    }

    fn trust(&self, tool: &TrustedTool<'_>) -> Result<Option<Trust>, StoreError> {
        let mut state = self.state();
        let key = (tool.server.to_owned(), tool.project.map(str::to_owned));
        let Some(trusted) = state.trust.get_mut(&key) else { return Ok(None) };
        let digest = trusted.tools.entry(tool.tool.to_owned()).or_insert_with(|| tool.digest.to_owned());
        Ok((digest == tool.digest).then_some(trusted.trust))
    }

    fn covered(
        &self,
        server: &str,
        project: Option<&str>,
    ) -> Result<Option<HashMap<String, String>>, StoreError> {
        let key = (server.to_owned(), project.map(str::to_owned));
        Ok(self.state().trust.get(&key).map(|trusted| trusted.tools.clone()))
    }

    fn set_trust(&self, tool: &TrustedTool<'_>, trust: Trust) -> Result<(), StoreError> {
        let mut state = self.state();
        let key = (tool.server.to_owned(), tool.project.map(str::to_owned));
        let trusted = state.trust.entry(key).or_insert_with(|| TrustEntry { trust, tools: HashMap::new() });
        trusted.trust = trust;
        if !tool.tool.is_empty() {
            trusted.tools.insert(tool.tool.to_owned(), tool.digest.to_owned());
        }
        state.generation += 1;
        Ok(())
    }

    fn ask(&self, question: &Question, review: Option<&Review>) -> Result<AskOutcome, StoreError> {
        let now = self.clock.now();
        let MemoryState { pending, pace, questions, reviews, .. } = &mut *self.state();
        let asked = pending.ask(question, pace, now, || {
            *questions += 1;
            QuestionId(format!("q-{questions}"))
        });
        reviews.retain(|id, _| pending.open.iter().any(|open| open.id == *id));
        if let (AskOutcome::Open(id), Some(review)) = (&asked, review) {
            reviews.insert(id.clone(), review.clone());
        }
        Ok(asked)
    }

    fn review(&self, id: &QuestionId) -> Result<Option<Review>, StoreError> {
        Ok(self.state().reviews.get(id).cloned())
    }

    fn generation(&self) -> Result<u64, StoreError> {
        Ok(self.state().generation)
    }

    fn answer(&self, id: &QuestionId) -> Result<Option<Answer>, StoreError> {
        Ok(self.state().pending.answer(id, self.clock.now()))
    }

    fn is_open(&self, id: &QuestionId) -> Result<bool, StoreError> {
        Ok(self.state().pending.open.iter().any(|open| open.id == *id))
    }

    fn close(&self, id: &QuestionId, here: Option<Answer>) -> Result<Option<Answer>, StoreError> {
        Ok(self.state().pending.close(id, here, self.clock.now()))
    }

    fn is_shared(&self) -> bool {
        false
    }

    fn leave(&self, id: &QuestionId) -> Result<(), StoreError> {
        self.state().pending.leave(id);
        Ok(())
    }

    fn session_ended(&self, session: &str) -> Result<(), StoreError> {
        let mut state = self.state();
        state.index.remove_if(|grant| grant.is_of_session(session));
        state.pending.session_ended(session);
        Ok(())
    }

    fn grants(&self) -> Result<Vec<Grant>, StoreError> {
        let now = self.clock.now();
        let state = self.state();
        let mut live: Vec<Grant> = state.index.all().filter(|grant| !grant.is_over(now)).cloned().collect();
        live.sort_by_key(|grant| grant.id.number());
        Ok(live)
    }

    fn revoke(&self, id: &GrantId) -> Result<bool, StoreError> {
        let now = self.clock.now();
        let mut state = self.state();
        state.generation += 1;
        Ok(state.index.remove(id).is_some_and(|grant| !grant.is_over(now)))
    }

    fn questions(&self) -> Result<Vec<PendingQuestion>, StoreError> {
        Ok(self.state().pending.pending(self.clock.now()))
    }

    fn decide(&self, id: &QuestionId, answer: Answer) -> Result<AnswerOutcome, StoreError> {
        let mut state = self.state();
        state.generation += 1;
        Ok(state.pending.decide(id, answer, self.clock.now()))
    }
}

impl MemoryState {
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
