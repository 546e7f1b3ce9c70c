//! An upstream with settings of its own. Clients configure them together with Overt's (H-14).
use std::sync::{Arc, Mutex};

use overt_layers::setting::{DeclaredSettings, Kind, Narrowing, Setting};
use overt_layers::{Admitted, Endpoint, ServerDescription};
use overt_wire::json::{Json, JsonBuf, Limits};
use overt_wire::{BoxFuture, ClientSink, Exchange, Handler, Message, Method, NoClient, Principal, Session};
use serde_json::{Value, json};

/// An upstream that publishes a schema. It remembers which methods reach it and what they
/// configure.
struct Configurable {
    description: ServerDescription,
    schema: Value,
    reached: Reached,
}

type Reached = Arc<Mutex<Vec<(String, Value)>>>;

impl Endpoint for Configurable {
    fn call(&self, admitted: Admitted) -> BoxFuture<'_, Option<Message>> {
        let exchange = admitted.into_exchange();
        let method = exchange.message.method().unwrap();
        let sent: Value = exchange.caller.capabilities.as_json().read().unwrap();
        let sent = sent["experimental"]["configuration"].clone();
        self.reached.lock().unwrap().push((method.name().to_owned(), sent));
        let result = match method {
            Method::Initialize => json!({
                "protocolVersion": "2025-11-25", "capabilities": { "configSchema": self.schema },
                "serverInfo": { "name": "up", "version": "1" },
            }),
            Method::Discover => {
                json!({ "supportedVersions": ["2026-07-28"], "capabilities": { "configSchema": self.schema } })
            }
            Method::ToolsList => {
                json!({ "tools": [{ "name": "look", "inputSchema": { "type": "object" } }] })
            }
            _ => json!({ "content": [] }),
        };
        let reply = exchange.message.id().map(|id| Message::result(id, JsonBuf::from(&result).as_json()));
        Box::pin(std::future::ready(reply))
    }

    fn description(&self) -> &ServerDescription {
        &self.description
    }
}

/// A client's connection to Overt in front of the upstream.
struct Connection {
    handler: Arc<dyn Handler>,
    session: Arc<Session>,
    reached: Reached,
}

impl Connection {
    fn new(schema: Value) -> Self {
        let most = Setting::new("max_results", Kind::Integer { min: 1, max: 1000 }, "How many results")
            .default(json!(100))
            .narrows(Narrowing::Min);
        let settings = Some(DeclaredSettings::new(vec![most]).unwrap().into());
        let description = ServerDescription { settings, ..ServerDescription::new("up") };
        let reached = Reached::default();
        let handler = overt_layers::open(Configurable { description, schema, reached: Arc::clone(&reached) });
        Self {
            handler,
            session: Session::new("session".into(), Principal::local(), Arc::new(NoClient)),
            reached,
        }
    }

    async fn send(&self, method: &str, params: Value) -> Value {
        let text = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let message = Message::parse(text.into_bytes(), &Limits::default()).unwrap();
        let sink: Arc<dyn ClientSink> = Arc::new(NoClient);
        let exchange = Exchange::new(message, Arc::clone(&self.session), sink).unwrap();
        Json::parse(self.handler.call(exchange).await.unwrap().text()).unwrap().read().unwrap()
    }

    async fn initialize(&self, configuration: Value) -> Value {
        let capabilities = json!({ "experimental": { "configuration": configuration } });
        let about = json!({ "name": "test", "version": "1" });
        let params =
            json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": about });
        self.send("initialize", params).await
    }

    /// A call of the modern era, without a handshake.
    async fn call(&self, configuration: Value) -> Value {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": { "experimental": { "configuration": configuration } },
        });
        self.send("tools/call", json!({ "name": "look", "arguments": {}, "_meta": meta })).await
    }

    /// Returns the configurations that reached the upstream with this method.
    fn configured_with(&self, method: &str) -> Vec<Value> {
        let reached = self.reached.lock().unwrap();
        reached.iter().filter(|(name, _)| name == method).map(|(_, sent)| sent.clone()).collect()
    }
}

fn schema() -> Value {
    json!({ "type": "object", "properties": { "own": { "type": "integer" } } })
}

fn refused_at(reply: &Value) -> (&Value, &str) {
    (&reply["error"]["code"], reply["error"]["data"]["path"].as_str().unwrap_or_default())
}

#[tokio::test]
async fn h_14_a_client_configures_the_server_behind_us_by_its_own_schema() {
    let connection = Connection::new(schema());
    let sent = json!({ "own": 1, "max_results": 5 });
    let hello = connection.initialize(sent.clone()).await;
    let capabilities = &hello["result"]["capabilities"];
    assert_eq!(capabilities["configSchema"], schema(), "{hello}");
    assert!(
        capabilities["extensions"]["dev.overt/config"]["schema"]["properties"]["max_results"].is_object()
    );
    assert_eq!(connection.configured_with("initialize"), [sent]);
}

#[tokio::test]
async fn h_14_a_name_that_neither_schema_has_is_refused_and_the_client_can_try_again() {
    for (schema, wrong) in [(schema(), json!({ "onw": 1 })), (Value::Null, json!({ "own": 1 }))] {
        let connection = Connection::new(schema.clone());
        let place = if schema.is_null() { "/own" } else { "/onw" };
        assert_eq!(refused_at(&connection.initialize(wrong).await), (&json!(-32602), place));
        // An error in Overt's own settings does not reach the upstream.
        assert_eq!(
            refused_at(&connection.initialize(json!({ "max_results": 0 })).await),
            (&json!(-32602), "/max_results")
        );
        assert_eq!(connection.configured_with("initialize").len(), 1);
        assert!(connection.initialize(json!({ "max_results": 5 })).await["result"].is_object());
    }
}

#[tokio::test]
async fn h_14_without_a_handshake_the_server_is_asked_for_its_settings_once() {
    let connection = Connection::new(schema());
    assert!(connection.call(json!({ "max_results": 5 })).await["result"].is_object());
    assert_eq!(connection.configured_with("server/discover").len(), 0, "only Overt's own is configured");
    for _ in 0..2 {
        assert!(connection.call(json!({ "own": 2 })).await["result"].is_object());
    }
    assert_eq!(refused_at(&connection.call(json!({ "onw": 2 })).await), (&json!(-32602), "/onw"));
    assert_eq!(connection.configured_with("server/discover").len(), 1);
    assert_eq!(
        connection.configured_with("tools/call"),
        [json!({ "max_results": 5 }), json!({ "own": 2 }), json!({ "own": 2 })]
    );
}
