//! `input_required`: results that ask for more input, and the request that follows.
use overt_wire::edit::{self, Step};
use overt_wire::error::code;
use overt_wire::json::{Json, Member};
use overt_wire::{ErrorObject, Message};

const RESPONSES: &str = "inputResponses";
const STATE: &str = "requestState";

/// Whether an answer asks for more input.
pub(crate) fn wants_input(answer: &Message) -> bool {
    answer.result_body().get("resultType").string().as_deref() == Some("input_required")
}

/// Rejects a result type that the client does not know: it must not be mistaken for a complete
/// result (UP-07).
pub(crate) fn check_kind(answer: &Message, knows_tasks: bool) -> Result<(), ErrorObject> {
    let kind = answer.result_body().get("resultType");
    let known = kind.is_absent()
        || match kind.string().as_deref() {
            Some("complete" | "input_required") => true,
            Some("task") => knows_tasks,
            _ => false,
        };
    if known { Ok(()) } else { Err(broken("its result has an unknown `resultType`")) }
}

/// Returns the questions of a result that asks for input. `None` if it only has a state.
pub(crate) fn questions(answer: &Message) -> Result<Option<Json<'_>>, ErrorObject> {
    let result = answer.result_body();
    let questions = result.get("inputRequests").value();
    if questions.is_none() && result.get(STATE).value().is_none() {
        return Err(broken("a result wants input but has neither `inputRequests` nor `requestState`"));
    }
    Ok(questions)
}

/// Returns the request that continues after `answer`, with the answers to its questions.
pub(crate) fn next_request(
    request: &Message,
    answer: &Message,
    answers: Option<Json<'_>>,
) -> Result<Message, ErrorObject> {
    if request.params().value().is_none() {
        return Err(broken("a request without params can't require input"));
    }
    let next = match answers {
        Some(answers) => set(request, RESPONSES, answers)?,
        None => remove(request, RESPONSES)?,
    };
    match answer.result_body().get(STATE) {
        Member::Value(state) => set(&next, STATE, state),
        Member::Absent | Member::Null => remove(&next, STATE),
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

/// Returns the error for an upstream that broke the protocol.
pub(crate) fn broken(what: &str) -> ErrorObject {
    ErrorObject::new(code::UPSTREAM_FAILED, format!("the server behind Overt broke the protocol: {what}"))
}
