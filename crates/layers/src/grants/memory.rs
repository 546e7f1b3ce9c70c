//! A store in memory. Its contents are lost when the process ends. Servers made with the Toolbox
//! and tests use it.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use overt_policy::Trust;
use tokio::sync::watch;

use super::{
    Answer, AnswerEffects, AnswerOutcome, AskOutcome, CandidateQuery, Candidates, Clock, DecidedAnswer,
    GivenGrant, Grant, GrantId, GrantIndex, GrantLifetime, Holder, Pace, PendingApprovals, PendingQuestion,
    Question, QuestionId, QuestionState, Reliance, Review, Spent, StateStore, StoreError, StoreFuture, Terms,
    Tokens, TrustedServerKey, TrustedTool,
};
use crate::person::{
    Authorised, ForgetTrust, GiveAnswer, GiveGrant, RevokeGrant, SeenTool, SetTrust, TrustScope,
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

    fn covered(&self, server: TrustedServerKey) -> StoreFuture<'_, Option<HashMap<String, String>>> {
        ready(Ok(self.state().trust.get(&server).map(|trusted| trusted.tools.clone())))
    }

    fn ask(&self, question: Question, review: Option<Review>) -> StoreFuture<'_, AskOutcome> {
        let now = self.clock.now();
        let MemoryState { index, pending, pace, questions, reviews, trust, .. } = &mut *self.state();
        let holds = |open: &PendingQuestion| match &open.grant {
            Some(grant) => is_live(index, grant, now),
            None => trusted(trust, &open.question.trusted_tool()).is_some(),
        };
        let asked = pending.ask(&question, pace, now, holds, || {
            *questions += 1;
            QuestionId(format!("q-{questions}"))
        });
        reviews.retain(|id, _| pending.open.iter().any(|open| open.id == *id));
        if let (AskOutcome::Open(id), Some(review)) = (&asked, review) {
            reviews.insert(id.clone(), review);
        }
        ready(Ok(asked))
    }

    fn take_answer(&self, id: QuestionId) -> StoreFuture<'_, QuestionState> {
        let mut state = self.state();
        let (taken, grant) = state.pending.take_answer(&id, self.clock.now());
        let grant = grant.and_then(|grant| state.index.get(&grant));
        let lasting = grant.filter(|grant| grant.terms.lifetime != GrantLifetime::Once);
        ready(Ok(match taken {
            QuestionState::Answered(answer, _) => {
                QuestionState::Answered(answer, lasting.map(|grant| self.tokens.token(grant)))
            }
            other => other,
        }))
    }

    fn leave(&self, id: &QuestionId) {
        self.state().pending.leave(id);
    }

    fn withdraw(&self, id: QuestionId) -> StoreFuture<'_, ()> {
        self.state().pending.withdraw(&id);
        self.changed();
        ready(Ok(()))
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

    fn questions(&self) -> StoreFuture<'_, Vec<PendingQuestion>> {
        ready(Ok(self.state().pending.pending(self.clock.now())))
    }

    fn answer(&self, answer: Authorised<GiveAnswer>) -> StoreFuture<'_, AnswerOutcome> {
        let outcome = self.state().answer(&answer, self.clock.now(), &self.tokens);
        self.changed();
        ready(outcome)
    }

    fn give(&self, grant: Authorised<GiveGrant>) -> StoreFuture<'_, GivenGrant> {
        let given = self.state().give(grant.holder.clone(), grant.terms.clone(), self.clock.now());
        self.changed();
        ready(given.map(|grant| self.tokens.given(grant)))
    }

    fn revoke(&self, grant: Authorised<RevokeGrant>) -> StoreFuture<'_, bool> {
        let now = self.clock.now();
        let removed = self.state().index.remove(&grant.grant.id);
        self.changed();
        ready(Ok(removed.is_some_and(|grant| !grant.is_over(now))))
    }

    fn set_trust(&self, decision: Authorised<SetTrust>) -> StoreFuture<'_, Vec<QuestionId>> {
        let answered = self.state().set_trust(&decision);
        self.changed();
        ready(Ok(answered))
    }

    fn forget_trust(&self, forget: Authorised<ForgetTrust>) -> StoreFuture<'_, bool> {
        let ForgetTrust { server, project } = &*forget;
        let trust = &mut self.state().trust;
        let before = trust.len();
        trust.retain(|key, _| key.server != *server || key.project != *project);
        self.changed();
        ready(Ok(trust.len() < before))
    }
}

fn is_live(index: &GrantIndex, id: &GrantId, now: u64) -> bool {
    index.get(id).is_some_and(|grant| !grant.is_over(now))
}

/// Returns the trust level for this tool, and whether this would be its first use.
fn trusted(trust: &HashMap<TrustedServerKey, TrustEntry>, tool: &TrustedTool) -> Option<(Trust, bool)> {
    let trusted = trust.get(&tool.server)?;
    match trusted.tools.get(&tool.tool) {
        Some(digest) => (*digest == tool.digest).then_some((trusted.trust, false)),
        None => Some((trusted.trust, true)),
    }
}

impl MemoryState {
    fn trusted(&self, tool: &TrustedTool) -> Option<(Trust, bool)> {
        trusted(&self.trust, tool)
    }

    /// See `StateStore::answer`.
    fn answer(&mut self, given: &GiveAnswer, now: u64, tokens: &Tokens) -> Result<AnswerOutcome, StoreError> {
        let GiveAnswer { id, question, answer, .. } = given;
        let listed = self.pending.answerable(id, now).cloned();
        let unlisted =
            || given.is_brought().then(|| PendingQuestion::unlisted(id.clone(), question.clone(), now));
        let Some(mut open) = listed.or_else(unlisted) else { return Ok(AnswerOutcome::Gone) };
        let effects = match open.decide(*answer, |grant| is_live(&self.index, grant, now)) {
            DecidedAnswer::Before(before) => {
                self.pending.keep(open, given.is_brought());
                return Ok(AnswerOutcome::Before(before));
            }
            DecidedAnswer::Taken(effects) => effects,
        };
        let AnswerEffects { revoke, revoke_unused, give, trust, never_again } = effects;
        let grant = give.map(|terms| self.give(question.holder.clone(), terms, now)).transpose()?;
        revoke.iter().for_each(|id| drop(self.index.remove(id)));
        if revoke_unused {
            self.index.remove_if(|grant| question.gave_once(grant));
        }
        if let Some(trust) = trust {
            self.trust_tool(question.trusted_tool(), trust);
        }
        open.note_given(grant.as_ref());
        self.pending.keep(open, given.is_brought());
        if never_again {
            let holder = &question.holder;
            let is_once =
                |grant: &Grant| grant.terms.lifetime == GrantLifetime::Once && grant.holder == *holder;
            self.index.remove_if(is_once);
            self.pending.never_again(holder.clone());
        }
        Ok(AnswerOutcome::Taken(grant.map(|grant| tokens.given(grant))))
    }

    fn set_trust(&mut self, decision: &SetTrust) -> Vec<QuestionId> {
        let SetTrust { server, trust, seen, scope } = decision;
        let whole = TrustedTool { server: server.clone(), tool: String::new(), digest: String::new() };
        match scope {
            TrustScope::Server => self.trust_tool(whole.clone(), *trust),
            // The decision about the server was withdrawn meanwhile.
            TrustScope::SeenTools if !self.trust.contains_key(server) => return Vec::new(),
            TrustScope::SeenTools => {}
        }
        for SeenTool { name, digest } in seen {
            let Some(digest) = digest else { continue };
            self.trust_tool(
                TrustedTool { tool: name.clone(), digest: digest.clone(), ..whole.clone() },
                *trust,
            );
        }
        let open = self.pending.open.iter_mut();
        let mut answered = Vec::new();
        let mut trusted = Vec::new();
        for open in open.filter(|open| open.answer.is_none() && decision.answers(&open.question)) {
            open.answer = Some(Answer::Trust(*trust));
            trusted.push(open.question.covered_by_decision());
            answered.push(open.id.clone());
        }
        trusted.into_iter().for_each(|tool| self.trust_tool(tool, *trust));
        answered
    }

    fn trust_tool(&mut self, tool: TrustedTool, trust: Trust) {
        let entry =
            self.trust.entry(tool.server).or_insert_with(|| TrustEntry { trust, tools: HashMap::new() });
        entry.trust = trust;
        if !tool.tool.is_empty() {
            entry.tools.insert(tool.tool, tool.digest);
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
