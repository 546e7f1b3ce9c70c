//! Requests about tasks. Only the client whose call created the task may make them, under the
//! limits of that call.
use std::borrow::Cow;
use std::sync::{Arc, Weak};
use std::time::Duration;

use overt_policy::Limits;
use overt_wire::edit::{self, Step};
use overt_wire::era::{self, Era, key};
use overt_wire::error::code;
use overt_wire::json::{Array, Json, JsonBuf, Object};
use overt_wire::{ErrorObject, Exchange, Id, Message, Method, NoClient};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::answers::{RefusedCall, word};
use super::created_task::CreatedTask;
use super::layer::Authorize;
use super::records::{CallRecord, outcome_of};
use super::tasks::{NotFollowed, OpenTasks, TaskKey, TaskTerms, WithheldReason};
use super::tool_call::ToolCall;
use crate::Endpoint;
use crate::audit::CallOutcome;
use crate::permit::{Admitted, Unprivileged};
use crate::seal::random_name;

/// The method that waits for a task of 2025-11-25 and returns its result.
const RESULT: &str = "tasks/result";
/// The method that lists the tasks of 2025-11-25.
const LIST: &str = "tasks/list";
/// How long a server may take to answer Overt's own request about a task.
const ANSWERED_WITHIN: Duration = Duration::from_secs(10);
/// How long after its time to live a task is forgotten, because the server may end the task at that
/// moment.
const GRACE: Duration = Duration::from_secs(1);

/// A request about tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TaskRequest {
    Get,
    Update,
    Cancel,
    Result,
    List,
}

impl TaskRequest {
    pub(super) fn of(method: Method<'_>) -> Option<Self> {
        match method {
            Method::TasksGet => Some(Self::Get),
            Method::TasksUpdate => Some(Self::Update),
            Method::TasksCancel => Some(Self::Cancel),
            Method::Other(RESULT) => Some(Self::Result),
            Method::Other(LIST) => Some(Self::List),
            _ => None,
        }
    }
}

impl Authorize {
    /// Follows the task that a call became. Its deadline counts from `began`, when the call was
    /// forwarded. If too many tasks are open, cancels the task and returns an error that says so.
    pub(super) async fn follow_task(
        &self,
        call: &ToolCall,
        created: &CreatedTask,
        limits: Limits,
        began: Instant,
        record: CallRecord,
    ) -> Result<(), ErrorObject> {
        let task = TaskKey::of(&call.exchange, &created.id);
        let deadline = limits.time.map(|time| began + time);
        if let Err((why, record)) = self.open_tasks.open(task.clone(), created, limits, deadline, record) {
            if why == NotFollowed::IdInUse {
                record.ended(CallOutcome::ProtocolError, None);
                let what = "the server answered with a task whose id another task of this client has; the call may have had \
                            an effect";
                return Err(ErrorObject::new(code::UPSTREAM_FAILED, what));
            }
            record.ended(CallOutcome::CancelledAfterEffect, None);
            cancel(&*self.endpoint, &call.exchange, &task.id).await;
            let what = "too many tasks are open, so this one was cancelled; it may have had an effect. Wait until other tasks \
                        have ended, or cancel some";
            return Err(ErrorObject::new(code::OVERLOADED, what));
        }
        let watch = watch(
            Arc::downgrade(&self.open_tasks),
            Arc::downgrade(&self.endpoint),
            // The watch keeps nothing of the request alive, such as its sink.
            Exchange { sink: Arc::new(NoClient), param_headers: None, ..call.exchange.clone() },
            task.clone(),
            deadline,
        );
        self.open_tasks.set_watch(&task, tokio::spawn(watch).abort_handle());
        Ok(())
    }

    pub(super) async fn use_task(&self, exchange: Exchange, request: TaskRequest) -> Option<Message> {
        let message = &exchange.message;
        let refuse = |error: &ErrorObject| Some(Message::error(message.id(), error));
        match (request, exchange.caller.era()) {
            (TaskRequest::Result | TaskRequest::List, Era::Modern) => {
                return refuse(&ErrorObject::method_not_found(message.method().map_or("", Method::name)));
            }
            (TaskRequest::List, Era::Legacy) => return self.list_tasks(exchange).await,
            _ => {}
        }
        if let Err(error) = self.effective(&exchange) {
            return refuse(&error);
        }
        if exchange.caller.era() == Era::Modern && !exchange.caller.has_extension(key::TASKS) {
            return refuse(&era::missing_extension(key::TASKS));
        }
        let Some(id) = message.param("taskId").string() else {
            return refuse(&ErrorObject::invalid_params("`taskId` must be a string: the id of a task"));
        };
        let task = TaskKey::of(&exchange, &id);
        let Some(terms) = self.open_tasks.terms(&task) else {
            return refuse(&self.unknown_task(&exchange).await);
        };
        match request {
            TaskRequest::Result => self.task_result(exchange, &task, terms).await,
            TaskRequest::Cancel => {
                let reply = self.pass_on(exchange).await?;
                if reply.result_body().value().is_some() {
                    self.open_tasks.end(&task, CallOutcome::CancelledAfterEffect, None);
                }
                Some(reply)
            }
            TaskRequest::Get => {
                let asked = exchange.clone();
                let reply = self.pass_on(exchange).await?;
                let state = reply.result_body().value();
                let withheld = state.and_then(|state| self.open_tasks.saw_state(&task, state));
                match withheld {
                    Some(withheld) => {
                        let path = [Step::Member("result"), Step::Member("result")];
                        Some(substituted(&reply, &path, withheld, &asked, &self.info()))
                    }
                    None => Some(reply),
                }
            }
            TaskRequest::Update | TaskRequest::List => self.pass_on(exchange).await,
        }
    }

    /// Returns the error for a task that is not this client's. To find out whether the server
    /// supports tasks, it asks about one that does not exist: a server without tasks does not know
    /// the method.
    async fn unknown_task(&self, exchange: &Exchange) -> ErrorObject {
        let asked = ask(&*self.endpoint, exchange, Method::TasksGet, &random_name()).await;
        match asked.and_then(|reply| reply.error_code()) {
            Some(code::METHOD_NOT_FOUND) => {
                ErrorObject::method_not_found(exchange.message.method().map_or("", Method::name))
            }
            _ => ErrorObject::invalid_params(
                "there is no such task of this client, or it has expired; call the tool again",
            ),
        }
    }

    /// Answers `tasks/result`: waits until the task has ended, at most until its deadline.
    async fn task_result(&self, exchange: Exchange, task: &TaskKey, terms: TaskTerms) -> Option<Message> {
        let asked = exchange.clone();
        let refused = |withheld: WithheldReason| refusal(withheld).answer(&asked, &self.info());
        let too_slow = || refused(WithheldReason::TooSlow(terms.limits.time.unwrap_or_default()));
        if terms.is_over_time {
            return too_slow();
        }
        let waiting = self.pass_on(exchange);
        let reply = match terms.deadline {
            None => waiting.await,
            Some(deadline) => match timeout_at(deadline, waiting).await {
                Ok(reply) => reply,
                Err(_) => {
                    if self.open_tasks.time_is_over(task) {
                        cancel(&*self.endpoint, &asked, &task.id).await;
                    }
                    return too_slow();
                }
            },
        }?;
        // The request failed, not the task.
        if let Some(code::DEADLINE | code::OVERLOADED | code::UPSTREAM_DOWN) = reply.error_code() {
            return Some(reply);
        }
        let checked = reply.result_body().value().map(|result| self.open_tasks.check_result(task, result));
        self.open_tasks.end(task, outcome_of(Some(&reply)), Some(&reply));
        match checked {
            Some(Err(withheld)) => refused(withheld),
            _ => Some(reply),
        }
    }

    /// Returns the tasks of a client of 2025-11-25, without those of other clients.
    async fn list_tasks(&self, exchange: Exchange) -> Option<Message> {
        let owner = TaskKey::of(&exchange, "").owner;
        let reply = self.pass_on(exchange).await?;
        let Some(listed) = reply.result_body().get("tasks").value() else { return Some(reply) };
        let is_own = |item: &Json<'_>| {
            let id: Option<Cow<'_, str>> = item.get("taskId").string();
            let key = |id: Cow<'_, str>| TaskKey { owner: owner.clone(), id: id.into_owned() };
            id.is_some_and(|id| self.open_tasks.terms(&key(id)).is_some())
        };
        if listed.elements().all(|item| is_own(&item)) {
            return Some(reply);
        }
        let shown = listed.elements().filter(is_own).fold(Array::new(), Array::json).finish();
        let path = [Step::Member("result"), Step::Member("tasks")];
        // Answer with an error rather than show tasks of other clients.
        let list = edit::set_in(&reply, &path, shown.as_json());
        Some(list.unwrap_or_else(|_| Message::error(reply.id(), &ErrorObject::internal())))
    }
}

/// Cancels the task at its deadline, and forgets it when the server does.
async fn watch(
    tasks: Weak<OpenTasks>,
    endpoint: Weak<dyn Endpoint>,
    exchange: Exchange,
    task: TaskKey,
    deadline: Option<Instant>,
) {
    if let Some(deadline) = deadline {
        sleep_until(deadline).await;
        let is_open = tasks.upgrade().is_some_and(|tasks| tasks.time_is_over(&task));
        if let Some(endpoint) = endpoint.upgrade().filter(|_| is_open) {
            cancel(&*endpoint, &exchange, &task.id).await;
        }
    }
    while let Some((expires, _)) = tasks.upgrade().and_then(|tasks| tasks.expiry(&task)) {
        sleep_until(expires + GRACE).await;
        // A server keeps a task longer if it ended late, so ask once more before forgetting it.
        let is_open =
            tasks.upgrade().and_then(|tasks| tasks.expiry(&task)).is_some_and(|(_, is_open)| is_open);
        if let Some(endpoint) = endpoint.upgrade().filter(|_| is_open) {
            let reply = ask(&*endpoint, &exchange, Method::TasksGet, &task.id).await;
            if let (Some(reply), Some(tasks)) = (reply, tasks.upgrade())
                && let Some(state) = reply.result_body().value()
            {
                tasks.saw_state(&task, state);
            }
        }
        if let Some(tasks) = tasks.upgrade() {
            tasks.forget_expired(&task, Instant::now());
        }
    }
}

/// Asks the server about a task on behalf of the client that created it.
async fn ask(
    endpoint: &dyn Endpoint,
    exchange: &Exchange,
    method: Method<'_>,
    task: &str,
) -> Option<Message> {
    let params = Object::new().string("taskId", task);
    let params = match exchange.caller.era() {
        Era::Modern => params.json("_meta", exchange.caller.to_meta(Object::new()).finish().as_json()),
        Era::Legacy => params,
    };
    let message = Message::request(&Id::from(0), method.name(), Some(params.finish().as_json()));
    let request = Unprivileged::new(Exchange { message, ..exchange.clone() }).ok()?;
    timeout(ANSWERED_WITHIN, endpoint.call(Admitted::Unprivileged(request))).await.ok()?
}

/// Tells the server that a task is no longer wanted.
async fn cancel(endpoint: &dyn Endpoint, exchange: &Exchange, task: &str) {
    let reply = ask(endpoint, exchange, Method::TasksCancel, task).await;
    let is_cancelled = reply.is_some_and(|reply| reply.error_code().is_none());
    tracing::info!(is_cancelled, "a task was cancelled because its time was over or too many were open");
}

fn refusal(withheld: WithheldReason) -> RefusedCall<'static> {
    match withheld {
        WithheldReason::TooLarge(too_large) => too_large.refusal(),
        WithheldReason::TooSlow(time) => RefusedCall::new(
            word::TOO_SLOW,
            format!(
                "The call took longer than the {} s that the policy allows, so its task was cancelled. It may have had an \
                 effect: look before you call it again.",
                time.as_secs_f64()
            ),
        ),
    }
}

/// Returns the message with a tool error in place of the withheld result.
pub(super) fn substituted(
    message: &Message,
    path: &[Step<'_>],
    withheld: WithheldReason,
    exchange: &Exchange,
    info: &JsonBuf,
) -> Message {
    let id = exchange.message.id().cloned();
    let error = refusal(withheld).answer(exchange, info);
    let error = error.as_ref().and_then(|error| error.result_body().value());
    let substituted = error.and_then(|error| edit::set_in(message, path, error).ok());
    substituted.unwrap_or_else(|| Message::error(id.as_ref(), &ErrorObject::internal()))
}
