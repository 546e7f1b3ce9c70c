//! Clients in memory, in front of a gateway with its layers: authorization that allows the server
//! `counter`, and the pins.
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use overt_gateway::pins::{Identity, PinGuard, PinMode, PinStore};
use overt_gateway::{Gateway, Options};
use overt_layers::{Control, PolicySnapshot};
use overt_policy::Authority;
use overt_policy::scope::Scope;
use overt_transport::client::Target;
use overt_wire::json::{Json, Limits};
use overt_wire::{BoxFuture, ClientSink, Closed, Exchange, Handler, Message, Principal, Session};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::server::{Server, Start};

/// The gateway with its layers, and the server behind it.
pub(super) struct Stack {
    pub(super) gateway: Gateway,
    pub(super) server: Arc<Server>,
    handler: Arc<dyn Handler>,
    _state: TempDir,
}

/// A client of the stack.
pub(super) struct Client {
    handler: Arc<dyn Handler>,
    session: Arc<Session>,
    sink: Arc<Heard>,
    /// The `_meta` that a modern client sends with each request. `None` for a legacy client.
    modern: Option<Value>,
    next: AtomicU64,
}

/// Records the messages to a client, and accepts every question.
#[derive(Default)]
pub(super) struct Heard {
    told: Mutex<Vec<Value>>,
    /// Whether the client does not read.
    is_deaf: bool,
}

impl Stack {
    pub(super) fn new(server: Arc<Server>) -> Self {
        Self::with(server, PinMode::Warn, |options| options)
    }

    pub(super) fn with(server: Arc<Server>, mode: PinMode, change: impl FnOnce(Options) -> Options) -> Self {
        let state = TempDir::new().unwrap();
        let target = Target::Streams(Arc::new(Start(Arc::clone(&server))));
        let store = PinStore::new(state.path());
        let pins = PinGuard::new(mode, store, Identity::of(&target, None), Arc::new(|_| {}));
        let options = Options { pins: Some(pins.clone()), ..Options::new("counter") };
        let gateway = Gateway::new(target, change(options));
        let allowed = ["execute:counter", "read:counter"].map(|scope| Scope::parse(scope).unwrap());
        let authority = Authority { base: allowed.into_iter().collect(), ..Authority::careful() };
        let control = Control::new(PolicySnapshot::new(authority)).veto(pins);
        let handler = overt_layers::build(gateway.clone(), control);
        Self { gateway, server, handler, _state: state }
    }

    /// Returns a modern client on a pipe.
    pub(super) fn modern(&self) -> Client {
        self.client(Session::new, "pipe", Principal::local(), Heard::default())
    }

    /// Returns a modern HTTP client with this name. Each of its requests may use another
    /// connection.
    pub(super) fn modern_http(&self, name: &str) -> Client {
        self.client(Session::of_connection, name, Principal::local(), Heard::default())
    }

    /// Returns such a client of the holder of a token.
    pub(super) fn modern_http_of(&self, name: &str, token: &str) -> Client {
        let principal = Principal::token_holder(token);
        self.client(Session::of_connection, name, principal, Heard::default())
    }

    /// Returns a modern client on a pipe that does not read its notifications.
    pub(super) fn deaf(&self) -> Client {
        self.client(Session::new, "deaf", Principal::local(), Heard { is_deaf: true, ..Heard::default() })
    }

    /// Returns a legacy client that has initialized, and the answer to `initialize`.
    pub(super) async fn legacy(&self) -> (Client, Value) {
        let client =
            Client { modern: None, ..self.client(Session::new, "", Principal::local(), Heard::default()) };
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "legacy", "version": "1"},
        });
        let answer = client.ask("initialize", hello).await;
        client.notify("notifications/initialized").await;
        (client, answer)
    }

    /// Ends the session of a client.
    pub(super) fn leave(&self, client: &Client) {
        self.handler.closed(&client.session);
    }

    fn client(
        &self,
        session: fn(String, Principal, Arc<dyn ClientSink>) -> Arc<Session>,
        name: &str,
        principal: Principal,
        heard: Heard,
    ) -> Client {
        static SESSIONS: AtomicU64 = AtomicU64::new(0);
        let sink = Arc::new(heard);
        let id = format!("session-{}", SESSIONS.fetch_add(1, Ordering::Relaxed));
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
            "io.modelcontextprotocol/clientInfo": {"name": name, "version": "1"},
        });
        Client {
            handler: Arc::clone(&self.handler),
            session: session(id, principal, Arc::<Heard>::clone(&sink)),
            sink,
            modern: Some(meta),
            next: AtomicU64::new(1),
        }
    }
}

impl Client {
    /// Returns the answer to a request, whether result or error.
    pub(super) async fn ask(&self, method: &str, params: Value) -> Value {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let message = self.message(method, params, Some(id));
        let answer = self.handler.call(self.exchange(message)).await.unwrap();
        serde_json::from_str(answer.text()).unwrap()
    }

    /// Returns the text of a tool's result, or `CODE EXECUTED` for an error.
    pub(super) async fn call(&self, tool: &str, arguments: Value) -> String {
        let meta = json!({"progressToken": "token"});
        let answer =
            self.ask("tools/call", json!({"name": tool, "arguments": arguments, "_meta": meta})).await;
        match &answer["error"] {
            Value::Null => match &answer["result"]["content"][0]["text"] {
                Value::String(text) => text.clone(),
                _ => answer["result"].to_string(),
            },
            error => format!("{} {}", error["code"], error["data"]["executed"].as_str().unwrap_or_default()),
        }
    }

    pub(super) async fn count(&self) -> String {
        self.call("count", json!({})).await
    }

    pub(super) async fn notify(&self, method: &str) {
        let message = self.message(method, json!({}), None);
        assert!(self.handler.call(self.exchange(message)).await.is_none());
    }

    /// Returns the methods of the messages since the last time.
    pub(super) fn told(&self) -> Vec<String> {
        let told = std::mem::take(&mut *self.sink.told.lock().unwrap());
        told.iter().map(|message| message["method"].as_str().unwrap().to_owned()).collect()
    }

    fn message(&self, method: &str, mut params: Value, id: Option<u64>) -> Message {
        if let (Some(meta), Some(_)) = (&self.modern, id) {
            for (name, value) in meta.as_object().unwrap() {
                params["_meta"][name] = value.clone();
            }
        }
        let mut message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        if let Some(id) = id {
            message["id"] = json!(id);
        }
        Message::parse(message.to_string().into_bytes(), &Limits::default()).unwrap()
    }

    fn exchange(&self, message: Message) -> Exchange {
        Exchange::new(message, Arc::clone(&self.session), Arc::<Heard>::clone(&self.sink)).unwrap()
    }
}

impl ClientSink for Heard {
    fn notify(&self, message: Message) -> BoxFuture<'_, Result<(), Closed>> {
        if self.is_deaf {
            return Box::pin(std::future::pending());
        }
        self.told.lock().unwrap().push(serde_json::from_str(message.text()).unwrap());
        Box::pin(std::future::ready(Ok(())))
    }

    fn request(&self, method: &str, _params: Option<Json<'_>>) -> BoxFuture<'_, Result<Message, Closed>> {
        self.told.lock().unwrap().push(json!({"method": method}));
        let yes = Message::parse(
            br#"{"jsonrpc":"2.0","id":0,"result":{"action":"accept","content":{}}}"#.to_vec(),
            &Limits::default(),
        );
        Box::pin(std::future::ready(Ok(yes.unwrap())))
    }
}
