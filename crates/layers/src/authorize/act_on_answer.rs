//! Acts on an answer: records it first, then puts it into effect. Also writes what the model reads
//! if there is no answer.
use overt_wire::Message;
use overt_wire::json::JsonBuf;

use super::answers::{RefusedCall, RequestedScopes, word};
use super::continuations::AskedInResult;
use super::layer::Authorize;
use super::open_question::{ApprovalOutcome, OpenQuestion};
use super::question;
use super::records::CallRecord;
use super::tool_call::ToolCall;
use super::uncounted::Uncounted;
use crate::Endpoint;
use crate::audit::{Durability, Entry, Kind};
use crate::description::{Irreversible, ServerDescription};
use crate::grants::{
    Answer, Clock, GrantLifetime, Question, QuestionId, QuestionKind, QuestionState, StoreError,
};

/// The outcome of an answer that a client brought back, other than a no.
pub(super) enum ClientAnswer {
    /// A yes, with the token of the grant if it lasts.
    Yes(Option<String>),
    /// The client answered without asking the person, who must be reached in another way.
    ByClient(Uncounted),
}

/// A question that stays open and unanswered.
pub(super) struct UnansweredQuestion {
    pub(super) id: QuestionId,
    pub(super) kind: QuestionKind,
    /// Whether the tool changed since the person trusted its server.
    pub(super) is_redefined: bool,
    /// Why the call can't be undone, if that is the reason for the question.
    pub(super) irreversible: Option<Irreversible>,
    /// Why the client's own answer does not count, if it gave one.
    pub(super) uncounted: Option<Uncounted>,
}

impl Authorize {
    /// Acts on an answer that is in the store. Returns `None` if there is none yet.
    pub(super) async fn settle(
        &self,
        call: &ToolCall,
        open: &mut OpenQuestion<'_>,
        record: &mut CallRecord,
    ) -> Option<ApprovalOutcome> {
        // Only one call at a time acts on an answer, so a grant that serves several calls is given
        // and recorded once.
        let mut settled = self.settling.lock().await;
        let failed = |error: StoreError, record: &CallRecord| {
            Some(ApprovalOutcome::Refused(self.store_failed(call, record, &error)))
        };
        let said = match open.store.question_state(open.id.clone()).await {
            Err(error) => return failed(error, record),
            Ok(QuestionState::Open) => return None,
            // The session ended, and its questions with it.
            Ok(QuestionState::Gone) => return Some(ApprovalOutcome::Unanswered),
            Ok(QuestionState::Answered(said)) => said,
        };
        let is_acted_on = settled.contains(&open.id);
        let answer = match open.store.close(open.id.clone(), None).await {
            // Another call has acted on the answer; the next attempt finds the grant.
            Ok(Some(_)) if is_acted_on && said.is_yes() && !is_once(said) => None,
            Ok(answer) => answer,
            Err(error) => return failed(error, record),
        };
        open.is_open = false;
        // No answer is left: another call took the yes for one call.
        let Some(answer) = answer else { return Some(ApprovalOutcome::Taken) };
        let is_first = !is_acted_on || is_once(answer);
        let waited = self.act_on(call, &open.question, answer, is_first, record).await;
        // A lasting yes whose record fails is not marked as settled, so that every other waiting
        // call discovers the failure too. After a yes for one call, the question stays open for the
        // other calls.
        if !answer.is_yes() || (!is_once(answer) && matches!(waited, ApprovalOutcome::Granted(_))) {
            settled.insert(open.id.clone());
        }
        Some(waited)
    }

    /// Acts on the answer that a modern client brought with its request.
    pub(super) async fn take_answer(
        &self,
        call: &ToolCall,
        answer: &JsonBuf,
        asked: AskedInResult,
        record: &mut CallRecord,
    ) -> Result<ClientAnswer, Option<Message>> {
        let is_quick = asked.asked.elapsed() < self.control.snapshot().approval.quick;
        let said = question::answer(answer.as_json(), &asked.question, Clock::default().now());
        let said = match said.counted(is_quick) {
            Ok(said) => said,
            Err(uncounted) => return Ok(ClientAnswer::ByClient(uncounted)),
        };
        // The question may already be removed, because old questions make room for new ones. The
        // answer still applies to this request.
        let answer = match self.control.store.close(asked.id.clone(), Some(said)).await {
            Ok(counts) => counts.unwrap_or(said),
            Err(error) => return Err(self.store_failed(call, record, &error)),
        };
        match self.act_on(call, &asked.question, answer, true, record).await {
            ApprovalOutcome::Granted(token) => Ok(ClientAnswer::Yes(token)),
            ApprovalOutcome::Refused(answer) | ApprovalOutcome::InResult(answer) => Err(answer),
            ApprovalOutcome::Changed | ApprovalOutcome::Taken | ApprovalOutcome::Unanswered => {
                Ok(ClientAnswer::Yes(None))
            }
        }
    }

    /// Records the answer, then puts it into effect. A grant contains exactly what the question
    /// showed.
    pub(super) async fn act_on(
        &self,
        call: &ToolCall,
        question: &Question,
        answer: Answer,
        is_first: bool,
        record: &mut CallRecord,
    ) -> ApprovalOutcome {
        let terms = answer.terms(question);
        if is_first {
            let decision = if answer.is_yes() { "allow" } else { "deny" };
            let is_lasting = answer.is_yes() || terms.is_some();
            let entry = record.entry(Kind::Approval).map(|entry| Entry {
                decision: Some(decision),
                reason: Some(answer.to_string()),
                requested: terms.iter().flat_map(|terms| &terms.scopes).map(ToString::to_string).collect(),
                ..entry
            });
            let ledger = &self.control.ledger;
            let durability = if is_lasting { Durability::Durable } else { Durability::Batched };
            if let Some(entry) = entry
                && let Err(error) = ledger.write(entry, durability).await
                && answer.is_yes()
            {
                tracing::error!(%error, "an approval does not hold because it can't be recorded");
                let refused = RefusedCall::new(word::NO_AUDIT, APPROVAL_NOT_RECORDED);
                return ApprovalOutcome::Refused(self.answer(call, record, &refused));
            }
        }
        let store = &self.control.store;
        let stored = match (answer, terms) {
            (Answer::NeverInProject, Some(terms)) => {
                let kept = store.give(question.holder.clone(), terms).await;
                self.control.wakers.wake();
                return ApprovalOutcome::Refused(match kept {
                    Ok(_) => self.refused_for_good(call, record),
                    Err(error) => self.store_failed(call, record, &error),
                });
            }
            (Answer::Trust(trust), _) => {
                let stored = store.set_trust(question.trusted_tool(), trust).await.map(|()| None);
                if stored.is_ok() {
                    self.accept_redefinition(question);
                }
                stored
            }
            (_, Some(terms)) => store.give(question.holder.clone(), terms).await.map(Some),
            (_, None) => return ApprovalOutcome::Refused(self.refused_by_person(call, record)),
        };
        self.control.wakers.wake();
        match stored {
            Ok(given) => {
                let lasting = given.filter(|given| given.grant.terms.lifetime != GrantLifetime::Once);
                ApprovalOutcome::Granted(lasting.map(|given| given.token))
            }
            Err(error) => ApprovalOutcome::Refused(self.store_failed(call, record, &error)),
        }
    }

    /// Returns the refusal of a call without approval. It tells the model what to do.
    pub(super) fn not_approved(
        &self,
        call: &ToolCall,
        record: &CallRecord,
        requested: &RequestedScopes,
        unanswered: Option<UnansweredQuestion>,
    ) -> Option<Message> {
        let uncounted = unanswered.as_ref().and_then(|unanswered| unanswered.uncounted);
        let nobody = uncounted.map_or("nobody is answering questions right now", Uncounted::words);
        let text = match &unanswered {
            Some(UnansweredQuestion { kind: QuestionKind::Trust, is_redefined, .. }) => {
                self.trust_undecided(call, nobody, *is_redefined)
            }
            Some(UnansweredQuestion { id, irreversible: Some(Irreversible { why, instead }), .. }) => {
                format!(
                    "Not done: {why}, so `{}` could not be undone. It needs the user's approval, and {nobody}. {instead} Or tell the user that it can't be undone and why you want it, and that question {id} is waiting: \
                 `overt watch` or `overt grants show {id}` shows it. When they have answered, repeat the same call.",
                    call.tool
                )
            }
            Some(UnansweredQuestion { id, kind: QuestionKind::Call, irreversible: None, .. }) => format!(
                "Not done: `{}` needs the user's approval, and {nobody}. Tell the user what you \
                 want to do and why, and ask them to open `overt watch` or `overt ui`, where question {id} is waiting. When they have \
                 answered, repeat the same call. Don't try another way to get the same effect.",
                call.tool
            ),
            None => format!(
                "Not done: `{}` needs the user's approval and did not get it. Tell the user what you want to do and why. \
                 Don't try another way to get the same effect.",
                call.tool
            ),
        };
        let question = unanswered.map(|unanswered| unanswered.id);
        let refused =
            RefusedCall { requested: Some(requested), question, ..RefusedCall::new(word::NOT_GRANTED, text) };
        self.answer(call, record, &refused)
    }

    /// Returns the text for a call to a server without a trust decision, or of a tool whose current
    /// definition the decision does not cover. The text names the one command that decides.
    fn trust_undecided(&self, call: &ToolCall, nobody: &str, is_redefined: bool) -> String {
        let ServerDescription { identity, project, .. } = self.endpoint.description();
        let server = identity.split('#').next().unwrap_or(identity);
        let command = match project {
            Some(project) => format!("`overt trust {server}` in {project}"),
            None => format!("`overt trust {server} --no-project`"),
        };
        if is_redefined {
            return format!(
                "Not done: the definition of `{}` changed since the user trusted the server `{server}`, so the user must \
                 look at it before it is used, and {nobody}. Tell the user that the tool changed and what you want it \
                 for, and ask them to run {command}, which shows what changed. Don't run it yourself: the decision is \
                 the user's. When they have decided, repeat the same call. Don't try another way to get the same effect.",
                call.tool
            );
        }
        format!(
            "Not done: `{}` needs the user's approval, because they have not decided yet how far to trust the server \
             `{server}`, and {nobody}. Tell the user what you want to do and why, and ask them \
             to run {command}. Don't run it yourself: the decision is the user's. When they have decided, repeat the same \
             call. Don't try another way to get the same effect.",
            call.tool
        )
    }

    pub(super) fn refused_by_person(&self, call: &ToolCall, record: &CallRecord) -> Option<Message> {
        self.answer(call, record, &RefusedCall::new(word::DENIED, DECLINED))
    }

    /// Returns the refusal of a call that a person refused for good.
    pub(super) fn refused_for_good(&self, call: &ToolCall, record: &CallRecord) -> Option<Message> {
        self.answer(call, record, &RefusedCall::new(word::DENIED, DECLINED_FOR_GOOD))
    }

    pub(super) fn store_failed(
        &self,
        call: &ToolCall,
        record: &CallRecord,
        error: &StoreError,
    ) -> Option<Message> {
        tracing::error!(%error, "a call was refused because its question can't be kept");
        self.answer(call, record, &RefusedCall::new(word::NO_STORE, STORE_FAILED))
    }

    pub(super) fn answer(
        &self,
        call: &ToolCall,
        record: &CallRecord,
        refused: &RefusedCall<'_>,
    ) -> Option<Message> {
        record.denied(&refused.text);
        refused.answer(&call.exchange, &self.info())
    }
}

fn is_once(answer: Answer) -> bool {
    matches!(answer, Answer::Yes { lifetime: GrantLifetime::Once, .. })
}

const DECLINED: &str = "Not done: the user declined this call. Ask what they would like instead. Don't try another way to \
     get the same effect.";
const DECLINED_FOR_GOOD: &str = "Not done: the user declined this, and does not want to be asked again. Do without it, or ask \
     the user what they would like instead. Don't try another way to get the same effect.";
const APPROVAL_NOT_RECORDED: &str = "Not done: the user approved, but the approval can't be recorded, so it does not hold. \
     Ask the user to look at the server's log.";
const STORE_FAILED: &str = "Not done: the question to the user can't be kept, so nobody can answer it. Ask the user to look \
     at the server's log.";
