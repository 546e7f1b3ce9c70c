//! The questions of a run and the answers that it was given. For a modern client, a run ends with
//! its questions and starts again when the answers arrive.
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use overt_layers::seal::{Seal, digest};
use overt_wire::json::{Json, JsonBuf, Member, Object};
use overt_wire::{BoxFuture, ErrorObject, Message};

/// How a run ended: with its return value, or with questions.
#[derive(Debug)]
pub enum RunOutcome<T> {
    Done(T),
    NeedsInput(Vec<Question>),
}

/// One question of a run.
#[derive(Debug, Clone)]
pub struct Question {
    key: String,
    method: &'static str,
    params: Option<JsonBuf>,
}

/// The answers that a run was given, and the questions that are still open.
#[derive(Debug, Default)]
pub(super) struct Questions {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    answers: BTreeMap<String, JsonBuf>,
    open: Vec<Question>,
    waker: Option<Waker>,
}

/// How long a client may take from a question to its answer.
const STATE_LIFETIME: Duration = Duration::from_secs(600);

// === impl Question ===

impl Question {
    pub(super) fn new(key: &str, method: &'static str, params: Option<JsonBuf>) -> Self {
        Self { key: key.into(), method, params }
    }

    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// Returns the question as an entry of `inputRequests`.
    pub(super) fn to_request(&self) -> JsonBuf {
        let request = Object::new().string("method", self.method);
        match &self.params {
            Some(params) => request.json("params", params.as_json()),
            None => request,
        }
        .finish()
    }

    pub(super) fn is_answered_by(&self, answer: Json<'_>) -> bool {
        match self.method {
            "elicitation/create" => {
                matches!(answer.get("action").string().as_deref(), Some("accept" | "decline" | "cancel"))
            }
            "sampling/createMessage" => matches!(answer.get("content"), Member::Value(_)),
            _ => answer.get("roots").value().is_some_and(Json::is_array),
        }
    }
}

// === impl Questions ===

impl Questions {
    /// Takes the answers from a retried request: those in the request itself, and those of earlier
    /// rounds in its state.
    pub(super) fn read(message: &Message, seal: &Seal) -> Result<Self, ErrorObject> {
        let mut answers = match message.param("requestState") {
            Member::Absent => BTreeMap::new(),
            state => open_state(message, state, seal).ok_or_else(|| {
                ErrorObject::invalid_params(
                    "`requestState` is not what this server gave out for this request, or it is too old; send the \
                     request again without it",
                )
            })?,
        };
        match message.param("inputResponses") {
            Member::Absent => {}
            Member::Value(given) if given.is_object() => {
                answers
                    .extend(given.members().map(|(key, answer)| (key.name().into_owned(), answer.to_buf())));
            }
            _ => return Err(ErrorObject::invalid_params("`inputResponses` must be an object")),
        }
        Ok(Self { inner: Mutex::new(Inner { answers, ..Inner::default() }) })
    }

    /// Returns the answer that the client has already given. If the value does not answer this
    /// question, the question is asked again.
    pub(super) fn previous_answer(&self, question: &Question) -> Option<JsonBuf> {
        let known = self.lock().answers.get(&question.key).cloned();
        known.filter(|answer| question.is_answered_by(answer.as_json()))
    }

    /// Records a question. The future never completes: the run is dropped, and starts again when
    /// the client answers.
    pub(super) async fn ask<T>(&self, question: Question) -> T {
        {
            let mut inner = self.lock();
            inner.open.push(question);
            if let Some(waker) = inner.waker.take() {
                waker.wake();
            }
        }
        std::future::pending().await
    }

    /// Runs `work` until it is done or can't continue without answers.
    pub(super) async fn run<T>(&self, mut work: BoxFuture<'_, T>) -> RunOutcome<T> {
        poll_fn(|context| self.poll(&mut work, context)).await
    }

    /// Polls the work once. Questions that are asked concurrently (with `join!`) go out together.
    pub(super) fn poll<T>(
        &self,
        work: &mut BoxFuture<'_, T>,
        context: &mut std::task::Context<'_>,
    ) -> Poll<RunOutcome<T>> {
        if let Poll::Ready(done) = work.as_mut().poll(context) {
            return Poll::Ready(RunOutcome::Done(done));
        }
        let mut inner = self.lock();
        if inner.open.is_empty() {
            inner.waker = Some(context.waker().clone());
            return Poll::Pending;
        }
        Poll::Ready(RunOutcome::NeedsInput(std::mem::take(&mut inner.open)))
    }

    /// Returns the result that carries the questions to the client, with all answers so far in its
    /// state.
    pub(super) fn to_result(
        &self,
        message: &Message,
        open: &[Question],
        seal: &Seal,
        server: &JsonBuf,
    ) -> JsonBuf {
        let requests = open.iter().fold(Object::new(), |requests, question| {
            requests.json(&question.key, question.to_request().as_json())
        });
        let answers = self
            .lock()
            .answers
            .iter()
            .fold(Object::new(), |all, (key, answer)| all.json(key, answer.as_json()))
            .finish();
        let state = Object::new()
            .string("for", &fingerprint(message))
            .value("until", &(now() + STATE_LIFETIME.as_secs()))
            .json("answers", answers.as_json())
            .finish();
        let meta = Object::new().json(overt_wire::era::key::SERVER_INFO, server.as_json()).finish();
        Object::new()
            .string("resultType", "input_required")
            .json("inputRequests", requests.finish().as_json())
            .string("requestState", &seal.close(state.as_str()))
            .json("_meta", meta.as_json())
            .finish()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the answers in a state, if this server made the state for this request and it has not
/// expired.
fn open_state(message: &Message, state: Member<'_>, seal: &Seal) -> Option<BTreeMap<String, JsonBuf>> {
    let payload = seal.open(&state.string()?)?;
    let payload = Json::parse(&payload).ok()?;
    let meant_for = payload.get("for").string()?;
    let until = payload.get("until").value().and_then(Json::integer)?;
    if meant_for != fingerprint(message) || until < i64::try_from(now()).ok()? {
        return None;
    }
    let answers = payload.get("answers").value()?;
    Some(answers.members().map(|(key, answer)| (key.name().into_owned(), answer.to_buf())).collect())
}

/// Returns the digest that binds a state to its request: method, name or address, and arguments.
fn fingerprint(message: &Message) -> String {
    let params = message.params();
    let text = |name| params.get(name).value().map_or("", Json::as_str);
    let method = message.method().map_or("", |method| method.name());
    digest(&[method, text("name"), text("uri"), text("arguments")])
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
