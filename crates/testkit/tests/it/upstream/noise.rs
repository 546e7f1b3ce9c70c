//! UP-01: output of an upstream that is not a message.
use serde_json::{Value, json};

use super::kit::{Gate, said};

const NOISE: &str = "npm warn deprecated\n\u{1b}[31mEVIL\u{1b}[0m \u{202e}\n{\"level\":\"info\",\"msg\":\"log\"}\n{broken\n\n";

#[tokio::test]
async fn up_01_banners_and_log_lines_are_dropped_and_never_answered() {
    let mut gate = Gate::before(&["--noise", NOISE]).await;
    for number in 0..200 {
        let message = format!("number {number}");
        assert_eq!(gate.text("echo", json!({ "message": message })).await, message);
    }
    let heard: Value = serde_json::from_str(&gate.text("heard", json!({})).await).unwrap();
    let answered = heard.as_array().unwrap().iter().filter(|message| message["method"].is_null()).count();
    assert_eq!(answered, 0, "noise was answered: {heard}");
    assert!(gate.others.is_empty(), "noise reached the client: {:?}", gate.others);
    let log = gate.end().await;
    assert!(log.lines().count() < 100, "{} lines of log for {} of noise", log.lines().count(), 200 * 5);
    assert!(!log.contains("\u{1b}[31mEVIL") && !log.contains('\u{202e}'), "{log:?}");
}

#[tokio::test]
async fn up_01_noise_in_the_middle_of_a_call_does_not_disturb_it() {
    let mut gate = Gate::before(&[]).await;
    let parts = json!([NOISE, said("first"), NOISE]);
    assert_eq!(gate.text("say", json!({ "parts": parts })).await, "first");
    gate.is_well().await;
    gate.end().await;
}
