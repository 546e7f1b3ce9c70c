//! A client of either era: makes the calls of its plan, answers questions, and checks everything
//! that it receives.
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use overt_gateway::GatewayLimits;
use overt_transport::limits::Limits;
use overt_wire::Handler;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use super::connection::{Connection, HandlerConnection, StreamConnection};
use super::promise::Promise;
use super::schedule::{Action, Call, ClientKind, ClientPlan, Leaves, Sabotage, Tool};
use super::world::{World, call_in, call_name, client_of};

pub(crate) struct Client {
    world: Arc<World>,
    index: usize,
    plan: ClientPlan,
    connection: Connection,
    next: AtomicU64,
    waiting: Mutex<HashMap<u64, Waiting>>,
    /// How long the person takes to answer questions of each call.
    person_takes: Mutex<HashMap<String, Duration>>,
    has_left_question: AtomicBool,
    is_gone: AtomicBool,
    has_ended_input: AtomicBool,
}

enum Waiting {
    For(oneshot::Sender<Value>),
    /// The client cancelled the request. One answer may still come.
    Cancelled,
}

/// How long any request may take: the limits of the layers, without a person's time.
pub(crate) const DEADLINE: Duration = Duration::from_secs(20);
/// The time that links may add.
const SLACK: Duration = Duration::from_secs(15);
/// How long it may take until the gateway notices that a question was abandoned.
const SWEEP: Duration = Duration::from_secs(60);

/// Error codes of a failed server: deadline, overload, failed, lost, down.
const SERVER_FAILED: [i64; 5] = [1408, 1429, 1500, 1502, 1503];

impl Client {
    pub(crate) fn new(
        world: &Arc<World>,
        index: usize,
        handler: &Arc<dyn Handler>,
        limits: &Limits,
    ) -> Arc<Self> {
        let plan = world.schedule.clients[index].clone();
        let (handler, limits) = (Arc::clone(handler), limits.clone());
        let seed = world.schedule.seed.wrapping_mul(77).wrapping_add(index as u64);
        Arc::new_cyclic(|client| {
            let connection = match plan.kind.is_stdio() {
                true => Connection::Stream(StreamConnection::open(client, handler, limits, plan.link, seed)),
                false => {
                    let is_sessionless = plan.kind == ClientKind::HttpModern;
                    let name = format!("session {index}");
                    let connection = HandlerConnection::new(client, handler, limits, is_sessionless, name);
                    Connection::Handler(Box::new(connection))
                }
            };
            Self {
                world: Arc::clone(world),
                index,
                plan,
                connection,
                next: AtomicU64::new(1),
                waiting: Mutex::default(),
                person_takes: Mutex::default(),
                has_left_question: AtomicBool::new(false),
                is_gone: AtomicBool::new(false),
                has_ended_input: AtomicBool::new(false),
            }
        })
    }

    /// Carries out the plan. Returns when every request was answered, or when the client has left.
    pub(crate) async fn run(self: Arc<Self>) {
        if !self.greet().await {
            return;
        }
        let mut calls = JoinSet::new();
        for step in &self.plan.steps {
            sleep(step.after).await;
            let (many, waits) = match &step.action {
                Action::ListTools => {
                    self.list().await;
                    continue;
                }
                Action::Call(many) => (many, false),
                Action::CallAndWait(many) => (many, true),
            };
            let mut own = JoinSet::new();
            for call in many.iter().copied() {
                let client = Arc::clone(&self);
                let task = async move {
                    client.call(call).await;
                };
                if waits {
                    own.spawn(task)
                } else {
                    calls.spawn(task)
                };
            }
            while own.join_next().await.is_some() {}
        }
        match self.plan.leaves {
            Some(Leaves::Abruptly) => self.leave().await,
            Some(Leaves::EndOfInput) => {
                self.has_ended_input.store(true, Ordering::Relaxed);
                self.connection.end_input();
                while calls.join_next().await.is_some() {}
                self.leave().await;
            }
            None => {}
        }
        while calls.join_next().await.is_some() {}
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.is_gone.load(Ordering::Relaxed)
    }

    pub(crate) async fn leave(&self) {
        if !self.is_gone.swap(true, Ordering::Relaxed) {
            self.world.say(|| format!("client {} leaves", self.index));
            self.waiting.lock().unwrap().clear();
            self.connection.close().await;
        }
    }

    /// Checks that a call works after the faults are over, within a few attempts.
    pub(crate) async fn check_recovered(self: Arc<Self>) {
        if self.is_gone() {
            return;
        }
        for _ in 0..6 {
            if self.greet().await && self.call(Call::plain(Tool::Echo)).await {
                return;
            }
            sleep(Duration::from_secs(5)).await;
        }
        let what = format!("client {} can't call although the server is well", self.index);
        self.world.violate(Promise::Recovers, what);
    }

    /// Does the handshake of the older era. Retries a few times, as a person would.
    async fn greet(&self) -> bool {
        if self.plan.kind.is_modern() || self.has_greeted() {
            return true;
        }
        for attempt in 0..4 {
            let params = json!({
                "protocolVersion": "2025-11-25", "capabilities": self.capabilities(), "clientInfo": self.info(),
            });
            let Some(answer) = self.request("initialize", params, Duration::ZERO).await else { return false };
            if !answer["result"].is_null() {
                self.next.fetch_or(GREETED, Ordering::Relaxed);
                let method = "notifications/initialized";
                return self.connection.send(&json!({ "jsonrpc": "2.0", "method": method })).await;
            }
            self.check_error(&answer, None);
            self.connection.forget_session(format!(
                "session {} {attempt} {}",
                self.index,
                self.world.starts()
            ));
            sleep(Duration::from_secs(2)).await;
        }
        false
    }

    fn has_greeted(&self) -> bool {
        self.next.load(Ordering::Relaxed) & GREETED != 0
    }

    async fn list(&self) {
        let Some(answer) = self.request("tools/list", self.stamped(json!({})), Duration::ZERO).await else {
            return;
        };
        if answer["result"].is_null() {
            self.check_error(&answer, None);
        }
    }

    /// Makes one call with all its rounds. Returns whether it succeeded.
    async fn call(self: &Arc<Self>, call: Call) -> bool {
        let name = call_name(self.index, self.next.fetch_add(1, Ordering::Relaxed) & !GREETED);
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap();
        self.person_takes.lock().unwrap().insert(name.clone(), call.person_takes);
        let mut params = self.stamped(json!({
            "name": call.tool.name(),
            "arguments": {
                "call": name, "takes": millis(call.takes), "progress": call.progress, "asks": call.asks,
                "redefines": call.redefines, "log_messages": call.log_messages, "hangs": call.hangs,
            },
            "_meta": { "progressToken": name },
        }));
        loop {
            let answering = self.request_cancelled_after("tools/call", params.clone(), &call);
            let Some(answer) = answering.await else { return false };
            if answer["result"].is_null() {
                if !params["requestState"].is_null() {
                    self.has_left_question.store(true, Ordering::Relaxed);
                }
                self.check_error(&answer, Some((&name, call.tool)));
                return false;
            }
            if answer["result"]["resultType"] != "input_required" {
                return self.check_result(&answer, &name, call.tool);
            }
            let mut responses = json!({});
            for (key, request) in answer["result"]["inputRequests"].as_object().unwrap() {
                // A legacy server does not say which call a question belongs to, so the gateway may
                // show it to any call of the client.
                let about = self.check_question(&request["params"]);
                responses[key] = json!({ "action": "accept", "content": { "call": about } });
            }
            sleep(call.person_takes).await;
            params["inputResponses"] = responses;
            params["requestState"] = answer["result"]["requestState"].clone();
        }
    }

    async fn request_cancelled_after(&self, method: &str, params: Value, call: &Call) -> Option<Value> {
        let id = self.new_id();
        let asking = self.request_as(id, method, params, call.person_takes);
        let Some(after) = call.cancelled_after else { return asking.await };
        match timeout(after, asking).await {
            Ok(answer) => answer,
            Err(_) => {
                if let Some(waiting) = self.waiting.lock().unwrap().get_mut(&id) {
                    *waiting = Waiting::Cancelled;
                }
                self.has_left_question.store(true, Ordering::Relaxed);
                self.world.say(|| format!("client {} cancels request {id}", self.index));
                self.connection.cancel(id).await;
                None
            }
        }
    }

    async fn request(&self, method: &str, params: Value, person_takes: Duration) -> Option<Value> {
        self.request_as(self.new_id(), method, params, person_takes).await
    }

    /// Sends a request and returns its answer, or `None` if the client has left.
    async fn request_as(
        &self,
        id: u64,
        method: &str,
        params: Value,
        person_takes: Duration,
    ) -> Option<Value> {
        if self.is_gone() {
            return None;
        }
        let (answer, answered) = oneshot::channel();
        self.waiting.lock().unwrap().insert(id, Waiting::For(answer));
        self.world
            .say(|| format!("client {} sends {method} {id} {}", self.index, params["arguments"]["call"]));
        let began = Instant::now();
        if !self
            .connection
            .send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await
        {
            // The input is already closed.
            self.waiting.lock().unwrap().remove(&id);
            return None;
        }
        let mut answered = answered;
        let mut waited = timeout(DEADLINE + person_takes + SLACK, &mut answered).await;
        // A question stays unanswered if its request was cancelled, or failed when it came back.
        // Other calls of the client wait in the server until the gateway gives up the question.
        if waited.is_err() && self.has_left_question.load(Ordering::Relaxed) {
            waited = timeout(GatewayLimits::default().suspended_for + SWEEP, &mut answered).await;
        }
        match waited {
            Ok(answer) => answer.ok(),
            Err(_) => {
                let what = format!(
                    "client {} has no answer to {method} {id} after {:?}",
                    self.index,
                    began.elapsed()
                );
                self.world.violate(self.answer_promise(), what);
                None
            }
        }
    }

    fn answer_promise(&self) -> Promise {
        match self.has_ended_input.load(Ordering::Relaxed) {
            true => Promise::AnswerAfterEndOfInput,
            false => Promise::OneAnswer,
        }
    }

    /// Handles one message of the server.
    pub(crate) fn receive(self: &Arc<Self>, message: Value) {
        if self.is_gone() {
            return;
        }
        match message["method"].as_str() {
            None => self.take_answer(message),
            Some("notifications/progress") => {
                let token = message["params"]["progressToken"].as_str().unwrap_or_default();
                if call_in(token).map(client_of) != Some(self.index) {
                    self.world.violate(Promise::RightClient, format!("client {} got {message}", self.index));
                }
            }
            Some(method) if !message["id"].is_null() => {
                let (client, method) = (Arc::clone(self), method.to_owned());
                tokio::spawn(async move {
                    let id = &message["id"];
                    if let Some(result) = client.answer_question(&method, &message["params"]).await {
                        let answer = json!({ "jsonrpc": "2.0", "id": id, "result": result });
                        client.connection.send(&answer).await;
                    }
                });
            }
            Some(_) => {}
        }
    }

    fn take_answer(&self, message: Value) {
        let id = message["id"].as_u64().unwrap_or_default();
        if self.world.schedule.sabotage == Some(Sabotage::DropAnswer) && id % 5 == 4 {
            return;
        }
        if self.world.schedule.sabotage == Some(Sabotage::AnswerTwice) && id % 5 == 4 {
            self.take_one_answer(message.clone(), id);
        }
        self.take_one_answer(message, id);
    }

    fn take_one_answer(&self, message: Value, id: u64) {
        self.world.say(|| format!("client {} gets the answer to {id}: {message:.200}", self.index));
        match self.waiting.lock().unwrap().remove(&id) {
            Some(Waiting::For(answer)) => drop(answer.send(message)),
            Some(Waiting::Cancelled) => {}
            None => {
                let what = format!("client {} got a second answer, or one to nothing: {message}", self.index);
                self.world.violate(Promise::OneAnswer, what);
            }
        }
    }

    /// Handles the end of the stream from the layers. Calls that still wait get no answer.
    pub(crate) fn end_of_output(&self) {
        let mut waiting = self.waiting.lock().unwrap();
        let missing: Vec<u64> = waiting
            .drain()
            .filter_map(|(id, waiting)| matches!(waiting, Waiting::For(_)).then_some(id))
            .collect();
        if !missing.is_empty() && !self.is_gone() {
            let what = format!("client {} has no answers to {missing:?}: the output ended", self.index);
            self.world.violate(self.answer_promise(), what);
        }
    }

    pub(crate) async fn answer_question(&self, method: &str, params: &Value) -> Option<Value> {
        assert_eq!(method, "elicitation/create");
        let call = self.check_question(params)?;
        let takes = self.person_takes.lock().unwrap().get(&call).copied().unwrap_or_default();
        sleep(takes).await;
        (!self.is_gone()).then(|| json!({ "action": "accept", "content": { "call": call } }))
    }

    /// Checks that a question belongs to a call of this client, or of one that shares its session.
    /// Returns the call.
    fn check_question(&self, params: &Value) -> Option<String> {
        let about = params["message"].as_str().and_then(call_in);
        let own = self.world.key_of(&call_name(self.index, 0));
        if !self.plan.can_be_asked || about.map(|call| self.world.key_of(call)) != Some(own) {
            self.world.violate(Promise::RightClient, format!("client {} was asked {params}", self.index));
        }
        about.map(str::to_owned)
    }

    fn check_result(&self, answer: &Value, name: &str, tool: Tool) -> bool {
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        if result["isError"] == true {
            let promise = if tool == Tool::Echo { Promise::ReadsStayReads } else { Promise::KnownErrors };
            self.world.violate(promise, format!("{name} got {answer}"));
            return false;
        }
        let is_swapped = self.world.schedule.sabotage == Some(Sabotage::SwapAnswers) && name.ends_with("5>");
        if is_swapped || call_in(text) != Some(name) {
            self.world.violate(Promise::RightClient, format!("{name} got {answer}"));
        }
        true
    }

    /// Checks that an error code is one of a failed server. Notes calls that it says were not
    /// executed.
    fn check_error(&self, answer: &Value, call: Option<(&str, Tool)>) {
        let error = &answer["error"];
        let is_known = error["code"].as_i64().is_some_and(|code| SERVER_FAILED.contains(&code));
        if !is_known {
            self.world
                .violate(Promise::KnownErrors, format!("client {} got {answer} for {call:?}", self.index));
        } else if self.world.schedule.is_calm() && !self.has_ended_input.load(Ordering::Relaxed) {
            // A client that has ended its input can't answer questions, so its calls may fail.
            self.world
                .violate(Promise::CallsSucceed, format!("client {} got {answer} for {call:?}", self.index));
        }
        let claims = self.world.schedule.sabotage == Some(Sabotage::ClaimNotExecuted);
        if let Some((name, _)) = call
            && (error["data"]["executed"] == "no" || claims)
        {
            self.world.note_not_executed(name);
        }
    }

    fn new_id(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed) & !GREETED
    }

    /// Adds what a modern request says about its client.
    fn stamped(&self, mut params: Value) -> Value {
        if self.plan.kind.is_modern() {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = self.capabilities();
            params["_meta"]["io.modelcontextprotocol/clientInfo"] = self.info();
        }
        params
    }

    fn capabilities(&self) -> Value {
        if self.plan.can_be_asked { json!({ "elicitation": {} }) } else { json!({}) }
    }

    fn info(&self) -> Value {
        let version = match self.world.schedule.sabotage {
            Some(Sabotage::SplitState) => self.next.load(Ordering::Relaxed),
            _ => 1,
        };
        json!({ "name": self.plan.name, "version": version.to_string() })
    }
}

/// The bit of the id counter that marks a completed handshake.
const GREETED: u64 = 1 << 40;
