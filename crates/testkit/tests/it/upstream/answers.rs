//! UP-04 and UP-07: duplicate answers, answers without a request, answers for another client, and
//! invalid answers.
use serde_json::{Value, json};

use super::kit::{EVIL, Gate, failed, result, said};
use super::load::{Front, receive, received};
use crate::web::legacy;

#[tokio::test]
async fn up_04_the_first_answer_counts_and_others_are_dropped() {
    let mut gate = Gate::before(&[]).await;
    for _ in 0..20 {
        let parts = json!([said("first"), said("second"), said("third")]);
        assert_eq!(gate.text("say", json!({ "parts": parts })).await, "first");
    }
    gate.is_well().await;
    gate.is_quiet().await;
    gate.end().await;
}

#[tokio::test]
async fn up_04_answers_to_nothing_are_dropped() {
    let mut gate = Gate::before(&[]).await;
    let strays = [
        r#"{"jsonrpc":"2.0","id":987654321,"result":{"content":[]}}"#,
        r#"{"jsonrpc":"2.0","id":"$id","result":{"content":[]}}"#,
        r#"{"jsonrpc":"2.0","id":null,"result":{"content":[]}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":-1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"result":{}}"#,
        r#"{"jsonrpc":"2.0","result":{}}"#,
    ];
    for stray in strays {
        let parts = json!([format!("{stray}\n"), said("right")]);
        assert_eq!(gate.text("say", json!({ "parts": parts })).await, "right", "after {stray}");
    }
    gate.is_quiet().await;
    assert!(gate.others.is_empty(), "{:?}", gate.others);
    gate.end().await;
}

#[tokio::test]
async fn up_04_an_answer_that_is_a_result_and_an_error_is_neither() {
    let mut gate = Gate::before(&[]).await;
    let both = "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"content\":[]},\"error\":{\"code\":1,\"message\":\"x\"}}\n";
    let answer = gate.call("say", json!({ "parts": [both] })).await;
    assert!(answer["result"].is_null() && !answer["error"].is_null(), "{answer}");
    gate.is_well().await;
    gate.end().await;
}

#[tokio::test]
async fn up_04_the_upstream_of_one_client_can_not_answer_for_another() {
    let front = Front::start(&["--timeout", "2s", "--", EVIL, "--stdio"]).await;
    let (mut victim, session) = front.session().await;
    victim.send(&legacy(&session, 1, "tools/call", json!({ "name": "silence", "arguments": {} }))).await;
    let (mut other, session) = front.session().await;
    // Guess every id that a gateway could count up to.
    let guesses: String = (0..2000)
        .map(|id| {
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"content\":[],\"forged\":{id}}}}}\n")
        })
        .collect();
    let call = json!({ "name": "say", "arguments": { "parts": [guesses, said("right")] } });
    let (_, answer) = receive(&mut other, &legacy(&session, 1, "tools/call", call)).await;
    assert_eq!(answer["id"], 1);
    let (_, answer) = received(&mut victim).await;
    assert!(!answer["error"].is_null() && !answer.to_string().contains("forged"), "{answer}");
}

#[tokio::test]
async fn up_07_a_kind_of_result_that_nobody_knows_is_an_error_in_the_newer_era() {
    let mut gate = Gate::with(&["--protocol", "2026-07-28"], &["--modern"]).await;
    let odd = result(r#"{"resultType":"surprise","content":[]}"#);
    let answer = gate.call("say", json!({ "parts": [odd] })).await;
    assert!(answer["result"].is_null(), "{answer}");
    assert!(failed(&answer).0 != 0, "{answer}");
    gate.is_well().await;
    gate.end().await;
}

#[tokio::test]
async fn up_07_what_does_not_fit_its_place_reaches_the_client_as_it_is() {
    let mut gate = Gate::before(&[]).await;
    let odd = [
        r#"{"content":[{"type":"hologram","beam":1}],"isError":true,"structuredContent":{"x":[1,2]}}"#,
        r#"{"content":[],"_meta":{"vendor/key":{"deep":[null]}}}"#,
    ];
    for text in odd {
        let answer = gate.call("say", json!({ "parts": [result(text)] })).await;
        assert_eq!(answer["result"], serde_json::from_str::<Value>(text).unwrap());
    }
    gate.end().await;
}

#[tokio::test]
async fn up_02_a_code_that_means_missing_headers_elsewhere_is_no_reason_to_call_again() {
    for habits in [&["--legacy"][..], &[]] {
        let mut gate = Gate::before(habits).await;
        let done = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": "error", "data": "done" } });
        let parts = json!([
            format!("{done}\n"),
            "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32020,\"message\":\"after the effect\"}}\n"
        ]);
        let answer = gate.call("say", json!({ "parts": parts })).await;
        assert_eq!(answer["error"]["code"], -32020, "{answer}");
        gate.is_well().await;
        let effects =
            gate.others.iter().filter(|message| message["method"] == "notifications/message").count();
        assert_eq!(effects, 1, "{:?}", gate.others);
        gate.end().await;
    }
}
