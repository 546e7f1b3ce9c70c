//! Tools that ask a client of the newer era: the answer is a list of questions, and the client
//! repeats the call with its answers.
#![expect(
    deprecated,
    reason = "the suite still tests sampling and roots, which the newest revision deprecates"
)]
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CreateMessageRequest,
    CreateMessageRequestParams, ElicitRequest, ElicitRequestParams, InputRequest, InputRequests,
    InputRequiredResult, InputResponses, ListRootsRequest, SamplingMessage,
};
use serde_json::{Value, json};

use crate::suite::{Context, Suite};

pub(crate) fn call(
    suite: &Suite,
    call: &CallToolRequestParams,
    context: &Context,
) -> Result<CallToolResponse, ErrorData> {
    let answers = call.input_responses.as_ref();
    let stage = match &call.request_state {
        Some(sealed) => Some(open(suite, sealed)?),
        None => None,
    };
    let asked = |key: &str| answered(answers, key).is_some();
    match call.name.trim_start_matches("test_input_required_result_") {
        "elicitation" if asked("user_name") => done(&told(answers, "user_name", &["content", "name"])),
        "elicitation" => Ok(ask_one("user_name", "What is your name?", "name")),
        "sampling" if asked("capital_question") => {
            done(&told(answers, "capital_question", &["content", "text"]))
        }
        "sampling" => {
            let questions = [("capital_question", model("What is the capital of France?"))];
            Ok(ask(questions, None))
        }
        "list_roots" if asked("client_roots") => done(&told(answers, "client_roots", &["roots"])),
        "list_roots" => Ok(ask([("client_roots", folders())], None)),
        "request_state" | "tampered_state" if stage.is_some() => done("state-ok"),
        "request_state" | "tampered_state" => {
            Ok(ask([("confirm", form("Are you sure?", "ok", "boolean"))], Some(seal(suite, 1)?)))
        }
        "multiple_inputs" if asked("user_name") && asked("greeting") && asked("client_roots") => {
            done("All three were answered.")
        }
        "multiple_inputs" => {
            let questions = [
                ("user_name", form("What is your name?", "name", "string")),
                ("greeting", model("Write a greeting")),
                ("client_roots", folders()),
            ];
            Ok(ask(questions, Some(seal(suite, 1)?)))
        }
        "multi_round" => match stage {
            None => Ok(ask([("step1", form("Your name?", "name", "string"))], Some(seal(suite, 1)?))),
            Some(1) => Ok(ask([("step2", form("Your colour?", "color", "string"))], Some(seal(suite, 2)?))),
            Some(_) => done("Both rounds are over."),
        },
        "capabilities" if answers.is_some() => done("The answers came."),
        "capabilities" => {
            let known = context.meta.client_capabilities().unwrap_or_default();
            let questions = [
                (known.elicitation.is_some(), "user_name", form("What is your name?", "name", "string")),
                (known.sampling.is_some(), "greeting", model("Write a greeting")),
                (known.roots.is_some(), "client_roots", folders()),
            ];
            let possible: Vec<_> = questions.into_iter().filter(|question| question.0).collect();
            if possible.is_empty() {
                return done("The client answers nothing.");
            }
            Ok(ask(possible.into_iter().map(|(_, key, question)| (key, question)), None))
        }
        _ => Err(ErrorData::invalid_params(format!("unknown tool `{}`", call.name), None)),
    }
}

/// Asks one question with one text field.
pub(crate) fn ask_one(key: &'static str, message: &str, field: &str) -> CallToolResponse {
    ask([(key, form(message, field, "string"))], None)
}

pub(crate) fn form(message: &str, field: &str, kind: &str) -> InputRequest {
    let schema = json!({ "type": "object", "properties": { field: { "type": kind } }, "required": [field] });
    InputRequest::Elicitation(ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: message.to_owned(),
        requested_schema: serde_json::from_value(schema).expect("one field is a form"),
    }))
}

/// Returns the client's answer to a question, if it is an object.
pub(crate) fn answered<'a>(answers: Option<&'a InputResponses>, key: &str) -> Option<&'a Value> {
    answers?.get(key).filter(|answer| answer.is_object())
}

fn ask(
    questions: impl IntoIterator<Item = (&'static str, InputRequest)>,
    state: Option<String>,
) -> CallToolResponse {
    let mut asked = InputRequests::new();
    for (key, question) in questions {
        asked.insert(key.into(), question);
    }
    InputRequiredResult::new(Some(asked), state).into()
}

fn model(prompt: &str) -> InputRequest {
    let messages = vec![SamplingMessage::user_text(prompt)];
    InputRequest::CreateMessage(CreateMessageRequest::new(CreateMessageRequestParams::new(messages, 100)))
}

fn folders() -> InputRequest {
    InputRequest::ListRoots(ListRootsRequest::default())
}

fn told(answers: Option<&InputResponses>, key: &str, path: &[&str]) -> String {
    let answer = answered(answers, key).unwrap_or(&Value::Null);
    let value = path.iter().fold(answer, |value, member| &value[*member]);
    format!("The client says: {value}")
}

fn done(text: &str) -> Result<CallToolResponse, ErrorData> {
    Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
}

fn seal(suite: &Suite, stage: u64) -> Result<String, ErrorData> {
    let sealed = suite.seal.seal_json(&json!({ "stage": stage }));
    sealed.map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn open(suite: &Suite, sealed: &str) -> Result<u64, ErrorData> {
    let state: Value = suite
        .seal
        .open_json(sealed)
        .map_err(|_| ErrorData::invalid_params("`requestState` is not what was sealed", None))?;
    Ok(state["stage"].as_u64().unwrap_or_default())
}
