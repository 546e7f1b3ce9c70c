//! `input_required` for a legacy client: asks the questions in the result one by one, and makes the
//! next request from the answers.
use std::sync::Arc;

use overt_wire::era::Caller;
use overt_wire::json::{Json, JsonBuf, Object};
use overt_wire::text::Untrusted;
use overt_wire::{ErrorObject, Exchange, Kind, Message, Method};
use tokio::time::Instant;

use crate::failure;
use crate::question::{self, Rate};
use crate::translate::input::{self, broken};
use crate::translate::upstream_question;
use crate::upstream::Upstream;

/// Asks the client the upstream's questions, and returns the next request with the answers.
pub(crate) async fn next_request(
    exchange: &Exchange,
    upstream: &Arc<Upstream>,
    rate: &Rate,
    answer: &Message,
) -> Result<Message, ErrorObject> {
    let answers = match input::questions(answer)? {
        Some(questions) => Some(ask_all(exchange, upstream, rate, questions).await?),
        None => None,
    };
    input::next_request(&exchange.message, answer, answers.as_ref().map(JsonBuf::as_json))
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

/// Rejects an answer with questions that must not reach a client, for clients that get them inside
/// a result (UP-09).
pub(crate) fn check_all(caller: &Caller, upstream: &Upstream, answer: &Message) -> Result<(), ErrorObject> {
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
        return Err(broken(&format!("`{}` is not a question for a client", Untrusted(method))));
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
    let unanswered = |why: &str| failure::unanswered(upstream.label(), method, why);
    let _person = (Method::of(method) == Method::Elicit).then(|| exchange.deadline.pause());
    let attributed = upstream_question::attribute(method, params, upstream.scope());
    let attributed = attributed.map_err(|error| broken(&error.message))?;
    let params = attributed.as_ref().map(JsonBuf::as_json).or(params);
    let answer = exchange.sink.request(method, params).await;
    let answer = answer.map_err(|_| unanswered("the client can't be reached or took too long"))?;
    match answer.kind() {
        Kind::Result => Ok(upstream_question::answer_for_upstream(answer.result_body().value())),
        _ => Err(answer
            .error_body()
            .map_or_else(|| unanswered("no reason given"), |error| unanswered(&error.message))),
    }
}
