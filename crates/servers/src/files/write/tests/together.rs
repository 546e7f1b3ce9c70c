//! Many changes at once, and somebody else in between.
use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;

use serde_json::json;

use super::super::fault::How;
use super::stage::Stage;

/// FS-36: every edit that was said to be made is there at the end.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fs_36_no_edit_is_lost() {
    let stage = Arc::new(Stage::with(json!({"durability": "rename"})));
    let (clients, rounds) = (100, 10);
    let lines = (0..clients).fold(String::new(), |mut lines, client| {
        let _ = writeln!(lines, "client {client} has 0;");
        lines
    });
    stage.write("a", lines);
    let edits = (0..clients).map(|client| {
        let stage = Arc::clone(&stage);
        tokio::spawn(async move {
            for round in 0..rounds {
                let (find, replace) =
                    (format!("client {client} has {round};"), format!("client {client} has {};", round + 1));
                let edits = json!([{ "find": find, "replace": replace }]);
                stage.call("edit_file", json!({ "path": "a", "edits": edits })).await.ok();
            }
        })
    });
    for edit in edits.collect::<Vec<_>>() {
        edit.await.unwrap();
    }
    let wanted = (0..clients).fold(String::new(), |mut lines, client| {
        let _ = writeln!(lines, "client {client} has {rounds};");
        lines
    });
    assert_eq!(stage.read("a"), wanted);
    assert_eq!(stage.tree().len(), 1);
}

/// Folders and what is in them, at the same time: whatever is said to be done is done.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fs_36_folders_and_files_together() {
    let stage = Arc::new(Stage::with(json!({"durability": "rename"})));
    let work = (0..8).map(|client| {
        let stage = Arc::clone(&stage);
        tokio::spawn(async move {
            for round in 0..20 {
                let name = format!("d/{client}-{round}");
                let write = json!({"path": name, "content": name, "create_parents": true});
                let made = stage.call("write_file", write).await;
                assert!(!made.is_error() || made.code() == "CONFLICT", "{}", made.0);
                if round % 5 == 4 {
                    let gone = stage.call("delete_file", json!({"path": "d", "recursive": true})).await;
                    assert!(
                        !gone.is_error() || ["FILE_NOT_FOUND", "CONFLICT"].contains(&gone.code()),
                        "{}",
                        gone.0
                    );
                }
            }
        })
    });
    for work in work.collect::<Vec<_>>() {
        work.await.unwrap();
    }
    for (path, content) in stage.tree() {
        assert!(path == "d" || path == content, "{path}: {content}");
    }
}

/// B-11, FS-34: somebody else writes at any moment of a change: what they wrote is not overwritten, but for the last moment, in which
/// no system can tell.
#[tokio::test]
async fn what_others_write_meanwhile_is_kept() {
    let mut lost = 0;
    let stage = Stage::fast();
    for calls in 0.. {
        let path = stage.write("a", "old\n");
        let other = Arc::new(move || fs::write(&path, "of somebody else\n").unwrap());
        stage.server.disk.fault.arm(calls, How::Do(other));
        let answer =
            stage.call("edit_file", json!({"path": "a", "edits": [{"find": "old", "replace": "new"}]})).await;
        if !stage.server.disk.fault.disarm() {
            answer.ok();
            break;
        }
        match stage.read("a").as_str() {
            "of somebody else\n" if answer.is_error() => assert_eq!(answer.code(), "CONFLICT"),
            "of somebody else\n" => {}
            "new\n" => lost += 1,
            other => panic!("{other}"),
        }
    }
    assert!(lost <= 1, "{lost}");
}
