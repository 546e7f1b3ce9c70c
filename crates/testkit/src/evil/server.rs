//! Handles messages: answers ordinary requests as any server does, and misbehaves when a tool asks
//! for it.
use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::habits::Habits;
use super::odd::Odd;
use super::process;
use super::script::Script;
use super::tasks::Tasks;

/// The server, independent of the transport.
#[derive(Debug)]
pub struct EvilServer {
    pub habits: Habits,
    /// Answers and notifications that were received. The oldest are dropped.
    heard: Mutex<Vec<Value>>,
    tasks: Tasks,
}

/// What the transport must do next.
#[derive(Debug)]
pub enum Action {
    /// Send this answer.
    Answer(Value),
    Script(Script),
    /// End the process with this status.
    Exit(i32),
    /// End the process by a signal.
    Abort,
    /// Forget all sessions, then send this answer.
    Forget(Value),
    /// Send this answer, then read nothing any more.
    Deafen(Value),
    Nothing,
}

/// The most messages that are kept.
const REMEMBERED: usize = 10_000;

impl EvilServer {
    pub fn new(habits: Habits) -> Self {
        Self { habits, heard: Mutex::default(), tasks: Tasks::default() }
    }

    /// Handles a message. `headers` are those of the HTTP request, and empty over standard input.
    pub fn respond(&self, message: &Value, headers: &BTreeMap<String, String>) -> Action {
        let id = &message["id"];
        let Some(method) = message["method"].as_str().filter(|_| !id.is_null()) else {
            let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
            heard.push(message.clone());
            if heard.len() > REMEMBERED {
                heard.remove(0);
            }
            return Action::Nothing;
        };
        let modern = !message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].is_null();
        let answer = |result: Value| Action::Answer(answer(id, result, modern));
        match method {
            "initialize" | "server/discover" if self.habits.exit_at_hello.is_some() => {
                Action::Exit(self.habits.exit_at_hello.unwrap_or(1))
            }
            "initialize" | "server/discover" if self.habits.mute => Action::Nothing,
            "initialize" if !self.habits.modern => answer(json!({
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": capabilities(),
                "serverInfo": { "name": "evil", "version": "6.6.6" },
            })),
            "server/discover" if !self.habits.legacy => answer(json!({
                "supportedVersions": ["2026-07-28"],
                "capabilities": capabilities(),
                "ttlMs": 0, "cacheScope": "private",
            })),
            "ping" => answer(json!({})),
            "tools/list" => answer(json!({ "tools": tools(), "ttlMs": 0, "cacheScope": "private" })),
            "tasks/get" | "tasks/result" | "tasks/cancel" => {
                match self.tasks.answer(method, &message["params"], modern) {
                    Some(result) => answer(result),
                    None => Action::Nothing,
                }
            }
            "tools/call" => self.call(id, &message["params"], modern, headers),
            _ => {
                let error = json!({ "code": -32601, "message": format!("no method `{method}`") });
                Action::Answer(json!({ "jsonrpc": "2.0", "id": id, "error": error }))
            }
        }
    }

    fn call(&self, id: &Value, params: &Value, modern: bool, headers: &BTreeMap<String, String>) -> Action {
        let arguments = &params["arguments"];
        let text = |text: String| {
            answer(id, json!({ "content": [{ "type": "text", "text": text }], "isError": false }), modern)
        };
        let noted = || {
            if let Some(file) = &self.habits.counts {
                process::append(file, &arguments["nonce"].to_string());
            }
        };
        match params["name"].as_str().unwrap_or_default() {
            "echo" => Action::Answer(text(arguments["message"].as_str().unwrap_or_default().to_owned())),
            "say" => Action::Script(Script::read(arguments, id)),
            "odd" => Action::Script(odd(id, arguments, modern, !headers.is_empty())),
            "silence" => {
                if !arguments["nonce"].is_null() {
                    noted();
                }
                Action::Nothing
            }
            "begin" => {
                let mut begun = answer(id, self.tasks.begin(arguments, modern), modern);
                if modern {
                    begun["result"]["resultType"] = json!("task");
                }
                Action::Answer(begun)
            }
            "outside" => Action::Answer(outside(id, params, modern, text("written".into()))),
            "count" => {
                noted();
                Action::Answer(text("counted".into()))
            }
            "count_and_exit" => {
                noted();
                Action::Exit(
                    arguments["status"].as_i64().and_then(|status| i32::try_from(status).ok()).unwrap_or(1),
                )
            }
            "abort" => Action::Abort,
            "forget" => Action::Forget(text("what session?".into())),
            "deafen" => Action::Deafen(text("what?".into())),
            "heard" => {
                let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
                Action::Answer(text(json!(*heard).to_string()))
            }
            "environment" => {
                let variables: BTreeMap<String, String> = std::env::vars_os()
                    .map(|(name, value)| (name.to_string_lossy().into(), value.to_string_lossy().into()))
                    .collect();
                Action::Answer(text(json!(variables).to_string()))
            }
            "arguments" => Action::Answer(text(json!(std::env::args().collect::<Vec<_>>()).to_string())),
            "headers" => Action::Answer(text(json!(headers).to_string())),
            "params" => Action::Answer(text(params.to_string())),
            "spawn" => Action::Answer(text(spawn(arguments))),
            name => {
                let error = json!({ "code": -32602, "message": format!("unknown tool `{name}`") });
                Action::Answer(json!({ "jsonrpc": "2.0", "id": id, "error": error }))
            }
        }
    }
}

/// Behaves as seed 002 describes: answers with an error that names the scope to grant, until it is
/// granted.
fn outside(id: &Value, params: &Value, modern: bool, done: Value) -> Value {
    let scope = format!("write:file:{}", params["arguments"]["path"].as_str().unwrap_or_default());
    let granted = params["_meta"]["granted_scopes"].as_array();
    if granted.is_some_and(|granted| granted.iter().any(|granted| *granted == scope)) {
        return done;
    }
    let asks = json!({ "requested_scopes": [scope] });
    let content = json!([{ "type": "text", "text": "path outside root" }]);
    let failed = |data: Value| {
        let error = json!({ "code": -32000, "message": "path outside root", "data": data });
        json!({ "jsonrpc": "2.0", "id": id, "error": error })
    };
    match params["arguments"]["place"].as_str() {
        Some("error") => failed(json!({ "_meta": asks })),
        Some("data") => failed(asks),
        Some("beside") => {
            let mut answer = answer(id, json!({ "content": content, "isError": true }), modern);
            answer["_meta"] = asks;
            answer
        }
        _ => answer(id, json!({ "content": content, "isError": true, "_meta": asks }), modern),
    }
}

/// Returns a script with odd messages, as lines or as events.
fn odd(id: &Value, arguments: &Value, modern: bool, web: bool) -> Script {
    let mut odd = Odd::new(arguments["seed"].as_u64().unwrap_or(0));
    let mut texts: Vec<String> =
        (0..arguments["count"].as_u64().unwrap_or(0)).map(|_| odd.notification()).collect();
    texts.push(odd.answer(&id.to_string(), modern));
    if !web {
        return Script::of(texts.iter().map(|text| format!("{text}\n")).collect::<String>().into_bytes());
    }
    let events: String = texts.iter().map(|text| format!("data: {text}\n\n")).collect();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    Script::of(format!("{head}{events}").into_bytes())
}

/// The tools. Each accepts any arguments.
const TOOLS: &[(&str, &str)] = &[
    ("echo", "Returns `message`."),
    ("say", "Writes `parts` in the place of an answer."),
    ("odd", "Sends `count` odd notifications and an odd answer, all made of `seed`."),
    ("silence", "Never answers. Notes `nonce` in a file, if there is one."),
    ("begin", "Becomes a task whose result is `text`, or that never ends."),
    ("outside", "Asks for the scope `write:file:<path>`, in the `place` of the answer that it is told."),
    ("count", "Notes `nonce` in a file."),
    ("count_and_exit", "Notes `nonce` in a file, and ends the process instead of answering."),
    ("abort", "Ends the process by a signal."),
    ("forget", "Forgets all sessions."),
    ("deafen", "Reads nothing any more."),
    ("heard", "Returns the answers and notifications that came."),
    ("environment", "Returns the environment."),
    ("arguments", "Returns the command line."),
    ("headers", "Returns the headers of the request."),
    ("params", "Returns the parameters of the request."),
    ("spawn", "Starts `command` and returns its process id."),
];

fn tools() -> Vec<Value> {
    let schema = json!({ "type": "object" });
    TOOLS
        .iter()
        .map(|(name, what)| json!({ "name": name, "description": what, "inputSchema": schema }))
        .collect()
}

fn capabilities() -> Value {
    json!({ "tools": { "listChanged": true }, "logging": {} })
}

fn answer(id: &Value, mut result: Value, modern: bool) -> Value {
    if modern {
        result["resultType"] = json!("complete");
        result["_meta"]["io.modelcontextprotocol/serverInfo"] = json!({ "name": "evil", "version": "6.6.6" });
    } else if let Some(result) = result.as_object_mut() {
        result.remove("ttlMs");
        result.remove("cacheScope");
    }
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

#[expect(clippy::disallowed_methods, reason = "this server does what the ban is there to prevent")]
fn spawn(arguments: &Value) -> String {
    let words: Vec<&str> =
        arguments["command"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let Some((program, arguments)) = words.split_first() else { return "nothing to start".into() };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::inherit()).stderr(Stdio::null());
    command.spawn().map_or_else(|error| error.to_string(), |child| child.id().to_string())
}
