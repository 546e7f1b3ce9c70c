//! Links a run with the task that it may become. The same handler starts within a request and
//! continues without one; it notices this only through its [`Context`](super::super::Context).
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use overt_wire::json::Json;
use overt_wire::{BoxFuture, ClientSink, Closed, Message};
use tokio::sync::{Notify, watch};

use super::record::Task;

/// The sink of a run that may become a task. Messages fail once the request has been answered.
pub(in super::super) struct Link {
    request: Mutex<Option<Arc<dyn ClientSink>>>,
    detach_requested: Notify,
    task: watch::Sender<Option<Arc<Task>>>,
}

impl Link {
    pub(super) fn new(request: Arc<dyn ClientSink>) -> Arc<Self> {
        let (task, _) = watch::channel(None);
        Arc::new(Self { request: Mutex::new(Some(request)), detach_requested: Notify::new(), task })
    }

    /// Hands the run over to a task.
    pub(super) fn become_task(&self, task: Arc<Task>) {
        self.request.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.task.send_replace(Some(task));
    }

    /// Waits until the handler wants to detach from its request.
    pub(super) async fn detach_requested(&self) {
        self.detach_requested.notified().await;
    }

    pub(in super::super) async fn request_detach(&self) {
        let mut task = self.task.subscribe();
        if task.borrow().is_none() {
            self.detach_requested.notify_one();
        }
        // This can't fail: the sender lives as long as this link.
        let _ = task.wait_for(Option::is_some).await;
    }

    pub(in super::super) fn task(&self) -> Option<Arc<Task>> {
        self.task.borrow().clone()
    }

    fn request(&self) -> Option<Arc<dyn ClientSink>> {
        self.request.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl ClientSink for Link {
    fn notify(&self, message: Message) -> BoxFuture<'_, Result<(), Closed>> {
        let request = self.request();
        Box::pin(async move {
            match request {
                Some(request) => request.notify(message).await,
                None => Err(Closed),
            }
        })
    }

    fn request(&self, method: &str, params: Option<Json<'_>>) -> BoxFuture<'_, Result<Message, Closed>> {
        let request = Link::request(self);
        let (method, params) = (method.to_owned(), params.map(Json::to_buf));
        Box::pin(async move {
            match request {
                Some(request) => request.request(&method, params.as_ref().map(|json| json.as_json())).await,
                None => Err(Closed),
            }
        })
    }

    fn pause(&self, retry: Duration) {
        if let Some(request) = Link::request(self) {
            request.pause(retry);
        }
    }
}
