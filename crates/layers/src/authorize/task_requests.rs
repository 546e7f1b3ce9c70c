//! Requests and notifications about tasks: only for the client whose call created the task, and under the limits of that call.
use std::borrow::Cow;
use std::sync::{Arc, Weak};
use std::time::Duration;

use overt_policy::Limits;
use overt_wire::edit::{self, Step};
use overt_wire::era::{self, Era, key};
use overt_wire::error::code;
use overt_wire::json::{Array, Json, JsonBuf, Object};
use overt_wire::{BoxFuture, Closed, ErrorObject, Exchange, Id, Message, Method, Nobody, Outlet, Session};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::answers::{Refused, word};
use super::bounds::TooLarge;
use super::call::{ToolCall, holder};
use super::layer::Authorize;
use super::records::{CallRecord, outcome_of};
use super::tasks::{CreatedTask, OpenTasks, TaskKey, TaskTerms, Withheld};
use crate::Endpoint;
use crate::audit::CallOutcome;
use crate::permit::{Admitted, Unprivileged};

/// Waits for a task of 2025-11-25, and returns its result.
const RESULT: &str = "tasks/result";
/// Lists the tasks of 2025-11-25.
const LIST: &str = "tasks/list";
/// Tells a client of 2025-11-25 how its task stands.
const STATUS: &str = "notifications/tasks/status";
/// How long a server may take to acknowledge that a task is cancelled.
const CANCELLED_WITHIN: Duration = Duration::from_secs(10);

/// A request about tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TaskRequest {
    Get,
    Update,
    Cancel,
    Result,
    List,
}

/// Stands before the outlet of a subscription: what it tells about tasks is for their client, and within their limits.
struct TaskOutlet {
    inner: Arc<dyn Outlet>,
    tasks: Arc<OpenTasks>,
    owner: String,
    /// In whose name results are withheld.
    exchange: Exchange,
    info: JsonBuf,
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

impl<E: Endpoint> Authorize<E> {
    /// Follows the task that a call became. `began` is when the call went out: its deadline counts from there. If too many tasks
    /// are open, the task is cancelled, and the error says so.
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
        if let Err(record) = self.open_tasks.open(task.clone(), created, limits, deadline, record) {
            record.ended(CallOutcome::CancelledAfterEffect, None);
            cancel(&self.endpoint, &call.exchange, &task.id).await;
            let what = "too many tasks are open, so this one was cancelled; it may have had an effect. Wait until other tasks \
                        have ended, or cancel some";
            return Err(ErrorObject::new(code::OVERLOADED, what));
        }
        let watch = watch(
            Arc::downgrade(&self.open_tasks),
            Arc::downgrade(&self.endpoint),
            // Nothing of the request is kept alive for the sake of its task.
            Exchange { outlet: Arc::new(Nobody), param_headers: None, ..call.exchange.clone() },
            task.clone(),
            deadline,
        );
        self.open_tasks.set_watch(&task, tokio::spawn(watch).abort_handle());
        Ok(())
    }

    pub(super) async fn use_task(&self, exchange: Exchange, request: TaskRequest) -> Option<Message> {
        if request == TaskRequest::List {
            return self.list_tasks(exchange).await;
        }
        let message = &exchange.message;
        let refuse = |error: &ErrorObject| Some(Message::error(message.id(), error));
        if let Err(error) = self.effective(&exchange) {
            return refuse(&error);
        }
        if exchange.caller.era() == Era::Modern && !exchange.caller.has_extension(key::TASKS) {
            return refuse(&era::missing_extension(key::TASKS));
        }
        let Some(id) = message.params().get("taskId").string() else {
            return refuse(&ErrorObject::invalid_params("`taskId` must be a string: the id of a task"));
        };
        let task = TaskKey::of(&exchange, &id);
        let Some(terms) = self.open_tasks.terms(&task) else {
            let method = message.method().map_or("", Method::name);
            return refuse(
                &match exchange.caller.era() == Era::Legacy && !self.open_tasks.has_any(&task.owner) {
                    // No call of this client became a task: the server may have none.
                    true => ErrorObject::method_not_found(method),
                    false => ErrorObject::invalid_params(
                        "there is no such task of this client, or it has expired; call the tool again",
                    ),
                },
            );
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
                        Some(substituted(reply, &path, withheld, &asked, &self.info()))
                    }
                    None => Some(reply),
                }
            }
            TaskRequest::Update | TaskRequest::List => self.pass_on(exchange).await,
        }
    }

    /// `tasks/result` waits until the task has ended, as long as the task may take.
    async fn task_result(&self, exchange: Exchange, task: &TaskKey, terms: TaskTerms) -> Option<Message> {
        let asked = exchange.clone();
        let refused = |withheld: Withheld| refusal(withheld).answer(&asked, &self.info());
        let too_slow = || refused(Withheld::TooSlow(terms.limits.time.unwrap_or_default()));
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
                        cancel(&self.endpoint, &asked, &task.id).await;
                    }
                    return too_slow();
                }
            },
        }?;
        match reply.error_code() {
            // It was the question that failed, not the task.
            Some(code::DEADLINE | code::OVERLOADED | code::UPSTREAM_DOWN) => return Some(reply),
            Some(_) => self.open_tasks.end(task, outcome_of(Some(&reply)), Some(&reply)),
            None => {}
        }
        let checked = reply.result_body().value().map(|result| self.open_tasks.check_result(task, result));
        self.open_tasks.end(task, outcome_of(Some(&reply)), Some(&reply));
        match checked {
            Some(Err(withheld)) => refused(withheld),
            _ => Some(reply),
        }
    }

    /// The tasks of a client of 2025-11-25, without those of other clients.
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
        // Better no list than one that shows what it must not.
        let list = edit::set_in(&reply, &path, shown.as_json());
        Some(list.unwrap_or_else(|_| Message::error(reply.id(), &ErrorObject::internal())))
    }

    /// A subscription that names only tasks of its client, and hears of no others.
    pub(super) fn listen_to_own_tasks(&self, exchange: Exchange) -> Exchange {
        let owner = TaskKey::of(&exchange, "").owner;
        let wanted = exchange.message.params().get("notifications").get("taskIds").value();
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
        let outlet = TaskOutlet {
            inner: Arc::clone(&exchange.outlet),
            tasks: Arc::clone(&self.open_tasks),
            owner,
            exchange: Exchange { outlet: Arc::new(Nobody), ..exchange.clone() },
            info: self.info(),
        };
        Exchange { message, outlet: Arc::new(outlet), ..exchange }
    }
}

/// Cancels the task at its deadline, and forgets it when the server does.
async fn watch<E: Endpoint>(
    tasks: Weak<OpenTasks>,
    endpoint: Weak<E>,
    exchange: Exchange,
    task: TaskKey,
    deadline: Option<Instant>,
) {
    if let Some(deadline) = deadline {
        sleep_until(deadline).await;
        let is_open = tasks.upgrade().is_some_and(|tasks| tasks.time_is_over(&task));
        if let Some(endpoint) = endpoint.upgrade().filter(|_| is_open) {
            cancel(&endpoint, &exchange, &task.id).await;
        }
    }
    drop(exchange);
    while let Some(expires) = tasks.upgrade().and_then(|tasks| tasks.expires(&task)) {
        sleep_until(expires).await;
        if let Some(tasks) = tasks.upgrade() {
            tasks.forget_expired(&task, Instant::now());
        }
    }
}

/// Tells the server that a task is no longer wanted, in the name of the client that made it.
async fn cancel<E: Endpoint>(endpoint: &Arc<E>, exchange: &Exchange, task: &str) {
    let params = Object::new().string("taskId", task);
    let params = match exchange.caller.era() {
        Era::Modern => params.json("_meta", exchange.caller.to_meta(Object::new()).finish().as_json()),
        Era::Legacy => params,
    };
    let message = Message::request(&Id::from(0), Method::TasksCancel.name(), Some(params.finish().as_json()));
    let Ok(request) = Unprivileged::new(Exchange { message, ..exchange.clone() }) else { return };
    let told = timeout(CANCELLED_WITHIN, endpoint.call(Admitted::Unprivileged(request))).await;
    let is_cancelled = matches!(&told, Ok(Some(reply)) if reply.error_code().is_none());
    tracing::info!(is_cancelled, "a task was cancelled because its time was over or too many were open");
}

fn refusal(withheld: Withheld) -> Refused<'static> {
    match withheld {
        Withheld::TooLarge(TooLarge { bytes, most }) => Refused::new(
            word::TOO_LARGE,
            format!(
                "The call was made, but its result has {bytes} bytes and the policy allows {most}, so it is not shown. Ask \
                 for less."
            ),
        ),
        Withheld::TooSlow(time) => Refused::new(
            word::TOO_SLOW,
            format!(
                "The call took longer than the {} s that the policy allows, so its task was cancelled. It may have had an \
                 effect: look before you call it again.",
                time.as_secs_f64()
            ),
        ),
    }
}

/// The message with a tool error in the place of a result that is withheld.
fn substituted(
    message: Message,
    path: &[Step<'_>],
    withheld: Withheld,
    exchange: &Exchange,
    info: &JsonBuf,
) -> Message {
    let id = exchange.message.id().cloned();
    let error = refusal(withheld).answer(exchange, info);
    let error = error.as_ref().and_then(|error| error.result_body().value());
    let substituted = error.and_then(|error| edit::set_in(&message, path, error).ok());
    substituted.unwrap_or_else(|| Message::error(id.as_ref(), &ErrorObject::internal()))
}

// === impl OpenTasks ===

impl OpenTasks {
    /// Looks at a status notification for a client of 2025-11-25. Says whether it may be delivered.
    pub(super) fn saw_status(&self, session: &Session, message: &Message) -> bool {
        if message.method().map(Method::name) != Some(STATUS) {
            return true;
        }
        let params = message.params();
        let (Some(state), Some(id)) = (params.value(), params.get("taskId").string()) else { return false };
        let key = TaskKey { owner: holder(session).session, id: id.into_owned() };
        let is_own = self.terms(&key).is_some();
        if is_own {
            self.saw_state(&key, state);
        }
        is_own
    }
}

// === impl TaskOutlet ===

impl TaskOutlet {
    /// The notification as the client may have it; none if it is about a task of somebody else.
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
                let checked = substituted(message, &path, withheld, &self.exchange, &self.info);
                (checked.method() == Some(Method::TaskChanged)).then_some(checked)
            }
        }
    }
}

impl Outlet for TaskOutlet {
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
