//! A client without a transport, and a server with tools for it.
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use overt_toolbox::{Server, Tool, Toolbox};
use overt_wire::json::{Json, JsonBuf};
use overt_wire::{BoxFuture, ClientSink, Closed, Exchange, Handler, Id, Message, Principal, Session};
use serde_json::{Value, json};

/// Sends modern requests directly to a handler, and keeps the notifications that it receives.
pub(super) struct Client {
    pub(super) handler: Arc<dyn Handler>,
    pub(super) session: Arc<Session>,
    heard: Arc<Heard>,
    next: AtomicU64,
}

#[derive(Default)]
struct Heard(Mutex<Vec<Value>>);

/// The default capabilities of a client in these tests.
pub(super) fn able() -> Value {
    json!({ "elicitation": {}, "extensions": { "io.modelcontextprotocol/tasks": {} } })
}

pub(super) fn serve(tools: impl IntoIterator<Item = Tool>) -> Client {
    let server = Server::new("test", "1.0.0", "A server for tests.");
    let toolbox = tools.into_iter().fold(Toolbox::new(server), Toolbox::tool);
    let heard = Arc::new(Heard::default());
    let sink: Arc<dyn ClientSink> = heard.clone();
    Client {
        handler: overt_layers::open(toolbox.build().unwrap()),
        session: Session::new("test-session".into(), Principal::local(), sink),
        heard,
        next: AtomicU64::new(1),
    }
}

impl Client {
    /// Returns the complete answer to a request of a client with all capabilities.
    pub(super) async fn ask(&self, method: &str, params: Value) -> Value {
        self.ask_with(able(), method, params).await
    }

    pub(super) async fn ask_with(&self, capabilities: Value, method: &str, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        self.ask_raw(method, &params).await
    }

    pub(super) async fn ask_raw(&self, method: &str, params: &Value) -> Value {
        let reply = self.handler.call(self.exchange(method, params)).await.unwrap();
        serde_json::from_str(reply.text()).unwrap()
    }

    pub(super) fn exchange(&self, method: &str, params: &Value) -> Exchange {
        let id = Id::from(self.next.fetch_add(1, Ordering::Relaxed));
        let message = Message::request(&id, method, Some(JsonBuf::from(params).as_json()));
        let sink: Arc<dyn ClientSink> = self.heard.clone();
        Exchange::new(message, Arc::clone(&self.session), sink).unwrap()
    }

    /// Returns the complete answer to a call.
    pub(super) async fn call(&self, tool: &str) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": {} })).await
    }

    /// Calls a tool, expects a task, and returns its id.
    pub(super) async fn start(&self, tool: &str) -> String {
        let answer = self.call(tool).await;
        assert_eq!(answer["result"]["resultType"], "task", "{answer}");
        answer["result"]["taskId"].as_str().unwrap().to_owned()
    }

    pub(super) async fn get(&self, task: &str) -> Value {
        let answer = self.ask("tasks/get", json!({ "taskId": task })).await;
        assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
        assert_eq!(answer["result"]["taskId"], task);
        answer["result"].clone()
    }

    /// Polls a task until it has this status.
    pub(super) async fn wait_for(&self, task: &str, status: &str) -> Value {
        let mut seen = Value::Null;
        for _ in 0..2000 {
            seen = self.get(task).await;
            if seen["status"] == status {
                return seen;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("the task is not `{status}`: {seen}");
    }

    pub(super) async fn update(&self, task: &str, responses: Value) -> Value {
        self.ask("tasks/update", json!({ "taskId": task, "inputResponses": responses })).await
    }

    pub(super) async fn cancel(&self, task: &str) -> Value {
        self.ask("tasks/cancel", json!({ "taskId": task })).await
    }

    /// Returns the notifications so far.
    pub(super) fn heard(&self) -> Vec<Value> {
        self.heard.0.lock().unwrap().clone()
    }
}

impl ClientSink for Heard {
    fn notify(&self, message: Message) -> BoxFuture<'_, Result<(), Closed>> {
        self.0.lock().unwrap().push(serde_json::from_str(message.text()).unwrap());
        Box::pin(std::future::ready(Ok(())))
    }

    fn request(&self, _method: &str, _params: Option<Json<'_>>) -> BoxFuture<'_, Result<Message, Closed>> {
        Box::pin(std::future::ready(Err(Closed)))
    }
}

/// Returns the code of an error.
pub(super) fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {answer}"))
}

/// Whether an answer is only an acknowledgement.
pub(super) fn is_acknowledgement(answer: &Value) -> bool {
    let members: Vec<&String> = answer["result"].as_object().unwrap().keys().collect();
    answer["result"]["resultType"] == "complete" && members == ["resultType", "_meta"]
}
