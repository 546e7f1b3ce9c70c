//! Slow writers, and text of clients in the log.
use overt_testkit::process::Process;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};

use super::kit::memory;
use crate::servers::PROGRAM;
use crate::web::modern_body;

fn greeting() -> String {
    modern_body(1, "tools/call", json!({ "name": "echo", "arguments": { "message": "héé 😀" } })).to_string()
}

#[tokio::test]
async fn rpc_18_a_message_may_come_byte_by_byte() {
    let mut link = memory("example");
    for byte in (greeting() + "\n").bytes() {
        link.write(&[byte]).await;
        tokio::task::yield_now().await;
    }
    assert!(link.next().await.unwrap().contains("héé 😀"));
}

#[tokio::test]
async fn rpc_18_a_message_may_be_split_anywhere() {
    let mut link = memory("example");
    let text = greeting() + "\n";
    for at in 0..text.len() {
        link.write(&text.as_bytes()[..at]).await;
        tokio::task::yield_now().await;
        link.write(&text.as_bytes()[at..]).await;
        assert!(link.next().await.unwrap().contains("héé 😀"), "split at {at}");
    }
}

#[tokio::test]
async fn rpc_19_nothing_that_a_client_says_breaks_a_line_of_the_log() {
    let mut process = Process::start(PROGRAM, &["--stdio"]);
    let mut input = process.input.take().unwrap();
    let mut lines = BufReader::new(process.output.take().unwrap()).lines();
    let evil = "\u{1b}[31m\nEVIL line\r\u{202e}\u{7f}";
    let messages = [
        modern_body(1, "tools/call", json!({ "name": evil, "arguments": {} })),
        modern_body(2, evil, json!({})),
        modern_body(3, "tools/call", json!({ "name": "echo", "arguments": { evil: evil } })),
        modern_body(4, "resources/read", json!({ "uri": evil })),
        modern_body(5, "tools/list", json!({ "cursor": evil, "_meta": { "progressToken": evil } })),
        json!({ "jsonrpc": "2.0", "id": 6, "method": "logging/setLevel", "params": { "level": evil } }),
        json!({ "jsonrpc": "2.0", "id": 7, "method": "initialize", "params": { "protocolVersion": evil, "clientInfo": { "name": evil } } }),
    ];
    for message in &messages {
        input.write_all(format!("{message}\n").as_bytes()).await.unwrap();
        let reply = lines.next_line().await.unwrap().unwrap();
        // It does not break a line of the protocol either.
        assert!(
            !reply.contains('\u{1b}') && reply.contains(&format!(r#""id":{}"#, message["id"])),
            "{reply}"
        );
    }
    input.write_all(b"\x1b[31m\rEVIL line\n").await.unwrap();
    drop(input);
    assert!(process.ended().await.success());
    let mut log = String::new();
    process.errors.take().unwrap().read_to_string(&mut log).await.unwrap();
    for line in log.lines() {
        assert!(!line.contains("\u{1b}[31m") && !line.trim_start().starts_with("EVIL"), "{line:?}");
    }
}
