//! Edits of several files: one plan, one change, one undoing, all or nothing.
use serde_json::{Value, json};

use super::super::fault::FaultAction;
use super::faults::several;
use super::irreversible::Asked;
use super::stage::Stage;

fn set_up(stage: &Stage) {
    stage.write("a", "old\n");
    stage.write("d/x", "X");
    stage.write("d/sub/y", "Y");
}

#[tokio::test]
async fn edits_of_several_files_are_one_change() {
    let stage = Stage::new();
    set_up(&stage);
    let before = stage.tree();
    let preview = stage.preview("edit_file", several()).await;
    assert_eq!(stage.tree(), before);
    assert_eq!(preview.ok()["match_count"], 3);
    let done = stage.call("edit_file", several()).await;
    let paths: Vec<&Value> =
        done.ok()["files"].as_array().unwrap().iter().map(|file| &file["path"]).collect();
    assert_eq!(json!(paths), json!(["a", "d/x", "d/sub/y"]));
    assert_eq!(
        (stage.read("a"), stage.read("d/x"), stage.read("d/sub/y")),
        ("new\n".into(), "Z".into(), String::new())
    );
    let listed = stage.call("list_changes", json!({})).await;
    assert_eq!(listed.ok()["changes"][0]["paths"], json!(["a", "d/x", "d/sub/y"]));
    assert_eq!(listed.ok()["total_count"], 1);
    let undone = stage.call("revert_change", json!({ "change": done.change() })).await;
    assert_eq!(undone.ok()["paths"], json!(["a", "d/x", "d/sub/y"]));
    assert_eq!(stage.tree(), before);
    // The undoing is one change too.
    stage.call("revert_change", json!({ "change": undone.change() })).await.ok();
    assert_eq!((stage.read("a"), stage.read("d/x")), ("new\n".into(), "Z".into()));
}

#[tokio::test]
async fn one_edit_that_does_not_fit_leaves_every_file_as_it_was() {
    let stage = Stage::new();
    set_up(&stage);
    let before = stage.tree();
    for (last, code) in [
        (json!({"path": "d/sub/y", "find": "nothing like it", "replace": ""}), "FIND_NOT_FOUND"),
        (json!({"path": "none", "find": "Y", "replace": ""}), "FILE_NOT_FOUND"),
        (json!({"path": "../outside", "find": "Y", "replace": ""}), "PATH_OUTSIDE_ROOT"),
        (json!({"path": "d", "find": "Y", "replace": ""}), "NOT_A_FILE"),
    ] {
        let edits = json!([{"find": "old", "replace": "new"}, last]);
        let answer = stage.call("edit_file", json!({"path": "a", "edits": edits})).await;
        assert_eq!(answer.code(), code);
        assert_eq!(stage.tree(), before);
    }
    let many: Vec<Value> =
        (0..51).map(|n| json!({"path": format!("f{n}"), "find": "a", "replace": "b"})).collect();
    (0..51).for_each(|n| drop(stage.write(&format!("f{n}"), "a")));
    assert_eq!(stage.call("edit_file", json!({ "edits": many })).await.code(), "FILE_TOO_LARGE");
    stage.call("edit_file", json!({ "edits": many[..50] })).await.ok();
    assert_eq!((stage.read("f49"), stage.read("f50")), ("b".into(), "a".into()));
    // Two spellings of one path are one file, whose edits are made in order.
    let edits =
        json!([{"find": "old", "replace": "mid"}, {"path": "./d/../a", "find": "mid", "replace": "end"}]);
    let answer = stage.call("edit_file", json!({"path": "a", "edits": edits})).await;
    assert_eq!((answer.ok()["files"].as_array().unwrap().len(), stage.read("a")), (1, "end\n".into()));
    assert_eq!(
        stage.call("edit_file", json!({"edits": [{"find": "e", "replace": ""}]})).await.code(),
        "INVALID_ARGUMENTS"
    );
}

/// If another program changes a file while the others are exchanged, nothing is changed, and its
/// content stays.
#[tokio::test]
async fn a_second_writer_in_between_stops_all_of_it() {
    let stage = Stage::fast();
    set_up(&stage);
    let before = stage.tree();
    let path = stage.root.join("d/sub/y");
    let mut stopped = 0;
    for calls in 0..300 {
        set_up(&stage);
        let theirs = path.clone();
        let write = move || std::fs::write(&theirs, "theirs").unwrap();
        stage.server.disk.fault.arm(calls, FaultAction::Do(std::sync::Arc::new(write)));
        let answer = stage.call("edit_file", several()).await;
        let struck = stage.server.disk.fault.disarm();
        if !struck {
            break;
        }
        if answer.is_error() {
            stopped += 1;
            let mut now = stage.tree();
            assert_eq!(now.insert("d/sub/y".into(), "Y".into()).as_deref(), Some("theirs"), "{}", answer.0);
            assert_eq!(now, before, "call {calls}: {}", answer.0);
        } else {
            // The write came after the last check.
            assert_eq!(stage.read("a"), "new\n", "call {calls}");
            assert_eq!(stage.read("d/sub/y"), "theirs", "call {calls}");
        }
    }
    assert!(stopped > 0);
}

#[tokio::test]
async fn several_files_without_a_journal_are_all_or_nothing_too() {
    let stage = Stage::with(json!({ "journal_max_bytes": 0 }));
    set_up(&stage);
    let before = stage.tree();
    let asked = Asked::of(&stage);
    for calls in 0..300 {
        set_up(&stage);
        asked.agree("edit_file", &several()).await;
        stage.server.disk.fault.arm(calls, FaultAction::Fail(rustix::io::Errno::IO));
        let answer = asked.call("edit_file", &several()).await;
        if !stage.server.disk.fault.disarm() {
            break;
        }
        let is_made = !answer.is_error() || answer.text().contains("did not confirm");
        assert_eq!(stage.tree() == before, !is_made, "call {calls}: {}", answer.0);
    }
    assert_eq!(stage.read("d/x"), "Z");
}
