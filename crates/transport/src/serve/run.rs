//! Passes one message through the handler and makes sure that a request gets exactly one answer.
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use overt_wire::era::key;
use overt_wire::error::{ErrorObject, code};
use overt_wire::json::Object;
use overt_wire::{BoxFuture, DeadlineControl, Exchange, Handler, Id, Kind, Message, Method};

use super::progress::watch_progress;
use super::stage::{Stage, StageWatch};
use crate::time_budget::TimeBudget;

/// Answers one exchange. A request gets an error if the handler panics, takes too long or returns
/// nothing, or if the server stops first.
pub(crate) fn answer(
    handler: Arc<dyn Handler>,
    exchange: Exchange,
    budget: TimeBudget,
    mut stage: StageWatch,
) -> BoxFuture<'static, Option<Message>> {
    Box::pin(async move {
        let id = exchange.message.id().cloned();
        // A subscription stays open until one side ends it.
        let is_endless = exchange.message.method() == Some(Method::Listen);
        let is_request = exchange.message.kind() == Kind::Request;
        let deadline = exchange.deadline.clone();
        let call = caught(|| handler.call(watch_progress(exchange)));
        let (budget, last_stage) = match is_endless {
            true => (TimeBudget::UNLIMITED, Stage::InputEnded),
            false => (budget, Stage::Over),
        };
        let outcome = tokio::select! {
            biased;
            outcome = budget.run(&deadline, call) => {
                outcome.unwrap_or_else(|_| Err(too_late(budget, &deadline)))
            }
            () = stage.reached(last_stage) => match id.as_ref().filter(|_| is_endless) {
                Some(id) => return Some(subscription_ended(id)),
                None => Err(stopped()),
            },
        };
        if !is_request {
            return None;
        }
        Some(match outcome {
            Ok(Some(message)) if message.id() == id.as_ref() => message,
            Ok(_) => failed(id.as_ref(), &ErrorObject::internal(), "the handler gave no answer"),
            Err(error) => failed(id.as_ref(), &error, "the handler did not answer"),
        })
    })
}

/// The error for a request that did not finish within its budget.
fn too_late(budget: TimeBudget, deadline: &DeadlineControl) -> ErrorObject {
    let seconds = budget.work.as_secs();
    let data = Object::new()
        .string("code", "DEADLINE")
        .string("executed", "unknown")
        .value("seconds", &seconds)
        .finish();
    let what = match deadline.has_progress() {
        false => format!("the request was not answered within {seconds} s"),
        true => format!(
            "the request reported no progress for {seconds} s, or took longer than {} s altogether",
            budget.longest_work.as_secs()
        ),
    };
    let message = format!("{what}; whether it had an effect is not known. Check before you send it again");
    ErrorObject::new(code::DEADLINE, message).with_data(data)
}

/// The error for a request that was still being answered when the drain time ended.
fn stopped() -> ErrorObject {
    let data = Object::new().string("code", "STOPPED").string("executed", "unknown").finish();
    let message = "the server was told to stop before the request was answered; whether it had an effect is not known. \
                   Check before you send it again";
    ErrorObject::new(code::DEADLINE, message).with_data(data)
}

/// The final answer of a subscription.
fn subscription_ended(id: &Id) -> Message {
    let meta = Object::new().raw(key::SUBSCRIPTION_ID, id.token()).finish();
    let result = Object::new().string("resultType", "complete").json("_meta", meta.as_json()).finish();
    Message::result(id, result.as_json())
}

/// Polls a future once, so that a future that is ready at once needs no task.
pub(crate) async fn first_poll<T>(future: &mut BoxFuture<'static, T>) -> Poll<T> {
    poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await
}

fn failed(id: Option<&Id>, error: &ErrorObject, what: &str) -> Message {
    tracing::warn!(code = error.code, "{what}");
    Message::error(id, error)
}

/// Turns a panic into an internal error, so that one bad request can't end the others.
pub(crate) async fn caught<'a, T>(call: impl FnOnce() -> BoxFuture<'a, T>) -> Result<T, ErrorObject> {
    // The call itself can also panic, before there is a future.
    let mut call = catch_unwind(AssertUnwindSafe(call)).map_err(|_| ErrorObject::internal())?;
    poll_fn(|context| {
        let call: &mut Pin<Box<_>> = &mut call;
        match catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(context))) {
            Ok(poll) => poll.map(Ok),
            Err(_) => Poll::Ready(Err(ErrorObject::internal())),
        }
    })
    .await
}
