//! Overt's own servers, described from outside: every document equals what the server itself says.
use std::sync::Arc;

use overt_testkit::example;
use overt_wire::json::Limits;
use overt_wire::{Exchange, Handler, Message, NoClient, Principal, Session};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::http::Example;
use crate::support::overt;

/// Returns the example server's own answer, to a client without a network address.
fn own(method: &str, mut params: Value) -> Value {
    let handler: Arc<dyn Handler> = overt_disclosure::open(example::toolbox().unwrap()).unwrap();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let text = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let message = Message::parse(text.into_bytes(), &Limits::default()).unwrap();
    let session = Session::of_connection("s".into(), Principal::local(), Arc::new(NoClient));
    let exchange = Exchange::new(message, session, Arc::new(NoClient)).unwrap();
    let answer = Runtime::new().unwrap().block_on(handler.call(exchange)).unwrap();
    let mut answer: Value = serde_json::from_str(answer.text()).unwrap();
    assert_eq!(answer.get("error"), None);
    answer["result"].take()
}

fn own_resource(uri: &str) -> String {
    own("resources/read", json!({"uri": uri}))["contents"][0]["text"].as_str().unwrap().to_owned()
}

/// Returns the documents of `overt describe --as all` by path. No document contains the server's
/// local address.
fn described() -> Vec<(String, String)> {
    let (server, here) = (Example::start(), TempDir::new().unwrap());
    let arguments = ["describe", &server.url, "--as", "all", "--format", "json", "--quiet"];
    let output = overt().args(arguments).current_dir(here.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let all: Value = serde_json::from_str(&String::from_utf8(output.stdout).unwrap()).unwrap();
    let text = |document: &Value, member: &str| document[member].as_str().unwrap().to_owned();
    let documents = all["documents"].as_array().unwrap().iter();
    documents.map(|document| (text(document, "path"), text(document, "text"))).collect()
}

#[test]
fn a_server_of_ours_is_described_as_it_describes_itself() {
    let described = described();
    let document = |path: &str| {
        let found = described.iter().find(|(known, _)| known == path);
        found.map_or_else(|| panic!("{path}"), |(_, text)| text.as_str())
    };
    let help = own_resource("overt://ai-help");
    assert!(help.contains("## When to Use\n\nUse this MCP server when the user asks to:\n"), "{help}");
    assert_eq!(document("ai-help.md"), help);
    assert_eq!(own("ai_help", json!({}))["content"], help);
    let data: Value = serde_json::from_str(document("ai-help.json")).unwrap();
    assert_eq!(own("ai_help", json!({"format": "json"}))["sections"], data["sections"]);

    let tools = own("tools/list", json!({}));
    let cards = tools["tools"].as_array().unwrap().iter().filter_map(|tool| {
        tool.get("x-tool-card-uri").map(|uri| (tool["name"].as_str().unwrap(), uri.as_str().unwrap()))
    });
    let cards: Vec<(&str, &str)> = cards.collect();
    assert!(cards.contains(&("echo", "overt://cards/echo")), "{cards:?}");
    for (tool, uri) in &cards {
        assert_eq!(document(&format!("cards/{tool}.json")), own_resource(uri));
    }
    let made = described.iter().filter(|(path, _)| path.starts_with("cards/") && path != "cards/index.json");
    assert_eq!(made.count(), cards.len());
}
