//! UP-03 and UP-05: upstreams that answer late or never, and upstreams that don't read.
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::kit::{Gate, failed, said};

#[tokio::test]
async fn up_03_a_call_without_an_answer_ends_at_its_deadline_and_is_cancelled() {
    let mut gate = Gate::with(&["--timeout", "500ms"], &[]).await;
    let silent = gate.send("silence", json!({})).await;
    gate.is_well().await;
    let answer = gate.answer(silent).await;
    assert_eq!(failed(&answer).1, "unknown", "{answer}");
    let heard: Value = serde_json::from_str(&gate.text("heard", json!({})).await).unwrap();
    let cancelled = heard.as_array().unwrap().iter().filter(|m| m["method"] == "notifications/cancelled");
    assert_eq!(cancelled.count(), 1, "{heard}");
    gate.end().await;
}

#[tokio::test]
async fn up_03_an_answer_after_the_deadline_is_dropped() {
    let mut gate = Gate::with(&["--timeout", "500ms"], &[]).await;
    let parts = json!([{ "wait_ms": 1000, "text": said("too late") }]);
    let late = gate.call("say", json!({ "parts": parts })).await;
    assert_eq!(failed(&late).1, "unknown", "{late}");
    tokio::time::sleep(Duration::from_millis(700)).await;
    gate.is_well().await;
    gate.is_quiet().await;
    gate.end().await;
}

#[tokio::test]
async fn up_03_progress_does_not_put_the_end_off_for_ever() {
    let mut gate = Gate::with(&["--timeout", "500ms"], &[]).await;
    let progress = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":$id,\"progress\":1}}\n";
    let parts: Vec<Value> = (0..100).map(|_| json!({ "wait_ms": 100, "text": progress })).collect();
    let started = Instant::now();
    let answer = gate.call("say", json!({ "parts": parts })).await;
    assert_eq!(failed(&answer).1, "unknown", "{answer}");
    assert!(started.elapsed() < Duration::from_secs(9), "{:?}", started.elapsed());
    gate.end().await;
}

#[tokio::test]
async fn up_03_an_upstream_that_never_says_who_it_is_fails_the_handshake() {
    let mut gate = Gate::start(&["--timeout", "2s"], &["--mute"]);
    let answer = gate.greet().await;
    assert!(!answer["error"].is_null(), "{answer}");
    gate.is_quiet().await;
    gate.end().await;
}

#[tokio::test]
async fn up_05_an_upstream_that_does_not_read_costs_a_bounded_amount() {
    let mut gate = Gate::with(&["--timeout", "3s"], &[]).await;
    gate.text("deafen", json!({})).await;
    let before = gate.process.peak_memory();
    let filler = "x".repeat(1_000_000);
    let mut waiting = Vec::new();
    for _ in 0..100 {
        waiting.push(gate.send_and_read("echo", json!({ "message": filler })).await);
    }
    // The server that is started as a replacement may answer calls that were not written yet.
    let mut failed = 0;
    for id in waiting {
        failed += usize::from(!gate.answer(id).await["error"].is_null());
    }
    assert!(failed > 0);
    // 100 MB were sent to a server that reads none of it. At most four copies of what may be in
    // flight are allowed.
    let grown = gate.process.peak_memory() - before;
    assert!(grown < 128 << 20, "{} MiB more", grown >> 20);
    gate.end().await;
}
