//! `input_required` for a legacy client: the questions in the result are asked one by one, and the request is sent
//! again with the answers.
use std::sync::Arc;
use std::time::Instant;

use overt_wire::edit::{self, Step};
use overt_wire::era::Caller;
use overt_wire::error::code;
use overt_wire::json::{Json, JsonBuf, Member, Object};
use overt_wire::text::Untrusted;
use overt_wire::{ErrorObject, Exchange, Kind, Message, Method};

use crate::question::{self, Rate};
use crate::upstream::Upstream;
use crate::upstream_question;

const RESPONSES: &str = "inputResponses";
const STATE: &str = "requestState";

/// Whether an answer asks for more.
pub(super) fn wants_input(answer: &Message) -> bool {
    answer.result_body().get("resultType").string().as_deref() == Some("input_required")
}

/// A result of a kind that the client doesn't know must not be taken for a complete one (UP-07).
pub(super) fn check_kind(answer: &Message, knows_tasks: bool) -> Result<(), ErrorObject> {
    let kind = answer.result_body().get("resultType");
    let known = kind.is_absent()
        || match kind.string().as_deref() {
            Some("complete" | "input_required") => true,
            Some("task") => knows_tasks,
            _ => false,
        };
    if known { Ok(()) } else { Err(broken("its result has a `resultType` that nobody knows")) }
}

/// Asks the client what the upstream wants to know, and makes the next request of it.
pub(super) async fn next(
    exchange: &Exchange,
    upstream: &Arc<Upstream>,
    rate: &Rate,
    answer: &Message,
) -> Result<Message, ErrorObject> {
    let result = answer.result_body();
    let (questions, state) = (result.get("inputRequests").value(), result.get(STATE));
    if questions.is_none() && state.value().is_none() {
        return Err(broken("a result wants input but has neither `inputRequests` nor `requestState`"));
    }
    let mut next = exchange.message.clone();
    if next.params().value().is_none() {
        return Err(broken("a request without params can't require input"));
    }
    next = match questions {
        Some(questions) => {
            let answers = ask_all(exchange, upstream, rate, questions).await?;
            set(&next, RESPONSES, answers.as_json())?
        }
        None => remove(&next, RESPONSES)?,
    };
    match state {
        Member::Value(state) => set(&next, STATE, state),
        Member::Absent | Member::Null => remove(&next, STATE),
    }
}

async fn ask_all(
    exchange: &Exchange,
    upstream: &Arc<Upstream>,
    rate: &Rate,
    questions: Json<'_>,
) -> Result<JsonBuf, ErrorObject> {
    let limit = upstream.options.limits.max_pending_questions;
    if !questions.is_object() || questions.members().nth(limit).is_some() {
        return Err(broken(&format!("`inputRequests` must be an object of at most {limit} questions")));
    }
    let mut answers = Object::new();
    for (name, question) in questions.members() {
        let method = question.get("method").string();
        let method = method.ok_or_else(|| broken("a question in `inputRequests` has no `method`"))?;
        let answer = ask(exchange, upstream, rate, &method, question.get("params").value()).await?;
        answers = answers.json(&name.name(), answer.as_json());
    }
    Ok(answers.finish())
}

/// Refuses questions that must not reach a client, where they are passed on inside a result (UP-09).
pub(super) fn check_all(caller: &Caller, upstream: &Upstream, answer: &Message) -> Result<(), ErrorObject> {
    let questions = answer.result_body().get("inputRequests").value();
    for (_, question) in questions.into_iter().flat_map(Json::members) {
        let method = question.get("method").string();
        let method = method.ok_or_else(|| broken("a question in `inputRequests` has no `method`"))?;
        check(caller, upstream, &method, question.get("params").value())?;
    }
    Ok(())
}

fn check(
    caller: &Caller,
    upstream: &Upstream,
    method: &str,
    params: Option<Json<'_>>,
) -> Result<(), ErrorObject> {
    let known = Method::of(method);
    if !question::is_known(known) {
        return Err(broken(&format!("`{}` is no question for a client", Untrusted(method))));
    }
    let refused = question::check_capability(caller, known).and_then(|()| {
        if upstream.options.questions.secrets { Ok(()) } else { question::check_form(known, params) }
    });
    refused.map_err(|error| broken(&error.message))
}

async fn ask(
    exchange: &Exchange,
    upstream: &Arc<Upstream>,
    rate: &Rate,
    method: &str,
    params: Option<Json<'_>>,
) -> Result<JsonBuf, ErrorObject> {
    check(&exchange.caller, upstream, method, params)?;
    rate.take(Instant::now())?;
    let unanswered = |why: &str| {
        let message = format!("the upstream asked `{}` and got no answer: {why}", Untrusted(method));
        ErrorObject::new(code::INTERNAL, message)
    };
    let _person = (Method::of(method) == Method::Elicit).then(|| exchange.deadline.pause());
    let attributed = upstream_question::attribute(method, params, upstream.scope());
    let attributed = attributed.map_err(|error| broken(&error.message))?;
    let params = attributed.as_ref().map(JsonBuf::as_json).or(params);
    let answer = exchange.outlet.request(method, params).await;
    let answer = answer.map_err(|_| unanswered("the client can't be reached or took too long"))?;
    match answer.kind() {
        Kind::Result => Ok(upstream_question::answer_for_upstream(answer.result_body().value())),
        _ => Err(answer
            .error_body()
            .map_or_else(|| unanswered("no reason given"), |error| unanswered(&error.message))),
    }
}

fn set(message: &Message, name: &str, value: Json<'_>) -> Result<Message, ErrorObject> {
    let path = [Step::Member("params"), Step::Member(name)];
    edit::set_in(message, &path, value).map_err(|error| broken(&error.to_string()))
}

fn remove(message: &Message, name: &str) -> Result<Message, ErrorObject> {
    let path = [Step::Member("params"), Step::Member(name)];
    edit::remove_in(message, &path).map_err(|error| broken(&error.to_string()))
}

pub(super) fn broken(what: &str) -> ErrorObject {
    ErrorObject::new(code::UPSTREAM_FAILED, format!("the server behind Overt broke the protocol: {what}"))
}
