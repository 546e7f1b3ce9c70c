//! Configurations of clients, on their way to a server behind `overt run`.
use serde_json::{Value, json};

use crate::client::Client;
use crate::environment::TestEnvironment;
use crate::support::Script;

/// X-10: in 2026-07-28 each request has its own configuration. An older server gets one only at the
/// start of a session, so each has a session of its own, also over stdio.
#[test]
fn x_10_each_configuration_has_its_own_session_over_stdio() {
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {
            "tools": {},
            "configSchema": { "type": "object", "properties": { "dialect": { "type": "string" } } },
        },
        "serverInfo": { "name": "scripted", "version": "1" },
    });
    let server = Script::empty()
        .result("initialize", &hello.to_string())
        .result("tools/list", r#"{"tools":[{"name":"touch","inputSchema":{"type":"object"}}]}"#)
        .result("tools/call", r#"{"content":[{"type":"text","text":"done"}]}"#);
    let place = TestEnvironment::of(server);
    let mut command = place.command(&["run", "--allow-all", "--"]);
    command.args(place.server.command());
    let mut client = Client::silent(command);
    let mut call = |configuration: Value| {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": { "experimental": { "configuration": configuration } },
            "io.modelcontextprotocol/clientInfo": { "name": "modern", "version": "1" },
        });
        let reply = client.ask("tools/call", &json!({ "name": "touch", "arguments": {}, "_meta": meta }));
        assert!(reply.get("error").is_none(), "{reply}");
    };
    for dialect in ["one", "two", "one"] {
        call(json!({ "dialect": dialect }));
    }
    let received = place.server.received();
    let greetings: Vec<&str> =
        received.lines().filter(|line| line.contains(r#""method":"initialize""#)).collect();
    let of = |dialect: &str| greetings.iter().filter(|line| line.contains(dialect)).count();
    assert_eq!((of(r#""dialect":"one""#), of(r#""dialect":"two""#)), (1, 1), "{received}");
    client.end();
}
