//! Tests of the file's contents after a conversation, and of what the conversation never notices.
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use overt_layers::observe::{Direction, Observer as _, Outcome, Text};
use overt_wire::Message;
use overt_wire::json::{Json, JsonBuf};
use tempfile::TempDir;

use super::TraceFile;
use crate::telemetry::sample::{call, end, message};

fn lines(path: &Path) -> Vec<JsonBuf> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| JsonBuf::parse(line).unwrap()).collect()
}

fn text(line: &JsonBuf, member: &str) -> String {
    line.as_json().get(member).string().unwrap_or_default().into_owned()
}

#[test]
fn a_conversation_becomes_lines() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("trace.jsonl");
    let file = TraceFile::open(&path).unwrap();
    let trace = file.observer();
    let request = message(
        r#"{"jsonrpc":"2.0", "id":"a","method":"tools/call","params":{"name":"echo","arguments":{"password":"p"}}}"#,
    );
    trace.began(&call(Direction::ToServer), Text::Message(&request));
    let answer = message("{\"jsonrpc\":\"2.0\",\n\"id\":\"a\",\"result\":{\"content\":[],\"n\":1.0}}");
    trace.ended(&call(Direction::ToServer), &end(Outcome::Ok, Some(&answer)));
    trace.notified(&call(Direction::ToClient), &Message::notification("notifications/message", None));
    trace.began(&call(Direction::ToClient), Text::Question { method: "roots/list", params: None });
    trace.ended(&call(Direction::ToServer), &end(Outcome::Cancelled, None));
    let error = message(r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32602,"message":"no"}}"#);
    trace.ended(&call(Direction::ToServer), &end(Outcome::Error(-32602), Some(&error)));
    file.finish();

    let lines = lines(&path);
    assert_eq!(lines.len(), 6);
    let request = lines[0].as_json();
    assert_eq!(text(&lines[0], "direction"), "client_to_server");
    assert_eq!(text(&lines[0], "kind"), "request");
    assert_eq!(text(&lines[0], "method"), "tools/call");
    assert_eq!(request.get("session").value().and_then(Json::integer), Some(7));
    assert_eq!(request.get("id").string().as_deref(), Some("a"));
    assert_eq!(
        request.get("message").value().unwrap().as_str(),
        r#"{"jsonrpc":"2.0", "id":"a","method":"tools/call","params":{"name":"echo","arguments":{"password":"[redacted]"}}}"#
    );
    assert_eq!(text(&lines[1], "direction"), "server_to_client");
    assert_eq!(text(&lines[1], "outcome"), "ok");
    assert_eq!(lines[1].as_json().get("took_ms").value().unwrap().as_str(), "3.0");
    assert!(lines[1].as_str().contains(r#""content":[],"n":1.0}"#));
    assert_eq!(text(&lines[2], "kind"), "notification");
    assert!(lines[3].as_str().contains(r#""method":"roots/list""#));
    assert_eq!(text(&lines[4], "outcome"), "cancelled");
    assert!(lines[4].as_json().get("message").is_absent());
    assert_eq!(lines[5].as_json().get("code").value().and_then(Json::integer), Some(-32602));
}

#[test]
fn the_file_is_for_its_owner_and_goes_on_where_it_ended() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("trace.jsonl");
    for expected in [1, 2] {
        let file = TraceFile::open(&path).unwrap();
        file.observer().notified(&call(Direction::ToClient), &Message::notification("x", None));
        file.finish();
        assert_eq!(lines(&path).len(), expected);
    }
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let error = TraceFile::open(folder.path()).unwrap_err();
    assert!(error.to_string().starts_with("can't write the trace to `"), "{error}");
    assert!(TraceFile::open(Path::new("/nonexistent/trace")).is_err());
}

#[test]
fn long_messages_are_cut_with_a_mark() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("trace.jsonl");
    let file = TraceFile::open(&path).unwrap();
    let trace = file.observer();
    let long = |text: String| message(&format!(r#"{{"jsonrpc":"2.0","method":"x","params":{text}}}"#));
    let note = |params: String| trace.notified(&call(Direction::ToClient), &long(params));
    note(format!(r#"{{"text":"{}"}}"#, "x".repeat(200 << 10)));
    note(format!(r#"{{"many":[{}0]}}"#, "12345678,".repeat(20 << 10)));
    note(format!(r#"{{"text":"{}"}}"#, "x".repeat(2 << 20)));
    file.finish();
    let lines = lines(&path);
    assert!(lines.iter().all(|line| line.as_json().get("cut").value().and_then(Json::bool) == Some(true)));
    assert!(lines[0].as_str().contains("bytes cut]") && lines[0].as_str().len() < 3000);
    for line in &lines[1..] {
        assert!(line.as_json().get("message").is_absent() && line.as_str().len() < 500);
    }
}

#[test]
fn rpc_19_a_peer_can_not_break_or_forge_a_line_of_the_trace() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("trace.jsonl");
    let file = TraceFile::open(&path).unwrap();
    let evil =
        "{\"jsonrpc\":\"2.0\",\n\"method\":\"x\",\r\n\"params\":{\"a\":\"\\n{}\u{9b}31m\u{202e}\u{2028}\"}}";
    file.observer().notified(&call(Direction::ToClient), &message(evil));
    file.finish();
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 1);
    assert!(!text.trim_end().chars().any(overt_wire::text::is_deceptive), "{text:?}");
    let params =
        lines(&path)[0].as_json().get("message").get("params").get("a").string().unwrap().into_owned();
    assert_eq!(params, "\n{}\u{9b}31m\u{202e}\u{2028}");
}
