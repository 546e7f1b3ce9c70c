//! State that a modern client carries between Overt's question and its answer, and between a
//! permitted call and the server's own questions. It is sealed, bound to its request, and valid for
//! one use, so a copy has no effect.
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use overt_policy::scope::Scope;
use overt_wire::edit::{self, Step};
use overt_wire::json::{Json, JsonBuf, Object};
use overt_wire::{Exchange, Message};

use crate::decide::Approved;
use crate::grants::{Question, QuestionId};
use crate::seal::{Seal, digest, random_name};

/// The key of Overt's question in a result of the modern era.
const KEY: &str = "dev.overt/approval";
/// Distinguishes Overt's state from a server's.
const PREFIX: &str = "overt1.";
/// How long a client may take to return a state.
pub(super) const LIFETIME: Duration = Duration::from_secs(600);
/// The most states that are outstanding at once.
const MOST: usize = 10_000;

/// The outstanding states.
#[derive(Debug)]
pub(super) struct ApprovalContinuations {
    seal: Seal,
    out: Mutex<HashMap<String, PendingState>>,
    /// Questions that a client shows at the moment (SCP-10).
    shown: Mutex<HashSet<QuestionId>>,
}

/// While this value exists, no other call shows the same question.
#[derive(Debug)]
pub(super) struct DialogTurn<'a> {
    continuations: &'a ApprovalContinuations,
    question: QuestionId,
}

/// What a state stands for. It never leaves this process.
#[derive(Debug)]
struct PendingState {
    /// A digest of the request that the state is bound to.
    bound: String,
    until: Instant,
    stage: Stage,
}

/// How far a call was when the client got it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stage {
    /// A person is being asked.
    Asked(Box<AskedInResult>),
    /// The call was permitted, and the server has questions of its own. `inner` is the server's
    /// state.
    Permitted { inner: Option<JsonBuf>, approved: Option<Box<Approved>>, server_scopes: Vec<Scope> },
}

/// A question to a person that is asked through a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AskedInResult {
    pub(super) id: QuestionId,
    /// The question as it was shown. The answer applies to this text.
    pub(super) question: Question,
    /// The scopes that the upstream requested, if the question is about them.
    pub(super) server_scopes: Vec<Scope>,
    /// What was approved for the call before the upstream requested more.
    pub(super) approved: Option<Approved>,
    pub(super) asked: Instant,
}

/// What a request brought back.
#[derive(Debug, Default)]
pub(super) struct ResumedCall {
    /// The person's answer, with the question.
    pub(super) answer: Option<(JsonBuf, AskedInResult)>,
    /// What was approved earlier for this call, with the same arguments.
    pub(super) approved: Option<Approved>,
    /// The scopes that the upstream requested.
    pub(super) server_scopes: Vec<Scope>,
}

/// The state is not ours, belongs to another request, was used, or is too old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StaleContinuation;

impl ApprovalContinuations {
    pub(super) fn new() -> Self {
        Self { seal: Seal::random(), out: Mutex::default(), shown: Mutex::default() }
    }

    /// Takes the turn to show a question to a person. Returns `None` while another call shows the
    /// same question.
    pub(super) fn turn(&self, question: &QuestionId) -> Option<DialogTurn<'_>> {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = shown.insert(question.clone());
        is_first.then(|| DialogTurn { continuations: self, question: question.clone() })
    }

    /// Makes a state for this request. Returns `None` if too many are outstanding.
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

    /// Removes Overt's state from the request and restores the server's own.
    pub(super) fn take(&self, exchange: &mut Exchange) -> Result<ResumedCall, StaleContinuation> {
        let message = &exchange.message;
        let Some(state) = message.param("requestState").string() else { return Ok(ResumedCall::default()) };
        let Some(sealed) = state.strip_prefix(PREFIX) else { return Ok(ResumedCall::default()) };
        let name = self.seal.open(sealed).ok_or(StaleContinuation)?;
        let out = self.lock().remove(&name).ok_or(StaleContinuation)?;
        if out.bound != bound(exchange) || out.until < Instant::now() {
            return Err(StaleContinuation);
        }
        match out.stage {
            Stage::Asked(asked) => {
                let answer = message.param("inputResponses").get(KEY).value().map(Json::to_buf);
                let answer = answer.unwrap_or_else(JsonBuf::empty_object);
                exchange.message =
                    without(message, &["requestState", "inputResponses"]).ok_or(StaleContinuation)?;
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

    /// Wraps the state of the server's question in ours, so that the answer needs no new
    /// permission. If nothing was approved, a state that does not look like ours stays unchanged.
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
        // A second Overt behind this one writes its states in the same form.
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

/// Returns the result that carries Overt's question.
pub(super) fn asking(form: &JsonBuf, state: &str) -> Object {
    let request =
        Object::new().string("method", "elicitation/create").json("params", form.as_json()).finish();
    let requests = Object::new().json(KEY, request.as_json()).finish();
    Object::new()
        .string("resultType", "input_required")
        .json("inputRequests", requests.as_json())
        .string("requestState", state)
}

/// Returns a digest of what a state is bound to: the method, its target, arguments, policy,
/// options, session and principal.
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
        &exchange.principal().key(),
    ])
}

fn without(message: &Message, names: &[&str]) -> Option<Message> {
    names.iter().try_fold(message.clone(), |message, name| {
        if message.param(name).is_absent() {
            return Some(message);
        }
        edit::remove_in(&message, &[Step::Member("params"), Step::Member(name)]).ok()
    })
}
