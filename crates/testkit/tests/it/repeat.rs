//! Everything that a model's prompt cache depends on must be byte-equal from run to run (G-29).
use std::path::Path;

use overt_testkit::link::LineLink;
use serde_json::json;

use crate::servers::PROGRAM;
use crate::web::modern_body;

#[tokio::test]
async fn g_29_lists_and_instructions_are_byte_equal_from_run_to_run() {
    let first = everything().await;
    assert!(first.iter().all(|text| text.contains(r#""result""#)), "{first:?}");
    assert_eq!(first, everything().await);
}

/// Returns everything that a new process says about itself. Asks each question twice and compares.
async fn everything() -> Vec<String> {
    let mut link = LineLink::process(Path::new(PROGRAM));
    let mut said = Vec::new();
    for method in
        ["server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list"]
    {
        let text = link.ask(&modern_body(1, method, json!({})).to_string()).await;
        assert_eq!(text, link.ask(&modern_body(1, method, json!({})).to_string()).await, "{method}");
        said.push(text);
    }
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    said.push(
        link.ask(&json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }).to_string())
            .await,
    );
    link.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string()).await;
    said.push(link.ask(&json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }).to_string()).await);
    assert!(link.finish().await.is_empty());
    said
}
