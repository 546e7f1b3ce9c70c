//! How a person is asked: through the client's dialog, in a result that the client brings back, or by whoever watches the
//! store. The first clear answer counts; of two at once, the no (SCP-09). What is granted is recorded before it holds.
use std::time::{Duration, Instant};

use overt_policy::scope::Scope;
use overt_wire::era::{Era, key};
use overt_wire::json::{JsonBuf, Object};
use overt_wire::{BoxFuture, Closed, Message};

use super::answers::{Refused, word};
use super::call::ToolCall;
use super::continuations::{AskedInResult, DialogTurn, LIFETIME, Stage, asking};
use super::effective::EffectivePolicy;
use super::layer::Authorize;
use super::question::{self, Offer};
use super::records::CallRecord;
use super::wake::Subscription;
use crate::Endpoint;
use crate::audit::{Durability, Entry, Kind};
use crate::description::ServerDescription;
use crate::grants::{
    ANSWERABLE, Answer, Asked, Asks, Clock, GrantStore, Lasts, Question, QuestionId, Review, StoreError,
    TrustedTool,
};

/// A question that a call waits for. It is given up however the call ends, also when the call is cancelled.
pub(super) struct OpenQuestion<'a> {
    store: &'a dyn GrantStore,
    pub(super) id: QuestionId,
    pub(super) question: Question,
    channel: Channel,
    changes: Subscription,
    dialog: Option<Dialog<'a>>,
    begun: Instant,
    until: Instant,
    is_open: bool,
}

/// The client's dialog, and our turn to show it.
struct Dialog<'a> {
    answer: BoxFuture<'static, Result<Message, Closed>>,
    _turn: DialogTurn<'a>,
}

/// How the person can be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Channel {
    /// The client asks while the call waits.
    Dialog,
    /// The client gets the question as a result.
    InResult,
    /// Somebody who watches the store.
    Listener,
    /// Nobody that we know of.
    Nobody,
}

/// What came of waiting.
pub(super) enum Waited {
    /// Grants, the policy or the tools changed: attempt the call again.
    Changed,
    /// There is a grant now, with its token if it lasts.
    Granted(Option<String>),
    /// The answer is no.
    Refused(Option<Message>),
    /// The client brings the answer with its next request.
    InResult(Option<Message>),
    /// Nobody answers.
    Unanswered,
}

/// How long a person who is asked through the client may take.
const DIALOG: Duration = Duration::from_secs(3_600);
/// How often a client that gave a progress token hears that the call still waits.
const PROGRESS: Duration = Duration::from_secs(10);
/// How often a waiting call looks whether it is its turn to show the dialog.
const TURN: Duration = Duration::from_secs(1);

impl<E: Endpoint> Authorize<E> {
    /// Puts a question where people can see it.
    pub(super) fn open_question(
        &self,
        call: &ToolCall,
        question: Question,
        review: Option<Review>,
        requested: &[Scope],
        effective: &EffectivePolicy,
        record: &mut CallRecord,
    ) -> Result<OpenQuestion<'_>, Option<Message>> {
        record.set(|entry| entry.requested = requested.iter().map(ToString::to_string).collect());
        record.note(Kind::ApprovalRequest, |entry| entry.reason = Some(question.shown.reason.clone()));
        let store = &*self.control.grants;
        let broken = |error: StoreError| self.store_failed(call, record, &error);
        let wait = effective.snapshot.approval.wait;
        let caller = &call.exchange.caller;
        let channel = match (caller.can("elicitation"), caller.era()) {
            (true, Era::Modern) => Channel::InResult,
            (true, Era::Legacy) => Channel::Dialog,
            (false, _) if store.is_shared() && !wait.is_zero() => Channel::Listener,
            (false, _) if store.is_shared() && store.has_listener().map_err(broken)? => Channel::Listener,
            (false, _) => Channel::Nobody,
        };
        let patience = match channel {
            Channel::InResult => LIFETIME,
            Channel::Dialog => DIALOG,
            Channel::Listener if wait.is_zero() => DIALOG,
            Channel::Listener => wait,
            Channel::Nobody => Duration::ZERO,
        };
        let changes = self.control.wakers.subscribe(&self.control.grants, &self.endpoint.description().tools);
        let until = Clock::default().now().saturating_add(patience.as_secs()).saturating_add(ANSWERABLE);
        let question = Question { until, ..question };
        match store.ask(&question, review.as_ref()).map_err(broken)? {
            Asked::Open(id) => Ok(OpenQuestion {
                store,
                id,
                question,
                channel,
                changes,
                dialog: None,
                begun: Instant::now(),
                until: Instant::now() + patience,
                is_open: true,
            }),
            Asked::Never => Err(self.refused_by_person(call, record)),
            Asked::TooMany => Err(self.answer(call, record, &Refused::new(word::NOT_GRANTED, TOO_MANY))),
        }
    }

    /// Waits until an answer comes or something changes that may let the call through.
    pub(super) async fn wait<'a>(
        &'a self,
        call: &ToolCall,
        open: &mut OpenQuestion<'a>,
        effective: &EffectivePolicy,
        record: &mut CallRecord,
    ) -> Waited {
        if let Some(waited) = self.settle(call, open, record).await {
            return waited;
        }
        if open.channel == Channel::InResult {
            return match self.in_result(call, open) {
                Some(result) => {
                    // The client may never come back, so this is not waiting.
                    open.leave_open();
                    Waited::InResult(Some(result))
                }
                None => Waited::Unanswered,
            };
        }
        if open.channel == Channel::Nobody {
            return Waited::Unanswered;
        }
        let _person_decides = call.exchange.deadline.pause();
        let begun = Instant::now();
        let waited = self.wait_for_change(call, open, effective).await;
        record.waited(begun);
        match waited {
            Some(Some(answer)) => {
                // In the store first, for every other call that waits for the same answer.
                if let Err(error) = open.store.decide(&open.id, answer) {
                    return Waited::Refused(self.store_failed(call, record, &error));
                }
                self.control.wakers.wake();
                self.settle(call, open, record).await.unwrap_or(Waited::Changed)
            }
            Some(None) => self.settle(call, open, record).await.unwrap_or(Waited::Changed),
            None => Waited::Unanswered,
        }
    }

    /// The answer of the dialog, or that something changed; none when the time is over or the client can't ask.
    async fn wait_for_change<'a>(
        &'a self,
        call: &ToolCall,
        open: &mut OpenQuestion<'a>,
        effective: &EffectivePolicy,
    ) -> Option<Option<Answer>> {
        let mut told = Instant::now();
        loop {
            let left = open.until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            if open.channel == Channel::Dialog && open.dialog.is_none() {
                self.show_dialog(call, open);
            }
            let OpenQuestion { dialog, changes, .. } = open;
            let answered = async {
                match dialog {
                    Some(dialog) => (&mut dialog.answer).await,
                    None => std::future::pending().await,
                }
            };
            let said = tokio::select! {
                biased;
                () = changes.changed() => return Some(None),
                said = answered => said,
                () = tokio::time::sleep(left.min(TURN)) => {
                    if open.channel == Channel::Listener && !is_listened_to(open.store, effective) {
                        return None;
                    }
                    if told.elapsed() >= PROGRESS {
                        told = Instant::now();
                        tell_progress(call, open.begun.elapsed()).await;
                    }
                    continue;
                }
            };
            open.dialog = None;
            if let Some(said) = said.as_ref().ok().and_then(|said| said.result_body().value()) {
                return Some(Some(question::answer(said, Offer::of(&open.question))));
            }
            // A client that hangs up or can't ask has not asked anybody, and nobody has said no.
            if !is_listened_to(open.store, effective) {
                return None;
            }
            open.channel = Channel::Listener;
            let wait = effective.snapshot.approval.wait;
            if !wait.is_zero() {
                open.until = open.begun + wait;
            }
        }
    }

    /// Shows the dialog if no other call shows one for the same question, and if the person is not asked too fast (SCP-10).
    fn show_dialog<'a>(&'a self, call: &ToolCall, open: &mut OpenQuestion<'a>) {
        let Some(turn) = self.continuations.turn(&open.id) else { return };
        let form = question::form(&open.question, &open.id);
        let outlet = std::sync::Arc::clone(&call.exchange.outlet);
        let answer =
            Box::pin(async move { outlet.request("elicitation/create", Some(form.as_json())).await });
        open.dialog = Some(Dialog { answer, _turn: turn });
    }

    /// Acts on an answer that is in the store. None if there is none yet.
    async fn settle(
        &self,
        call: &ToolCall,
        open: &mut OpenQuestion<'_>,
        record: &mut CallRecord,
    ) -> Option<Waited> {
        // One call at a time acts on an answer, so that a grant for several is given and recorded once.
        let mut settled = self.settling.lock().await;
        let failed = |error: StoreError, record: &CallRecord| {
            Some(Waited::Refused(self.store_failed(call, record, &error)))
        };
        match open.store.answer(&open.id) {
            Err(error) => return failed(error, record),
            Ok(None) => return None,
            // Another call acted on it: what it granted is found by the next attempt.
            Ok(Some(answer)) if answer.is_yes() && !is_once(answer) && settled.contains(&open.id) => {
                open.close();
                return Some(Waited::Changed);
            }
            Ok(Some(_)) => {}
        }
        let answer = match open.store.close(&open.id, None) {
            Ok(Some(answer)) => answer,
            // A yes for one call went to another one.
            Ok(None) => {
                open.is_open = false;
                return Some(Waited::Changed);
            }
            Err(error) => return failed(error, record),
        };
        open.is_open = false;
        let is_first = settled.insert(open.id.clone());
        Some(self.act_on(call, &open.question, answer, is_first || is_once(answer), record).await)
    }

    /// The answer that a newer client brought with its request.
    pub(super) async fn take_answer(
        &self,
        call: &ToolCall,
        answer: &JsonBuf,
        asked: AskedInResult,
        record: &mut CallRecord,
    ) -> Result<Option<String>, Option<Message>> {
        let said = question::answer(answer.as_json(), Offer::of(&asked.question));
        // If the question is gone, as those are that nobody waits for when there are many, it is still an answer to this
        // very request.
        let counts = self.control.grants.close(&asked.id, Some(said));
        let answer = match counts {
            Ok(counts) => counts.unwrap_or(said),
            Err(error) => return Err(self.store_failed(call, record, &error)),
        };
        match self.act_on(call, &asked.question, answer, true, record).await {
            Waited::Granted(token) => Ok(token),
            Waited::Refused(answer) | Waited::InResult(answer) => Err(answer),
            Waited::Changed | Waited::Unanswered => Ok(None),
        }
    }

    /// Records the answer, and then lets it hold. A grant contains exactly what the question showed.
    async fn act_on(
        &self,
        call: &ToolCall,
        question: &Question,
        answer: Answer,
        is_first: bool,
        record: &mut CallRecord,
    ) -> Waited {
        let terms = answer.terms(question);
        if is_first {
            let decision = if answer.is_yes() { "allow" } else { "deny" };
            let entry = record.entry(Kind::Approval).map(|entry| Entry {
                decision: Some(decision),
                reason: Some(answer.to_string()),
                requested: terms.iter().flat_map(|terms| &terms.scopes).map(ToString::to_string).collect(),
                ..entry
            });
            let ledger = &self.control.ledger;
            let durability = if answer.is_yes() { Durability::Durable } else { Durability::Batched };
            if let Some(entry) = entry
                && let Err(error) = ledger.write(entry, durability).await
                && answer.is_yes()
            {
                tracing::error!(%error, "an approval does not hold because it can't be recorded");
                let refused = Refused::new(word::NO_AUDIT, APPROVAL_NOT_RECORDED);
                return Waited::Refused(self.answer(call, record, &refused));
            }
        }
        let store = &self.control.grants;
        let given = match (answer, terms) {
            (Answer::Trust(trust), _) => {
                let description = self.endpoint.description();
                let tool = TrustedTool {
                    server: &question.server,
                    project: description.project.as_deref(),
                    tool: &question.tool,
                    digest: &question.tool_digest,
                };
                store.set_trust(&tool, trust).map(|()| None)
            }
            (_, Some(terms)) => store.give(&question.holder, terms).map(Some),
            (_, None) => return Waited::Refused(self.refused_by_person(call, record)),
        };
        self.control.wakers.wake();
        match given {
            Ok(grant) => {
                let lasting = grant.filter(|grant| grant.terms.lasts != Lasts::Once);
                Waited::Granted(lasting.map(|grant| store.token(&grant)))
            }
            Err(error) => Waited::Refused(self.store_failed(call, record, &error)),
        }
    }

    fn in_result(&self, call: &ToolCall, open: &OpenQuestion<'_>) -> Option<Message> {
        let asked = AskedInResult { id: open.id.clone(), question: open.question.clone() };
        let state = self.continuations.give(&call.exchange, Stage::Asked(Box::new(asked)))?;
        let form = question::form(&open.question, &open.id);
        let meta = Object::new().json(key::SERVER_INFO, self.info().as_json()).finish();
        let result = asking(&form, &state).json("_meta", meta.as_json()).finish();
        Some(Message::result(call.exchange.message.id()?, result.as_json()))
    }

    /// Nobody has answered: what the model can do about it.
    pub(super) fn not_approved(
        &self,
        call: &ToolCall,
        record: &CallRecord,
        requested: &[Scope],
        unanswered: Option<(QuestionId, Asks)>,
    ) -> Option<Message> {
        let text = match &unanswered {
            Some((_, Asks::Trust)) => self.trust_undecided(call),
            Some((id, Asks::Call)) => format!(
                "Not done: `{}` needs the user's approval, and nobody is answering questions right now. Tell the user what you \
                 want to do and why, and that question {id} is waiting: `overt grants show {id}` shows it. When they have \
                 answered, repeat the same call. Don't try another way to get the same effect.",
                call.tool
            ),
            None => format!(
                "Not done: `{}` needs the user's approval and did not get it. Tell the user what you want to do and why. \
                 Don't try another way to get the same effect.",
                call.tool
            ),
        };
        let question = unanswered.map(|(id, _)| id);
        let refused = Refused { requested, question, ..Refused::new(word::NOT_GRANTED, text) };
        self.answer(call, record, &refused)
    }

    /// Nobody has said how far to believe the server: the one command with which the user does.
    fn trust_undecided(&self, call: &ToolCall) -> String {
        let ServerDescription { identity, project, .. } = self.endpoint.description();
        let server = identity.split('#').next().unwrap_or(identity);
        let command = match project {
            Some(project) => format!("`overt trust {server}` in {project}"),
            None => format!("`overt trust {server} --no-project`"),
        };
        format!(
            "Not done: `{}` needs the user's approval, because they have not decided yet how far to trust the server \
             `{server}`, and nobody is answering questions right now. Tell the user what you want to do and why, and ask them \
             to run {command}. Don't run it yourself: the decision is the user's. When they have decided, repeat the same \
             call. Don't try another way to get the same effect.",
            call.tool
        )
    }

    fn refused_by_person(&self, call: &ToolCall, record: &CallRecord) -> Option<Message> {
        self.answer(call, record, &Refused::new(word::DENIED, DECLINED))
    }

    fn store_failed(&self, call: &ToolCall, record: &CallRecord, error: &StoreError) -> Option<Message> {
        tracing::error!(%error, "a call was refused because its question can't be kept");
        self.answer(call, record, &Refused::new(word::DENIED, STORE_FAILED))
    }

    fn answer(&self, call: &ToolCall, record: &CallRecord, refused: &Refused<'_>) -> Option<Message> {
        record.denied(&refused.text);
        refused.answer(&call.exchange, &self.info())
    }
}

impl OpenQuestion<'_> {
    /// The call ends and the question stays: an answer counts for the same call made again.
    pub(super) fn leave_open(&mut self) -> Option<QuestionId> {
        self.close();
        Some(self.id.clone())
    }

    fn close(&mut self) {
        self.is_open = false;
        if let Err(error) = self.store.leave(&self.id) {
            tracing::error!(%error, "a question that no call waits for any more can't be left");
        }
    }
}

impl Drop for OpenQuestion<'_> {
    fn drop(&mut self) {
        if self.is_open {
            self.close();
        }
    }
}

/// Whether it is worth waiting for an answer from somewhere else than the client: somebody watches the store, or calls wait in
/// any case.
fn is_listened_to(store: &dyn GrantStore, effective: &EffectivePolicy) -> bool {
    let waits = !effective.snapshot.approval.wait.is_zero();
    store.is_shared() && (waits || store.has_listener().unwrap_or(false))
}

fn is_once(answer: Answer) -> bool {
    matches!(answer, Answer::Yes { lasts: Lasts::Once, .. })
}

/// Tells a client that asked for progress that the call waits for a person.
async fn tell_progress(call: &ToolCall, waited: Duration) {
    let Some(token) = call.exchange.progress_token() else { return };
    let params = Object::new()
        .json("progressToken", token.as_json())
        .value("progress", &waited.as_secs())
        .string("message", "waiting for the user's approval")
        .finish();
    let message = Message::notification("notifications/progress", Some(params.as_json()));
    // A client that can't be reached notices by itself.
    let _ = call.exchange.outlet.notify(message).await;
}

const DECLINED: &str = "Not done: the user declined this call. Ask what they would like instead. Don't try another way to \
     get the same effect.";
const TOO_MANY: &str = "Not done: this call needs the user's approval, and too many questions are waiting for an answer \
     already. Tell the user, wait, and call again later.";
const APPROVAL_NOT_RECORDED: &str = "Not done: the user approved, but the approval can't be recorded, so it does not hold. \
     Ask the user to look at the server's log.";
const STORE_FAILED: &str = "Not done: the question to the user can't be kept, so nobody can answer it. Ask the user to look \
     at the server's log.";
