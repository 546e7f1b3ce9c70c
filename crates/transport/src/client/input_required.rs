//! `input_required`: a modern server puts its questions into a result, and the client sends the
//! request again with the answers.
use overt_wire::edit::{self, Step};
use overt_wire::json::{Json, JsonBuf, Member, Object};
use overt_wire::{Message, Method};

use super::conversation::Client;
use super::error::ClientError;

const RESPONSES: &str = "inputResponses";
const STATE: &str = "requestState";

impl Client {
    /// Sends a request and returns the result message unchanged. An error answer becomes
    /// [`ClientError::Refused`]. Questions of a modern server go to the listener. Dropping the
    /// future cancels the request.
    pub async fn request(&self, method: &str, params: Option<Json<'_>>) -> Result<Message, ClientError> {
        let mut answer = self.request_once(method, params).await?;
        let limit = self.core.limits.max_input_rounds;
        for _ in 0..limit {
            if !wants_input(&answer) || self.caller.is_none() {
                return Ok(answer);
            }
            if !may_want_input(method) {
                return Err(ClientError::Protocol { what: format!("`{method}` can't require input") });
            }
            let again = self.next_round(params, &answer).await?;
            answer = self.request_once(method, Some(again.as_json())).await?;
        }
        if wants_input(&answer) && self.caller.is_some() {
            return Err(ClientError::TooManyRounds { limit });
        }
        Ok(answer)
    }

    /// Builds the params of the next attempt: the original ones, the answers, and the server's
    /// state unchanged.
    async fn next_round(&self, params: Option<Json<'_>>, answer: &Message) -> Result<JsonBuf, ClientError> {
        let result = answer.result_body();
        let (questions, state) = (result.get("inputRequests"), result.get(STATE));
        if questions.value().is_none() && state.value().is_none() {
            return Err(violation("a result wants input but has neither `inputRequests` nor `requestState`"));
        }
        let empty = JsonBuf::empty_object();
        let mut next = params.unwrap_or(empty.as_json()).to_buf();
        next = match questions.value() {
            Some(questions) => set(&next, RESPONSES, self.answers(questions).await?.as_json())?,
            None => remove(&next, RESPONSES)?,
        };
        match state {
            Member::Value(state) => set(&next, STATE, state),
            Member::Absent | Member::Null => remove(&next, STATE),
        }
    }

    /// Asks the listener one question after the other, like questions to a person.
    async fn answers(&self, questions: Json<'_>) -> Result<JsonBuf, ClientError> {
        let limit = self.core.limits.max_pending_questions;
        if !questions.is_object() || questions.members().nth(limit).is_some() {
            return Err(violation(&format!(
                "`inputRequests` must be an object of at most {limit} questions"
            )));
        }
        let mut answers = Object::new();
        for (name, question) in questions.members() {
            let method = question.get("method").string();
            let method = method.ok_or_else(|| violation("a question in `inputRequests` has no `method`"))?;
            let answer = self.core.incoming.ask_listener(&method, question.get("params").value(), None).await;
            let answer = answer
                .map_err(|error| ClientError::Unanswered { method: method.clone().into_owned(), error })?;
            answers = answers.json(&name.name(), answer.as_json());
        }
        Ok(answers.finish())
    }
}

fn wants_input(answer: &Message) -> bool {
    answer.result_body().get("resultType").string().as_deref() == Some("input_required")
}

fn may_want_input(method: &str) -> bool {
    matches!(Method::of(method), Method::ToolsCall | Method::ResourcesRead | Method::PromptsGet)
}

fn violation(what: &str) -> ClientError {
    ClientError::Protocol { what: what.to_owned() }
}

fn set(params: &JsonBuf, name: &str, value: Json<'_>) -> Result<JsonBuf, ClientError> {
    edit::set(params.as_json(), &[Step::Member(name)], value).map_err(|error| violation(&error.to_string()))
}

fn remove(params: &JsonBuf, name: &str) -> Result<JsonBuf, ClientError> {
    edit::remove(params.as_json(), &[Step::Member(name)]).map_err(|error| violation(&error.to_string()))
}
