//! Requests of ours that wait for the client's answer.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use overt_wire::{Closed, Id, Message};
use tokio::sync::oneshot;

use super::random_name;

/// The open questions of one session. Only an answer that arrives on the same session, with an id that
/// nobody can guess, is taken (RPC-11).
#[derive(Debug)]
pub(crate) struct Questions {
    most: usize,
    deadline: Duration,
    open: Mutex<HashMap<Id, oneshot::Sender<Message>>>,
}

/// Forgets the question when nobody waits for it any more.
struct Asked {
    questions: Arc<Questions>,
    id: Id,
}

impl Questions {
    pub(crate) fn new(most: usize, deadline: Duration) -> Arc<Self> {
        Arc::new(Self { most, deadline, open: Mutex::default() })
    }

    /// Asks through `send` and waits for the answer.
    pub(crate) async fn ask<F>(
        self: Arc<Self>,
        method: String,
        params: Option<overt_wire::json::JsonBuf>,
        send: impl FnOnce(Message) -> F,
    ) -> Result<Message, Closed>
    where
        F: Future<Output = Result<(), Closed>>,
    {
        let id = Id::from(random_name().as_str());
        let (answer, answered) = oneshot::channel();
        {
            let mut open = self.lock();
            if open.len() >= self.most {
                tracing::warn!(most = self.most, "too many questions wait for this client");
                return Err(Closed);
            }
            open.insert(id.clone(), answer);
        }
        let asked = Asked { questions: Arc::clone(&self), id };
        send(Message::request(&asked.id, &method, params.as_ref().map(|params| params.as_json()))).await?;
        match tokio::time::timeout(self.deadline, answered).await {
            Ok(Ok(message)) => Ok(message),
            Ok(Err(_)) | Err(_) => Err(Closed),
        }
    }

    /// Takes an answer of the client. One that nobody asked for is dropped.
    pub(crate) fn answered(&self, message: Message) {
        let waiting = message.id().and_then(|id| self.lock().remove(id));
        match waiting {
            Some(waiting) => drop(waiting.send(message)),
            None => tracing::debug!("an answer came that nobody asked for"),
        }
    }

    /// The client has gone: nobody will answer.
    pub(crate) fn close(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Id, oneshot::Sender<Message>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.questions.lock().remove(&self.id);
    }
}
