//! One server process: answers calls, asks questions, floods, redefines its tools, and ends as its
//! plan says.
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, WriteHalf, split};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};

use super::promise::Promise;
use super::schedule::{HowItEnds, ProcessPlan, Sabotage, Speaks, Tool};
use super::world::{EndedBy, World, call_in};

struct Server {
    world: Arc<World>,
    number: usize,
    output: mpsc::Sender<String>,
    /// Questions that wait for an answer.
    questions: Mutex<HashMap<String, oneshot::Sender<Value>>>,
    calls: Mutex<HashMap<String, AbortHandle>>,
    /// How often the tools were listed.
    lists: AtomicU64,
}

/// What a call's arguments tell the server to do.
struct Wanted {
    call: String,
    tool: Tool,
    takes: Duration,
    progress: u64,
    asks: bool,
    redefines: bool,
    log_messages: u64,
    hangs: bool,
}

pub(crate) async fn run(world: Arc<World>, number: usize, plan: ProcessPlan, stream: DuplexStream) {
    sleep(plan.start_takes).await;
    let (input, output) = split(stream);
    let (say, said) = mpsc::channel(64);
    let mut tasks = JoinSet::new();
    let writer = tasks.spawn(write(output, said));
    let server = Arc::new(Server {
        world: Arc::clone(&world),
        number,
        output: say,
        questions: Mutex::default(),
        calls: Mutex::default(),
        lists: AtomicU64::new(0),
    });
    let mut lines = BufReader::new(input).lines();
    let (mut count, mut is_stalled) = (0, false);
    let ended = loop {
        let Ok(Some(line)) = lines.next_line().await else { break EndedBy::Gateway };
        count += 1;
        let message: Value = serde_json::from_str(&line).unwrap();
        if is_stalled {
            continue;
        }
        let end = plan.end.filter(|end| end.at_message == count && !world.is_healed());
        match end.map(|end| end.how) {
            None => {}
            Some(HowItEnds::Stalls) => {
                is_stalled = true;
                world.note_stuck(number);
                world.say(|| format!("server {number} stalls"));
                continue;
            }
            Some(how) => {
                server.end_within(how, &message).await;
                break EndedBy::Fault;
            }
        }
        let ends_here = world.schedule.server.speaks == Speaks::LegacyAndNothingElse
            && count == 1
            && message["method"] != "initialize";
        if ends_here {
            break EndedBy::Fault;
        }
        let copies = if world.schedule.sabotage == Some(Sabotage::SendTwice) { 2 } else { 1 };
        for _ in 0..copies {
            server.take(&message, &mut tasks).await;
        }
        while tasks.try_join_next().is_some() {}
    };
    world.end_process(number, ended);
    drop(server);
    if ended == EndedBy::Fault {
        // Let the last messages out, so that only the rest is lost.
        while tasks.len() > 1 && timeout(Duration::from_millis(1), tasks.join_next()).await.is_ok() {}
    }
    writer.abort();
}

async fn write(mut output: WriteHalf<DuplexStream>, mut said: mpsc::Receiver<String>) {
    while let Some(text) = said.recv().await {
        if output.write_all(text.as_bytes()).await.is_err() {
            return;
        }
    }
    let _ = output.shutdown().await;
}

impl Server {
    async fn say(&self, message: &Value) {
        let _ = self.output.send(format!("{message}\n")).await;
    }

    async fn answer(&self, id: &Value, result: &Value) {
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "result": result })).await;
    }

    async fn refuse(&self, id: &Value, code: i64, data: Value) {
        let error = json!({ "code": code, "message": "no", "data": data });
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "error": error })).await;
    }

    async fn take(self: &Arc<Self>, message: &Value, tasks: &mut JoinSet<()>) {
        let id = &message["id"];
        let speaks = self.world.schedule.server.speaks;
        let (legacy, modern) = (speaks != Speaks::Modern, matches!(speaks, Speaks::Modern | Speaks::Both));
        let is_modern = !message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].is_null();
        match message["method"].as_str() {
            None => self.take_answer(message),
            Some("initialize") if legacy => self.answer(id, &hello_legacy()).await,
            Some("server/discover") if modern => self.answer(id, &hello_modern()).await,
            Some("notifications/cancelled") => {
                let call = message["params"]["requestId"].to_string();
                // Only about every second call is stopped; the others ignore the cancellation.
                if let Some(task) = self.calls.lock().unwrap().remove(&call)
                    && call.len().is_multiple_of(2)
                {
                    task.abort();
                }
            }
            Some("tools/list") => {
                let (server, id) = (Arc::clone(self), id.clone());
                tasks.spawn(async move { server.list(&id, is_modern).await });
            }
            Some("tools/call") => {
                let (server, message) = (Arc::clone(self), message.clone());
                let task = tasks.spawn(async move { server.call(&message, is_modern).await });
                self.calls.lock().unwrap().insert(id.to_string(), task);
            }
            Some("ping") => self.answer(id, &json!({})).await,
            Some("subscriptions/listen") => {
                let acknowledged = json!({ "_meta": { "io.modelcontextprotocol/subscriptionId": id } });
                let method = "notifications/subscriptions/acknowledged";
                self.say(&json!({ "jsonrpc": "2.0", "method": method, "params": acknowledged })).await;
            }
            Some(_) if !id.is_null() => self.refuse(id, -32601, Value::Null).await,
            Some(_) => {}
        }
    }

    async fn list(&self, id: &Value, is_modern: bool) {
        let plan = &self.world.schedule.server;
        let lists = self.lists.fetch_add(1, Ordering::Relaxed);
        if lists < 4 && plan.changes_while_listing && !is_modern {
            self.say(&json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" })).await;
        }
        sleep(plan.listing_takes).await;
        let definition = self.world.definition.load(Ordering::Relaxed);
        let tool = |tool: Tool| {
            json!({
                "name": tool.name(),
                "description": format!("Version {definition}."),
                "inputSchema": { "type": "object" },
                "annotations": {
                    "readOnlyHint": tool == Tool::Echo,
                    "destructiveHint": false,
                    "openWorldHint": false,
                },
            })
        };
        let mut result = json!({ "tools": [tool(Tool::Count), tool(Tool::Echo)] });
        if is_modern {
            result["resultType"] = json!("complete");
            result["ttlMs"] = json!(0);
            result["cacheScope"] = json!("private");
        }
        self.answer(id, &result).await;
    }

    async fn call(&self, message: &Value, is_modern: bool) {
        let (id, params) = (&message["id"], &message["params"]);
        let Some(wanted) = Wanted::read(params) else { return self.refuse(id, -32602, Value::Null).await };
        let round = usize::from(!params["inputResponses"].is_null());
        self.world.note_received(self.number, &wanted.call, wanted.tool, round);
        if is_modern && wanted.asks {
            let responses = &params["inputResponses"];
            if responses.is_null() {
                let can = &params["_meta"]["io.modelcontextprotocol/clientCapabilities"]["elicitation"];
                if !can.is_null() {
                    return self.answer(id, &input_required(&wanted.call)).await;
                }
            } else {
                self.check_answer(&wanted.call, &responses["question"]);
            }
        }
        let counter = match wanted.tool {
            Tool::Count => self.world.note_effect(self.number, &wanted.call),
            Tool::Echo => 0,
        };
        self.distract(&wanted, &params["_meta"]["progressToken"], is_modern).await;
        if !is_modern && wanted.asks {
            self.ask(&wanted.call).await;
        }
        sleep(wanted.takes).await;
        if wanted.hangs && !self.world.is_healed() {
            self.world.note_stuck(self.number);
            return std::future::pending().await;
        }
        self.answer(id, &result(&wanted.call, self.number, counter, is_modern)).await;
    }

    /// Sends the notifications of a call.
    async fn distract(&self, wanted: &Wanted, token: &Value, is_modern: bool) {
        for step in 0..wanted.progress {
            if !token.is_null() {
                let params = json!({ "progressToken": token, "progress": step, "message": wanted.call });
                self.say(&json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params }))
                    .await;
            }
        }
        if is_modern {
            return;
        }
        for _ in 0..wanted.log_messages {
            let params = json!({ "level": "info", "data": "x".repeat(200) });
            self.say(&json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": params })).await;
        }
        if wanted.redefines {
            self.world.definition.fetch_add(1, Ordering::Relaxed);
            self.say(&json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" })).await;
        }
    }

    /// Asks the person of the calling client.
    async fn ask(&self, call: &str) {
        let (answer, answered) = oneshot::channel();
        let id = format!("question of {call}");
        self.questions.lock().unwrap().insert(id.clone(), answer);
        let params = question(call);
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": params }))
            .await;
        if let Ok(answer) = answered.await {
            self.check_answer(call, &answer["result"]);
        }
    }

    fn take_answer(&self, message: &Value) {
        let Some(id) = message["id"].as_str() else { return };
        if let Some(question) = self.questions.lock().unwrap().remove(id) {
            let _ = question.send(message.clone());
        }
    }

    /// Checks that an answer belongs to the call that asked.
    fn check_answer(&self, call: &str, answer: &Value) {
        if answer["action"] == "accept" && answer["content"]["call"] != call {
            self.world
                .violate(Promise::RightClient, format!("the question of {call} was answered with {answer}"));
        }
    }

    /// Handles the last message before the process ends.
    async fn end_within(&self, how: HowItEnds, message: &Value) {
        let is_call = message["method"] == "tools/call";
        if let (true, Some(wanted)) = (is_call, Wanted::read(&message["params"])) {
            let round = usize::from(!message["params"]["inputResponses"].is_null());
            self.world.note_received(self.number, &wanted.call, wanted.tool, round);
            if how != HowItEnds::BeforeEffect && wanted.tool == Tool::Count {
                self.world.note_effect(self.number, &wanted.call);
            }
        }
        if how == HowItEnds::WithinAnswer {
            let _ = self.output.send(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"resu", message["id"])).await;
        }
    }
}

impl Wanted {
    fn read(params: &Value) -> Option<Self> {
        let arguments = &params["arguments"];
        let tool = [Tool::Count, Tool::Echo].into_iter().find(|tool| params["name"] == tool.name())?;
        Some(Self {
            call: call_in(arguments["call"].as_str()?)?.to_owned(),
            tool,
            takes: Duration::from_millis(arguments["takes"].as_u64()?),
            progress: arguments["progress"].as_u64()?,
            asks: arguments["asks"] == true,
            redefines: arguments["redefines"] == true,
            log_messages: arguments["log_messages"].as_u64()?,
            hangs: arguments["hangs"] == true,
        })
    }
}

fn hello_legacy() -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": { "tools": { "listChanged": true }, "logging": {} },
        "serverInfo": { "name": "sim", "version": "1" },
    })
}

fn hello_modern() -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": { "tools": {} },
    })
}

fn question(call: &str) -> Value {
    json!({
        "message": format!("May {call} go on?"),
        "requestedSchema": { "type": "object", "properties": { "call": { "type": "string" } } },
    })
}

fn input_required(call: &str) -> Value {
    json!({
        "resultType": "input_required",
        "requestState": call,
        "inputRequests": { "question": { "method": "elicitation/create", "params": question(call) } },
    })
}

fn result(call: &str, process: usize, counter: u64, is_modern: bool) -> Value {
    let text = format!("{call} at {process}: {counter}");
    let mut result = json!({ "content": [{ "type": "text", "text": text }] });
    if is_modern {
        result["resultType"] = json!("complete");
    }
    result
}
