//! Settings as clients see them: published, configured with the handshake or with each request, and
//! narrowed by policies.
use std::sync::Arc;

use overt_layers::setting::{Audience, DeclaredSettings, FieldScope, Kind, List, Narrowing, Setting};
use overt_toolbox::{Content, Server, Tool, ToolError, Toolbox};
use overt_wire::json::{Json, Limits};
use overt_wire::{ClientSink, Exchange, Handler, Message, NoClient, Principal, Session};
use serde_json::{Value, json};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Nothing {}

fn declared() -> DeclaredSettings {
    let settings = vec![
        Setting::new("max_results", Kind::Integer { min: 1, max: 1000 }, "How many results")
            .default(json!(100))
            .narrows(Narrowing::Min),
        Setting::new("hide", Kind::Globs, "What is hidden")
            .default(json!(["secret/**"]))
            .narrows(Narrowing::Union),
        Setting::new("language", Kind::Text, "Only for configurations")
            .default(json!("en"))
            .scope(FieldScope::Configuration),
        Setting::new("max_bytes", Kind::Bytes { min: 1, max: 1 << 20 }, "Only for people")
            .narrows(Narrowing::Min)
            .audience(Audience::Human),
        Setting::new("blocked", Kind::Flag, "Only for policies")
            .scope(FieldScope::Policy)
            .narrows(Narrowing::On),
        Setting::new("folder", Kind::Text, "Set at the start only").default(json!("/notes")).fixed(),
    ];
    DeclaredSettings::new(settings).unwrap()
}

/// A server with one tool, which says what its settings are worth.
fn server() -> Arc<dyn Handler> {
    let tool = Tool::content("show", "Shows the settings.", |_: Nothing, context| async move {
        let most: u64 = context.setting("max_results")?;
        let hidden: List = context.setting("hide")?;
        let language: String = context.setting("language")?;
        let bytes: Option<u64> = context.setting("max_bytes")?;
        let blocked: bool = context.setting("blocked")?;
        let hidden = hidden.into_iter().collect::<Vec<_>>().join(",");
        Ok(vec![Content::text(&format!("{most} {hidden} {language} {bytes:?} {blocked}"))])
    });
    let wrong = Tool::content("wrong", "Asks for what is not there.", |_: Nothing, context| async move {
        context.setting::<u64>("language")?;
        Ok::<_, ToolError>(vec![Content::text("never")])
    });
    let server = Server::new("notes", "1.0.0", "Only for tests.").settings(declared());
    overt_layers::open(Toolbox::new(server).tool(tool).tool(wrong).build().unwrap())
}

/// A client of one era, which came over a network or started the server itself.
struct Client {
    handler: Arc<dyn Handler>,
    session: Arc<Session>,
    modern: bool,
    over_network: bool,
    configuration: Value,
}

const WAYS: [(bool, bool); 4] = [(false, false), (false, true), (true, false), (true, true)];

impl Client {
    /// The client, and what it was answered first.
    async fn greet(modern: bool, over_network: bool, configuration: Value) -> (Self, Value) {
        let session = Session::new("session".into(), Principal::local(), Arc::new(NoClient));
        let client = Self { handler: server(), session, modern, over_network, configuration };
        let hello = if modern {
            client.send("server/discover", json!({})).await
        } else {
            let hello = client.initialize(client.configuration.clone()).await;
            if hello.get("result").is_some() {
                client.notify().await;
            }
            hello
        };
        (client, hello)
    }

    async fn initialize(&self, configuration: Value) -> Value {
        let capabilities = json!({ "experimental": { "configuration": configuration } });
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": { "name": "test", "version": "1" },
        });
        self.send("initialize", params).await
    }

    async fn notify(&self) {
        let text = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        self.handler.call(self.exchange(text.to_owned())).await;
    }

    fn exchange(&self, text: String) -> Exchange {
        let message = Message::parse(text.into_bytes(), &Limits::default()).unwrap();
        let sink: Arc<dyn ClientSink> = Arc::new(NoClient);
        let mut exchange = Exchange::new(message, Arc::clone(&self.session), sink).unwrap();
        exchange.reached_at = self.over_network.then(|| "http://127.0.0.1/mcp".into());
        exchange
    }

    async fn send(&self, method: &str, mut params: Value) -> Value {
        if self.modern {
            let meta = params.as_object_mut().unwrap().entry("_meta").or_insert_with(|| json!({}));
            meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            meta["io.modelcontextprotocol/clientCapabilities"] =
                json!({ "experimental": { "configuration": self.configuration } });
        }
        let text = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let reply = self.handler.call(self.exchange(text)).await.unwrap();
        Json::parse(reply.text()).unwrap().read().unwrap()
    }

    /// What the tool says, or the kind and the place of the error.
    async fn show(&self, policy: Value, source: Option<&str>) -> String {
        let mut meta = json!({ "policy": policy });
        if let Some(source) = source {
            meta["dev.overt/policy-source"] = json!(source);
        }
        said(&self.send("tools/call", json!({ "name": "show", "arguments": {}, "_meta": meta })).await)
    }
}

fn said(reply: &Value) -> String {
    match reply["result"]["content"][0]["text"].as_str() {
        Some(text) => text.to_owned(),
        None => {
            let error = &reply["error"];
            let data = &error["data"];
            format!(
                "{} {} {}",
                error["code"],
                data["kind"].as_str().unwrap_or(""),
                data["path"].as_str().unwrap_or("")
            )
        }
    }
}

/// H-14, X-08, X-09, X-10: the same schema wherever it is published.
#[tokio::test]
async fn h_14_every_client_is_told_the_schema_and_that_policies_are_honoured() {
    let schema = declared().schema();
    for (modern, over_network) in WAYS {
        let (_, hello) = Client::greet(modern, over_network, Value::Null).await;
        let result = &hello["result"];
        let capabilities = &result["capabilities"];
        let extension = &capabilities["extensions"]["dev.overt/config"]["schema"];
        assert_eq!(capabilities["experimental"]["policy"], json!({ "enabled": true }));
        // H-36: the schema appears once in each answer.
        let (literal, extended) = if modern { (&Value::Null, &schema) } else { (&schema, &Value::Null) };
        assert_eq!((&capabilities["configSchema"], extension), (literal, extended));
        assert!(result["configSchema"].is_null());
    }
}

/// H-15: a client that started the server replaces what holds; one that came over a network can
/// only narrow it.
#[tokio::test]
async fn h_15_a_client_configures_as_its_way_allows() {
    for (modern, over_network) in WAYS {
        let narrower = json!({ "max_results": 5, "hide": ["x"] });
        let (client, _) = Client::greet(modern, over_network, narrower).await;
        let hidden = if over_network { "secret/**,x" } else { "x" };
        assert_eq!(client.show(Value::Null, None).await, format!("5 {hidden} en None false"));

        let wider = json!({ "max_results": 500, "language": "de" });
        let (client, hello) = Client::greet(modern, over_network, wider).await;
        if over_network {
            assert_eq!(said(&hello), "-32602 configuration_expansion /max_results");
            assert_eq!(hello["error"]["data"]["problems"].as_array().unwrap().len(), 2, "{hello}");
        } else {
            assert_eq!(client.show(Value::Null, None).await, "500 secret/** de None false");
        }
    }
}

/// H-16, POL-14: everything that is wrong with a configuration is said at once, each with its
/// place.
#[tokio::test]
async fn pol_14_a_configuration_has_what_its_fields_allow() {
    for (modern, over_network) in WAYS {
        let wrong =
            json!({ "blocked": true, "folder": "/", "Max_results": 1, "hide": ["["], "max_bytes": null });
        let (_, hello) = Client::greet(modern, over_network, wrong).await;
        assert_eq!(hello["error"]["code"], json!(-32602));
        let problems = hello["error"]["data"]["problems"].to_string();
        for place in ["/blocked", "/folder", "/Max_results", "/hide/0", "/max_bytes"] {
            assert!(problems.contains(place), "{place} in {problems}");
        }
        for wrong in [json!([]), json!("x"), json!(true)] {
            let (_, hello) = Client::greet(modern, over_network, wrong).await;
            assert_eq!(said(&hello), "-32602 configuration_invalid ");
        }
    }
}

/// POL-13: no further handshake changes a session that lives.
#[tokio::test]
async fn pol_13_a_second_handshake_widens_nothing() {
    for over_network in [false, true] {
        let (client, _) = Client::greet(false, over_network, json!({ "max_results": 5 })).await;
        let again = client.initialize(json!({ "max_results": 1000 })).await;
        assert_eq!(again["error"]["code"], json!(-32600), "{again}");
        assert_eq!(client.show(Value::Null, None).await, "5 secret/** en None false");
    }
}

/// POL-07, POL-14, X-35: a policy narrows what the client's configuration left, field by field and
/// author by author.
#[tokio::test]
async fn pol_07_a_policy_narrows_for_one_call() {
    for (modern, over_network) in WAYS {
        let (client, _) = Client::greet(modern, over_network, json!({ "max_results": 50 })).await;
        let table = [
            (json!({ "max_results": 3, "hide": ["y"], "blocked": true }), None, "3 secret/**,y en None true"),
            (json!([{ "max_results": 30 }, { "max_results": 3 }]), None, "3 secret/** en None false"),
            (
                json!([{ "max_results": 3 }, { "max_results": 30 }]),
                None,
                "-32602 policy_expansion /1/max_results",
            ),
            (json!({ "max_results": 51 }), None, "-32602 policy_expansion /max_results"),
            (json!({ "max_results": null, "hide": [] }), None, "50 secret/** en None false"),
            (json!({ "max_bytes": 9 }), Some("human"), "50 secret/** en Some(9) false"),
            (json!({ "max_bytes": 9 }), Some("llm"), "-32602 policy_invalid /max_bytes"),
            (json!({ "max_bytes": 9 }), Some("Human"), "-32602 policy_invalid /max_bytes"),
            (json!({ "max_bytes": 9 }), None, "-32602 policy_invalid /max_bytes"),
            (json!({ "language": "de" }), Some("human"), "-32602 policy_invalid /language"),
            (json!({ "folder": "/" }), Some("human"), "-32602 policy_invalid /folder"),
            (json!({ "roots2": 1 }), Some("human"), "-32602 policy_invalid /roots2"),
            (json!({ "hide": ["["] }), None, "-32602 policy_invalid /hide/0"),
        ];
        for (policy, source, expected) in table {
            assert_eq!(client.show(policy.clone(), source).await, expected, "{policy} from {source:?}");
        }
        assert_eq!(client.show(Value::Null, None).await, "50 secret/** en None false", "for one call alone");
    }
}

#[tokio::test]
async fn a_setting_that_is_read_wrongly_is_a_mistake_of_the_server() {
    let (client, _) = Client::greet(true, false, Value::Null).await;
    let reply = client.send("tools/call", json!({ "name": "wrong", "arguments": {} })).await;
    assert_eq!(reply["error"]["code"], json!(-32603), "{reply}");
}
