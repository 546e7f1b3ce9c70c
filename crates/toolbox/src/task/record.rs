//! One task: its state, its questions and its result. It knows nothing about other tasks and does
//! no work itself.
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use overt_wire::ErrorObject;
use overt_wire::json::{Json, JsonBuf};
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use super::super::announce::{Changes, Urgency};
use super::super::error::ToolError;
use super::super::questions::Question;
use super::rule::TaskRule;

/// A task, shared by its work, by the requests about it and by the store.
#[derive(Debug)]
pub(in super::super) struct Task {
    /// The id, which also authorizes: a client that has it may read, answer and cancel the task.
    pub(in super::super) id: String,
    pub(super) created: SystemTime,
    pub(super) poll: Duration,
    born: Instant,
    changes: Changes,
    ended: Notify,
    forgotten: Notify,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) stage: Stage,
    pub(super) message: Option<String>,
    pub(super) updated: SystemTime,
    /// Time to live, from the creation. It grows when the work ends late, so that the result can
    /// still be fetched.
    pub(super) ttl: Duration,
    /// Questions that wait for an answer, in the order in which they were asked.
    pub(super) open: Vec<OpenTaskQuestion>,
    /// The number of questions so far, so that no key is used twice.
    asked: u64,
    /// Whether the client has seen the final state.
    fetched: bool,
}

#[derive(Debug)]
pub(super) struct OpenTaskQuestion {
    pub(super) key: String,
    pub(super) question: Question,
    answer: oneshot::Sender<JsonBuf>,
}

/// The state of a task. All states except `Working` are final.
#[derive(Debug)]
pub(super) enum Stage {
    Working,
    Completed(JsonBuf),
    Failed(ErrorObject),
    Cancelled,
}

/// Withdraws a question when its asker stops waiting.
struct QuestionGuard<'a> {
    task: &'a Arc<Task>,
    key: String,
}

/// The most questions of one task that may wait at the same time. The limit is the same as for
/// questions to a client during a request.
const MOST_QUESTIONS: usize = 32;
/// The most characters of a status message. It is one line for a person, and every poll returns it.
const MOST_MESSAGE: usize = 500;
/// Random bytes of an id: 192 bits can't be guessed.
const ID_BYTES: usize = 24;
/// The least time that a result is kept when the work took nearly all of its time to live.
const KEPT: Duration = Duration::from_secs(300);

// === impl Task ===

impl Task {
    pub(super) fn new(rule: &TaskRule, changes: Changes) -> Arc<Self> {
        let mut bytes = [0; ID_BYTES];
        // It is better to panic than to make an id that others could guess.
        getrandom::fill(&mut bytes).expect("the operating system gives random numbers");
        let created = SystemTime::now();
        Arc::new(Self {
            id: URL_SAFE_NO_PAD.encode(bytes),
            created,
            poll: rule.poll,
            born: Instant::now(),
            changes,
            ended: Notify::new(),
            forgotten: Notify::new(),
            inner: Mutex::new(Inner {
                stage: Stage::Working,
                message: None,
                updated: created,
                ttl: rule.ttl,
                open: Vec::new(),
                asked: 0,
                fetched: false,
            }),
        })
    }

    /// Sets the status message.
    pub(in super::super) fn say(self: &Arc<Self>, message: &str) {
        {
            let mut inner = self.lock();
            if inner.has_ended() {
                return;
            }
            inner.tell(message);
        }
        self.announce(Urgency::CanWait);
    }

    /// Asks the client, and waits until `tasks/update` brings the answer.
    pub(in super::super) async fn ask(self: &Arc<Self>, question: Question) -> Result<JsonBuf, ToolError> {
        let (answer, answered) = oneshot::channel();
        let asking = {
            let mut inner = self.lock();
            if inner.open.len() >= MOST_QUESTIONS {
                return Err(ToolError::new(format!("a task may wait for at most {MOST_QUESTIONS} answers")));
            }
            inner.asked += 1;
            let key = format!("{}-{}", question.key(), inner.asked);
            inner.open.push(OpenTaskQuestion { key: key.clone(), question, answer });
            inner.updated = SystemTime::now();
            QuestionGuard { task: self, key }
        };
        self.announce(Urgency::Now);
        let answer = answered.await;
        drop(asking);
        answer.map_err(|_| ToolError::new("the task has ended"))
    }

    /// Passes answers on to the code that waits for them. Answers without a matching question are
    /// ignored.
    pub(super) fn update(self: &Arc<Self>, answers: Json<'_>) {
        let mut any = false;
        {
            let mut inner = self.lock();
            for (key, answer) in answers.members() {
                let waiting = inner.open.iter().position(|open| key.is(&open.key));
                let Some(index) = waiting else { continue };
                if inner.open[index].question.is_answered_by(answer) {
                    let open = inner.open.remove(index);
                    let _ = open.answer.send(answer.to_buf());
                    any = true;
                }
            }
            if any {
                inner.updated = SystemTime::now();
            }
        }
        if any {
            self.announce(Urgency::Now);
        }
    }

    /// Ends the task, unless it has already ended. The work is notified through
    /// [`ended`](Self::ended).
    pub(super) fn end(self: &Arc<Self>, stage: Stage, message: Option<&str>) {
        {
            let mut inner = self.lock();
            if inner.has_ended() {
                return;
            }
            inner.stage = stage;
            inner.message = None;
            inner.open.clear();
            inner.ttl = inner.ttl.max(self.born.elapsed() + inner.ttl.min(KEPT));
            inner.updated = SystemTime::now();
            if let Some(message) = message {
                inner.tell(message);
            }
        }
        self.ended.notify_one();
        self.announce(Urgency::Now);
    }

    /// Waits until the task is ended from outside. Only the work itself may wait, because only one
    /// waiter is notified.
    pub(super) async fn ended(&self) {
        self.ended.notified().await;
    }

    /// Records that clients can no longer ask for the task.
    pub(super) fn forget(&self) {
        self.forgotten.notify_one();
    }

    /// Waits until clients can no longer ask for the task. Only the work itself may wait, because
    /// only one waiter is notified.
    pub(super) async fn forgotten(&self) {
        self.forgotten.notified().await;
    }

    /// Returns when the task will be forgotten. While it works, this is also its deadline.
    pub(super) fn expires(&self) -> Instant {
        self.born + self.lock().ttl
    }

    /// Returns when the task ended, if the client has seen that it ended.
    pub(super) fn spent_since(&self) -> Option<SystemTime> {
        let inner = self.lock();
        inner.fetched.then_some(inner.updated)
    }

    pub(super) fn has_ended(&self) -> bool {
        self.lock().has_ended()
    }

    fn announce(&self, urgency: Urgency) {
        self.changes.task(&self.id, urgency, || self.detail());
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl Inner ===

impl Inner {
    pub(super) fn note_fetched(&mut self) {
        self.fetched = self.has_ended();
    }

    fn has_ended(&self) -> bool {
        !matches!(self.stage, Stage::Working)
    }

    fn tell(&mut self, message: &str) {
        self.message = Some(message.chars().take(MOST_MESSAGE).collect());
        self.updated = SystemTime::now();
    }
}

impl Drop for QuestionGuard<'_> {
    fn drop(&mut self) {
        let withdrawn = {
            let mut inner = self.task.lock();
            let before = inner.open.len();
            inner.open.retain(|open| open.key != self.key);
            inner.open.len() < before
        };
        if withdrawn {
            self.task.announce(Urgency::Now);
        }
    }
}
