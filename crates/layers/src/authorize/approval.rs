//! How a person is asked: through the client's dialog, in a result whose answer the client brings
//! back, or by a person who watches the store. The first clear answer counts; of two simultaneous
//! answers, the no counts (SCP-09). A grant is recorded before it takes effect.
use std::time::Duration;

use overt_wire::Message;
use overt_wire::era::{Era, key};
use overt_wire::json::Object;
use tokio::time::Instant;

use super::answers::{RefusedCall, RequestedScopes, word};
use super::continuations::{AskedInResult, LIFETIME, Stage, asking};
use super::control::DIALOG_WAIT;
use super::effective::EffectivePolicy;
use super::layer::Authorize;
use super::open_question::{ApprovalOutcome, AskedThrough, Dialog, OpenQuestion};
use super::question;
use super::records::CallRecord;
use super::tool_call::ToolCall;
use crate::Endpoint;
use crate::audit::Kind;
use crate::grants::{ANSWERABLE, Answer, AnswerOutcome, AskOutcome, Clock, Question, Review, StoreError};
use crate::person::GiveAnswer;

/// Interval of progress notifications to a client that gave a progress token.
const PROGRESS: Duration = Duration::from_secs(10);
/// How often a waiting call checks whether it may show the dialog.
const TURN: Duration = Duration::from_secs(1);

impl Authorize {
    /// Puts a question where people can see it, and chooses how to wait for the answer. Returns
    /// `None` if a yes to this question came a moment ago.
    pub(super) async fn open_question(
        &self,
        call: &ToolCall,
        question: Question,
        review: Option<Review>,
        requested: &RequestedScopes,
        effective: &EffectivePolicy,
        record: &mut CallRecord,
    ) -> Result<Option<OpenQuestion<'_>>, Option<Message>> {
        record.set(|entry| entry.requested = requested.all().map(ToString::to_string).collect());
        record.note(Kind::ApprovalRequest, |entry| entry.reason = Some(question.shown.reason.clone()));
        let store = &*self.control.store;
        let broken = |error: StoreError| self.store_failed(call, record, &error);
        let wait = effective.snapshot.approval.wait;
        let caller = &call.exchange.caller;
        // What can start programs is not for a dialog, where only the client says that its person
        // answers.
        let can_ask = caller.can("elicitation") && call.uncounted.is_none() && question.guarded().is_none();
        let through = match (can_ask, caller.era()) {
            (true, Era::Modern) => AskedThrough::Result,
            (true, Era::Legacy) => AskedThrough::Dialog,
            (false, _) if store.is_shared() && !wait.is_zero() => AskedThrough::Listener,
            (false, _) if store.is_shared() && store.has_listener().await.map_err(broken)? => {
                AskedThrough::Listener
            }
            (false, _) => AskedThrough::NoPerson,
        };
        let patience = match through {
            AskedThrough::Result => LIFETIME,
            AskedThrough::Dialog => DIALOG_WAIT,
            AskedThrough::Listener => listener_wait(call, effective),
            AskedThrough::NoPerson => Duration::ZERO,
        };
        let changes = self.control.wakers.subscribe(&self.control.store, &self.endpoint.description().tools);
        let until = Clock::default().now().saturating_add(patience.as_secs()).saturating_add(ANSWERABLE);
        let question = Question { until, ..question };
        match store.ask(question.clone(), review).await.map_err(broken)? {
            AskOutcome::Open(id) => Ok(Some(OpenQuestion {
                store,
                id,
                question,
                through,
                changes,
                dialog: None,
                begun: Instant::now(),
                until: Instant::now() + patience,
                is_open: true,
                uncounted: None,
            })),
            AskOutcome::Granted => Ok(None),
            AskOutcome::Never => Err(self.refused_by_person(call, record)),
            AskOutcome::TooMany => {
                Err(self.answer(call, record, &RefusedCall::new(word::NOT_GRANTED, TOO_MANY)))
            }
        }
    }

    /// Waits until an answer arrives, or until a change may permit the call.
    pub(super) async fn wait<'a>(
        &'a self,
        call: &ToolCall,
        open: &mut OpenQuestion<'a>,
        effective: &EffectivePolicy,
        record: &mut CallRecord,
    ) -> ApprovalOutcome {
        if let Some(waited) = self.settle(call, open, record).await {
            return waited;
        }
        if open.through == AskedThrough::Result {
            return match self.in_result(call, open) {
                Some(result) => {
                    // The client may never come back, so this call does not wait.
                    open.leave_open();
                    ApprovalOutcome::InResult(Some(result))
                }
                None => ApprovalOutcome::Unanswered,
            };
        }
        if open.through == AskedThrough::NoPerson {
            return ApprovalOutcome::Unanswered;
        }
        let _person_decides = call.exchange.deadline.pause();
        let begun = Instant::now();
        let waited = self.wait_for_change(call, open, effective).await;
        record.waited(begun.into_std());
        match waited {
            Some(Some(answer)) => {
                let entry = record.entry(Kind::Approval);
                let answer = GiveAnswer::in_dialog(open.id.clone(), open.question.clone(), answer, entry);
                let said = answer.answer;
                match self.give_answer(call, answer, record).await {
                    // A no refuses this call, also if an earlier yes was used by another one.
                    Ok(AnswerOutcome::Before(_)) if !said.is_yes() => {
                        ApprovalOutcome::Refused(self.refused_by_person(call, record))
                    }
                    Ok(_) => self.settle(call, open, record).await.unwrap_or(ApprovalOutcome::Changed),
                    Err(refused) => ApprovalOutcome::Refused(refused),
                }
            }
            Some(None) => self.settle(call, open, record).await.unwrap_or(ApprovalOutcome::Changed),
            None => ApprovalOutcome::Unanswered,
        }
    }

    /// Waits for the answer of the dialog or for a change. Returns `Some(None)` if something
    /// changed, and `None` at the deadline or if the client can't ask.
    async fn wait_for_change<'a>(
        &'a self,
        call: &ToolCall,
        open: &mut OpenQuestion<'a>,
        effective: &EffectivePolicy,
    ) -> Option<Option<Answer>> {
        let begun = Instant::now();
        let mut last_progress = begun;
        loop {
            let left = open.until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            if open.through == AskedThrough::Dialog && open.dialog.is_none() {
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
                    if open.through == AskedThrough::Listener && !self.is_heard(effective).await {
                        return None;
                    }
                    if last_progress.elapsed() >= PROGRESS {
                        last_progress = Instant::now();
                        tell_progress(call, open.begun.elapsed()).await;
                    }
                    continue;
                }
            };
            let shown = open.dialog.take().map_or(begun, |dialog| dialog.shown);
            let is_quick = shown.elapsed() < effective.snapshot.approval.quick;
            if let Some(said) = said.as_ref().ok().and_then(|said| said.result_body().value()) {
                let answer = question::answer(said, &open.question, Clock::default().now());
                match answer.counted(is_quick) {
                    Ok(answer) => return Some(Some(answer)),
                    Err(uncounted) => open.uncounted = Some(uncounted),
                }
            }
            // A client that hangs up, answers without the person, or can't ask has not asked a
            // person, so this is not a no.
            if !self.is_heard(effective).await {
                return None;
            }
            open.through = AskedThrough::Listener;
            open.until = open.begun + listener_wait(call, effective);
        }
    }

    /// Returns whether a person may answer through another channel than the client.
    async fn is_heard(&self, effective: &EffectivePolicy) -> bool {
        let store = &self.control.store;
        let waits = !effective.snapshot.approval.wait.is_zero();
        store.is_shared() && (waits || store.has_listener().await.unwrap_or(false))
    }

    /// Shows the dialog, unless another call already shows one for the same question: a person sees
    /// each question only once (SCP-10).
    fn show_dialog<'a>(&'a self, call: &ToolCall, open: &mut OpenQuestion<'a>) {
        let Some(turn) = self.continuations.turn(&open.id) else { return };
        let form = question::form(&open.question, &open.id);
        let sink = std::sync::Arc::clone(&call.exchange.sink);
        let answer = Box::pin(async move { sink.request("elicitation/create", Some(form.as_json())).await });
        open.dialog = Some(Dialog { answer, shown: Instant::now(), _turn: turn });
    }

    fn in_result(&self, call: &ToolCall, open: &OpenQuestion<'_>) -> Option<Message> {
        let asked = AskedInResult {
            id: open.id.clone(),
            question: open.question.clone(),
            server_scopes: call.server_scopes.clone(),
            approved: call.approved.clone(),
            asked: std::time::Instant::now(),
        };
        let state = self.continuations.give(&call.exchange, Stage::Asked(Box::new(asked)))?;
        let form = question::form(&open.question, &open.id);
        let meta = Object::new().json(key::SERVER_INFO, self.info().as_json()).finish();
        let result = asking(&form, &state).json("_meta", meta.as_json()).finish();
        Some(Message::result(call.exchange.message.id()?, result.as_json()))
    }
}

/// Returns how long a call waits for a person who watches the store: the configured time, or else
/// as long as the client waits for the call.
fn listener_wait(call: &ToolCall, effective: &EffectivePolicy) -> Duration {
    let approval = effective.snapshot.approval;
    if !approval.wait.is_zero() {
        return approval.wait;
    }
    let info = call.exchange.caller.info.as_ref();
    let name = info.and_then(|info| info.as_json().get("name").string());
    (approval.longest_wait)(name.as_deref(), call.exchange.progress_token().is_some())
}

/// Sends progress to a client that asked for it: the call waits for a person.
async fn tell_progress(call: &ToolCall, waited: Duration) {
    let Some(token) = call.exchange.progress_token() else { return };
    let params = Object::new()
        .json("progressToken", token.as_json())
        .value("progress", &waited.as_secs())
        .string("message", "waiting for the user's approval")
        .finish();
    let message = Message::notification("notifications/progress", Some(params.as_json()));
    // A failed notification needs no handling: an unreachable client notices the failure itself.
    let _ = call.exchange.sink.notify(message).await;
}

const TOO_MANY: &str = "Not done: this call needs the user's approval, and too many questions are waiting for an answer \
     already. Tell the user, wait, and call again later.";
