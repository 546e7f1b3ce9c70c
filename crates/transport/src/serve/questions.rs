//! Our requests to a client that wait for the client's answer.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use overt_wire::json::{JsonBuf, Object};
use overt_wire::{Closed, Id, Message, Method};
use tokio::sync::oneshot;

use super::random_name;
use crate::limits::QuestionDeadlines;

/// The open questions of one session. An answer counts only if it arrives on the same session with
/// the question's unguessable id (RPC-11).
#[derive(Debug)]
pub(crate) struct Questions {
    most: usize,
    deadlines: QuestionDeadlines,
    open: Mutex<OpenQuestions>,
}

#[derive(Debug, Default)]
struct OpenQuestions {
    waiting: HashMap<Id, oneshot::Sender<Message>>,
    /// Whether messages of the client are no longer read.
    is_closed: bool,
}

/// Removes the question when dropped. If it was sent and not answered, withdraws it from the
/// client.
struct QuestionGuard<W: Fn(Message)> {
    questions: Arc<Questions>,
    id: Id,
    withdraw: Option<W>,
}

impl Questions {
    pub(crate) fn new(most: usize, deadlines: QuestionDeadlines) -> Arc<Self> {
        Arc::new(Self { most, deadlines, open: Mutex::default() })
    }

    /// Asks through `send` and waits for the answer. If the deadline passes, or the caller drops
    /// this future, the question is withdrawn through `withdraw`.
    pub(crate) async fn ask<F>(
        self: Arc<Self>,
        method: String,
        params: Option<JsonBuf>,
        send: impl FnOnce(Message) -> F,
        withdraw: impl Fn(Message),
    ) -> Result<Message, Closed>
    where
        F: Future<Output = Result<(), Closed>>,
    {
        let id = Id::from(random_name().as_str());
        let (answer, answered) = oneshot::channel();
        {
            let mut open = self.lock();
            if open.is_closed {
                return Err(Closed);
            }
            if open.waiting.len() >= self.most {
                tracing::warn!(most = self.most, "too many questions wait for this client");
                return Err(Closed);
            }
            open.waiting.insert(id.clone(), answer);
        }
        let mut asked = QuestionGuard { questions: Arc::clone(&self), id, withdraw: None };
        send(Message::request(&asked.id, &method, params.as_ref().map(JsonBuf::as_json))).await?;
        asked.withdraw = Some(withdraw);
        match tokio::time::timeout(self.deadlines.of(&method), answered).await {
            Ok(Ok(message)) => Ok(message),
            Ok(Err(_)) | Err(_) => Err(Closed),
        }
    }

    /// Handles an answer of the client. An answer to no open question is dropped.
    pub(crate) fn answered(&self, message: Message) {
        let waiting = message.id().and_then(|id| self.lock().waiting.remove(id));
        match waiting {
            Some(waiting) => drop(waiting.send(message)),
            None => tracing::debug!("an answer to no open question came"),
        }
    }

    /// Fails all open and future questions, because the client is gone or its messages are no
    /// longer read.
    pub(crate) fn close(&self) {
        let mut open = self.lock();
        open.is_closed = true;
        open.waiting.clear();
    }

    fn lock(&self) -> MutexGuard<'_, OpenQuestions> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W: Fn(Message)> Drop for QuestionGuard<W> {
    fn drop(&mut self) {
        let unanswered = self.questions.lock().waiting.remove(&self.id).is_some();
        if let Some(withdraw) = self.withdraw.take().filter(|_| unanswered) {
            let params =
                Object::new().raw("requestId", self.id.token()).string("reason", "no longer wanted").finish();
            withdraw(Message::notification(Method::Cancelled.name(), Some(params.as_json())));
        }
    }
}
