//! Reads HTTP responses: which status codes and content types are accepted, and what an error says.
use std::time::Duration;

use hyper::StatusCode;
use hyper::header::{CONTENT_TYPE, LOCATION, RETRY_AFTER};
use overt_wire::json::Json;
use overt_wire::{Kind, Message, Method};

use super::agent::{Agent, HttpReply};
use super::events::Events;
use super::pool::Answer;
use crate::client::error::ClientError;
use crate::client::shown_url::shown_url;

/// Bytes of an error page that are read, and characters of it that are shown.
const ERROR_BYTES: usize = 64 << 10;
const EXCERPT_CHARS: usize = 300;

impl Agent {
    /// Interprets the response to a message.
    pub(super) async fn receive(
        &self,
        response: Answer,
        message: &Message,
        method: &str,
    ) -> Result<HttpReply, ClientError> {
        let status = response.status;
        if !status.is_success() {
            return Box::pin(self.refusal(response, message)).await.map(HttpReply::Message);
        }
        if message.kind() != Kind::Request || status == StatusCode::ACCEPTED {
            return Ok(HttpReply::Nothing);
        }
        match content_type(&response).as_str() {
            "application/json" => {
                let limit = self.limits.max_bytes;
                let body = self.body(response, limit, method).await?;
                let body = body.ok_or_else(|| ClientError::TooLarge {
                    what: format!("the answer to `{method}`"),
                    limit,
                })?;
                let message = Message::parse(body, &self.limits)
                    .map_err(|reject| ClientError::Protocol { what: reject.error.message })?;
                Ok(HttpReply::Message(message))
            }
            "text/event-stream" => {
                Ok(HttpReply::Events(Box::new(Events::of(response, self.limits.max_bytes))))
            }
            other => Err(ClientError::Protocol {
                what: format!(
                    "the answer to `{method}` has the content type `{other}`, not `application/json` or \
                     `text/event-stream`"
                ),
            }),
        }
    }

    /// Reads a successful response as an event stream.
    pub(super) fn events(&self, response: Answer) -> Result<Events, ClientError> {
        match content_type(&response).as_str() {
            "text/event-stream" => Ok(Events::of(response, self.limits.max_bytes)),
            other => Err(ClientError::Protocol {
                what: format!("the event stream has the content type `{other}`"),
            }),
        }
    }

    /// Interprets a response with an error status. A JSON-RPC error in its body says more than the
    /// status.
    async fn refusal(&self, response: Answer, message: &Message) -> Result<Message, ClientError> {
        let status = response.status;
        let lost = status == StatusCode::NOT_FOUND && self.has_session();
        if lost && message.method() != Some(Method::Initialize) {
            return Err(ClientError::SessionLost);
        }
        let denied = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        // The server is busy, and the header says when to retry.
        let busy = matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
        if denied
            || (busy && retry_after(&response).is_some())
            || status.is_redirection()
            || content_type(&response) != "application/json"
        {
            return Err(self.status_error(response).await);
        }
        let retry_after = retry_after(&response);
        let body = self.body(response, ERROR_BYTES, "an error").await?.unwrap_or_default();
        match Message::parse(body.clone(), &self.limits) {
            Ok(error)
                if error.kind() == Kind::Error && (error.id().is_none() || error.id() == message.id()) =>
            {
                Ok(error)
            }
            _ => Err(self.status(status, &body, retry_after)),
        }
    }

    pub(super) async fn status_error(&self, response: Answer) -> ClientError {
        let status = response.status;
        if status.is_redirection() {
            let location = response.headers.get(LOCATION).and_then(|value| value.to_str().ok());
            // A relative location becomes absolute, so that it can be used as the address.
            let location = location.and_then(|location| self.url.join(location).ok());
            let location =
                location.map_or_else(|| "nowhere".to_owned(), |location| shown_url(location.as_str()));
            return ClientError::Redirected { url: self.shown.clone(), location };
        }
        let retry_after = retry_after(&response);
        let body = self.body(response, ERROR_BYTES, "an error").await.ok().flatten().unwrap_or_default();
        self.status(status, &body, retry_after)
    }

    fn status(&self, status: StatusCode, body: &[u8], retry_after: Option<Duration>) -> ClientError {
        let text = String::from_utf8_lossy(body);
        let message = Json::parse(&text).ok().and_then(|json| json.get("error").get("message").string());
        // If the body contains an error object, only its message is shown.
        let text = message.map_or_else(|| text.clone(), |message| message.into_owned().into());
        let words: Vec<_> = text.split_whitespace().collect();
        let body = words.join(" ").chars().take(EXCERPT_CHARS).collect();
        ClientError::Status { url: self.shown.clone(), status: status.as_u16(), body, retry_after }
    }

    /// Returns the whole body, or `None` if it is over the limit. Then the rest is not read and the
    /// connection is closed.
    async fn body(
        &self,
        mut response: Answer,
        limit: usize,
        method: &str,
    ) -> Result<Option<Vec<u8>>, ClientError> {
        let mut body = Vec::new();
        while let Some(chunk) = response.body.chunk().await.map_err(|error| self.broken(error, method))? {
            if body.len() + chunk.len() > limit {
                return Ok(None);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Some(body))
    }
}

fn content_type(response: &Answer) -> String {
    let value = response.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn retry_after(response: &Answer) -> Option<Duration> {
    let value = response.headers.get(RETRY_AFTER)?.to_str().ok()?;
    value.trim().parse().ok().map(Duration::from_secs)
}
