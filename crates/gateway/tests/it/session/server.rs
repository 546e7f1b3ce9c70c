//! A server in memory. Each session of the gateway gets its own process with its own counter.
use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use overt_transport::client::{ByteStream, Connector};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::sync::mpsc;
use tokio::time::sleep;

/// The state that the test and all processes share.
#[derive(Debug, Default)]
pub(super) struct Server {
    pub(super) is_modern: bool,
    /// The faults of the next processes, in order.
    faults: Mutex<VecDeque<Fault>>,
    /// Whether no process can be started.
    is_down: AtomicBool,
    starts: AtomicUsize,
    running: AtomicUsize,
    /// What each process received, as `PROCESS METHOD TOOL`.
    asked: Mutex<Vec<String>>,
    /// Channels to the running processes.
    orders: Mutex<Vec<mpsc::Sender<Order>>>,
    description: Mutex<String>,
}

/// How a process fails.
#[derive(Debug, Clone)]
pub(super) enum Fault {
    None,
    CannotStart,
    /// The process ends when it receives this method, without an answer.
    EndsAt(&'static str),
}

/// What a test orders all processes to do.
#[derive(Debug, Clone)]
pub(super) enum Order {
    End,
    Say(Value),
    /// Withdraw all questions, and answer the calls without them.
    TakeBack,
    /// Notify every subscription that the tools have changed.
    ChangeTools,
}

/// How long a modern server takes to acknowledge a subscription.
pub(super) const ACKNOWLEDGES: Duration = Duration::from_millis(100);
/// The most messages and orders that may wait for a process.
const QUEUE: usize = 100_000;

struct Process {
    number: usize,
    server: Arc<Server>,
    out: mpsc::Sender<Value>,
    count: usize,
    /// Calls that wait for the answer to a question.
    asking: Vec<Value>,
    /// The ids of acknowledged subscriptions.
    subscribed: Arc<Mutex<Vec<Value>>>,
}

impl Server {
    pub(super) fn legacy() -> Arc<Self> {
        Arc::default()
    }

    pub(super) fn modern() -> Arc<Self> {
        Arc::new(Self { is_modern: true, ..Self::default() })
    }

    /// Sets the fault of the next process.
    pub(super) fn next_fails(&self, fault: Fault) {
        self.faults.lock().unwrap().push_back(fault);
    }

    pub(super) fn set_down(&self, is_down: bool) {
        self.is_down.store(is_down, Ordering::Relaxed);
    }

    pub(super) fn starts(&self) -> usize {
        self.starts.load(Ordering::Relaxed)
    }

    pub(super) fn running(&self) -> usize {
        self.running.load(Ordering::Relaxed)
    }

    /// Returns everything that all processes received, including handshakes and answers.
    pub(super) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    pub(super) fn describe(&self, text: &str) {
        *self.description.lock().unwrap() = text.to_owned();
    }

    pub(super) fn order(&self, order: &Order) {
        self.orders.lock().unwrap().retain(|process| process.try_send(order.clone()).is_ok());
    }
}

/// Starts processes of the server for the gateway.
#[derive(Debug)]
pub(super) struct Start(pub(super) Arc<Server>);

impl Connector for Start {
    fn name(&self) -> &str {
        "counter"
    }

    fn connect(&self) -> io::Result<Box<dyn ByteStream>> {
        let server = &self.0;
        let fault = server.faults.lock().unwrap().pop_front().unwrap_or(Fault::None);
        if server.is_down.load(Ordering::Relaxed) || matches!(fault, Fault::CannotStart) {
            return Err(io::Error::from(io::ErrorKind::NotFound));
        }
        let number = server.starts.fetch_add(1, Ordering::Relaxed) + 1;
        let (near, far) = tokio::io::duplex(64 << 10);
        let (reader, writer) = tokio::io::split(far);
        let (out, lines) = mpsc::channel(QUEUE);
        let process = Process {
            number,
            server: Arc::clone(server),
            out,
            count: 0,
            asking: Vec::new(),
            subscribed: Arc::default(),
        };
        let (order, orders) = mpsc::channel(QUEUE);
        server.orders.lock().unwrap().push(order);
        server.running.fetch_add(1, Ordering::Relaxed);
        tokio::spawn(async move {
            let server = Arc::clone(&process.server);
            tokio::select! {
                () = write(writer, lines) => {}
                () = process.run(reader, orders, fault) => {}
            }
            server.running.fetch_sub(1, Ordering::Relaxed);
        });
        Ok(Box::new(near))
    }
}

async fn write(mut writer: WriteHalf<DuplexStream>, mut lines: mpsc::Receiver<Value>) {
    while let Some(line) = lines.recv().await {
        if writer.write_all(format!("{line}\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

impl Process {
    async fn run(mut self, reader: ReadHalf<DuplexStream>, mut orders: mpsc::Receiver<Order>, fault: Fault) {
        let mut lines = BufReader::new(reader).lines();
        loop {
            let line = tokio::select! {
                line = lines.next_line() => line,
                Some(order) = orders.recv() => match order {
                    Order::End => return,
                    Order::Say(message) => {
                        let _ = self.out.try_send(message);
                        continue;
                    }
                    Order::TakeBack => {
                        for (index, id) in std::mem::take(&mut self.asking).iter().enumerate() {
                            let params = json!({"requestId": format!("q{}", index + 1)});
                            let _ = self.out.try_send(
                                json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}),
                            );
                            self.say_text(id, &format!("{} without an answer", self.number));
                        }
                        continue;
                    }
                    Order::ChangeTools => {
                        for id in &*self.subscribed.lock().unwrap() {
                            self.tell(id, "notifications/tools/list_changed");
                        }
                        continue;
                    }
                },
            };
            let Ok(Some(line)) = line else { return };
            let message: Value = serde_json::from_str(&line).unwrap();
            let method = message["method"].as_str().unwrap_or("answer").to_owned();
            let tool = message["params"]["name"].as_str().unwrap_or_default();
            self.server
                .asked
                .lock()
                .unwrap()
                .push(format!("{} {method} {tool}", self.number).trim_end().to_owned());
            if matches!(fault, Fault::EndsAt(at) if at == method) {
                return;
            }
            self.take(&method, &message);
        }
    }

    fn take(&mut self, method: &str, message: &Value) {
        let id = message["id"].clone();
        let capabilities =
            json!({"tools": {"listChanged": true}, "resources": {"subscribe": true}, "logging": {}});
        match method {
            "server/discover" if self.server.is_modern => self.answer(
                &id,
                json!({"supportedVersions": ["2026-07-28"], "capabilities": capabilities, "ttlMs": 0, "cacheScope": "private"}),
            ),
            "initialize" if !self.server.is_modern => self.answer(
                &id,
                json!({"protocolVersion": "2025-06-18", "capabilities": capabilities, "serverInfo": {"name": "counter", "version": "1"}}),
            ),
            "tools/list" => {
                let description = self.server.description.lock().unwrap().clone();
                let tool = |name: &str| json!({"name": name, "description": description, "inputSchema": {"type": "object"}});
                let tools = ["count", "sleep", "ask", "flood"].map(tool);
                self.answer(&id, json!({"tools": tools}));
            }
            "tools/call" => self.call(&id, &message["params"]),
            "subscriptions/listen" => self.subscribe(id),
            "notifications/cancelled" => {
                let ended = &message["params"]["requestId"];
                self.subscribed.lock().unwrap().retain(|id| id != ended);
            }
            "answer" => {
                for id in std::mem::take(&mut self.asking) {
                    let text = format!("{} {}", self.number, message["result"]["action"]);
                    self.say_text(&id, &text);
                }
            }
            _ if id.is_null() => {}
            "ping" | "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe" => {
                self.answer(&id, json!({}));
            }
            _ => {
                let error = json!({"code": -32601, "message": format!("no method {method}")});
                let _ = self.out.try_send(json!({"jsonrpc": "2.0", "id": id, "error": error}));
            }
        }
    }

    fn call(&mut self, id: &Value, params: &Value) {
        match params["name"].as_str() {
            Some("sleep") => {
                let (out, number, id) = (self.out.clone(), self.number, id.clone());
                let time = Duration::from_millis(params["arguments"]["ms"].as_u64().unwrap());
                tokio::spawn(async move {
                    sleep(time).await;
                    let result = json!({"resultType": "complete", "content": [{"type": "text", "text": format!("{number} slept")}]});
                    let _ = out.try_send(json!({"jsonrpc": "2.0", "id": id, "result": result}));
                });
            }
            Some("ask") => {
                self.asking.push(id.clone());
                let form = json!({"type": "object", "properties": {"sure": {"type": "boolean"}}});
                let params = json!({"message": "Sure?", "requestedSchema": form});
                let _ = self.out.try_send(
                    json!({"jsonrpc": "2.0", "id": format!("q{}", self.asking.len()), "method": "elicitation/create", "params": params}),
                );
            }
            Some("flood") => {
                for number in 0..params["arguments"]["messages"].as_u64().unwrap() {
                    let params =
                        json!({"progressToken": params["_meta"]["progressToken"], "progress": number});
                    let _ = self.out.try_send(
                        json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}),
                    );
                }
                self.say_text(id, "flooded");
            }
            _ => {
                self.count += 1;
                let text = format!("{} {}", self.number, self.count);
                self.say_text(id, &text);
            }
        }
    }

    /// Opens a subscription, which takes a while.
    fn subscribe(&self, id: Value) {
        let (process, subscribed) = (self.out.clone(), Arc::clone(&self.subscribed));
        tokio::spawn(async move {
            sleep(ACKNOWLEDGES).await;
            let meta = json!({"io.modelcontextprotocol/subscriptionId": id});
            let params = json!({"_meta": meta, "notifications": {"toolsListChanged": true}});
            let _ = process.try_send(
                json!({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": params}),
            );
            subscribed.lock().unwrap().push(id);
        });
    }

    fn tell(&self, subscription: &Value, method: &str) {
        let meta = json!({"io.modelcontextprotocol/subscriptionId": subscription});
        let _ = self.out.try_send(json!({"jsonrpc": "2.0", "method": method, "params": {"_meta": meta}}));
    }

    fn say_text(&self, id: &Value, text: &str) {
        self.answer(id, json!({"content": [{"type": "text", "text": text}]}));
    }

    fn answer(&self, id: &Value, mut result: Value) {
        if self.server.is_modern {
            result["resultType"] = json!("complete");
        }
        let _ = self.out.try_send(json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }
}
