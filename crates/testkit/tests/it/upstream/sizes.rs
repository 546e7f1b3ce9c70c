//! UP-06: answers that are too long, too many, too deep, not text, or without an end.
use serde_json::{Value, json};

use super::kit::Gate;

/// Peak memory must stay below this number of bytes.
const BOUND: usize = 160 << 20;

async fn one_error(gate: &mut Gate, what: &str, parts: Value) {
    let answer = gate.call("say", json!({ "parts": parts })).await;
    assert!(answer["result"].is_null() && !answer["error"].is_null(), "{what}: {answer}");
    let peak = gate.process.peak_memory();
    assert!(peak < BOUND, "{what}: {} MiB", peak >> 20);
}

#[tokio::test]
async fn up_06_an_answer_that_is_too_much_is_an_error_and_the_next_is_well() {
    let mut gate = Gate::with(&["--timeout", "20s"], &[]).await;
    let (before, after) = (r#"{"jsonrpc":"2.0","id":$id,"result":{"content":["#, "]}}\n");
    let item = r#"{"type":"text","text":"x"},"#;
    let last = r#"{"type":"text","text":"x"}"#;
    let cases = [
        (
            "40 MiB of text",
            json!([before, r#"{"type":"text","text":""#, { "text": "x", "times": 40 << 20 }, r#""}"#, after]),
        ),
        ("a million items", json!([before, { "text": item, "times": 400_000 }, last, after])),
        (
            "deep nesting",
            json!([before, { "text": "[", "times": 10_000 }, { "text": "]", "times": 10_000 }, after]),
        ),
        ("no UTF-8", json!([before, r#"{"type":"text","text":""#, { "bytes": [255, 254] }, r#""}"#, after])),
        ("a member twice", json!([before, r#"{"type":"text","type":"text","text":""}"#, after])),
    ];
    for (what, parts) in cases {
        one_error(&mut gate, what, parts).await;
        gate.is_well().await;
    }
    gate.is_quiet().await;
    gate.end().await;
}

#[tokio::test]
async fn up_06_a_line_without_an_end_is_given_up() {
    let mut gate = Gate::with(&["--timeout", "3s"], &[]).await;
    one_error(&mut gate, "no end", json!(["{\"x\":\"", { "text": "y", "times": 1_u64 << 40 }])).await;
    gate.end().await;
}
