//! The requests of the extension: calls as tasks, `tasks/get`, `tasks/update`, `tasks/cancel`.
use std::borrow::Cow;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use overt_wire::era::{self, Era, key};
use overt_wire::error::code;
use overt_wire::json::{JsonBuf, Member, Object};
use overt_wire::{BoxFuture, ErrorObject, Exchange, Method};
use serde_json::Value;

use super::super::ToolError;
use super::super::context::CallConditions;
use super::super::endpoint::ToolServer;
use super::super::questions::{Questions, RunOutcome};
use super::super::reply::Reply;
use super::super::served_tool::ServedTool;
use super::record::Stage;
use super::rule::Start;
use super::run::{self, Answer};
use super::store::OpenTask;
use super::{Link, Task, TaskMode, Tasks};

/// What came first in a run that may detach from its request.
enum DetachableRun<T> {
    RunOutcome(RunOutcome<T>),
    Detaches,
}

impl ToolServer {
    /// Reserves a place for a call that becomes a task. Returns `None` for an ordinary call. Fails
    /// if the tool requires a task and there can't be one.
    pub(in super::super) fn place(
        &self,
        entry: &ServedTool,
        exchange: &Exchange,
    ) -> Result<Option<OpenTask>, ToolError> {
        let rule = &entry.tool.task;
        let Some(tasks) = self.tasks.as_ref().filter(|_| rule.allows_tasks()) else { return Ok(None) };
        let knows_tasks = exchange.caller.has_extension(key::TASKS);
        let open_task =
            if knows_tasks { tasks.open(rule, exchange.message.text().len(), &self.changes) } else { None };
        match (open_task, rule.mode) {
            (None, TaskMode::Required) if knows_tasks => {
                let message = "the server has too many tasks; wait until some have ended, or cancel one";
                Err(ToolError::protocol(ErrorObject::new(code::OVERLOADED, message)))
            }
            (None, TaskMode::Required) => Err(needs_tasks(&entry.tool.name, exchange.caller.era())),
            (open_task, _) => Ok(open_task),
        }
    }

    /// Answers a call with a task and continues the work in the background. Answers directly if the
    /// handler finishes or asks a question before it detaches.
    pub(in super::super) async fn call_as_task(
        &self,
        open_task: OpenTask,
        entry: Arc<ServedTool>,
        arguments: Arc<Value>,
        exchange: Exchange,
        conditions: CallConditions,
    ) -> Answer {
        let (version, info) = (exchange.caller.version, self.info.clone());
        let message = exchange.message.clone();
        let questions = Arc::new(Questions::read(&message, &self.seal)?);
        let link = Link::new(Arc::clone(&exchange.sink));
        let exchange = Exchange { sink: link.clone(), ..exchange };
        let context = self.context(exchange, conditions, &questions, Some(Arc::clone(&link)));
        let _answering = context.while_answering();
        let mut work = entry.start(arguments, context);
        if entry.tool.task.start == Start::OnDetach {
            match run_until_detached(&questions, &link, &mut work).await {
                DetachableRun::RunOutcome(RunOutcome::Done(done)) => {
                    return entry.answer(done, version, &info);
                }
                DetachableRun::RunOutcome(RunOutcome::NeedsInput(open)) => {
                    return Ok(questions.to_result(&message, &open, &self.seal, &info));
                }
                DetachableRun::Detaches => {}
            }
        }
        // Write the handle before the work continues, so that it says only that the task has begun.
        let handle = open_task.task.handle(&info);
        link.become_task(Arc::clone(&open_task.task));
        run::start(open_task, Box::pin(async move { entry.answer(work.await, version, &info) }));
        Ok(handle)
    }

    /// Answers the requests that only a server with tasks supports.
    pub(in super::super) fn tasks_answer(
        &self,
        tasks: &Tasks,
        method: Method<'_>,
        exchange: &Exchange,
    ) -> Answer {
        match method {
            // The tasks of 2025-11-25 are a different feature.
            method if exchange.caller.era() == Era::Legacy => {
                Err(ErrorObject::method_not_found(method.name()))
            }
            Method::TasksGet => self.tasks_get(tasks, exchange),
            Method::TasksUpdate => self.tasks_update(tasks, exchange),
            Method::TasksCancel => self.tasks_cancel(tasks, exchange),
            other => Err(ErrorObject::method_not_found(other.name())),
        }
    }

    fn tasks_get(&self, tasks: &Tasks, exchange: &Exchange) -> Answer {
        let body = asked_task(tasks, exchange)?.fetch();
        Ok(Reply::new(body).finish(exchange.caller.version, &self.info))
    }

    fn tasks_update(&self, tasks: &Tasks, exchange: &Exchange) -> Answer {
        let task = asked_task(tasks, exchange)?;
        match exchange.message.param("inputResponses") {
            Member::Value(answers) if answers.is_object() => task.update(answers),
            _ => return Err(ErrorObject::invalid_params("`inputResponses` must be an object")),
        }
        Ok(self.acknowledgement(exchange))
    }

    fn tasks_cancel(&self, tasks: &Tasks, exchange: &Exchange) -> Answer {
        let task = asked_task(tasks, exchange)?;
        task.end(Stage::Cancelled, Some("cancelled by the client"));
        Ok(self.acknowledgement(exchange))
    }

    /// Returns an empty result. Clients learn the outcome from `tasks/get`.
    fn acknowledgement(&self, exchange: &Exchange) -> JsonBuf {
        Reply::new(Object::new()).finish(exchange.caller.version, &self.info)
    }
}

/// Runs the handler in its request until it is done, has a question, or wants to detach.
async fn run_until_detached<T>(
    questions: &Questions,
    link: &Link,
    work: &mut BoxFuture<'static, T>,
) -> DetachableRun<T> {
    let mut detach_requested = pin!(link.detach_requested());
    poll_fn(|context| {
        if let Poll::Ready(asked) = questions.poll(work, context) {
            return Poll::Ready(DetachableRun::RunOutcome(asked));
        }
        detach_requested.as_mut().poll(context).map(|()| DetachableRun::Detaches)
    })
    .await
}

/// Returns the task that a request names. The id is the only authorization: it can't be guessed,
/// and only the client that made the task received it.
fn asked_task(tasks: &Tasks, exchange: &Exchange) -> Result<Arc<Task>, ErrorObject> {
    if !exchange.caller.has_extension(key::TASKS) {
        return Err(era::missing_extension(key::TASKS));
    }
    let id: Option<Cow<'_, str>> = exchange.message.param("taskId").string();
    let id = id.ok_or_else(|| ErrorObject::invalid_params("`taskId` must be a string: the id of a task"))?;
    tasks.find(&id).ok_or_else(|| {
        ErrorObject::invalid_params("there is no such task, or it has expired; call the tool again")
    })
}

/// Returns the error for a client that can't use tasks, in the form of its era.
fn needs_tasks(tool: &str, era: Era) -> ToolError {
    match era {
        Era::Modern => ToolError::protocol(era::missing_extension(key::TASKS)),
        Era::Legacy => ToolError::new(format!("`{tool}` runs only as a task, which this client can't use"))
            .next("Use a client with protocol version 2026-07-28 and tasks, or another tool."),
    }
}
