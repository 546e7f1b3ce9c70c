//! Makes a call in a child process, which is killed at one of its system calls.
use std::path::PathBuf;

use serde_json::{Value, json};

use super::super::super::write::Sweeper;
use super::super::super::write::fault::FaultAction;
use super::super::super::write::tests::stage::ask_once;
use super::place::{Place, open};

const CHILD: &str = "OVERT_TEST_MODEL_CHILD";

/// Makes the call in a process that is killed at the n-th system call. Returns whether it ran to
/// its end.
#[expect(clippy::disallowed_methods, reason = "the test binary itself, which is to be killed")]
pub(super) fn call_in_child(place: &Place, tool: &str, arguments: &Value, calls: i64) -> bool {
    let task = json!({
        "path": place.path,
        "journal": place.journal,
        "tool": tool,
        "arguments": arguments,
        "calls": calls,
    });
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "files::tests::model::killed::child", "--ignored"]).env(CHILD, task.to_string());
    child.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    child.status().unwrap().success()
}

/// The process that is killed. Does nothing unless another test starts it.
#[tokio::test]
#[ignore = "is started by another test"]
#[expect(clippy::disallowed_methods, reason = "its task comes from the test that starts it")]
async fn child() {
    let Ok(task) = std::env::var(CHILD) else { return };
    let task: Value = serde_json::from_str(&task).unwrap();
    let text = |name: &str| task[name].as_str().unwrap();
    let (path, journal) = (PathBuf::from(text("path")), PathBuf::from(text("journal")));
    let (server, handler) = open(&path, &journal, Sweeper::of_any_age());
    server.disk.fault.arm(task["calls"].as_i64().unwrap(), FaultAction::Kill);
    ask_once(&handler, text("tool"), task["arguments"].clone()).await;
    assert!(path.join("root").exists());
}
