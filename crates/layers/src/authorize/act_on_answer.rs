//! Acts on an answer: gives what the person chose in the client, and reads what was answered. Also
//! writes what the model reads if there is no answer.
use std::convert::Infallible;

use overt_settings::SettingValues;
use overt_wire::json::JsonBuf;
use overt_wire::{Message, Principal};

use super::answers::{RefusedCall, RequestedScopes, word};
use super::continuations::AskedInResult;
use super::layer::Authorize;
use super::open_question::{ApprovalOutcome, OpenQuestion};
use super::question;
use super::records::CallRecord;
use super::tool_call::ToolCall;
use super::uncounted::Uncounted;
use crate::Endpoint;
use crate::audit::Kind;
use crate::description::{Irreversible, ServerDescription};
use crate::grants::{
    Answer, AnswerOutcome, Clock, GivenGrant, GrantLifetime, Question, QuestionId, QuestionKind,
    QuestionState, StoreError,
};
use crate::person::{Channel, GiveAnswer, NotDone, Person, PersonCheck, act};

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
    /// Whether the tool is new or changed since the person decided about its server.
    pub(super) is_redefined: bool,
    /// Why the call can't be undone, if that is the reason for the question.
    pub(super) irreversible: Option<Irreversible>,
    /// What the call changes that can start programs or permit tools.
    pub(super) guarded: Option<String>,
    /// Why the client's own answer does not count, if it gave one.
    pub(super) uncounted: Option<Uncounted>,
}

impl Authorize {
    /// Acts on an answer that is in the store, which holds what the answer gave. Returns `None` if
    /// there is none yet.
    pub(super) async fn settle(
        &self,
        call: &ToolCall,
        open: &mut OpenQuestion<'_>,
        record: &mut CallRecord,
    ) -> Option<ApprovalOutcome> {
        let (answer, token) = match open.store.take_answer(open.id.clone()).await {
            Err(error) => return Some(ApprovalOutcome::Refused(self.store_failed(call, record, &error))),
            Ok(QuestionState::Open) => return None,
            // The session ended, and its questions with it.
            Ok(QuestionState::Gone) => return Some(ApprovalOutcome::Unanswered),
            Ok(QuestionState::Unrecorded) => {
                open.is_open = false;
                return Some(ApprovalOutcome::Refused(self.approval_not_recorded(call, record)));
            }
            Ok(QuestionState::Answered(answer, token)) => (answer, token),
        };
        // The wait ended with the answer.
        open.is_open = false;
        Some(match self.refused_with(call, answer, record) {
            Some(refused) => ApprovalOutcome::Refused(refused),
            None => {
                self.accept_if_redefined(&open.question, answer);
                ApprovalOutcome::Granted(token)
            }
        })
    }

    /// Gives the answer that a modern client brought with its request.
    pub(super) async fn take_brought_answer(
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
        let entry = record.entry(Kind::Approval);
        let brought = GiveAnswer::brought(asked.id, asked.question.clone(), said, entry);
        let said = brought.answer;
        let (answer, given) = match self.give_answer(call, brought, record).await? {
            AnswerOutcome::Before(before) if said.is_yes() => (before, None),
            AnswerOutcome::Before(_) => (said, None),
            AnswerOutcome::Taken(given) => (said, given),
            AnswerOutcome::Gone => (Answer::No, None),
        };
        if let Some(refused) = self.refused_with(call, answer, record) {
            return Err(refused);
        }
        self.accept_if_redefined(&asked.question, answer);
        let outlasts_call = |given: &GivenGrant| given.grant.terms.lifetime != GrantLifetime::Once;
        Ok(ClientAnswer::Yes(given.filter(outlasts_call).map(|given| given.token)))
    }

    /// Records the answer, decides the question with it and gives what it gives.
    pub(super) async fn give_answer(
        &self,
        call: &ToolCall,
        answer: GiveAnswer,
        record: &CallRecord,
    ) -> Result<AnswerOutcome, Option<Message>> {
        let asked = AskedInDialog { principal: call.exchange.principal().clone() };
        let id = answer.id.clone();
        let given = act(&asked, &*self.control.ledger, answer, |answer| self.control.store.answer(answer));
        let given = given.await;
        if let Err(NotDone::NotRecorded(error)) = &given {
            tracing::error!(%error, "an approval does not hold because it can't be recorded");
            self.control.store.withdraw(id).await.map_err(|error| self.store_failed(call, record, &error))?;
        }
        self.control.wakers.wake();
        given.map_err(|not_done| match not_done {
            NotDone::NotRecorded(_) => self.approval_not_recorded(call, record),
            NotDone::Failed(error) => self.store_failed(call, record, &error),
            NotDone::TooFar(_) => self.refused_by_person(call, record),
            NotDone::Refused(never) => match never {},
        })
    }

    /// Returns the refusal of a call that a person answered with no. `None` if the answer is a yes.
    fn refused_with(&self, call: &ToolCall, answer: Answer, record: &CallRecord) -> Option<Option<Message>> {
        match answer {
            Answer::Yes { .. } | Answer::Trust(_) | Answer::TrustThisSession(_) => None,
            Answer::NeverInProject => Some(self.refused_for_good(call, record)),
            Answer::No | Answer::NoThisSession => Some(self.refused_by_person(call, record)),
        }
    }

    fn accept_if_redefined(&self, question: &Question, answer: Answer) {
        // What ends with the session leaves what is remembered as it is.
        if matches!(answer, Answer::Trust(_)) {
            self.accept_redefinition(question);
        }
    }

    /// Returns the refusal of a call without approval. It tells the model what to do.
    pub(super) fn not_approved(
        &self,
        call: &ToolCall,
        record: &CallRecord,
        requested: &RequestedScopes,
        unanswered: Option<UnansweredQuestion>,
        settings: Option<&SettingValues>,
    ) -> Option<Message> {
        let uncounted = unanswered.as_ref().and_then(|unanswered| unanswered.uncounted);
        let nobody = uncounted.map_or("nobody is answering questions right now", Uncounted::words);
        let text = match &unanswered {
            Some(UnansweredQuestion { kind: QuestionKind::Trust, is_redefined, .. }) => {
                self.trust_undecided(call, nobody, *is_redefined)
            }
            Some(UnansweredQuestion { id, guarded: Some(what), .. }) => format!(
                "Not done: {what}, which can start programs or permit tools. It needs the user's approval each time, in \
                 Overt itself and not in a dialog of this client, and {nobody}. Tell the user what you want to change and \
                 why, and ask them to open `overt watch` or `overt ui`, where question {id} is waiting, or to make the \
                 change themselves. When they have answered, repeat the same call. Don't try another way to get the same \
                 effect."
            ),
            Some(UnansweredQuestion { id, irreversible: Some(Irreversible { why, instead }), .. }) => {
                format!(
                    "Not done: {why}, so `{}` could not be undone. It needs the user's approval, and {nobody}. {instead} Or tell the user that it can't be undone and why you want it, and that question {id} is waiting: \
                 `overt watch` or `overt grants show {id}` shows it. When they have answered, repeat the same call.",
                    call.tool
                )
            }
            Some(UnansweredQuestion {
                id,
                kind: QuestionKind::Call,
                irreversible: None,
                guarded: None,
                ..
            }) => format!(
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
        // Arguments that most calls need no approval for, such as another path, may do as well.
        let arguments = call.exchange.message.arguments().value().and_then(|sent| sent.to_value().ok());
        let tools = &self.endpoint.description().tools;
        let why = arguments.and_then(|arguments| tools.explain_denial(&call.tool, &arguments, settings));
        let text = why.map_or(text.clone(), |why| format!("{} {text}", why.reason));
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
                "Not done: the definition of `{}` is new or changed since the user decided about the server `{server}`, so the user must \
                 look at it before it is used, and {nobody}. Tell the user so and what you want it \
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

    fn approval_not_recorded(&self, call: &ToolCall, record: &CallRecord) -> Option<Message> {
        self.answer(call, record, &RefusedCall::new(word::NO_AUDIT, APPROVAL_NOT_RECORDED))
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

/// A dialog of the client, which says that its person answers.
struct AskedInDialog {
    principal: Principal,
}

impl PersonCheck for AskedInDialog {
    type Refusal = Infallible;

    fn person(&self) -> Result<Person, Infallible> {
        Ok(self.anybody())
    }

    fn anybody(&self) -> Person {
        Person { principal: self.principal.clone(), channel: Channel::Dialog }
    }
}

const DECLINED: &str = "Not done: the user declined this call. Ask what they would like instead. Don't try another way to \
     get the same effect.";
const DECLINED_FOR_GOOD: &str = "Not done: the user declined this, and does not want to be asked again. Do without it, or ask \
     the user what they would like instead. Don't try another way to get the same effect.";
const APPROVAL_NOT_RECORDED: &str = "Not done: the user approved, but the approval can't be recorded, so it does not hold. \
     Ask the user to look at the server's log.";
const STORE_FAILED: &str = "Not done: the question to the user can't be kept, so nobody can answer it. Ask the user to look \
     at the server's log.";
