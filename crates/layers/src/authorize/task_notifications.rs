//! Notifications about tasks. Only the client whose call created the task receives them, under the
//! limits of that call.
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use overt_wire::edit::{self, Step};
use overt_wire::json::{Array, Json, JsonBuf};
use overt_wire::{BoxFuture, ClientSink, Closed, ErrorObject, Exchange, Message, Method, NoClient, Session};

use super::holder::holder_of_session;
use super::layer::Authorize;
use super::task_requests::substituted;
use super::tasks::{OpenTasks, TaskKey};
use crate::grants::Holder;

/// Reports the state of a task to a client of 2025-11-25.
const STATUS: &str = "notifications/tasks/status";

/// The most tasks that one subscription may name.
const MOST_WATCHED: usize = 1_000;

/// Wraps the sink of a subscription. A notification about a task passes only if the task is the
/// client's own, and its result is checked against the limits of the call.
struct TaskSink {
    inner: Arc<dyn ClientSink>,
    tasks: Arc<OpenTasks>,
    owner: Holder,
    /// The request for which withheld results are answered.
    exchange: Exchange,
    info: JsonBuf,
}

impl Authorize {
    /// Restricts a subscription to the client's own tasks and returns it with a sink that drops
    /// notifications about others.
    pub(super) fn listen_to_own_tasks(&self, exchange: Exchange) -> Result<Exchange, ErrorObject> {
        let owner = TaskKey::of(&exchange, "").owner;
        let wanted = exchange.message.param("notifications").get("taskIds").value();
        if wanted.is_some_and(|wanted| wanted.elements().nth(MOST_WATCHED).is_some()) {
            let what = format!("a client may watch at most {MOST_WATCHED} tasks; name fewer in `taskIds`");
            return Err(ErrorObject::invalid_params(what));
        }
        let own = wanted.filter(|wanted| wanted.is_array()).map(|wanted| {
            let known = |id: &Json<'_>| {
                let key = |id: Cow<'_, str>| TaskKey { owner: owner.clone(), id: id.into_owned() };
                id.string().is_none_or(|id| self.open_tasks.terms(&key(id)).is_some())
            };
            wanted.elements().filter(known).fold(Array::new(), Array::json).finish()
        });
        let message = match own {
            Some(own) => {
                let path = ["params", "notifications", "taskIds"].map(Step::Member);
                edit::set_in(&exchange.message, &path, own.as_json())
                    .unwrap_or_else(|_| exchange.message.clone())
            }
            None => exchange.message.clone(),
        };
        let sink = TaskSink {
            inner: Arc::clone(&exchange.sink),
            tasks: Arc::clone(&self.open_tasks),
            owner,
            exchange: Exchange { sink: Arc::new(NoClient), ..exchange.clone() },
            info: self.info(),
        };
        Ok(Exchange { message, sink: Arc::new(sink), ..exchange })
    }
}

// === impl OpenTasks ===

impl OpenTasks {
    /// Reads a status notification for a client of 2025-11-25. Returns whether it may be delivered.
    pub(super) fn saw_status(&self, session: &Session, message: &Message) -> bool {
        if message.method().map(Method::name) != Some(STATUS) {
            return true;
        }
        let params = message.params();
        let (Some(state), Some(id)) = (params.value(), params.get("taskId").string()) else { return false };
        let Some(owner) = holder_of_session(session) else { return false };
        let key = TaskKey { owner, id: id.into_owned() };
        let is_own = self.terms(&key).is_some();
        if is_own {
            self.saw_state(&key, state);
        }
        is_own
    }
}

// === impl TaskSink ===

impl TaskSink {
    /// Returns the notification in the form that the client may see. `None` if it is about a task
    /// of another client.
    fn checked(&self, message: Message) -> Option<Message> {
        if message.method() != Some(Method::TaskChanged) {
            return Some(message);
        }
        let params = message.params();
        let id = params.get("taskId").string()?.into_owned();
        let key = TaskKey { owner: self.owner.clone(), id };
        self.tasks.terms(&key)?;
        match self.tasks.saw_state(&key, params.value()?) {
            None => Some(message),
            Some(withheld) => {
                let path = [Step::Member("params"), Step::Member("result")];
                let checked = substituted(&message, &path, withheld, &self.exchange, &self.info);
                (checked.method() == Some(Method::TaskChanged)).then_some(checked)
            }
        }
    }
}

impl ClientSink for TaskSink {
    fn notify(&self, message: Message) -> BoxFuture<'_, Result<(), Closed>> {
        match self.checked(message) {
            Some(message) => self.inner.notify(message),
            None => Box::pin(std::future::ready(Ok(()))),
        }
    }

    fn request(&self, method: &str, params: Option<Json<'_>>) -> BoxFuture<'_, Result<Message, Closed>> {
        self.inner.request(method, params)
    }

    fn pause(&self, retry: Duration) {
        self.inner.pause(retry);
    }
}
