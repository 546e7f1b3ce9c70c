//! The conversation with the server that is tried. It can be connected again after it was lost, and
//! carries the requests of the page.
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use overt_documents::mark;
use overt_intent::{Template, sentence};
use overt_layers::published_schemas;
use overt_transport::client::{Client, ClientError, ClientOptions};
use overt_wire::Method;
use overt_wire::json::{Json, JsonBuf, Member, Object};
use overt_wire::view::Tool;
use serde_json::Value;

use super::super::problem::Problem;
use super::feed::{Direction, Feed};
use super::page_listener::PageListener;
use super::pending_questions::PendingQuestions;
use super::recorded_requests::RecordedRequests;
use super::running_requests::{MOST_RUNNING, RunningRequests};
use super::tool_cache::ToolCache;
use crate::settings::Connection;

/// A server that a person tries from the page.
#[derive(Debug)]
pub(in super::super) struct Inspection {
    connection: Connection,
    pub(super) feed: Arc<Feed>,
    pub(super) questions: Arc<PendingQuestions>,
    link: Mutex<Link>,
    /// Held while connecting, so that only one connection is made at a time.
    connecting: tokio::sync::Mutex<()>,
    tools: Arc<ToolCache>,
    running: RunningRequests,
    pub(super) recorded: Mutex<RecordedRequests>,
}

#[derive(Debug)]
enum Link {
    Connecting,
    Connected { client: Arc<Client>, milliseconds: f64 },
    Failed { problem: String, hint: Option<String> },
}

impl Inspection {
    pub(in super::super) fn new(connection: Connection) -> Self {
        let feed = Arc::new(Feed::default());
        Self {
            connection,
            questions: Arc::new(PendingQuestions::new(Arc::clone(&feed))),
            feed,
            link: Mutex::new(Link::Connecting),
            connecting: tokio::sync::Mutex::default(),
            tools: Arc::default(),
            running: RunningRequests::default(),
            recorded: Mutex::default(),
        }
    }

    /// Connects, or reconnects. Requests that run meanwhile fail. The server gets the configuration
    /// with the first message.
    pub(in super::super) async fn connect(&self, configuration: Option<Json<'_>>) {
        let _alone = self.connecting.lock().await;
        let before = std::mem::replace(&mut *self.link(), Link::Connecting);
        self.feed.tell("state", &self.state());
        if let Link::Connected { client, .. } = before {
            client.finish().await;
        }
        let started = Instant::now();
        let listener = Arc::new(PageListener {
            feed: Arc::clone(&self.feed),
            questions: Arc::clone(&self.questions),
            tools: Arc::clone(&self.tools),
        });
        self.tools.forget();
        let options = ClientOptions {
            capabilities: PageListener::capabilities(configuration),
            limits: self.connection.limits.clone(),
            protocol: self.connection.protocol,
            ..ClientOptions::new("overt", env!("CARGO_PKG_VERSION"))
        };
        let connected = Box::pin(Client::connect(&self.connection.target, options, listener)).await;
        let link = match connected {
            Ok(client) => {
                self.feed.message(Direction::Received, &greeting(&client));
                let milliseconds = started.elapsed().as_secs_f64() * 1e3;
                Link::Connected { client: Arc::new(client), milliseconds }
            }
            Err(error) => Link::Failed { problem: error_text(&error), hint: error.hint() },
        };
        *self.link() = link;
        self.feed.tell("state", &self.state());
    }

    /// Ends the conversation.
    pub(in super::super) async fn close(&self) {
        let closed = Link::Failed { problem: "closed".to_owned(), hint: None };
        let before = std::mem::replace(&mut *self.link(), closed);
        if let Link::Connected { client, .. } = before {
            client.finish().await;
        }
    }

    /// Returns the schema of the settings that the server accepts from a client, or `None` if it
    /// accepts none.
    pub(super) fn configuration_schema(&self) -> Option<Value> {
        let link = self.link();
        let Link::Connected { client, .. } = &*link else { return None };
        schema_of(client)?.read().ok()
    }

    /// Returns what the page shows about the server.
    pub(super) fn state(&self) -> JsonBuf {
        let object = Object::new().string("target", &self.connection.label);
        match &*self.link() {
            Link::Connecting => object.string("state", "connecting"),
            Link::Failed { problem, hint } => {
                object.string("state", "failed").string("problem", problem).maybe("hint", hint.as_deref())
            }
            Link::Connected { client, milliseconds } => {
                let object = with(object, "configSchema", schema_of(client));
                let server = client.server();
                let empty = JsonBuf::empty_object();
                let state = if client.is_open() { "connected" } else { "closed" };
                object
                    .string("state", state)
                    .string("era", server.version.as_str())
                    .json("server", server.info.as_ref().unwrap_or(&empty).as_json())
                    .maybe("instructions", server.instructions.as_deref())
                    .json("capabilities", server.capabilities.as_json())
                    .value("milliseconds", milliseconds)
            }
        }
        .finish()
    }

    /// Sends a request to the server. Returns the server's answer for the page: a result or an
    /// error.
    pub(super) async fn request(
        &self,
        id: &str,
        method: &str,
        params: Option<Json<'_>>,
    ) -> Result<JsonBuf, Problem> {
        let client = self.client()?;
        let mut place = self.running.begin(id).ok_or_else(|| {
            Problem::conflict(format!(
                "`{id}` runs already, or {MOST_RUNNING} requests do; wait for one of them"
            ))
        })?;
        let params = params.map_or_else(JsonBuf::empty_object, Json::to_buf);
        if Method::of(method) == Method::ToolsList {
            self.tools.forget();
        }
        self.feed.message(Direction::Sent, &shown(id, Some(method), ("params", &params), None));
        let started = Instant::now();
        let outcome = tokio::select! {
            outcome = Box::pin(client.request(method, Some(params.as_json()))) => Some(outcome),
            _ = &mut place.cancelled => None,
        };
        let milliseconds = started.elapsed().as_secs_f64() * 1e3;
        drop(place);
        let mut beside = None;
        let (member, value) = match outcome {
            None => (
                "failure",
                Object::new().raw("code", "-32800").string("message", "The request was cancelled.").finish(),
            ),
            Some(Ok(message)) => {
                beside = message.as_json().get("_meta").value().map(Json::to_buf);
                let result = message.result_body().value().map(Json::to_buf);
                ("result", result.unwrap_or_else(JsonBuf::empty_object))
            }
            Some(Err(ClientError::Refused(error))) => ("failure", error.to_json()),
            Some(Err(error)) => {
                self.feed.tell("state", &self.state());
                let mut problem = Problem::new(502, error_text(&error));
                problem.hint = error.hint();
                return Err(problem);
            }
        };
        let on_wire = if member == "result" { "result" } else { "error" };
        let beside = beside.as_ref().map(JsonBuf::as_json);
        self.feed.message(Direction::Received, &shown(id, None, (on_wire, &value), beside));
        self.recorded.lock().unwrap_or_else(PoisonError::into_inner).add(
            id,
            method,
            &params,
            (member, &value),
        );
        let answer = Object::new().string("id", id).value("milliseconds", &milliseconds);
        Ok(with(answer.json(member, value.as_json()), "_meta", beside).finish())
    }

    /// Cancels a request. Returns whether it was running.
    pub(super) fn cancel(&self, id: &str) -> bool {
        self.running.cancel(id)
    }

    /// Describes what a call will do, with the tool's template. `None` if the tool has no template.
    pub(super) async fn intent(&self, tool: &str, arguments: &Value) -> Result<Option<String>, Problem> {
        let tools = self.tools.list(&*self.client()?).await;
        let tools = tools.map_err(|error| Problem::new(502, error_text(&error)))?;
        let found = tools.iter().find(|found| Tool(found.as_json()).name().as_deref() == Some(tool));
        let definition = found.and_then(|found| found.as_json().read().ok());
        let template = definition.and_then(|found: Value| mark::read_tool(&found).intent_template);
        Ok(template.map(|template| sentence(Some(&Template::parse(&template)), tool, arguments)))
    }

    fn client(&self) -> Result<Arc<Client>, Problem> {
        match &*self.link() {
            Link::Connected { client, .. } => Ok(Arc::clone(client)),
            Link::Connecting => Err(Problem::new(503, "the server is being connected; wait a moment")),
            Link::Failed { problem, hint } => {
                Err(Problem { status: 502, message: problem.clone(), hint: hint.clone() })
            }
        }
    }

    fn link(&self) -> MutexGuard<'_, Link> {
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the server's first answer as a message for the feed.
fn greeting(client: &Client) -> JsonBuf {
    shown("hello", None, ("result", &client.server().handshake), None)
}

/// Returns the schema of the settings that the server publishes, wherever it does.
fn schema_of(client: &Client) -> Option<Json<'_>> {
    let handshake = Member::Value(client.server().handshake.as_json());
    published_schemas(handshake)
        .into_iter()
        .find_map(|schema| schema.value().filter(|schema| schema.is_object()))
}

/// Returns a message for the feed. `beside` is what an answer has in `_meta` beside its result
///
fn shown(
    id: &str,
    method: Option<&str>,
    (member, value): (&str, &JsonBuf),
    beside: Option<Json<'_>>,
) -> JsonBuf {
    let message = Object::new()
        .string("jsonrpc", "2.0")
        .string("id", id)
        .maybe("method", method)
        .json(member, value.as_json());
    with(message, "_meta", beside).finish()
}

/// Adds a member, if there is one.
fn with(object: Object, name: &str, value: Option<Json<'_>>) -> Object {
    match value {
        Some(value) => object.json(name, value),
        None => object,
    }
}

/// Returns an error with its causes as text.
fn error_text(error: &ClientError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(next) = cause {
        text.push_str(&format!(": {next}"));
        cause = next.source();
    }
    text
}
