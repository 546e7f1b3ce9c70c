//! UP-02: upstreams that crash before the handshake, in a call, between calls, and repeatedly.
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tempfile::TempDir;

use super::kit::{Gate, failed, lines};

/// Returns a folder, and the path of a file in it.
fn file() -> (TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    (folder, file)
}

#[tokio::test]
async fn up_02_a_crash_in_mid_call_is_one_error_and_the_call_is_not_repeated() {
    let (_folder, counts) = file();
    let mut gate = Gate::before(&["--counts", counts.to_str().unwrap()]).await;
    for nonce in 0..3 {
        let started = Instant::now();
        let answer = gate.call("count_and_exit", json!({ "nonce": nonce })).await;
        assert_eq!(failed(&answer).1, "unknown", "{answer}");
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
        assert_eq!(lines(&counts).len(), nonce + 1, "at most once each");
        gate.is_well().await;
    }
    gate.is_quiet().await;
    gate.end().await;
    assert_eq!(lines(&counts), ["0", "1", "2"]);
}

#[tokio::test]
async fn up_02_every_call_in_flight_gets_one_error() {
    let (_folder, counts) = file();
    let mut gate = Gate::before(&["--counts", counts.to_str().unwrap()]).await;
    let mut waiting = Vec::new();
    for nonce in 0..50 {
        waiting.push(gate.send("silence", json!({ "nonce": nonce })).await);
    }
    // A call that the process has not read before it ends would go to its successor, so wait.
    let patience = Instant::now() + Duration::from_secs(20);
    while lines(&counts).len() < 50 {
        assert!(Instant::now() < patience, "{:?}", lines(&counts));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    waiting.push(gate.send("count_and_exit", json!({ "status": 139 })).await);
    for id in waiting {
        assert_eq!(failed(&gate.answer(id).await).1, "unknown");
    }
    gate.is_well().await;
    gate.is_quiet().await;
    gate.end().await;
}

#[tokio::test]
async fn up_02_a_signal_is_like_an_exit() {
    let mut gate = Gate::before(&[]).await;
    assert_eq!(failed(&gate.call("abort", json!({})).await).1, "unknown");
    gate.is_well().await;
    gate.end().await;
}

#[tokio::test]
async fn up_02_a_crash_between_calls_is_not_seen() {
    let mut gate = Gate::before(&[]).await;
    let child = gate.text("spawn", json!({ "command": ["sleep", "1000"] })).await;
    let status = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap();
    let server: i32 = status.rsplit(") ").next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    kill_process(Pid::from_raw(server).unwrap(), Signal::KILL).unwrap();
    let patience = Instant::now() + Duration::from_secs(20);
    // The call that finds the process dead may fail. All later calls must succeed.
    tokio::time::sleep(Duration::from_millis(200)).await;
    while gate.call("echo", json!({ "message": "x" })).await["result"].is_null() {
        assert!(Instant::now() < patience, "the upstream never comes back");
    }
    gate.is_well().await;
    gate.end().await;
}

#[tokio::test]
async fn up_02_an_upstream_that_heals_is_used_again() {
    let (_folder, starts) = file();
    let habits = ["--starts", starts.to_str().unwrap(), "--exit-at-start", "3", "--healed-at-start", "4"];
    let mut gate = Gate::start(&[], &habits);
    let patience = Instant::now() + Duration::from_secs(30);
    loop {
        let answer = gate.greet().await;
        if !answer["result"].is_null() {
            break;
        }
        assert_ne!(failed(&answer).0, 0, "{answer}");
        assert!(Instant::now() < patience, "{answer}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    gate.is_well().await;
    gate.end().await;
}

#[tokio::test]
async fn up_02_a_crash_in_a_loop_is_not_a_loop_of_starts() {
    let (_folder, starts) = file();
    let mut gate = Gate::start(&[], &["--starts", starts.to_str().unwrap(), "--exit-at-hello", "1"]);
    let until = Instant::now() + Duration::from_secs(3);
    let mut answers = 0;
    while Instant::now() < until {
        let answer = gate.greet().await;
        assert!(!answer["error"].is_null(), "{answer}");
        answers += 1;
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let count = lines(&starts).len();
    assert!(count < 30, "{count} starts in three seconds, for {answers} attempts of the client");
    gate.end().await;
}
