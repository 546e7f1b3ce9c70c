//! A store in memory. Its contents are lost when the process ends. Servers made with the Toolbox
//! and tests use it.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use overt_policy::Trust;
use tokio::sync::watch;

use super::{
    Answer, AnswerEffects, AnswerOutcome, AskOutcome, CandidateQuery, Candidates, Clock, DecidedAnswer,
    GivenGrant, GivenTrust, Grant, GrantId, GrantIndex, GrantLifetime, Holder, HolderClient, Pace,
    PendingApprovals, PendingQuestion, Question, QuestionId, QuestionState, Reliance, Review, SeenTool,
    Spent, StateStore, StoreError, StoreFuture, Terms, Tokens, ToolTrust, TrustedServerKey, TrustedTool,
};
use crate::person::{Authorised, ForgetTrust, GiveAnswer, GiveGrant, RevokeGrant, SetTrust, TrustScope};

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
    trust: HashMap<TrustKey, TrustEntry>,
    /// The number of grants at which the store next looks for expired ones.
    crowded: usize,
}

/// A server, and the session with which a decision about it ends. `None` for a decision that lasts.
type TrustKey = (TrustedServerKey, Option<HolderClient>);

/// How much a person wants to be asked about a server, and the digests of the definitions that they
/// were shown.
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
        let trust = trust_in(&state.trust, &query.tool, &query.holder.client);
        ready(Ok(Candidates { now, grants, of_token, trust }))
    }

    fn spend(&self, Reliance { grant, trust }: Reliance) -> StoreFuture<'_, Option<Spent>> {
        let now = self.clock.now();
        let mut state = self.state();
        let is_live = |grant: &Grant| state.index.get(&grant.id).is_some_and(|grant| !grant.is_over(now));
        if !grant.as_ref().is_none_or(is_live) {
            return ready(Ok(None));
        }
        if let Some((tool, client, trust)) = trust
            && trust_in(&state.trust, &tool, &client) != ToolTrust::Shown(trust)
        {
            return ready(Ok(None));
        }
        let Some(grant) = grant.filter(|grant| grant.terms.lifetime == GrantLifetime::Once) else {
            return ready(Ok(Some(Spent::nothing())));
        };
        state.index.remove(&grant.id);
        let state = Arc::clone(&self.state);
        let give_back = move || locked(&state).index.insert(grant);
        ready(Ok(Some(Spent::with_give_back(give_back))))
    }

    fn covered(
        &self,
        server: TrustedServerKey,
        client: HolderClient,
    ) -> StoreFuture<'_, Option<HashMap<String, String>>> {
        let state = self.state();
        let of = |session: Option<HolderClient>| state.trust.get(&(server.clone(), session));
        let found: Vec<&TrustEntry> = of(Some(client)).into_iter().chain(of(None)).collect();
        let tools = found.iter().flat_map(|entry| entry.tools.clone()).collect();
        ready(Ok((!found.is_empty()).then_some(tools)))
    }

    fn ask(&self, question: Question, review: Option<Review>) -> StoreFuture<'_, AskOutcome> {
        let now = self.clock.now();
        let MemoryState { index, pending, pace, questions, reviews, trust, .. } = &mut *self.state();
        let holds = |open: &PendingQuestion| match &open.grant {
            Some(grant) => is_live(index, grant, now),
            None => {
                let (tool, client) = (open.question.trusted_tool(), &open.question.holder.client);
                trust_in(trust, &tool, client).covering().is_some()
            }
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
        let now = self.clock.now();
        self.state().pending.leave(id, now);
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
        let is_theirs = |(server, client): &TrustKey| {
            server.principal == holder.principal && client.as_ref() == Some(&holder.client)
        };
        state.trust.retain(|key, _| !is_theirs(key));
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
        trust.retain(|(key, _), _| key.server != *server || key.project != *project);
        self.changed();
        ready(Ok(trust.len() < before))
    }
}

fn is_live(index: &GrantIndex, id: &GrantId, now: u64) -> bool {
    index.get(id).is_some_and(|grant| !grant.is_over(now))
}

/// Returns what the decisions about a server say about this tool.
fn trust_in(trust: &HashMap<TrustKey, TrustEntry>, tool: &TrustedTool, client: &HolderClient) -> ToolTrust {
    let of = |session: Option<HolderClient>| match trust.get(&(tool.server.clone(), session)) {
        None => ToolTrust::Undecided,
        Some(entry) if entry.tools.get(&tool.tool) == Some(&tool.digest) => ToolTrust::Shown(entry.trust),
        Some(entry) => ToolTrust::NotShown(entry.trust),
    };
    of(None).or_in_session(of(Some(client.clone())))
}

impl MemoryState {
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
        if let Some(given) = trust {
            self.trust_server(question, given);
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
        if let Some(proposal) = given.proposal(now) {
            self.questions += 1;
            let id = QuestionId(format!("q-{}", self.questions));
            self.pending.propose(PendingQuestion::unlisted(id, proposal, now));
        }
        Ok(AnswerOutcome::Taken(grant.map(|grant| tokens.given(grant))))
    }

    fn set_trust(&mut self, decision: &SetTrust) -> Vec<QuestionId> {
        let SetTrust { server, trust, seen, scope } = decision;
        let key = (server.clone(), None);
        // The decision about the server was withdrawn meanwhile.
        if *scope == TrustScope::SeenTools && !self.trust.contains_key(&key) {
            return Vec::new();
        }
        self.trust_seen(key, *trust, seen);
        if *scope == TrustScope::Server {
            self.forget_sessions(server);
        }
        let open = self.pending.open.iter_mut();
        let mut answered = Vec::new();
        let mut trusted = Vec::new();
        for open in open.filter(|open| open.answer.is_none() && decision.answers(&open.question)) {
            open.answer = Some(Answer::Trust(*trust));
            trusted.push(open.question.clone());
            answered.push(open.id.clone());
        }
        let given = GivenTrust { trust: *trust, is_for_session: false };
        trusted.iter().for_each(|question| self.trust_server(question, given));
        answered
    }

    /// Trusts the server of a question as far as the question shows it.
    fn trust_server(&mut self, question: &Question, GivenTrust { trust, is_for_session }: GivenTrust) {
        let session = is_for_session.then(|| question.holder.client.clone());
        let server = question.trusted_tool().server;
        self.trust_seen((server.clone(), session), trust, &question.shown_definitions());
        if !is_for_session {
            self.forget_sessions(&server);
        }
    }

    /// Ends the decisions about a server for sessions: one that lasts was made after them.
    fn forget_sessions(&mut self, server: &TrustedServerKey) {
        self.trust.retain(|(known, session), _| known != server || session.is_none());
    }

    fn trust_seen(&mut self, key: TrustKey, trust: Trust, seen: &[SeenTool]) {
        let entry = self.trust.entry(key).or_insert_with(|| TrustEntry { trust, tools: HashMap::new() });
        entry.trust = trust;
        let seen = seen.iter().filter_map(|tool| Some((tool.name.clone(), tool.digest.clone()?)));
        entry.tools.extend(seen);
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
