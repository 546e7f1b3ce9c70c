//! A tool call from the request to its outcome. It is attempted until it runs, is refused, or waits
//! for the client.
use std::sync::Arc;

use overt_policy::mark::{key, request as mark};
use overt_wire::edit::{self, Step};
use overt_wire::json::JsonBuf;
use overt_wire::{ErrorObject, Exchange, Message};
use serde_json::Value;

use super::act_on_answer::{ClientAnswer, UnansweredQuestion};
use super::answers::{RefusedCall, RequestedScopes, word};
use super::attempt_outcome::{ApprovalRequest, Attempt, Run};
use super::bounds::CallTimeout;
use super::created_task::CreatedTask;
use super::holder::holder_of;
use super::layer::Authorize;
use super::open_question::{ApprovalOutcome, OpenQuestion};
use super::records::{CallRecord, outcome_of};
use super::result_size::check_answer;
use super::server_scopes;
use super::tool_call::ToolCall;
use crate::Endpoint;
use crate::audit::CallOutcome;
use crate::permit::{Annotated, ResultAnnotation};

/// A call that will not run, and the answer for the client.
struct StoppedCall {
    answer: Option<Message>,
    /// Whether a person was asked before.
    was_asked: bool,
}

/// The most questions that one call asks: one about what it needs, and more if it turns out to need
/// more.
const MOST_QUESTIONS: usize = 3;
/// The most times that a call is attempted again because something it depends on changed at the
/// last moment.
const MOST_RACES: usize = 100;

impl Authorize {
    pub(super) async fn call_tool(&self, exchange: Exchange, tool: &str) -> Option<Message> {
        let mut exchange = self.with_canonical_arguments(exchange, tool);
        let mut record = self.open_record(&exchange, tool);
        let Ok(resumed) = self.continuations.take(&mut exchange) else {
            let error = ErrorObject::invalid_params(
                "`requestState` was not given out for this request, was used already, or is too old; send the \
                 request again without it",
            );
            record.denied(&error.message);
            return Some(Message::error(exchange.message.id(), &error));
        };
        let holder = match &resumed.answer {
            Some((_, asked)) => asked.question.holder.clone(),
            None => holder_of(&exchange),
        };
        let mut call = ToolCall {
            exchange,
            tool: tool.to_owned(),
            holder,
            approved: resumed.approved,
            server_scopes: resumed.server_scopes,
            uncounted: None,
        };
        let mut token = None;
        if let Some((answer, asked)) = resumed.answer {
            match Box::pin(self.take_brought_answer(&call, &answer, asked, &mut record)).await {
                Ok(ClientAnswer::Yes(granted)) => token = granted,
                Ok(ClientAnswer::ByClient(uncounted)) => call.uncounted = Some(uncounted),
                Err(answer) => return answer,
            }
        }
        let run = match self.attempt_until_permitted(&call, &mut token, &mut record).await {
            Ok(run) => run,
            Err(stopped) => return stopped.answer,
        };
        let (approved, annotation) = (run.approved.clone(), Arc::clone(&run.annotation));
        let reply = self.run(&call, *run, token.clone(), record).await?;
        let is_replay = !call.server_scopes.is_empty();
        if is_replay || annotation.written().is_some() {
            return Some(reply);
        }
        match server_scopes::requested(&reply) {
            Some(server_scopes) => {
                Box::pin(self.call_again(ToolCall { approved, server_scopes, ..call }, token, reply)).await
            }
            None => Some(reply),
        }
    }

    /// Normalises the arguments: every later step sees them in the form of the tool's schema.
    fn with_canonical_arguments(&self, mut exchange: Exchange, tool: &str) -> Exchange {
        let Some(arguments) = exchange.message.arguments().value() else { return exchange };
        let canonical = self.endpoint.description().tools.canonical_arguments(tool, arguments);
        if let Some(arguments) = canonical.and_then(|arguments| JsonBuf::of(&arguments).ok()) {
            let path = [Step::Member("params"), Step::Member("arguments")];
            exchange.message = edit::set_in_own(exchange.message, &path, arguments.as_json());
        }
        exchange
    }

    /// Asks a person about the scopes that the upstream requested, and makes the call once more
    /// with those that the person grants. `reply` is the upstream's first answer. It stays the
    /// answer if the policy refuses the requested scopes.
    async fn call_again(&self, call: ToolCall, mut token: Option<String>, reply: Message) -> Option<Message> {
        let mut record = self.open_record(&call.exchange, &call.tool);
        match self.attempt_until_permitted(&call, &mut token, &mut record).await {
            Ok(run) => self.run(&call, *run, token, record).await,
            Err(StoppedCall { was_asked: true, answer }) => answer,
            Err(StoppedCall { was_asked: false, .. }) => Some(reply),
        }
    }

    /// Attempts the call, and asks a person as long as that can change the outcome. Every attempt
    /// starts from the beginning.
    async fn attempt_until_permitted(
        &self,
        call: &ToolCall,
        token: &mut Option<String>,
        record: &mut CallRecord,
    ) -> Result<Box<Run>, StoppedCall> {
        let mut open: Option<OpenQuestion<'_>> = None;
        let (mut questions, mut races) = (0, 0);
        loop {
            let ask = match Box::pin(self.attempt(call, open.is_some(), record)).await {
                Attempt::Run(run) => return Ok(run),
                Attempt::Answer(answer) => return Err(stopped(questions, answer)),
                Attempt::Again if races < MOST_RACES => {
                    races += 1;
                    continue;
                }
                Attempt::Again => {
                    return Err(stopped(
                        questions,
                        self.not_approved(call, record, &RequestedScopes::default(), None, None),
                    ));
                }
                Attempt::Ask(ask) => ask,
            };
            let ApprovalRequest { question, review, requested, effective } = *ask;
            let settings = effective.values.as_ref();
            if !open.as_ref().is_some_and(|open| open.serves(&question)) {
                // Leaves the previous question, which is no longer the right one.
                drop(open.take());
                if questions == MOST_QUESTIONS {
                    return Err(stopped(
                        questions,
                        self.not_approved(call, record, &requested, None, settings),
                    ));
                }
                questions += 1;
                let asked = self.open_question(call, question, review, &requested, &effective, record);
                open = Box::pin(asked).await.map_err(|answer| StoppedCall { answer, was_asked: true })?;
            }
            let Some(asked) = open.as_mut() else {
                // A yes came a moment ago.
                questions -= 1;
                races += 1;
                if races < MOST_RACES {
                    continue;
                }
                return Err(stopped(questions, self.not_approved(call, record, &requested, None, settings)));
            };
            match Box::pin(self.wait(call, asked, &effective, record)).await {
                ApprovalOutcome::Changed => {}
                ApprovalOutcome::Granted(granted) => {
                    *token = granted.or(token.take());
                    open = None;
                }
                ApprovalOutcome::Refused(answer) | ApprovalOutcome::InResult(answer) => {
                    return Err(stopped(questions, answer));
                }
                ApprovalOutcome::Unanswered => {
                    let (kind, irreversible) = (asked.question.kind, asked.question.irreversible().cloned());
                    let guarded = asked.question.guarded().map(str::to_owned);
                    let is_redefined = asked.question.is_redefined();
                    let uncounted = asked.uncounted.or(call.uncounted);
                    let unanswered = asked.leave_open();
                    let unanswered = unanswered.map(|id| UnansweredQuestion {
                        id,
                        kind,
                        is_redefined,
                        irreversible,
                        guarded,
                        uncounted,
                    });
                    return Err(stopped(
                        questions,
                        self.not_approved(call, record, &requested, unanswered, settings),
                    ));
                }
            }
        }
    }

    async fn run(
        &self,
        call: &ToolCall,
        run: Run,
        token: Option<String>,
        mut record: CallRecord,
    ) -> Option<Message> {
        let Run { permitted, limits, annotation, approved, marks_preview } = run;
        record.sent();
        let began = tokio::time::Instant::now();
        let reply = match self.carry(permitted, limits.time).await {
            Ok(reply) => reply,
            Err(CallTimeout(time)) => {
                record.ended(CallOutcome::Timeout, None);
                let text = format!(
                    "The call took longer than the {} s that the policy allows, so it was given up. It may have had an \
                     effect: look before you call it again.",
                    time.as_secs_f64()
                );
                return RefusedCall::new(word::TOO_SLOW, text).answer(&call.exchange, &self.info());
            }
        };
        if let Some(created) = reply.as_ref().and_then(|reply| CreatedTask::of(&call.exchange, reply)) {
            return match self.follow_task(call, &created, limits, began, record).await {
                Ok(()) => reply.map(|reply| annotated(reply, &annotation, token.as_deref())),
                Err(error) => Some(Message::error(call.exchange.message.id(), &error)),
            };
        }
        let written = annotation.written();
        let outcome = match written {
            Some(Annotated { is_error: true, .. }) => CallOutcome::ToolError,
            Some(Annotated { is_error: false, .. }) => CallOutcome::Ok,
            None => outcome_of(reply.as_ref()),
        };
        if written.is_none_or(|written| written.may_have_uris) {
            reply.iter().for_each(|reply| self.listed_uris.learn(reply));
        }
        let too_large = reply.as_ref().and_then(|reply| check_answer(&limits, reply).err());
        let reply = reply.map(|reply| annotated(reply, &annotation, token.as_deref()));
        // The outcome records what the server did, not the part of it that the client sees.
        match annotation.refusal() {
            Some(reason) => record.refused(reason, reply.as_ref()),
            None => record.ended(outcome, reply.as_ref()),
        }
        if let Some(too_large) = too_large {
            return too_large.refusal().answer(&call.exchange, &self.info());
        }
        if written.is_some() {
            return reply;
        }
        let reply = if marks_preview { reply.map(as_preview) } else { reply };
        // A permitted call stays permitted after the server's own questions are answered.
        reply.map(|reply| self.continuations.wrap(&call.exchange, reply, approved, &call.server_scopes))
    }
}

fn stopped(questions: usize, answer: Option<Message>) -> StoppedCall {
    StoppedCall { answer, was_asked: questions > 0 }
}

/// Returns the answer with the grant's token and the intent in `_meta`, unless the answer already
/// has the intent.
fn annotated(reply: Message, annotation: &ResultAnnotation, token: Option<&str>) -> Message {
    let reply = match token {
        Some(token) => with_meta(reply, mark::GRANT, token),
        None => reply,
    };
    match &annotation.intent {
        Some(intent) if annotation.written().is_none() => with_meta(reply, key::INTENT, intent),
        _ => reply,
    }
}

/// Returns the answer with the mark of a preview, unless it has one.
fn as_preview(reply: Message) -> Message {
    let marked = reply.result_body().get("_meta").get(mark::PREVIEW);
    if reply.result_body().value().is_none() || marked.value().is_some() {
        return reply;
    }
    let path = [Step::Member("result"), Step::Member("_meta"), Step::Member(mark::PREVIEW)];
    let yes = JsonBuf::from(&Value::Bool(true));
    edit::set_in_own(reply, &path, yes.as_json())
}

/// Adds a text to the answer's `_meta`. An answer without a result stays unchanged.
fn with_meta(reply: Message, name: &str, text: &str) -> Message {
    if reply.result_body().value().is_none() {
        return reply;
    }
    let text = JsonBuf::from(&Value::String(text.to_owned()));
    let path = [Step::Member("result"), Step::Member("_meta"), Step::Member(name)];
    edit::set_in_own(reply, &path, text.as_json())
}
