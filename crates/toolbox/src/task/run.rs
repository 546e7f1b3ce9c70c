//! Runs the work of a task in the background, with its deadline, cancellation and panics. In every
//! case the task ends and its place becomes free.
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use overt_wire::BoxFuture;
use overt_wire::error::{ErrorObject, code};
use overt_wire::json::JsonBuf;
use tokio::time::{sleep_until, timeout_at};

use super::Task;
use super::record::Stage;
use super::store::OpenTask;

/// The outcome of a call: its result, or its error.
pub(super) type Answer = Result<JsonBuf, ErrorObject>;

/// Starts the work in the background. Needs the tokio runtime that every transport runs on.
pub(super) fn start(open_task: OpenTask, work: BoxFuture<'static, Answer>) {
    tokio::spawn(run(open_task, work));
}

async fn run(open_task: OpenTask, work: BoxFuture<'static, Answer>) {
    let task = &open_task.task;
    let answer = answer_of(task, work).await;
    let (stage, message) = match answer {
        Some(Ok(result)) if open_task.settle(result.as_str().len()) => (Stage::Completed(result), None),
        Some(Ok(result)) => failed(too_large(&result)),
        Some(Err(error)) => failed(error),
        // The task was already ended from outside.
        None => (Stage::Cancelled, None),
    };
    if !matches!(stage, Stage::Completed(_)) {
        open_task.settle(0);
    }
    task.end(stage, message.as_deref());
    // Keep the place until the task expires.
    let _ = timeout_at(task.expires(), task.forgotten()).await;
}

/// Works until there is an answer, the deadline passes, or the task is ended from outside.
async fn answer_of(task: &Task, mut work: BoxFuture<'static, Answer>) -> Option<Answer> {
    let mut ended = pin!(task.ended());
    let mut late = pin!(sleep_until(task.expires()));
    let answer = poll_fn(|context| {
        if ended.as_mut().poll(context).is_ready() {
            return Poll::Ready(None);
        }
        match catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
            Ok(Poll::Ready(answer)) => return Poll::Ready(Some(answer)),
            Ok(Poll::Pending) => {}
            Err(_) => {
                tracing::error!("the handler of a task panicked");
                return Poll::Ready(Some(Err(ErrorObject::internal())));
            }
        }
        late.as_mut().poll(context).map(|()| {
            let error =
                ErrorObject::new(code::DEADLINE, "the work did not end within the task's time to live");
            Some(Err(error))
        })
    })
    .await;
    // Dropping the work cancels it, and its destructors may panic too.
    if catch_unwind(AssertUnwindSafe(|| drop(work))).is_err() {
        tracing::error!("the handler of a task panicked while it was given up");
    }
    answer
}

fn failed(error: ErrorObject) -> (Stage, Option<String>) {
    let message = error.message.clone();
    (Stage::Failed(error), Some(message))
}

fn too_large(result: &JsonBuf) -> ErrorObject {
    let bytes = result.as_str().len();
    ErrorObject::new(
        code::OVERLOADED,
        format!("the result has {bytes} bytes, and the server has no room to keep it; try again later"),
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use overt_wire::json::Object;

    use super::super::super::announce::Changes;
    use super::super::{TaskRule, Tasks};
    use super::*;

    #[tokio::test]
    async fn a_result_for_which_there_is_no_room_fails_the_task() {
        let tasks = Tasks::default();
        let open = |bytes| tasks.open(&TaskRule::default(), bytes, &Changes::default()).unwrap();
        let large = open((64 << 20) - 100);
        let (open_task, result) = (open(10), Object::new().string("text", &"x".repeat(200)).finish());
        let task = Arc::clone(&open_task.task);
        start(open_task, Box::pin(std::future::ready(Ok(result.clone()))));
        while !task.has_ended() {
            tokio::task::yield_now().await;
        }
        let seen = task.fetch().finish();
        assert_eq!(seen.as_json().get("status").string().as_deref(), Some("failed"));
        assert!(seen.as_str().contains("no room"), "{}", seen.as_str());

        drop(large);
        let open_task = open(10);
        let task = Arc::clone(&open_task.task);
        start(open_task, Box::pin(std::future::ready(Ok(result))));
        while !task.has_ended() {
            tokio::task::yield_now().await;
        }
        let seen = task.fetch().finish();
        assert_eq!(seen.as_json().get("status").string().as_deref(), Some("completed"));
    }
}
