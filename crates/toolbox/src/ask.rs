//! Questions to the client, written once by the author. For a legacy client, the call waits for the
//! answer. For a modern client, the call ends with the questions and runs again from the start when
//! the answers arrive.
use overt_wire::json::{Json, JsonBuf, Member, Object};
use serde::Deserialize;
use serde_json::Value;

use super::context::Context;
use super::error::ToolError;
use super::form;
use super::questions::Question;

/// The answer of a person to a form.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Accepted(Value),
    Declined,
    Cancelled,
}

impl Context {
    /// Asks a person to fill in a form. `key` names the question within this call. The code before
    /// it may run again, so ask before you act.
    pub async fn elicit(&self, key: &str, message: &str, schema: &Value) -> Result<Answer, ToolError> {
        let schema = form::in_version(schema, self.caller().version)?;
        let params = Object::new().string("message", message).value("requestedSchema", &schema).finish();
        let answer = self.ask(key, "elicitation/create", "elicitation", Some(params)).await?;
        let answer = answer.as_json();
        match answer.get("action").string().as_deref() {
            Some("accept") => match answer.get("content") {
                Member::Value(content) => Ok(Answer::Accepted(content.read()?)),
                Member::Absent | Member::Null => Ok(Answer::Accepted(Value::Object(serde_json::Map::new()))),
            },
            Some("decline") => Ok(Answer::Declined),
            Some("cancel") => Ok(Answer::Cancelled),
            _ => Err(ToolError::new("the client's answer to the question has no known `action`")),
        }
    }

    /// Asks a person to fill in a form made from a type: a flat struct of strings, numbers,
    /// booleans and enums. Returns `None` if the person declines or cancels.
    pub async fn elicit_as<T>(&self, key: &str, message: &str) -> Result<Option<T>, ToolError>
    where
        T: schemars::JsonSchema + for<'de> Deserialize<'de>,
    {
        let schema = super::schema::of::<T>(super::schema::Direction::Output);
        match self.elicit(key, message, &schema).await? {
            Answer::Accepted(content) => Ok(Some(serde_json::from_value(content)?)),
            Answer::Declined | Answer::Cancelled => Ok(None),
        }
    }

    /// Asks the client's model. `params` and the returned value are those of
    /// `sampling/createMessage`.
    pub async fn sample(&self, key: &str, params: &Value) -> Result<Value, ToolError> {
        let answer = self.ask(key, "sampling/createMessage", "sampling", Some(JsonBuf::from(params))).await?;
        Ok(answer.as_json().read()?)
    }

    /// Returns the folders that the client works in: URIs, with names if the client gives them.
    pub async fn roots(&self, key: &str) -> Result<Vec<(String, Option<String>)>, ToolError> {
        let answer = self.ask(key, "roots/list", "roots", Some(JsonBuf::empty_object())).await?;
        let roots = answer.as_json().get("roots").value().map(Json::elements);
        Ok(roots
            .into_iter()
            .flatten()
            .filter_map(|root| {
                let name = root.get("name").string().map(std::borrow::Cow::into_owned);
                Some((root.get("uri").string()?.into_owned(), name))
            })
            .collect())
    }

    async fn ask(
        &self,
        key: &str,
        method: &'static str,
        capability: &str,
        params: Option<JsonBuf>,
    ) -> Result<JsonBuf, ToolError> {
        if self.is_planning() {
            return Err(ToolError::new("the plan of a call can't ask the client anything")
                .next("Report this as a mistake of the server's author."));
        }
        self.require(capability)?;
        if self.asks_in_result() {
            let question = Question::new(key, method, params);
            if let Some(answer) = self.questions().previous_answer(&question) {
                return Ok(answer);
            }
            return match self.task() {
                Some(task) => task.ask(question).await,
                None => self.questions().ask(question).await,
            };
        }
        let params = params.as_ref().map(JsonBuf::as_json);
        // The time that a person takes to answer does not count towards the call's deadline.
        let _person = (method == "elicitation/create").then(|| self.deadline().pause());
        let reply = self.sink().request(method, params).await.map_err(|_| {
            ToolError::new("the client did not answer a question that this call depends on")
                .next("Call the tool again when somebody can answer.")
        })?;
        match (reply.result_body().value(), reply.error_body()) {
            (Some(result), _) => Ok(result.to_buf()),
            (None, Some(error)) => {
                Err(ToolError::new(format!("the client refused a question: {}", error.message)))
            }
            (None, None) => Err(ToolError::new("the client's answer to a question was empty")),
        }
    }
}
