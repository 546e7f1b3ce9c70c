//! Many changes at once, and other programs in between.
use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;

use serde_json::json;

use super::super::fault::FaultAction;
use super::stage::{Stage, ask_once};

/// FS-36: every edit that was confirmed is there at the end.
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

/// FS-36: changes of folders and of files in them at the same time. Whatever is confirmed is done.
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
                // Another call may be deleting the folder.
                let is_race = |code: &str| ["CONFLICT", "NOT_A_DIRECTORY"].contains(&code);
                assert!(!made.is_error() || is_race(made.code()), "{}", made.0);
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

/// FS-36: two servers share a root, and a client of each edits the same file. Every confirmed edit
/// is there.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fs_36_two_servers_lose_no_edit() {
    let settings = json!({"durability": "rename"});
    let stage = Stage::with(settings.clone());
    let lines = (0..100).fold(String::new(), |mut lines, line| {
        let _ = writeln!(lines, "line {line} is 0;");
        lines
    });
    stage.write("a", lines);
    let servers = [stage.again(settings.clone()), stage.again(settings)];
    let edits = (0..100).map(|line| {
        let handler = Arc::clone(&servers[line % 2].1);
        tokio::spawn(async move {
            let edits =
                json!([{ "find": format!("line {line} is 0;"), "replace": format!("line {line} is 1;") }]);
            let answer = ask_once(&handler, "edit_file", json!({ "path": "a", "edits": edits })).await;
            assert!(!answer.is_error() || answer.code() == "CONFLICT", "{}", answer.0);
            !answer.is_error()
        })
    });
    let mut made = Vec::new();
    for edit in edits.collect::<Vec<_>>() {
        made.push(edit.await.unwrap());
    }
    let wanted = made.iter().enumerate().fold(String::new(), |mut lines, (line, is_made)| {
        let _ = writeln!(lines, "line {line} is {};", u8::from(*is_made));
        lines
    });
    assert_eq!(stage.read("a"), wanted);
    assert_eq!(stage.tree().len(), 1);
}

/// B-11, FS-34: another program writes at any moment of a change, into the file or over its name.
/// Its content is not overwritten.
#[tokio::test]
async fn what_others_write_meanwhile_is_kept() {
    let stage = Stage::fast();
    for over in [false, true] {
        for calls in 0.. {
            let path = stage.write("a", "old\n");
            let beside = stage.place.join("beside");
            let other = Arc::new(move || {
                let into = if over { &beside } else { &path };
                fs::write(into, "of somebody else\n").unwrap();
                fs::rename(into, &path).unwrap();
            });
            stage.server.disk.fault.arm(calls, FaultAction::Do(other));
            let edit = json!({"path": "a", "edits": [{"find": "old", "replace": "new"}]});
            let answer = stage.call("edit_file", edit).await;
            if !stage.server.disk.fault.disarm() {
                answer.ok();
                break;
            }
            if answer.is_error() {
                assert_eq!(answer.code(), "CONFLICT");
            }
            assert_eq!(stage.read("a"), "of somebody else\n", "call {calls}");
            assert_eq!(stage.tree().len(), 1, "call {calls}");
        }
    }
}
