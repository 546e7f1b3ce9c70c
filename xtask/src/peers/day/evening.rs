//! What the person does in the evening: checks the list of actions, undoes a change, forbids a tool
//! and asks why it is refused, verifies the log, and unwraps everything.

use serde_json::Value;

use super::calls::{self, Call, LAST_DELETED};
use super::home::{Home, first_text};
use crate::failure::Failure;
use crate::peers::approver::PASSPHRASE;
use crate::peers::case;

/// Checks that the log has each call once, and nothing else.
pub(super) fn log_has(home: &Home, calls: usize) -> Result<(), Failure> {
    let actions = actions(home, &[])?;
    let count = |what: &dyn Fn(&&Value) -> bool| actions.iter().filter(what).count();
    let done = count(&|action| action["outcome"] == "ok" && action["method"] == "tools/call");
    case::demand_equal("the number of actions", &actions.len().to_string(), &calls.to_string())?;
    case::demand_equal("the number of calls that were done", &done.to_string(), &calls.to_string())?;
    for client in ["day-typescript", "day-python"] {
        let half = self::actions(home, &["--client", client])?.len();
        case::demand_equal(
            &format!("the number of calls by {client}"),
            &half.to_string(),
            &(calls / 2).to_string(),
        )?;
    }
    let elsewhere = count(&|action| action["project"] != home.site().display().to_string().as_str());
    case::demand_equal("the number of calls in other projects", &elsewhere.to_string(), "0")
}

/// Undoes the last change, which restores the last deleted note.
pub(super) fn undo_the_last_change(home: &Home) -> Result<(), Failure> {
    let note = format!("notes/old/{LAST_DELETED}.md");
    if home.site().join(&note).exists() {
        return Err(Failure::new(format!("`{note}` was not deleted")));
    }
    home.overt("undo", &["undo", "--yes"]).succeed()?;
    case::demand_equal("the note", &home.read(&note)?, &first_text("notes/old", LAST_DELETED))
}

/// Forbids a tool that was used all day. The next call must be refused, and `overt policy explain`
/// must say why. Then forbids changes of a folder that `overt fs` serves.
pub(super) fn forbid_and_explain(home: &Home) -> Result<(), Failure> {
    let call = calls::entity("forbidden topic");
    let before = home.read("memory.json")?;
    home.overt("forbid", &["forbid", call.tool, "--yes"]).succeed()?;
    let arguments = call.arguments.to_string();
    let words =
        ["policy", "explain", "--mcp-json", ".mcp.json", call.server, call.tool, "--json", &arguments];
    let explained = home.overt("explain", &words).env("OVERT_FORMAT", "text").finish()?;
    if explained.ok || !explained.stdout().contains("the user forbids it") {
        return Err(Failure::new(format!("`overt policy explain` does not say why: {}", explained.shown())));
    }
    refused(home, &call)?;
    case::demand_equal("the memory", &home.read("memory.json")?, &before)?;
    home.overt("forbid folder", &["forbid", "notes/old", "--changes", "--yes"]).succeed()?;
    refused(home, &calls::delete(home, LAST_DELETED))?;
    let note = format!("notes/old/{LAST_DELETED}.md");
    case::demand_equal("the note", &home.read(&note)?, &first_text("notes/old", LAST_DELETED))?;
    let denied = actions(home, &["--denied"])?;
    case::demand_equal("the number of refused actions", &denied.len().to_string(), "2")
}

/// Makes one more call, which must be refused.
fn refused(home: &Home, call: &Call) -> Result<(), Failure> {
    let report = super::day_part::call_once(home, call)?;
    let is_error = report["calls"][0]["isError"].to_string();
    case::demand_equal(&format!("whether {} was refused", call.to_json()), &is_error, "true")
}

pub(super) fn verify(home: &Home) -> Result<(), Failure> {
    home.overt("verify", &["audit", "verify"]).succeed().map(|_| ())
}

/// Unwraps the servers. The client's file must be as its author wrote it.
pub(super) fn unwrap(home: &Home, before: &str) -> Result<(), Failure> {
    let words = ["unwrap", ".mcp.json", "--yes", "--passphrase-stdin"];
    home.overt("unwrap", &words).input(PASSPHRASE).succeed()?;
    case::demand_equal("the client's file", &home.read(".mcp.json")?, before)
}

/// Returns the actions that `overt log` shows.
fn actions(home: &Home, which: &[&str]) -> Result<Vec<Value>, Failure> {
    let words = [&["log", "--format", "json", "-n", "1000"], which].concat();
    let finished = home.overt("log", &words).succeed()?;
    let lines = finished.stdout();
    lines
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()
        .map_err(|cause| Failure::new(format!("`overt log` did not print JSON: {cause}\n{lines}")))
}
