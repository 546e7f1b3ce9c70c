//! UP-12, UP-14 and UP-17: upstreams over HTTP that refuse, redirect, forget sessions and break
//! off.
use std::path::PathBuf;

use overt_testkit::evil::habits::Habits;
use overt_testkit::evil::web::Web;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::kit::{Gate, failed, lines};

async fn gate(options: &[&str], habits: Habits) -> Gate {
    let url = Web::start(habits).unwrap();
    let mut gate = Gate::run(
        &[&["run", "--allow", "read", "--allow", "write", "--allow", "execute"], options, &[&url]].concat(),
        &[],
    );
    let answer = gate.greet().await;
    assert!(answer["result"]["serverInfo"].is_object(), "{answer}");
    gate
}

fn file() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    (folder, file)
}

fn response(status: &str, headers: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: 0\r\n\r\n")
}

#[tokio::test]
async fn up_12_every_status_has_its_own_error_and_the_next_call_is_well() {
    let mut gate = gate(&[], Habits::default()).await;
    let cases = [
        ("401 Unauthorized", "", "no"),
        ("403 Forbidden", "", "no"),
        ("429 Too Many Requests", "Retry-After: 1\r\n", "no"),
        ("500 Internal Server Error", "", "unknown"),
        ("502 Bad Gateway", "", "unknown"),
    ];
    let mut messages = std::collections::BTreeSet::new();
    for (status, headers, executed) in cases {
        let answer = gate.call("say", json!({ "parts": [response(status, headers)] })).await;
        assert_eq!(failed(&answer).1, executed, "{status}: {answer}");
        assert!(messages.insert(answer["error"]["message"].to_string()), "{status}: {answer}");
        if status.starts_with("429") {
            assert_eq!(answer["error"]["data"]["retryAfterMs"], 1000, "{answer}");
            tokio::time::sleep(std::time::Duration::from_millis(1100)).await;
        }
        // The server closes the connection. It may take a moment until this is noticed.
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        gate.is_well().await;
    }
    gate.end().await;
}

#[tokio::test]
async fn up_12_a_lost_session_is_opened_again_and_the_call_runs_once() {
    let (_folder, counts) = file();
    let mut gate = gate(
        &["--protocol", "2025-11-25"],
        Habits { counts: Some(counts.clone()), legacy: true, ..Habits::default() },
    )
    .await;
    for nonce in 0..5 {
        gate.text("forget", json!({})).await;
        assert_eq!(gate.text("count", json!({ "nonce": nonce })).await, "counted");
    }
    assert_eq!(lines(&counts), ["0", "1", "2", "3", "4"]);
    gate.end().await;
}

#[tokio::test]
async fn up_12_a_redirect_is_not_followed_and_takes_no_credential_along() {
    let (_folder, requests) = file();
    let elsewhere = Web::start(Habits { requests: Some(requests.clone()), ..Habits::default() }).unwrap();
    let mut gate = gate(&["--header", "Authorization: Bearer OURS"], Habits::default()).await;
    for status in ["301 Moved", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"] {
        let parts = json!([response(status, &format!("Location: {elsewhere}\r\n"))]);
        let answer = gate.call("say", json!({ "parts": parts })).await;
        assert!(!answer["error"].is_null(), "{status}: {answer}");
        assert!(!answer.to_string().contains("OURS"));
    }
    gate.is_well().await;
    assert!(lines(&requests).is_empty(), "somebody went there: {:?}", lines(&requests));
    gate.end().await;
}

#[tokio::test]
async fn up_12_a_connection_that_breaks_in_mid_answer_is_one_error() {
    let mut gate = gate(&[], Habits::default()).await;
    let begun =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"jsonrpc\":";
    for ending in [json!({ "reset": true, "wait_ms": 50 }), json!({ "text": "", "wait_ms": 50 })] {
        let answer = gate.call("say", json!({ "parts": [begun, ending] })).await;
        assert_eq!(failed(&answer).1, "unknown", "{answer}");
        gate.is_well().await;
    }
    gate.is_quiet().await;
    gate.end().await;
}

#[tokio::test]
async fn up_06_a_stream_without_an_end_is_given_up() {
    let mut gate = gate(&["--timeout", "3s"], Habits::default()).await;
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: ";
    let answer = gate.call("say", json!({ "parts": [head, { "text": "x", "times": 1_u64 << 40 }] })).await;
    assert!(!answer["error"].is_null(), "{answer}");
    let peak = gate.process.peak_memory();
    assert!(peak < 160 << 20, "{} MiB", peak >> 20);
    gate.is_well().await;
    gate.end().await;
}

#[tokio::test]
async fn up_06_a_compressed_answer_is_not_unpacked() {
    let mut gate = gate(&[], Habits::default()).await;
    let packed = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n";
    let answer = gate.call("say", json!({ "parts": [packed, { "bytes": [31, 139, 8, 0] }] })).await;
    assert!(!answer["error"].is_null(), "{answer}");
    gate.is_well().await;
    gate.end().await;
}

#[tokio::test]
async fn up_14_nothing_of_the_clients_headers_reaches_the_upstream() {
    let url = Web::start(Habits::default()).unwrap();
    let front = super::load::Front::start(&[&url]).await;
    let request = crate::web::modern(1, "tools/call", json!({ "name": "headers", "arguments": {} }))
        .header("Cookie", "session=CLIENT")
        .header("X-Forwarded-For", "192.0.2.1")
        .header("X-Forwarded-Host", "CLIENT")
        .header("Forwarded", "for=CLIENT")
        .header("Proxy-Authorization", "Basic CLIENT");
    let (status, answer) = front.answer(&request).await;
    assert_eq!(status, 200, "{answer}");
    let seen = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(!seen.contains("CLIENT") && !seen.contains("192.0.2.1"), "{seen}");
    let seen: Value = serde_json::from_str(seen).unwrap();
    assert!(seen.get("authorization").is_none() && seen.get("cookie").is_none(), "{seen}");
    // A token that our server does not know is refused. `auth::passing` tests one that it knows.
    let (status, answer) = front.answer(&request.header("Authorization", "Bearer CLIENT")).await;
    assert_eq!(status, 401, "{answer}");
}

#[tokio::test]
async fn up_17_a_name_can_not_write_headers() {
    let (_folder, requests) = file();
    let mut gate = gate(&[], Habits { requests: Some(requests.clone()), ..Habits::default() }).await;
    for name in ["x\r\nX-Evil: 1", "x\nX-Evil: 1", "x\r\n\r\nGET /evil HTTP/1.1", "../admin?a=b#c", "\0"] {
        let answer = gate.call(name, json!({})).await;
        assert!(!answer["error"].is_null(), "{answer}");
    }
    let seen = lines(&requests).join("\n");
    assert!(!seen.contains("x-evil") && !seen.contains("GET /evil"), "{seen}");
    assert!(
        lines(&requests).iter().all(|line| line.contains("\"line\":\"POST /mcp HTTP/1.1\"")
            || line.contains("GET /mcp")
            || line.contains("DELETE /mcp")),
        "{seen}"
    );
    gate.is_well().await;
    gate.end().await;
}
