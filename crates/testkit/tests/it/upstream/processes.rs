//! UP-10 and UP-11: what a child process leaves behind, and what it inherits from us.
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::json;

use super::kit::{EVIL, Gate};

/// Waits until a process has ended. A zombie counts as ended.
async fn gone(pid: &str, patience: Duration) -> bool {
    let until = Instant::now() + patience;
    while Path::new(&format!("/proc/{pid}/exe")).read_link().is_ok() {
        if Instant::now() > until {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    true
}

#[tokio::test]
async fn up_10_descendants_that_ignore_signals_are_gone_with_the_gateway() {
    let mut gate = Gate::before(&["--stay"]).await;
    let stubborn = json!({ "command": ["sh", "-c", "trap '' TERM INT HUP; while :; do sleep 1; done"] });
    let mut pids = Vec::new();
    for _ in 0..5 {
        pids.push(gate.text("spawn", stubborn.clone()).await);
    }
    let started = Instant::now();
    gate.end().await;
    for pid in pids {
        assert!(gone(&pid, Duration::from_secs(5)).await, "{pid} is still there");
    }
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[tokio::test]
async fn up_10_a_child_that_ignores_sigterm_is_gone_after_a_signal_to_the_gateway() {
    let words = [
        "run",
        "--allow",
        "read",
        "--allow",
        "write",
        "--allow",
        "execute",
        "--",
        "sh",
        "-c",
        "trap '' TERM; exec \"$0\" --stay --stdio",
        EVIL,
    ];
    let mut gate = Gate::run(&words, &[]);
    gate.greet().await;
    let child = gate.text("spawn", json!({ "command": ["sleep", "1000"] })).await;
    gate.process.signal(Signal::TERM);
    assert!(gate.process.ended_within(Duration::from_secs(20)).await.is_some(), "`overt run` does not end");
    assert!(gone(&child, Duration::from_secs(5)).await);
}

#[tokio::test]
async fn up_10_a_killed_gateway_leaves_no_server_behind_that_reads_its_input() {
    let mut gate = Gate::before(&[]).await;
    let pid = gate.text("spawn", json!({ "command": ["sh", "-c", "echo $PPID >&2; exec cat"] })).await;
    let child = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let server = child.rsplit(") ").next().unwrap().split(' ').nth(1).unwrap().to_owned();
    gate.process.signal(Signal::KILL);
    assert!(gone(&server, Duration::from_secs(10)).await, "the server lives on");
}

#[tokio::test]
async fn up_10_nothing_is_left_of_many_starts() {
    let mut gate = Gate::before(&[]).await;
    for _ in 0..5 {
        let answer = gate.call("count_and_exit", json!({})).await;
        assert!(!answer["error"].is_null());
        gate.is_well().await;
    }
    let children = format!("/proc/{0}/task/{0}/children", gate.process.pid());
    let count = std::fs::read_to_string(children).unwrap_or_default().split_whitespace().count();
    assert!(count <= 2, "{count} children after five crashes");
    gate.end().await;
}

#[tokio::test]
async fn up_11_over_stdio_a_child_sees_our_environment_without_our_own_settings() {
    let words = [
        "run",
        "--allow",
        "read",
        "--allow",
        "write",
        "--allow",
        "execute",
        "--env",
        "GIVEN=yes",
        "--",
        EVIL,
        "--stdio",
    ];
    let mut gate = Gate::run(&words, &[("OVERT_TEST_SECRET", "hunter2"), ("AWS_SECRET_ACCESS_KEY", "k")]);
    gate.greet().await;
    let text = gate.text("environment", json!({})).await;
    let seen: BTreeMap<String, String> = serde_json::from_str(&text).unwrap();
    assert_eq!(seen.get("GIVEN").map(String::as_str), Some("yes"));
    assert!(seen.contains_key("PATH"));
    assert_eq!(seen.get("AWS_SECRET_ACCESS_KEY").map(String::as_str), Some("k"), "as without Overt");
    assert!(!text.contains("hunter2") && !seen.keys().any(|name| name.starts_with("OVERT_")), "{text}");
    gate.end().await;
}

#[tokio::test]
async fn up_11_arguments_reach_the_child_as_they_are() {
    let odd = ["$(touch /nowhere)", "; ls", "a b", "*", "\"", "--http", "\n"];
    let words =
        [
            &[
                "run", "--allow", "read", "--allow", "write", "--allow", "execute", "--", EVIL, "--stdio",
                "--",
            ][..],
            &odd,
        ]
        .concat();
    let mut gate = Gate::run(&words, &[]);
    gate.greet().await;
    let seen: Vec<String> = serde_json::from_str(&gate.text("arguments", json!({})).await).unwrap();
    assert_eq!(seen[3..], odd);
    gate.end().await;
}
