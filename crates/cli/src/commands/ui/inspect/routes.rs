//! Routes the requests of the page about the server that is tried.
use std::sync::{Arc, PoisonError};

use overt_transport::http::{SiteContent, SiteMethod, SiteReply, SiteRequest};
use overt_wire::ErrorObject;
use overt_wire::json::{Json, JsonBuf, Member};
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::problem::{Problem, json_reply};
use super::super::routes::body;
use super::inspection::Inspection;
use super::schema;

#[derive(Deserialize)]
struct Validate {
    schema: Value,
    value: Value,
}

#[derive(Deserialize)]
struct Intent {
    tool: String,
    arguments: Value,
}

#[derive(Deserialize)]
struct Export {
    requests: Vec<String>,
}

impl Inspection {
    /// Answers a request. `path` is what follows `/api/inspect`.
    pub(in super::super) async fn answer(
        self: &Arc<Self>,
        request: &SiteRequest,
        path: Option<&str>,
    ) -> Result<SiteReply, Problem> {
        match (request.method, path) {
            (SiteMethod::Get, None) => Ok(reply(&self.state())),
            (SiteMethod::Get, Some("events")) => {
                let questions = self.questions.shown().into_iter().map(|shown| ("asks", shown));
                Ok(self.feed.stream([("state", self.state())].into_iter().chain(questions).collect()))
            }
            (SiteMethod::Post, Some("reconnect")) => {
                let configuration = text(request)?.get("configuration").value();
                if let Some(configuration) = configuration {
                    self.check_configuration(configuration)?;
                }
                self.connect(configuration).await;
                Ok(reply(&self.state()))
            }
            (SiteMethod::Post, Some("requests")) => {
                let body = text(request)?;
                let (id, method) = (member(body, "id")?, member(body, "method")?);
                Ok(reply(&self.request(&id, &method, body.get("params").value()).await?))
            }
            (SiteMethod::Post, Some("cancel")) => {
                let cancelled = self.cancel(&member(text(request)?, "id")?);
                Ok(json_reply(200, &json!({ "cancelled": cancelled })))
            }
            (SiteMethod::Post, Some("answers")) => {
                let body = text(request)?;
                let said = match body.get("failure") {
                    Member::Value(failure) => Err(failure_of(failure)),
                    Member::Absent | Member::Null => Ok(result_of(body)?),
                };
                match self.questions.answer(&member(body, "id")?, said) {
                    true => Ok(json_reply(200, &json!({}))),
                    false => Err(Problem::conflict("the server does not wait for this answer any more")),
                }
            }
            (SiteMethod::Post, Some("validate")) => {
                let Validate { schema, value } = body(request)?;
                Ok(json_reply(200, &schema::problems(&schema, &value)?))
            }
            (SiteMethod::Post, Some("intent")) => {
                let Intent { tool, arguments } = body(request)?;
                Ok(json_reply(200, &json!({ "sentence": self.intent(&tool, &arguments).await? })))
            }
            (SiteMethod::Post, Some("export")) => {
                let Export { requests } = body(request)?;
                let recorded = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
                let transcript = recorded.export(&requests);
                let transcript = transcript
                    .ok_or_else(|| Problem::conflict("one of these requests is not kept any more"))?;
                Ok(json_reply(200, &json!({ "transcript": transcript })))
            }
            _ => Err(Problem::not_found()),
        }
    }
}

impl Inspection {
    /// Checks the configuration first, because connecting with one that the server refuses would
    /// end the present conversation for nothing.
    fn check_configuration(&self, configuration: Json<'_>) -> Result<(), Problem> {
        let schema = self.configuration_schema().ok_or_else(|| {
            Problem::conflict("the server says nothing of settings that a client may send; nothing was changed")
                .with_hint("settings of the program itself are its arguments and its environment: end `overt inspect` and give it those")
        })?;
        let value: Value = configuration.read().map_err(|error| Problem::new(400, error.to_string()))?;
        let found = schema::problems(&schema, &value)?;
        let Some(first) = found["problems"].as_array().and_then(|problems| problems.first()) else {
            return Ok(());
        };
        let (path, message) = (first["path"].as_str(), first["message"].as_str());
        let place = path.filter(|path| !path.is_empty()).map_or_else(String::new, |path| format!("{path}: "));
        Err(Problem::new(
            422,
            format!(
                "the configuration does not fit the schema of the server; nothing was changed. {place}{}",
                message.unwrap_or_default()
            ),
        ))
    }
}

fn reply(value: &JsonBuf) -> SiteReply {
    let content = SiteContent::Whole(value.as_json().as_str().to_owned().into());
    SiteReply { status: 200, content_type: "application/json", content }
}

/// Returns the body as it was written, so that numbers keep their digits.
fn text(request: &SiteRequest) -> Result<Json<'_>, Problem> {
    let text = std::str::from_utf8(&request.body).map_err(|error| Problem::new(400, error.to_string()))?;
    Json::parse(text).map_err(|error| Problem::new(400, format!("the body can't be read: {error}")))
}

fn member(body: Json<'_>, name: &str) -> Result<String, Problem> {
    let value = body.get(name).string();
    value
        .map(std::borrow::Cow::into_owned)
        .ok_or_else(|| Problem::new(400, format!("`{name}` must be a string")))
}

fn result_of(body: Json<'_>) -> Result<JsonBuf, Problem> {
    let result = body.get("result").value().filter(|result| result.is_object());
    result.map(Json::to_buf).ok_or_else(|| Problem::new(400, "`result` must be an object"))
}

fn failure_of(failure: Json<'_>) -> ErrorObject {
    let code = failure.get("code").value().and_then(Json::integer);
    let message = failure.get("message").string().unwrap_or_default().into_owned();
    ErrorObject::new(code.unwrap_or(overt_wire::error::code::INTERNAL), message)
}
