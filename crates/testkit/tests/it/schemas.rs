//! Calls everything that the servers have, in every version, and validates each message against the
//! official schema of that version. The transcripts validate their own messages too.
use std::sync::Arc;

use overt_testkit::link::LineLink;
use overt_testkit::schema::{Schemas, Witness};
use overt_transport::limits::Limits;
use overt_wire::era::{Era, Version};
use overt_wire::{Kind, Message, Method};
use serde_json::{Map, Value, json};

use crate::servers::by_name;

#[tokio::test]
async fn version_2024_11_05() {
    sweep(Version::V2024_11_05, json!({ "sampling": {}, "roots": {} })).await;
}

#[tokio::test]
async fn version_2025_03_26() {
    sweep(Version::V2025_03_26, json!({ "sampling": {}, "roots": {} })).await;
}

#[tokio::test]
async fn version_2025_06_18() {
    sweep(Version::V2025_06_18, json!({ "sampling": {}, "roots": {}, "elicitation": {} })).await;
}

#[tokio::test]
async fn version_2025_11_25() {
    sweep(Version::V2025_11_25, json!({ "sampling": {}, "roots": {}, "elicitation": { "form": {} } })).await;
}

#[tokio::test]
async fn version_2026_07_28() {
    sweep(Version::V2026_07_28, json!({ "sampling": {}, "roots": {}, "elicitation": { "form": {} } })).await;
}

/// A client that declares a capability unknown to its version is not asked to use it.
#[tokio::test]
async fn a_version_without_forms_is_not_asked_to_fill_one_in() {
    let capabilities = json!({ "sampling": {}, "roots": {}, "elicitation": {} });
    sweep(Version::V2024_11_05, capabilities).await;
}

async fn sweep(version: Version, capabilities: Value) {
    let schemas = Schemas::load();
    let mut checked = 0;
    for server in ["example", "workshop", "pages"] {
        let mut visitor = Visitor::connect(server, &schemas, version, &capabilities).await;
        visitor.lists().await;
        visitor.tools().await;
        visitor.resources().await;
        visitor.prompts().await;
        visitor.mistakes().await;
        checked += visitor.finish().await;
    }
    assert!(checked > 150, "only {checked} messages were checked");
}

/// A client that answers every question and reads everything.
struct Visitor {
    link: LineLink,
    witness: Witness,
    version: Version,
    capabilities: Value,
    next: u64,
    checked: usize,
}

impl Visitor {
    async fn connect(server: &str, schemas: &Arc<Schemas>, version: Version, capabilities: &Value) -> Self {
        let link = LineLink::memory(by_name(server), Limits::default());
        let witness = Witness::new(schemas, version);
        let mut visitor =
            Self { link, witness, version, capabilities: capabilities.clone(), next: 0, checked: 0 };
        if version.era() == Era::Legacy {
            let about = json!({ "name": "visitor", "version": "1" });
            let params = json!({ "protocolVersion": version.as_str(), "capabilities": capabilities, "clientInfo": about });
            let hello = visitor.ask("initialize", params).await;
            assert_eq!(hello["result"]["protocolVersion"], version.as_str());
            visitor.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
            visitor.ask("ping", json!({})).await;
            visitor.ask("logging/setLevel", json!({ "level": "debug" })).await;
        } else {
            visitor.ask("server/discover", json!({})).await;
            let wanted = json!({
                "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
                "resourceSubscriptions": ["test://watched-resource"]
            });
            let message = visitor.request("subscriptions/listen", json!({ "notifications": wanted }));
            visitor.send(&message).await;
            assert_eq!(visitor.receive().await.method(), Some(Method::SubscriptionAcknowledged));
        }
        visitor
    }

    async fn lists(&mut self) {
        for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
            self.list(method).await;
        }
    }

    async fn tools(&mut self) {
        if self.version.era() == Era::Legacy {
            self.ask("resources/subscribe", json!({ "uri": "test://watched-resource" })).await;
        }
        for tool in self.list("tools/list").await {
            // This tool never ends. Other tests cover it.
            if tool["name"] != "wait" {
                let meta = json!({ "progressToken": self.next, "io.modelcontextprotocol/logLevel": "debug" });
                let arguments = arguments(&tool["inputSchema"]);
                self.ask(
                    "tools/call",
                    json!({ "name": tool["name"], "arguments": arguments, "_meta": meta }),
                )
                .await;
            }
        }
        if self.version.era() == Era::Legacy {
            self.ask("resources/unsubscribe", json!({ "uri": "test://watched-resource" })).await;
        }
    }

    async fn resources(&mut self) {
        for resource in self.list("resources/list").await {
            self.ask("resources/read", json!({ "uri": resource["uri"] })).await;
        }
        self.ask("resources/read", json!({ "uri": "test://template/1/data" })).await;
        let reference = json!({ "type": "ref/resource", "uri": "test://template/{id}/data" });
        self.ask(
            "completion/complete",
            json!({ "ref": reference, "argument": { "name": "id", "value": "1" } }),
        )
        .await;
    }

    async fn prompts(&mut self) {
        for prompt in self.list("prompts/list").await {
            let names: Vec<&str> = prompt["arguments"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|a| a["name"].as_str())
                .collect();
            let arguments: Map<String, Value> =
                names.iter().map(|name| ((*name).into(), json!("test://x"))).collect();
            self.ask("prompts/get", json!({ "name": prompt["name"], "arguments": arguments })).await;
            let reference = json!({ "type": "ref/prompt", "name": prompt["name"] });
            let argument = json!({ "name": names.first().unwrap_or(&"none"), "value": "" });
            self.ask("completion/complete", json!({ "ref": reference, "argument": argument })).await;
        }
    }

    async fn mistakes(&mut self) {
        for (method, params) in [
            ("tools/call", json!({ "name": "nope" })),
            ("tools/call", json!({ "name": "echo", "arguments": { "message": 7 } })),
            ("tools/list", json!({ "cursor": "nope" })),
            ("resources/read", json!({ "uri": "test://nope" })),
            ("prompts/get", json!({ "name": "nope" })),
            ("completion/complete", json!({})),
            ("no/such/method", json!({})),
        ] {
            let reply = self.ask(method, params).await;
            assert!(reply.get("error").is_some() || reply["result"]["isError"] == true, "{reply}");
        }
        for broken in ["{", "[]", r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#] {
            self.link.send(broken).await;
            assert_eq!(self.receive().await.kind(), Kind::Error);
        }
    }

    async fn finish(mut self) -> usize {
        for text in self.link.finish().await {
            self.witness.received(&text).unwrap();
        }
        self.checked
    }

    /// Returns all entries of a list, page by page; empty if the server has no such list.
    async fn list(&mut self, method: &str) -> Vec<Value> {
        let (mut entries, mut params) = (Vec::new(), json!({}));
        loop {
            let reply = self.ask(method, params).await;
            let Some(result) = reply["result"].as_object() else { return entries };
            let list = result.values().find_map(Value::as_array).unwrap();
            entries.extend(list.iter().cloned());
            match result.get("nextCursor") {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => return entries,
            }
        }
    }

    /// Returns the answer to a request, after answering all questions that come with it.
    async fn ask(&mut self, method: &str, mut params: Value) -> Value {
        loop {
            let message = self.request(method, params.clone());
            self.send(&message).await;
            let reply = loop {
                let reply = self.receive().await;
                match reply.kind() {
                    Kind::Request => self.answer(&reply).await,
                    Kind::Notification => {}
                    Kind::Result | Kind::Error => break read(&reply),
                }
            };
            assert_eq!(reply["id"], message["id"], "{reply}");
            let Some(questions) = reply["result"]["inputRequests"].as_object() else { return reply };
            let answers: Map<String, Value> = questions
                .iter()
                .map(|(key, question)| (key.clone(), answer(question["method"].as_str().unwrap())))
                .collect();
            params["inputResponses"] = Value::Object(answers);
            params["requestState"] = reply["result"]["requestState"].clone();
        }
    }

    fn request(&mut self, method: &str, mut params: Value) -> Value {
        self.next += 1;
        if self.version.era() == Era::Modern {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(self.version.as_str());
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
        }
        json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params })
    }

    async fn answer(&mut self, question: &Message) {
        let result = answer(question.method().unwrap().name());
        let question = read(question);
        self.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": result })).await;
    }

    async fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.witness.sent(&text);
        self.link.send(&text).await;
    }

    async fn receive(&mut self) -> Message {
        let text = self.link.next().await.expect("the server goes on");
        self.checked += 1;
        self.witness.received(&text).unwrap_or_else(|problem| panic!("{problem}"))
    }
}

fn read(message: &Message) -> Value {
    message.as_json().read().unwrap()
}

fn answer(method: &str) -> Value {
    match method {
        "elicitation/create" => json!({ "action": "accept", "content": { "name": "x", "ok": true } }),
        "sampling/createMessage" => {
            json!({ "role": "assistant", "model": "m", "content": { "type": "text", "text": "yes" } })
        }
        "roots/list" => json!({ "roots": [{ "uri": "file:///a", "name": "a" }] }),
        other => panic!("nobody asks for {other}"),
    }
}

/// Returns arguments that match a schema well enough for these tools.
fn arguments(schema: &Value) -> Value {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let arguments = properties.map(|(name, property)| {
        let value = match (property["enum"].get(0), property["type"].as_str()) {
            (Some(first), _) => first.clone(),
            (None, Some("integer")) if name == "length" => json!(100),
            (None, Some("integer")) if name == "seconds" => json!(0),
            (None, Some("integer")) => json!(3),
            (None, Some("number")) => json!(2.5),
            (None, Some("boolean")) => json!(true),
            (None, Some("array")) => json!([]),
            (None, Some("string") | None) if property.get("$ref").is_none() => json!("text"),
            _ => json!({}),
        };
        (name.clone(), value)
    });
    Value::Object(arguments.collect())
}
