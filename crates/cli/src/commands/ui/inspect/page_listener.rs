//! Handles what the server sends on its own: shows it on the page, where the person answers.
use std::sync::Arc;

use overt_transport::client::Listener;
use overt_wire::era::key;
use overt_wire::json::{Json, JsonBuf, Member, Object};
use overt_wire::{BoxFuture, ErrorObject, Id, Message, Method};

use super::feed::{Direction, Feed};
use super::pending_questions::PendingQuestions;
use super::tool_cache::ToolCache;

#[derive(Debug)]
pub(super) struct PageListener {
    pub(super) feed: Arc<Feed>,
    pub(super) questions: Arc<PendingQuestions>,
    pub(super) tools: Arc<ToolCache>,
}

impl PageListener {
    /// Returns the client's capabilities: what the person at the page can answer, that the page
    /// shows apps, and the settings that the person chose.
    pub(super) fn capabilities(configuration: Option<Json<'_>>) -> JsonBuf {
        let empty = JsonBuf::empty_object();
        let apps = Object::new().raw("mimeTypes", r#"["text/html;profile=mcp-app"]"#).finish();
        let extensions = Object::new().json(key::UI, apps.as_json()).finish();
        let elicitation = Object::new().json("form", empty.as_json()).json("url", empty.as_json()).finish();
        let capabilities = Object::new()
            .json("elicitation", elicitation.as_json())
            .json("sampling", empty.as_json())
            .json("roots", empty.as_json())
            .json("extensions", extensions.as_json());
        let Some(configuration) = configuration else { return capabilities.finish() };
        let experimental = Object::new().json("configuration", configuration).finish();
        capabilities.json("experimental", experimental.as_json()).finish()
    }

    /// Tells the page about progress. Its request ids serve as progress tokens.
    fn progress(&self, params: Member<'_>) {
        let Some(id) = params.get("progressToken").string() else { return };
        let mut event = Object::new().string("id", &id);
        for name in ["progress", "total", "message"] {
            if let Some(value) = params.get(name).value() {
                event = event.json(name, value);
            }
        }
        self.feed.tell("progress", &event.finish());
    }
}

impl Listener for PageListener {
    fn notification<'a>(&'a self, message: Message, _about: Option<&'a Id>) -> BoxFuture<'a, ()> {
        match message.method() {
            Some(Method::Progress) => self.progress(message.params()),
            Some(Method::ToolsChanged) => self.tools.forget(),
            _ => {}
        }
        self.feed.message(Direction::Received, &message.as_json().to_buf());
        Box::pin(std::future::ready(()))
    }

    fn request<'a>(
        &'a self,
        method: &'a str,
        params: Option<Json<'a>>,
        _about: Option<&'a Id>,
    ) -> BoxFuture<'a, Result<JsonBuf, ErrorObject>> {
        Box::pin(async move {
            match Method::of(method) {
                Method::Ping => Ok(JsonBuf::empty_object()),
                Method::Elicit | Method::Sample | Method::RootsList => {
                    self.questions.ask(method, params).await
                }
                _ => Err(ErrorObject::method_not_found(method)),
            }
        })
    }

    fn stderr(&self, line: &str) {
        let params =
            Object::new().string("level", "info").string("logger", "stderr").string("data", line).finish();
        let message = Object::new()
            .string("jsonrpc", "2.0")
            .string("method", "notifications/message")
            .json("params", params.as_json())
            .finish();
        self.feed.message(Direction::Received, &message);
    }
}
