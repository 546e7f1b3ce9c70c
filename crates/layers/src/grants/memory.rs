//! A store without files: what it has is gone with the process. For servers made with the Toolbox, and for tests.
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{
    Answer, Asked, Book, Clock, Decided, Desk, Grant, GrantId, GrantStore, Holder, Lasts, Need, Open, Pace,
    Question, QuestionId, StoreError, Terms, Tokens,
};

/// The most grants that are kept.
const MOST_GRANTS: usize = 200_000;

#[derive(Debug)]
pub struct MemoryStore {
    kept: Mutex<Kept>,
    tokens: Tokens,
    clock: Clock,
}

#[derive(Debug, Default)]
struct Kept {
    book: Book,
    desk: Desk,
    pace: Pace,
    /// The number of the last grant and of the last question.
    grants: u64,
    questions: u64,
    /// So many grants make it worth looking for those that are over.
    crowded: usize,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new(Clock::default())
    }
}

impl MemoryStore {
    pub fn new(clock: Clock) -> Self {
        Self { kept: Mutex::default(), tokens: Tokens::random(), clock }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // Nothing panics half-way through a change.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GrantStore for MemoryStore {
    fn covering(&self, need: &Need<'_>) -> Result<Option<Grant>, StoreError> {
        Ok(self.kept().book.covering(need, self.clock.now()).cloned())
    }

    fn spend(&self, id: &GrantId) -> Result<bool, StoreError> {
        let now = self.clock.now();
        let book = &mut self.kept().book;
        let live = book.get(id).filter(|grant| !grant.is_over(now)).map(|grant| grant.terms.lasts);
        if live == Some(Lasts::Once) {
            book.remove(id);
        }
        Ok(live.is_some())
    }

    fn give(&self, holder: &Holder, terms: Terms) -> Result<Grant, StoreError> {
        let now = self.clock.now();
        terms.check()?;
        let mut kept = self.kept();
        kept.make_room(now)?;
        let id = GrantId(format!("g-{}", kept.grants + 1));
        let grant = Grant { id, holder: holder.clone(), terms, given: now };
        if let Some(same) = kept.book.same(&grant).filter(|same| !same.is_over(now)) {
            return Ok(same.clone());
        }
        kept.grants += 1;
        kept.book.insert(grant.clone());
        Ok(grant)
    }

    fn token(&self, grant: &Grant) -> String {
        self.tokens.token(grant)
    }

    fn of_token(&self, token: &str, need: &Need<'_>) -> Result<Option<Grant>, StoreError> {
        let Some(id) = self.tokens.open(token) else { return Ok(None) };
        let now = self.clock.now();
        let grant = self.kept().book.get(&id).cloned();
        Ok(grant.filter(|grant| self.tokens.is_of(token, grant) && grant.permits(need, now)))
    }

    fn ask(&self, question: &Question) -> Result<Asked, StoreError> {
        let now = self.clock.now();
        let Kept { desk, pace, questions, .. } = &mut *self.kept();
        Ok(desk.ask(question, pace, now, || {
            *questions += 1;
            QuestionId(format!("q-{questions}"))
        }))
    }

    fn answer(&self, id: &QuestionId) -> Result<Option<Answer>, StoreError> {
        Ok(self.kept().desk.answer(id, self.clock.now()))
    }

    fn close(&self, id: &QuestionId, here: Option<Answer>) -> Result<Option<Answer>, StoreError> {
        Ok(self.kept().desk.close(id, here, self.clock.now()))
    }

    fn is_shared(&self) -> bool {
        false
    }

    fn leave(&self, id: &QuestionId) -> Result<(), StoreError> {
        self.kept().desk.leave(id);
        Ok(())
    }

    fn session_ended(&self, session: &str) -> Result<(), StoreError> {
        let mut kept = self.kept();
        kept.book.remove_if(|grant| grant.is_of_session(session));
        kept.desk.session_ended(session);
        Ok(())
    }

    fn grants(&self) -> Result<Vec<Grant>, StoreError> {
        let now = self.clock.now();
        let kept = self.kept();
        let mut live: Vec<Grant> = kept.book.all().filter(|grant| !grant.is_over(now)).cloned().collect();
        live.sort_by_key(|grant| grant.id.number());
        Ok(live)
    }

    fn revoke(&self, id: &GrantId) -> Result<bool, StoreError> {
        let now = self.clock.now();
        Ok(self.kept().book.remove(id).is_some_and(|grant| !grant.is_over(now)))
    }

    fn questions(&self) -> Result<Vec<Open>, StoreError> {
        Ok(self.kept().desk.pending(self.clock.now()))
    }

    fn decide(&self, id: &QuestionId, answer: Answer) -> Result<Decided, StoreError> {
        Ok(self.kept().desk.decide(id, answer, self.clock.now()))
    }
}

impl Kept {
    /// Looks for grants that are over only when there are twice as many as were left the last time.
    fn make_room(&mut self, now: u64) -> Result<(), StoreError> {
        if self.book.len() >= self.crowded.clamp(64, MOST_GRANTS) {
            self.book.remove_if(|grant| grant.is_over(now));
            self.crowded = 2 * self.book.len();
        }
        match self.book.len() < MOST_GRANTS {
            true => Ok(()),
            false => Err(StoreError { why: format!("there are {MOST_GRANTS} grants already; revoke some") }),
        }
    }
}
