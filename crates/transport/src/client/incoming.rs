//! Messages that a server sends on its own. Notifications go to the listener, questions are
//! answered, and messages that fit nowhere are dropped and counted.
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use overt_wire::era::{Era, Version, key};
use overt_wire::error::code;
use overt_wire::json::{Json, JsonBuf};
use overt_wire::{BoxFuture, DeadlineControl, ErrorObject, Id, Kind, Message, Method};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::AbortHandle;
use tokio::time::timeout;

use super::listener::Listener;
use crate::limits::{Limits, QuestionDeadlines};

/// Receives the messages that the server sends on its own.
pub(super) struct IncomingMessages {
    listener: Arc<dyn Listener>,
    deadlines: QuestionDeadlines,
    /// Paused while a person answers a question through the listener. All requests share it,
    /// because not every transport tells which request caused the question.
    pub(super) deadline: DeadlineControl,
    max_questions: usize,
    /// Whether the server is modern. A modern server can't send requests; it puts its questions
    /// into results.
    modern: AtomicBool,
    /// Limits the answers in progress, refusals included.
    answering: Arc<Semaphore>,
    state: Mutex<State>,
}

/// The way in which answers to the server's questions are sent.
pub(super) trait AnswerSink: Send + Sync {
    fn answer(&self, message: Message) -> BoxFuture<'static, ()>;
}

#[derive(Default)]
struct State {
    /// Questions that the listener is answering.
    questions: HashMap<Id, AbortHandle>,
    /// Subscriptions that are not acknowledged yet.
    unacknowledged: HashMap<Id, oneshot::Sender<JsonBuf>>,
    noisy: bool,
    dropped: u64,
    last_dropped: Option<String>,
}

/// The most bytes of an invalid line that are shown.
const NOISE_BYTES: usize = 300;

impl IncomingMessages {
    pub(super) fn new(listener: Arc<dyn Listener>, limits: &Limits) -> Arc<Self> {
        Arc::new(Self {
            listener,
            deadlines: limits.question_deadlines(),
            deadline: DeadlineControl::default(),
            max_questions: limits.max_pending_questions,
            modern: AtomicBool::new(false),
            answering: Arc::new(Semaphore::new(limits.max_pending_questions * 2)),
            state: Mutex::default(),
        })
    }

    pub(super) fn settle(&self, version: Version) {
        self.modern.store(version.era() == Era::Modern, Ordering::Release);
    }

    /// Handles a notification or a question. An answer is dropped, because the link itself handles
    /// all expected answers. `about` is the request on whose stream the message came, if the
    /// transport tells.
    pub(super) async fn take(
        self: &Arc<Self>,
        message: Message,
        outbox: &Arc<dyn AnswerSink>,
        about: Option<&Id>,
    ) {
        match message.kind() {
            Kind::Notification => self.notified(message, about).await,
            Kind::Request => self.asked(message, outbox, about),
            Kind::Result | Kind::Error => self.drop_message("an answer to no request of ours"),
        }
    }

    /// Counts a message that can't be used. `what` is never a payload.
    pub(super) fn drop_message(&self, what: &str) {
        tracing::debug!(what, "dropped a message of the server");
        let mut state = self.lock();
        state.dropped += 1;
        state.last_dropped = Some(what.to_owned());
    }

    /// Returns how many messages were dropped and why the last one was, for an error that this may
    /// explain.
    pub(super) fn dropped(&self) -> Option<String> {
        let state = self.lock();
        let last = state.last_dropped.as_ref()?;
        Some(format!("{} so far, the last one because of {last}", state.dropped))
    }

    /// Counts a line that is not a protocol message, and reports the first one.
    pub(super) fn noise(&self, line: &[u8]) {
        let first = !std::mem::replace(&mut self.lock().noisy, true);
        if first {
            let shown = String::from_utf8_lossy(&line[..line.len().min(NOISE_BYTES)]);
            self.listener.noise(shown.trim_end());
        }
        self.drop_message("a line that is not a protocol message");
    }

    /// Reports that the server closed a stream on purpose, to be resumed.
    pub(super) fn paused(&self, about: &Id, retry: Duration) {
        self.listener.paused(about, retry);
    }

    /// Returns a receiver for the acknowledgement of a subscription. Call this before the
    /// subscription is requested.
    pub(super) fn acknowledgement_of(&self, id: &Id) -> oneshot::Receiver<JsonBuf> {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.lock();
        state.unacknowledged.retain(|_, sender| !sender.is_closed());
        state.unacknowledged.insert(id.clone(), sender);
        receiver
    }

    /// Aborts all questions, because the conversation is over and the server no longer waits for
    /// answers.
    pub(super) fn shut(&self) {
        for (_, question) in self.lock().questions.drain() {
            question.abort();
        }
    }

    async fn notified(&self, message: Message, about: Option<&Id>) {
        match message.method() {
            Some(Method::Cancelled) => {
                let id = message.param("requestId").value().and_then(Id::of);
                if let Some(question) = id.and_then(|id| self.lock().questions.remove(&id)) {
                    question.abort();
                }
            }
            Some(Method::SubscriptionAcknowledged) => self.acknowledged(&message),
            _ => {}
        }
        self.listener.notification(message, about).await;
    }

    fn acknowledged(&self, message: &Message) {
        let id = message.meta().get(key::SUBSCRIPTION_ID).value().and_then(Id::of);
        let waiting = id.and_then(|id| self.lock().unacknowledged.remove(&id));
        if let Some(waiting) = waiting {
            let granted = message.param("notifications").value();
            let _ = waiting.send(granted.map_or_else(JsonBuf::empty_object, Json::to_buf));
        }
    }

    fn asked(self: &Arc<Self>, message: Message, outbox: &Arc<dyn AnswerSink>, about: Option<&Id>) {
        let Some(id) = message.id().cloned() else { return };
        if self.modern.load(Ordering::Acquire) {
            return self.drop_message("a request, which a server can't send in this version");
        }
        let Ok(permit) = Arc::clone(&self.answering).try_acquire_owned() else {
            return self.drop_message("a request, while too many others wait for their answers");
        };
        // The lock is held until the question is noted, so that its task can't end before that.
        let mut state = self.lock();
        if state.questions.contains_key(&id) {
            drop(state);
            return self.drop_message("a request with the id of another one");
        }
        let busy = state.questions.len() >= self.max_questions;
        let (incoming, outbox) = (Arc::clone(self), Arc::clone(outbox));
        let task = tokio::spawn({
            let (id, about) = (id.clone(), about.cloned());
            async move {
                let answer = incoming.answer_to(&message, busy, about.as_ref()).await;
                incoming.lock().questions.remove(&id);
                let answer = match answer {
                    Ok(result) => Message::result(&id, result.as_json()),
                    Err(error) => Message::error(Some(&id), &error),
                };
                outbox.answer(answer).await;
                drop(permit);
            }
        });
        if !busy {
            state.questions.insert(id, task.abort_handle());
        }
    }

    async fn answer_to(
        &self,
        question: &Message,
        busy: bool,
        about: Option<&Id>,
    ) -> Result<JsonBuf, ErrorObject> {
        let method = question.method().map_or("", Method::name);
        if method == Method::Ping.name() {
            return Ok(JsonBuf::empty_object());
        }
        if busy {
            let limit = self.max_questions;
            return Err(ErrorObject::new(code::OVERLOADED, format!("{limit} questions are waiting already")));
        }
        self.ask_listener(method, question.params().value(), about).await
    }

    /// Asks the listener. If the listener takes too long, refuses on its behalf.
    pub(super) async fn ask_listener(
        &self,
        method: &str,
        params: Option<Json<'_>>,
        about: Option<&Id>,
    ) -> Result<JsonBuf, ErrorObject> {
        let _person = (Method::of(method) == Method::Elicit).then(|| self.deadline.pause());
        let answer = timeout(self.deadlines.of(method), self.listener.request(method, params, about)).await;
        answer.unwrap_or_else(|_| {
            Err(ErrorObject::new(code::DEADLINE, "the question was not answered in time"))
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for IncomingMessages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IncomingMessages").field("dropped", &self.lock().dropped).finish_non_exhaustive()
    }
}
