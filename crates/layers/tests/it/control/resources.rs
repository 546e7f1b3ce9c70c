//! Resources, templates and prompts are decided by their meaning, and the endpoint receives the
//! form that was decided about.
use std::sync::{Arc, LazyLock, Mutex};

use overt_layers::{Admitted, Control, Endpoint, PolicySnapshot, ServerDescription};
use overt_policy::record::{Declaration, ResourceRecord};
use overt_policy::scope::{Scope, ScopeTemplate};
use overt_policy::uri::ResourceScopes;
use overt_policy::{Authority, NoDomain, Policy};
use overt_wire::json::JsonBuf;
use overt_wire::{BoxFuture, Handler, Message, Method};
use serde_json::{Value, json};

use super::bypass::legacy;

/// Answers every request, and remembers the requested URIs.
struct Library {
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Endpoint for Library {
    fn call(&self, admitted: Admitted) -> BoxFuture<'_, Option<Message>> {
        let exchange = admitted.into_exchange();
        let message = &exchange.message;
        let result = match message.method() {
            Some(Method::ResourcesList) => json!({ "resources": [
                { "uri": "file:///secret/a", "name": "a" },
                { "uri": "file:///open/b c", "name": "b" },
                { "uri": "db://host/users/rows", "name": "c" },
                { "uri": "db://host/x%2fy", "name": "d" },
            ] }),
            Some(Method::ResourceTemplatesList) => json!({ "resourceTemplates": [
                { "uriTemplate": "file:///secret/{name}", "name": "a" },
                { "uriTemplate": "file:///{+path}", "name": "b" },
                { "uriTemplate": "db://host/{table}/rows", "name": "c" },
            ] }),
            _ => {
                let params: Value = message.params().value().unwrap().read().unwrap();
                self.asked.lock().unwrap().push(params);
                json!({ "contents": [] })
            }
        };
        let answer = message.id().map(|id| Message::result(id, JsonBuf::from(&result).as_json()));
        Box::pin(std::future::ready(answer))
    }

    fn description(&self) -> &ServerDescription {
        static DESCRIPTION: LazyLock<ServerDescription> = LazyLock::new(|| {
            let scopes = vec![ScopeTemplate::parse("read:table:{table}").unwrap()];
            let record = ResourceRecord { scopes, ..ResourceRecord::default() };
            let resources = [("db://host/{table}/rows".to_owned(), record)].into_iter().collect();
            let declaration = Declaration { resources, ..Declaration::default() };
            let resource_scopes = Arc::new(ResourceScopes::of(&declaration));
            ServerDescription { resource_scopes, ..ServerDescription::new("library") }
        });
        &DESCRIPTION
    }
}

struct Reader {
    handler: Arc<dyn Handler>,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Reader {
    fn new(denied: &[&str], policy: &Value) -> Self {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let mut authority = Authority::open();
        authority.denied.extend(denied.iter().map(|scope| Scope::parse(scope).unwrap()));
        authority.ceiling = Policy::parse(policy, &NoDomain).unwrap();
        let endpoint = Library { asked: Arc::clone(&asked) };
        let handler = overt_layers::build(endpoint, Control::new(PolicySnapshot::new(authority)));
        Self { handler, asked }
    }

    async fn send(&self, method: &str, params: Value) -> Value {
        let text = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let answer = self.handler.call(legacy(&text)).await.unwrap();
        serde_json::from_str(answer.text()).unwrap()
    }

    /// Returns the URI that the endpoint received, if the request got there.
    async fn read(&self, uri: &str) -> Option<String> {
        let before = self.asked.lock().unwrap().len();
        self.send("resources/read", json!({ "uri": uri })).await;
        let asked = self.asked.lock().unwrap();
        asked.get(before).map(|params| params["uri"].as_str().unwrap().to_owned())
    }

    async fn names(&self, method: &str, member: &str) -> Vec<String> {
        let list = self.send(method, json!({})).await;
        let items = list["result"][member].as_array().unwrap();
        items.iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
    }
}

/// denying a path denies the resource at that path, however it is spelled.
#[tokio::test]
async fn a_13_scopes_cover_resources() {
    let spellings = [
        "file:///secret/a",
        "file:/secret/a",
        "file://localhost/secret/a",
        "FILE:///x/../secret/%61",
        "file:///SECRET/a",
        " file:///secret/a",
        "file:///secret%2fa",
    ];
    let nothing = json!({});
    let list = json!({ "resources": { "deny": ["file:///secret/**"] } });
    let scopes = json!({ "scopes": { "deny": ["read:file:/secret"] } });
    for (denied, policy) in [
        (&["read:file:/secret"][..], &nothing),
        (&["read:library"], &nothing),
        (&["read"], &nothing),
        (&[], &list),
        (&[], &scopes),
    ] {
        let reader = Reader::new(denied, policy);
        for uri in spellings {
            assert_eq!(reader.read(uri).await, None, "{denied:?} {policy} {uri:?}");
        }
        let is_open = !denied.iter().any(|scope| matches!(*scope, "read" | "read:library"));
        assert_eq!(reader.read("file:///open/a").await.is_some(), is_open, "{denied:?}");
    }
}

#[tokio::test]
async fn a_13_prompts_and_other_uris_have_scopes_of_their_server() {
    let reader = Reader::new(&["read:library:db://host/users", "read:library:review"], &json!({}));
    assert_eq!(reader.read("db://host/users/x").await, None);
    assert_eq!(reader.read("DB://host/orders/../users").await, None);
    assert_eq!(reader.read("db://host/users?all").await, None);
    assert_eq!(reader.read("db://host/orders").await.as_deref(), Some("db://host/orders"));
    for (prompt, is_allowed) in [("review", false), ("greet", true)] {
        let answer = reader.send("prompts/get", json!({ "name": prompt })).await;
        assert_eq!(answer["error"].is_null(), is_allowed, "{answer}");
    }
}

#[tokio::test]
async fn a_manifest_maps_templates_to_scopes() {
    let reader = Reader::new(&["read:table:users"], &json!({}));
    assert_eq!(reader.read("db://host/users/rows").await, None);
    assert_eq!(reader.read("db://host/%75sers/rows").await, None);
    assert!(reader.read("db://host/orders/rows").await.is_some());
    assert_eq!(reader.names("resources/list", "resources").await, ["a", "b"]);
    let policy = json!({ "scopes": { "allow": ["read:table:orders"] } });
    let reader = Reader::new(&[], &policy);
    assert!(reader.read("db://host/orders/rows").await.is_some());
    assert_eq!(reader.read("db://host/users/rows").await, None);
    assert_eq!(reader.read("file:///open/a").await, None);
}

/// Hidden entries are refused, and the reverse.
#[tokio::test]
async fn lists_and_templates_are_judged_alike() {
    let reader = Reader::new(&["read:file:/secret"], &json!({}));
    // Entries that can't be decided about are hidden.
    assert_eq!(reader.names("resources/list", "resources").await, ["b", "c"]);
    assert_eq!(reader.names("resources/templates/list", "resourceTemplates").await, ["b", "c"]);
    for (template, is_allowed) in [
        ("file:///secret/{name}", false),
        ("file:///secret/x/{name}", false),
        ("file:///{+path}", true),
        ("file:///open/{name}", true),
    ] {
        let params = json!({ "ref": { "type": "ref/resource", "uri": template }, "argument": { "name": "name", "value": "" } });
        let answer = reader.send("completion/complete", params).await;
        assert_eq!(answer["error"].is_null(), is_allowed, "{template} {answer}");
    }
}

/// the endpoint receives the URI that was decided about, or its own spelling of it.
#[tokio::test]
async fn a_12_the_endpoint_gets_what_was_judged() {
    let reader = Reader::new(&[], &json!({}));
    assert_eq!(reader.read("DB://host/a/../b").await.as_deref(), Some("db://host/b"));
    assert_eq!(reader.read("file:///open/b c").await, None);
    reader.names("resources/list", "resources").await;
    assert_eq!(reader.read("file:///open/b c").await.as_deref(), Some("file:///open/b c"));
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        reader.send(method, json!({ "uri": "DB://host/%62" })).await;
        assert_eq!(reader.asked.lock().unwrap().last().unwrap()["uri"], "db://host/b", "{method}");
        let refused = reader.send(method, json!({ "uri": "db://host/b\t" })).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
}
