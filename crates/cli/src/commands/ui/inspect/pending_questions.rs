//! Questions of the server that wait for the person at the page.
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use overt_wire::ErrorObject;
use overt_wire::json::{Json, JsonBuf, Object};
use tokio::sync::oneshot;

use super::feed::Feed;

/// The person's answer: a result, or an error.
pub(super) type PersonAnswer = Result<JsonBuf, ErrorObject>;

/// The most questions that wait. A further question gets an error.
const MOST_WAITING: usize = 64;

#[derive(Debug)]
pub(super) struct PendingQuestions {
    feed: Arc<Feed>,
    waiting: Mutex<OpenQuestions>,
}

#[derive(Debug, Default)]
struct OpenQuestions {
    count: u64,
    /// By id: the event that shows the question, and the channel for its answer.
    questions: BTreeMap<String, (JsonBuf, oneshot::Sender<PersonAnswer>)>,
}

impl PendingQuestions {
    pub(super) fn new(feed: Arc<Feed>) -> Self {
        Self { feed, waiting: Mutex::default() }
    }

    /// Shows a question and waits for its answer. Dropping the future withdraws the question.
    pub(super) async fn ask(&self, method: &str, params: Option<Json<'_>>) -> PersonAnswer {
        let empty = JsonBuf::empty_object();
        let (send, said) = oneshot::channel();
        let id = {
            let mut waiting = self.lock();
            if waiting.questions.len() >= MOST_WAITING {
                return Err(ErrorObject::new(
                    overt_wire::error::code::INTERNAL,
                    format!("{MOST_WAITING} questions wait for the person already"),
                ));
            }
            waiting.count += 1;
            let id = format!("e{}", waiting.count);
            let shown = Object::new()
                .string("id", &id)
                .string("method", method)
                .json("params", params.unwrap_or(empty.as_json()))
                .finish();
            self.feed.tell("asks", &shown);
            waiting.questions.insert(id.clone(), (shown, send));
            id
        };
        let _guard = QuestionGuard { questions: self, id };
        said.await.unwrap_or_else(|_| {
            Err(ErrorObject::new(overt_wire::error::code::INTERNAL, "the page was closed"))
        })
    }

    /// Passes the answer to the call that waits for it. Returns false if no call waits for it any
    /// more.
    pub(super) fn answer(&self, id: &str, said: PersonAnswer) -> bool {
        let question = self.lock().questions.remove(id);
        question.is_some_and(|(_, send)| send.send(said).is_ok())
    }

    /// Returns the events of open questions, for a page that connects later.
    pub(super) fn shown(&self) -> Vec<JsonBuf> {
        self.lock().questions.values().map(|(shown, _)| shown.clone()).collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, OpenQuestions> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes the question from the page when no call waits for its answer.
struct QuestionGuard<'a> {
    questions: &'a PendingQuestions,
    id: String,
}

impl Drop for QuestionGuard<'_> {
    fn drop(&mut self) {
        self.questions.lock().questions.remove(&self.id);
        self.questions.feed.tell("asks-gone", &Object::new().string("id", &self.id).finish());
    }
}
