//! What a server sends on its own: notifications go to the listener, questions get their answers, and what
//! fits nowhere is dropped and counted.
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

/// Takes in what the server sends on its own.
pub(super) struct Inbox {
    listener: Arc<dyn Listener>,
    deadlines: QuestionDeadlines,
    /// Paused while the listener has a person answer. Where the transport doesn't tell, any request may be the reason.
    pub(super) deadline: DeadlineControl,
    max_questions: usize,
    /// A modern server can't ask: it puts its questions into results.
    modern: AtomicBool,
    /// Answers under way, refusals included.
    answering: Arc<Semaphore>,
    state: Mutex<State>,
}

/// The way back to the server for answers to its questions.
pub(super) trait Outbox: Send + Sync {
    fn answer(&self, message: Message) -> BoxFuture<'static, ()>;
}

#[derive(Default)]
struct State {
    /// Questions that the listener is thinking about.
    questions: HashMap<Id, AbortHandle>,
    /// Subscriptions that wait to be acknowledged.
    unacknowledged: HashMap<Id, oneshot::Sender<JsonBuf>>,
    noisy: bool,
    dropped: u64,
    last_dropped: Option<String>,
}

/// What a line of noise may cost to show.
const NOISE_BYTES: usize = 300;

impl Inbox {
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

    /// Takes a notification or a question. An answer has no business here: its link knows whose it is.
    /// `about` is the request on whose stream it came, if the transport tells.
    pub(super) async fn take(self: &Arc<Self>, message: Message, back: &Arc<dyn Outbox>, about: Option<&Id>) {
        match message.kind() {
            Kind::Notification => self.notified(message, about).await,
            Kind::Request => self.asked(message, back, about),
            Kind::Result | Kind::Error => self.drop_message("an answer to no request of ours"),
        }
    }

    /// Counts something that can't be used. `what` is never a payload.
    pub(super) fn drop_message(&self, what: &str) {
        tracing::debug!(what, "dropped a message of the server");
        let mut state = self.lock();
        state.dropped += 1;
        state.last_dropped = Some(what.to_owned());
    }

    /// How much was dropped, and what last; for an error that this may explain.
    pub(super) fn dropped(&self) -> Option<String> {
        let state = self.lock();
        let last = state.last_dropped.as_ref()?;
        Some(format!("{} so far, the last one because of {last}", state.dropped))
    }

    /// Counts a line that is not a protocol message, and reports the first.
    pub(super) fn noise(&self, line: &[u8]) {
        let first = !std::mem::replace(&mut self.lock().noisy, true);
        if first {
            let shown = String::from_utf8_lossy(&line[..line.len().min(NOISE_BYTES)]);
            self.listener.noise(shown.trim_end());
        }
        self.drop_message("a line that is not a protocol message");
    }

    /// A stream was closed on purpose, to be resumed.
    pub(super) fn paused(&self, about: &Id, retry: Duration) {
        self.listener.paused(about, retry);
    }

    /// Hears of the acknowledgement of a subscription that is about to be asked for.
    pub(super) fn acknowledgement_of(&self, id: &Id) -> oneshot::Receiver<JsonBuf> {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.lock();
        state.unacknowledged.retain(|_, sender| !sender.is_closed());
        state.unacknowledged.insert(id.clone(), sender);
        receiver
    }

    /// The conversation is over: the server does not wait for our answers any more.
    pub(super) fn shut(&self) {
        for (_, question) in self.lock().questions.drain() {
            question.abort();
        }
    }

    async fn notified(&self, message: Message, about: Option<&Id>) {
        match message.method() {
            Some(Method::Cancelled) => {
                let id = message.params().get("requestId").value().and_then(Id::of);
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
            let granted = message.params().get("notifications").value();
            let _ = waiting.send(granted.map_or_else(JsonBuf::empty_object, Json::to_buf));
        }
    }

    fn asked(self: &Arc<Self>, message: Message, back: &Arc<dyn Outbox>, about: Option<&Id>) {
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
        let (inbox, back) = (Arc::clone(self), Arc::clone(back));
        let task = tokio::spawn({
            let (id, about) = (id.clone(), about.cloned());
            async move {
                let answer = inbox.answer_to(&message, busy, about.as_ref()).await;
                inbox.lock().questions.remove(&id);
                let answer = match answer {
                    Ok(result) => Message::result(&id, result.as_json()),
                    Err(error) => Message::error(Some(&id), &error),
                };
                back.answer(answer).await;
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

    /// Asks the listener, and refuses in its place when it takes too long.
    pub(super) async fn ask_listener(
        &self,
        method: &str,
        params: Option<Json<'_>>,
        about: Option<&Id>,
    ) -> Result<JsonBuf, ErrorObject> {
        let _person = (Method::of(method) == Method::Elicit).then(|| self.deadline.pause());
        let answer = timeout(self.deadlines.of(method), self.listener.request(method, params, about)).await;
        answer
            .unwrap_or_else(|_| Err(ErrorObject::new(code::DEADLINE, "nobody answered the question in time")))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Inbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbox").field("dropped", &self.lock().dropped).finish_non_exhaustive()
    }
}
