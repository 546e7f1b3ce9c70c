//! What goes through a newer client between our question and its answer, and between a permitted
//! call and the questions that the server itself has. It is sealed, bound to the request, and each
//! is good for one use, so a copy does nothing twice.
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use overt_policy::scope::Scope;
use overt_wire::edit::{self, Step};
use overt_wire::json::{Json, JsonBuf, Object};
use overt_wire::{Exchange, Message};

use super::approved::Approved;
use crate::grants::{Question, QuestionId};
use crate::seal::{Seal, digest, random_name};

/// Our question among those of a result in the newer era.
const KEY: &str = "dev.overt/approval";
/// Tells our state from that of a server.
const PREFIX: &str = "overt1.";
/// How long a client may take.
pub(super) const LIFETIME: Duration = Duration::from_secs(600);
/// States that are out at a time.
const MOST: usize = 10_000;

/// States that are out.
#[derive(Debug)]
pub(super) struct ApprovalContinuations {
    seal: Seal,
    out: Mutex<HashMap<String, PendingState>>,
    /// Questions that a client shows now (SCP-10).
    shown: Mutex<HashSet<QuestionId>>,
}

/// While it exists, no other call shows the same question.
#[derive(Debug)]
pub(super) struct DialogTurn<'a> {
    continuations: &'a ApprovalContinuations,
    question: QuestionId,
}

/// What a state stands for. It never leaves us.
#[derive(Debug)]
struct PendingState {
    /// What it is bound to.
    bound: String,
    until: Instant,
    stage: Stage,
}

/// Where a call was when the client got it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stage {
    /// A person is being asked.
    Asked(Box<AskedInResult>),
    /// It was permitted, and the server has questions of its own: `inner` is the server's state.
    Permitted { inner: Option<JsonBuf>, approved: Option<Box<Approved>>, server_scopes: Vec<Scope> },
}

/// What a person is being asked through a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AskedInResult {
    pub(super) id: QuestionId,
    /// As it was shown: an answer is an answer to this.
    pub(super) question: Question,
    /// What the upstream asked for, if that is what the question is about.
    pub(super) server_scopes: Vec<Scope>,
    /// What was approved for the call before the upstream asked for more.
    pub(super) approved: Option<Approved>,
    pub(super) asked: Instant,
}

/// What came back with a request.
#[derive(Debug, Default)]
pub(super) struct ResumedCall {
    /// The person's answer, with what they were asked.
    pub(super) answer: Option<(JsonBuf, AskedInResult)>,
    /// The call was permitted before, with these arguments.
    pub(super) approved: Option<Approved>,
    /// What the upstream asked for, and was granted.
    pub(super) server_scopes: Vec<Scope>,
}

/// The state is not ours, not for this request, used, or too old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StaleContinuation;

impl ApprovalContinuations {
    pub(super) fn new() -> Self {
        Self { seal: Seal::random(), out: Mutex::default(), shown: Mutex::default() }
    }

    /// The turn to show a question to a person; none while another call shows the same.
    pub(super) fn turn(&self, question: &QuestionId) -> Option<DialogTurn<'_>> {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = shown.insert(question.clone());
        is_first.then(|| DialogTurn { continuations: self, question: question.clone() })
    }

    /// A state for this request. None when too many are out.
    pub(super) fn give(&self, exchange: &Exchange, stage: Stage) -> Option<String> {
        let now = Instant::now();
        let mut out = self.lock();
        if out.len() >= MOST {
            out.retain(|_, out| out.until > now);
        }
        if out.len() >= MOST {
            return None;
        }
        let name = random_name();
        out.insert(name.clone(), PendingState { bound: bound(exchange), until: now + LIFETIME, stage });
        Some(format!("{PREFIX}{}", self.seal.close(&name)))
    }

    /// Takes our state out of the request, and puts back what the server gave.
    pub(super) fn take(&self, exchange: &mut Exchange) -> Result<ResumedCall, StaleContinuation> {
        let params = exchange.message.params();
        let Some(state) = params.get("requestState").string() else { return Ok(ResumedCall::default()) };
        let Some(sealed) = state.strip_prefix(PREFIX) else { return Ok(ResumedCall::default()) };
        let name = self.seal.open(sealed).ok_or(StaleContinuation)?;
        let out = self.lock().remove(&name).ok_or(StaleContinuation)?;
        if out.bound != bound(exchange) || out.until < Instant::now() {
            return Err(StaleContinuation);
        }
        match out.stage {
            Stage::Asked(asked) => {
                let answer = params.get("inputResponses").get(KEY).value().map(Json::to_buf);
                let answer = answer.unwrap_or_else(JsonBuf::empty_object);
                exchange.message = without(&exchange.message, &["requestState", "inputResponses"])
                    .ok_or(StaleContinuation)?;
                let (approved, server_scopes) = (asked.approved.clone(), asked.server_scopes.clone());
                Ok(ResumedCall { answer: Some((answer, *asked)), approved, server_scopes })
            }
            Stage::Permitted { inner, approved, server_scopes } => {
                let path = [Step::Member("params"), Step::Member("requestState")];
                exchange.message = match &inner {
                    Some(inner) => edit::set_in(&exchange.message, &path, inner.as_json())
                        .map_err(|_| StaleContinuation)?,
                    None => without(&exchange.message, &["requestState"]).ok_or(StaleContinuation)?,
                };
                Ok(ResumedCall { answer: None, approved: approved.map(|approved| *approved), server_scopes })
            }
        }
    }

    /// The server's question to the client, with our state around its own, so that the answer needs
    /// no new permission. Nothing is put around a state that means nothing to us, if nothing was
    /// approved.
    pub(super) fn wrap(
        &self,
        exchange: &Exchange,
        reply: Message,
        approved: Option<Approved>,
        server_scopes: &[Scope],
    ) -> Message {
        let result = reply.result_body();
        let may_ask = reply.text().contains("input_required") || reply.text().contains("\\u00");
        if !may_ask || result.get("resultType").string().as_deref() != Some("input_required") {
            return reply;
        }
        let inner = result.get("requestState");
        // A second Overt behind this one writes its states as we do.
        let is_like_ours = inner.string().is_some_and(|state| state.starts_with(PREFIX));
        if approved.is_none() && server_scopes.is_empty() && !is_like_ours {
            return reply;
        }
        let stage = Stage::Permitted {
            inner: inner.value().map(Json::to_buf),
            approved: approved.map(Box::new),
            server_scopes: server_scopes.to_vec(),
        };
        let Some(state) = self.give(exchange, stage) else { return reply };
        let state = JsonBuf::from(&serde_json::Value::String(state));
        let path = [Step::Member("result"), Step::Member("requestState")];
        edit::set_in(&reply, &path, state.as_json()).unwrap_or(reply)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, PendingState>> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for DialogTurn<'_> {
    fn drop(&mut self) {
        self.continuations.shown.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.question);
    }
}

/// The result that carries our question.
pub(super) fn asking(form: &JsonBuf, state: &str) -> Object {
    let request =
        Object::new().string("method", "elicitation/create").json("params", form.as_json()).finish();
    let requests = Object::new().json(KEY, request.as_json()).finish();
    Object::new()
        .string("resultType", "input_required")
        .json("inputRequests", requests.as_json())
        .string("requestState", state)
}

/// What a state is bound to: the method, its target, arguments, policy, options and session.
fn bound(exchange: &Exchange) -> String {
    let params = exchange.message.params();
    let text = |name| params.get(name).value().map_or("", Json::as_str);
    let meta = |name| exchange.message.meta().get(name).value().map_or("", Json::as_str);
    let method = exchange.message.method().map_or("", |method| method.name());
    let session = if exchange.session.is_one_client() { exchange.session.id() } else { "" };
    use overt_policy::mark::request as mark;
    digest(&[
        method,
        text("name"),
        text("arguments"),
        meta(mark::POLICY),
        meta(mark::PREVIEW),
        meta(mark::PLAN),
        session,
    ])
}

fn without(message: &Message, names: &[&str]) -> Option<Message> {
    names.iter().try_fold(message.clone(), |message, name| {
        if message.params().get(name).is_absent() {
            return Some(message);
        }
        edit::remove_in(&message, &[Step::Member("params"), Step::Member(name)]).ok()
    })
}
