//! A-17: the record of a call that became a task behind `overt run`, if the process ends before the
//! task.
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use overt_state::audit::{AuditLog, Filter, Options, for_each};
use tempfile::TempDir;

use crate::support::{Running, Script, overt};

const TASK: &str = r#"{"task":{"taskId":"t-1","status":"working","createdAt":"2026-11-01T00:00:00Z","lastUpdatedAt":"2026-11-01T00:00:00Z","ttl":null}}"#;

/// Returns the log's records of the one call, after the next process has repaired the log.
fn records(state: &TempDir) -> Vec<String> {
    let dir = std::fs::read_dir(state.path().join("audit")).unwrap().next().unwrap().unwrap().path();
    drop(AuditLog::open(&dir, Options::new(state.path())).unwrap());
    let mut records = Vec::new();
    for_each(&dir, &Filter::default(), &mut |record| {
        let kind = record.text("kind");
        if ["intent", "outcome"].contains(&kind.as_str()) {
            records.push(format!("{kind} {}", record.text("outcome")).trim_end().to_owned());
        }
        Ok(true)
    })
    .unwrap();
    records
}

/// Starts a task, and ends `overt run` as `end` does.
fn after(end: impl FnOnce(Running)) -> Vec<String> {
    let state = TempDir::new().unwrap();
    let server =
        Script::with_tools(r#"[{"name":"act","inputSchema":{"type":"object"}}]"#).result("tools/call", TASK);
    let mut command = overt();
    command.env("OVERT_STATE_DIR", state.path()).args(["run", "--allow", "execute", "--"]);
    let mut running = Running::start(command.args(server.command()).stdin(Stdio::piped()));
    let mut stdin = running.0.stdin.take().unwrap();
    let mut lines = BufReader::new(running.0.stdout.take().unwrap()).lines();
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let call =
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"act","arguments":{},"task":{}}}"#;
    writeln!(stdin, "{hello}").unwrap();
    lines.next().unwrap().unwrap();
    writeln!(stdin, r#"{{"jsonrpc":"2.0","method":"notifications/initialized"}}"#).unwrap();
    writeln!(stdin, "{call}").unwrap();
    let answer = lines.next().unwrap().unwrap();
    assert!(answer.contains("t-1"), "{answer}");
    running.0.stdin = Some(stdin);
    end(running);
    records(&state)
}

#[test]
fn a_17_a_task_is_unknown_when_overt_is_killed() {
    let records = after(|mut running| {
        running.0.kill().unwrap();
        running.0.wait().unwrap();
    });
    assert_eq!(records, ["intent", "outcome unknown"]);
}

#[test]
fn a_17_a_task_is_unknown_when_its_session_ends() {
    let records = after(|mut running| {
        drop(running.0.stdin.take());
        running.0.wait().unwrap();
    });
    assert_eq!(records, ["intent", "outcome unknown"]);
}
