//! An endpoint that answers like a scripted upstream: with tasks of either era, and with requests
//! for scopes.
use std::sync::{Arc, Mutex};

use overt_layers::{Admitted, Endpoint, ServerDescription};
use overt_wire::era::Era;
use overt_wire::{BoxFuture, Message};
use serde_json::{Value, json};
use tokio::sync::watch;

/// A scripted upstream. Its tools have no declarations: `work` claims nothing, and `look` claims to
/// only read.
#[derive(Clone)]
pub(super) struct Upstream {
    description: ServerDescription,
    /// The answers to `tools/call`, in order; the last one stays.
    pub(super) answers: Arc<Mutex<Vec<Value>>>,
    /// The state of the task: `status`, and `result` or `error` when it has ended.
    pub(super) task: watch::Sender<Value>,
    /// Methods and params of all requests except lists.
    pub(super) requests: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Upstream {
    pub(super) fn new() -> Self {
        Self {
            description: ServerDescription::new("up"),
            answers: Arc::default(),
            task: watch::Sender::new(json!({ "status": "working" })),
            requests: Arc::default(),
        }
    }

    /// Sets the answers to calls, each a whole message without its id.
    pub(super) fn answering(self, answers: Vec<Value>) -> Self {
        *self.answers.lock().unwrap() = answers;
        self
    }

    pub(super) fn ends(&self, state: Value) {
        self.task.send_replace(state);
    }

    /// Returns the params of all requests with this method.
    pub(super) fn got(&self, method: &str) -> Vec<Value> {
        let requests = self.requests.lock().unwrap();
        requests.iter().filter(|(name, _)| name == method).map(|(_, params)| params.clone()).collect()
    }

    /// Returns the methods of all requests that name this task.
    pub(super) fn asked_about(&self, task: &str) -> Vec<String> {
        let requests = self.requests.lock().unwrap();
        requests.iter().filter(|(_, params)| params["taskId"] == task).map(|(name, _)| name.clone()).collect()
    }

    /// Returns the task in the form of an era.
    fn state(&self, era: Era) -> Value {
        let mut state = self.task.borrow().clone();
        state["taskId"] = json!("t-1");
        state["createdAt"] = json!("2026-01-01T00:00:00Z");
        state["lastUpdatedAt"] = json!("2026-01-01T00:00:00Z");
        if era == Era::Legacy {
            state["ttl"] = state["ttlMs"].take();
            let members = state.as_object_mut().unwrap();
            for name in ["result", "error", "ttlMs"] {
                members.remove(name);
            }
        }
        state
    }
}

impl Endpoint for Upstream {
    fn call(&self, admitted: Admitted) -> BoxFuture<'_, Option<Message>> {
        let exchange = admitted.into_exchange();
        let era = exchange.caller.era();
        let method = exchange.message.method().unwrap().name().to_owned();
        let id = exchange.message.id().cloned();
        Box::pin(async move {
            let params: Value = exchange.message.params().value().map_or(Value::Null, |p| p.read().unwrap());
            if method != "tools/list" {
                self.requests.lock().unwrap().push((method.clone(), params));
            }
            let result = |result: Value| json!({ "result": result });
            let mut answer = match method.as_str() {
                "tools/list" => {
                    let schema = json!({ "type": "object" });
                    let reads = json!({ "readOnlyHint": true });
                    let work = json!({ "name": "work", "inputSchema": schema });
                    let look = json!({ "name": "look", "inputSchema": schema, "annotations": reads });
                    result(json!({ "tools": [work, look] }))
                }
                "tools/call" => {
                    let mut answers = self.answers.lock().unwrap();
                    match answers.len() {
                        0 if era == Era::Legacy => result(json!({ "task": self.state(era) })),
                        0 => {
                            let mut state = self.state(era);
                            state["resultType"] = json!("task");
                            result(state)
                        }
                        1 => answers[0].clone(),
                        _ => answers.remove(0),
                    }
                }
                "tasks/get" => result(self.state(era)),
                // Notifies about the requested task, and about a task of another client.
                "subscriptions/listen" => {
                    for id in ["t-1", "t-2"] {
                        let mut state = self.state(era);
                        state["taskId"] = json!(id);
                        let note =
                            json!({ "jsonrpc": "2.0", "method": "notifications/tasks", "params": state });
                        let note =
                            Message::parse(note.to_string().into_bytes(), &Default::default()).unwrap();
                        exchange.sink.notify(note).await.unwrap();
                    }
                    result(json!({}))
                }
                "tasks/list" => {
                    let other = json!({ "taskId": "t-2", "status": "working" });
                    result(json!({ "tasks": [self.state(era), other] }))
                }
                "tasks/cancel" => {
                    self.task.send_replace(json!({ "status": "cancelled" }));
                    result(self.state(era))
                }
                "tasks/result" => {
                    let mut task = self.task.subscribe();
                    let ended = task.wait_for(|state| state["status"] != "working").await.unwrap().clone();
                    match ended["error"].is_null() {
                        true => result(ended["result"].clone()),
                        false => json!({ "error": ended["error"] }),
                    }
                }
                _ => json!({ "error": { "code": -32601, "message": "no" } }),
            };
            answer["jsonrpc"] = json!("2.0");
            answer["id"] = json!(1);
            let message = Message::parse(answer.to_string().into_bytes(), &Default::default()).unwrap();
            Some(message.readdressed(&id?))
        })
    }

    fn description(&self) -> &ServerDescription {
        &self.description
    }
}
