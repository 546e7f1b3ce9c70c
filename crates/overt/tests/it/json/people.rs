//! `overt passphrase`, `overt token`, `overt login` and `overt logout`.
use tempfile::TempDir;

use super::transcript::Transcript;
use crate::support::{overt, set_passphrase};

fn run(transcript: &mut Transcript, state: &TempDir, words: &[&str]) -> String {
    let output = transcript.run(overt().env("OVERT_STATE_DIR", state.path()).args(words));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn passphrase() {
    let (mut transcript, state) = (Transcript::default(), TempDir::new().unwrap());
    run(&mut transcript, &state, &["passphrase", "show"]);
    run(&mut transcript, &state, &["passphrase", "remove"]);
    run(&mut transcript, &state, &["passphrase", "set"]);
    set_passphrase(state.path());
    run(&mut transcript, &state, &["passphrase", "show"]);
    run(&mut transcript, &state, &["passphrase", "remove"]);
    transcript.matches("passphrase");
}

#[test]
fn tokens() {
    let (mut transcript, state) = (Transcript::default(), TempDir::new().unwrap());
    run(&mut transcript, &state, &["token", "list"]);
    let made = run(&mut transcript, &state, &["token", "create", "--name", "ada"]);
    let made: serde_json::Value = serde_json::from_str(&made).unwrap();
    let (id, secret) = (made["id"].as_str().unwrap(), made["token"].as_str().unwrap());
    run(&mut transcript, &state, &["token", "list"]);
    run(&mut transcript, &state, &["token", "revoke", "eve"]);
    run(&mut transcript, &state, &["token", "revoke", "ada"]);
    run(&mut transcript, &state, &["token", "revoke", "ada"]);
    run(&mut transcript, &state, &["token", "list"]);
    run(&mut transcript, &state, &["logout", "https://example.com/mcp"]);
    run(&mut transcript, &state, &["login", "fs"]);
    transcript.hide(secret, "[SECRET]");
    transcript.hide(id, "[ID]");
    transcript.matches("tokens");
}
