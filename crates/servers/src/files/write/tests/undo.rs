//! Tests of `revert_change`, and of what the journal keeps.
use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::irreversible::Asked;
use super::stage::{Stage, ask_once, mode};

/// Every change can be undone, and the undoing can be undone too.
#[tokio::test]
async fn every_change_can_be_undone_and_redone() {
    let stage = Stage::new();
    stage.write("a.txt", "one\r\ntwo\r\n");
    stage.write("d/x", "X");
    stage.write("d/sub/y", "Y");
    symlink("x", stage.root.join("d/l")).unwrap();
    for (tool, arguments) in [
        ("edit_file", json!({"path": "a.txt", "edits": [{"find": "one", "replace": "1"}]})),
        ("write_file", json!({"path": "a.txt", "content": "all new"})),
        ("write_file", json!({"path": "a.txt", "content": "more", "mode": "append"})),
        ("write_file", json!({"path": "new.txt", "content": "new"})),
        ("write_file", json!({"path": "n/e/w.txt", "content": "new", "create_parents": true})),
        ("create_directory", json!({"path": "p/q/r", "create_parents": true})),
        ("move_file", json!({"from": "a.txt", "to": "d/b.txt"})),
        ("move_file", json!({"from": "d", "to": "e"})),
        ("copy_file", json!({"from": "d", "to": "e"})),
        ("copy_file", json!({"from": "a.txt", "to": "b.txt"})),
        ("delete_file", json!({"path": "a.txt"})),
        ("delete_file", json!({"path": "d/l"})),
        ("delete_file", json!({"path": "d", "recursive": true})),
    ] {
        let before = stage.tree();
        let change = stage.call(tool, arguments.clone()).await.change();
        let after = stage.tree();
        assert_ne!(before, after, "{tool}");
        let undone = stage.call("revert_change", json!({"change": change})).await;
        assert_eq!(undone.ok()["tool"], tool);
        assert_eq!(stage.tree(), before, "{tool} {arguments}");
        // A change can be undone only once.
        let twice = stage.call("revert_change", json!({"change": change})).await;
        assert!(twice.is_error(), "{tool}: {}", twice.0);
        assert_eq!(stage.tree(), before, "{tool} {arguments}");
        let redone = stage.call("revert_change", json!({"change": undone.change()})).await;
        assert_eq!(stage.tree(), after, "{tool} {arguments}");
        stage.call("revert_change", json!({"change": redone.change()})).await.ok();
        assert_eq!(stage.tree(), before, "{tool} {arguments}");
    }
}

/// Undoing by path goes back one change per call, even over changes that were undone by id and
/// redone.
#[tokio::test]
async fn a_path_is_undone_step_by_step() {
    let stage = Stage::new();
    stage.write("a", "0");
    for content in ["1", "2", "3"] {
        stage.call("write_file", json!({"path": "a", "content": content})).await.ok();
    }
    let back = || stage.call("revert_change", json!({"path": "a"}));
    let first = back().await;
    assert_eq!((first.ok()["tool"].as_str(), &*stage.read("a")), (Some("write_file"), "2"));
    stage.call("revert_change", json!({"change": first.change()})).await.ok();
    assert_eq!(stage.read("a"), "3");
    for content in ["2", "1", "0"] {
        back().await.ok();
        assert_eq!(stage.read("a"), content);
    }
    assert_eq!(back().await.code(), "UNKNOWN_CHANGE");
    stage.call("write_file", json!({"path": "a", "content": "4"})).await.ok();
    back().await.ok();
    assert_eq!(stage.read("a"), "0");
}

#[tokio::test]
async fn what_was_changed_again_is_not_undone() {
    let stage = Stage::new();
    stage.write("a", "one");
    let edit = |find: &str, replace: &str| {
        stage.call("edit_file", json!({"path": "a", "edits": [{"find": find, "replace": replace}]}))
    };
    let first = edit("one", "two").await.change();
    let second = edit("two", "three").await.change();
    let early = stage.call("revert_change", json!({"change": first})).await;
    assert_eq!(early.code(), "CONFLICT");
    assert!(early.text().contains("Undo the later changes first"), "{}", early.text());
    stage.call("revert_change", json!({"change": second})).await.ok();
    stage.call("revert_change", json!({"change": first})).await.ok();
    assert_eq!(stage.read("a"), "one");
    assert_eq!(stage.call("revert_change", json!({"path": "a"})).await.code(), "UNKNOWN_CHANGE");
    let made = stage.call("create_directory", json!({"path": "d"})).await.change();
    stage.write("d/x", "X");
    assert_eq!(stage.call("revert_change", json!({"change": made})).await.code(), "CONFLICT");
    assert_eq!(stage.read("d/x"), "X");
    for wrong in [json!({"change": "../a"}), json!({"change": "c-1-2"}), json!({"path": "none"})] {
        assert_eq!(stage.call("revert_change", wrong.clone()).await.code(), "UNKNOWN_CHANGE", "{wrong}");
    }
    for wrong in [json!({}), json!({"change": made, "path": "a"})] {
        assert_eq!(stage.call("revert_change", wrong.clone()).await.code(), "INVALID_ARGUMENTS", "{wrong}");
    }
}

/// Another process finds the changes of the first through the journal alone.
#[tokio::test]
async fn changes_outlive_the_server() {
    let stage = Stage::new();
    stage.write("a", "one");
    let change = stage.call("write_file", json!({"path": "a", "content": "two"})).await.change();
    let (_, other) = stage.again(json!({}));
    ask_once(&other, "revert_change", json!({"change": change})).await.ok();
    assert_eq!(stage.read("a"), "one");
}

#[tokio::test]
async fn the_journal_is_private_and_bounded() {
    let stage = Stage::with(json!({"journal_max_bytes": 100_000, "irreversible": "refuse"}));
    let journal = stage.place.join("journal");
    assert_eq!(mode(&journal), 0o700);
    stage.write("a", "x".repeat(20_000));
    let mut changes = Vec::new();
    for number in 0..10 {
        let content = number.to_string().repeat(20_000);
        changes.push(stage.call("write_file", json!({"path": "a", "content": content})).await.change());
    }
    let kept: Vec<_> = fs::read_dir(&journal).unwrap().map(|entry| entry.unwrap().path()).collect();
    let size: u64 = kept.iter().map(|path| fs::metadata(path).unwrap().len()).sum();
    assert!(size <= 100_000 && kept.len() >= 3, "{size} {kept:?}");
    assert!(kept.iter().all(|path| mode(path) == 0o600));
    assert_eq!(stage.call("revert_change", json!({"change": changes[0]})).await.code(), "UNKNOWN_CHANGE");
    stage.call("revert_change", json!({"change": changes[9]})).await.ok();
    // A change whose old content can't be kept is not made.
    stage.write("large", "y".repeat(200_000));
    for (tool, arguments) in [
        ("write_file", json!({"path": "large", "content": "x"})),
        ("write_file", json!({"path": "large", "content": "x", "mode": "append"})),
        ("delete_file", json!({"path": "large"})),
    ] {
        let refused = stage.call(tool, arguments).await;
        assert_eq!(refused.code(), "FILE_TOO_LARGE");
        assert!(refused.text().contains("journal_max_bytes"), "{}", refused.text());
    }
    assert_eq!(stage.read("large").len(), 200_000);
}

/// Two servers that share a journal keep its limit together.
#[tokio::test]
async fn what_others_keep_is_counted() {
    let table = json!({"journal_max_bytes": 100_000});
    let stage = Stage::with(table.clone());
    let (_, other) = stage.again(table);
    for name in ["a", "b"] {
        stage.write(name, "x".repeat(20_000));
    }
    for number in 0..5 {
        let content = number.to_string().repeat(20_000);
        stage.call("write_file", json!({"path": "a", "content": content})).await.ok();
        ask_once(&other, "write_file", json!({"path": "b", "content": content})).await.ok();
    }
    // A folder takes a block for each of its entries, so older changes are evicted.
    for number in 0..20 {
        stage.write(&format!("d/{number}"), "");
    }
    let files = || fs::read_dir(stage.place.join("journal")).unwrap().map(|entry| entry.unwrap().path());
    let size: u64 = files().map(|path| fs::metadata(path).unwrap().len()).sum();
    assert!(size <= 100_000, "{size}");
    let change = stage.call("delete_file", json!({"path": "d", "recursive": true})).await.change();
    assert_eq!(files().count(), 2, "{:?}", files().collect::<Vec<_>>());
    stage.call("revert_change", json!({"change": change})).await.ok();
    assert!(stage.has("d/19"));
}

/// Restoring content does not evict it to make room for the new record.
#[tokio::test]
async fn what_is_brought_back_stays() {
    let stage = Stage::with(json!({"journal_max_bytes": 102_400}));
    stage.write("a", "x".repeat(98_304));
    let change = stage.call("delete_file", json!({"path": "a"})).await.change();
    let back = stage.call("revert_change", json!({"change": change})).await.change();
    assert_eq!(stage.read("a").len(), 98_304);
    stage.call("revert_change", json!({"change": back})).await.ok();
    assert!(!stage.has("a"));
}

/// With `irreversible` at `refuse`, nothing is made that can't be undone; neither is an undoing.
#[tokio::test]
async fn what_is_too_large_to_be_kept_stays() {
    let table = json!({"journal_max_bytes": 102_400, "edit_max_bytes": 1000, "irreversible": "refuse"});
    let stage = Stage::with(table);
    let large = "x".repeat(300_000);
    stage.write("a", &large);
    stage.write("small", "s");
    for (tool, arguments) in [
        ("copy_file", json!({"from": "a", "to": "b"})),
        ("write_file", json!({"path": "b", "content": large})),
        ("write_file", json!({"path": "d/b", "content": large, "create_parents": true})),
    ] {
        let change = stage.call(tool, arguments.clone()).await.change();
        let made = stage.tree();
        let refused = stage.call("revert_change", json!({"change": change})).await;
        assert_eq!((refused.code(), stage.tree()), ("FILE_TOO_LARGE", made), "{tool}");
        fs::remove_file(stage.root.join(arguments["to"].as_str().or(arguments["path"].as_str()).unwrap()))
            .unwrap();
    }
    let refused = stage.call("write_file", json!({"path": "small", "content": large})).await;
    assert_eq!(refused.code(), "FILE_TOO_LARGE");
    // Larger than what is read in one go, so it is compared by its digest.
    let change =
        stage.call("write_file", json!({"path": "small", "content": "y".repeat(5000)})).await.change();
    let undone = stage.call("revert_change", json!({"change": change})).await.change();
    assert_eq!(stage.read("small"), "s");
    stage.call("revert_change", json!({"change": undone})).await.ok();
    assert_eq!(stage.read("small").len(), 5000);
}

/// V-04: without a journal nothing can be undone. No text claims otherwise, and each call that
/// overwrites or deletes is asked about.
#[tokio::test]
async fn v_04_without_a_journal_nothing_is_promised() {
    let stage = Stage::with(json!({"journal_max_bytes": 0}));
    stage.write("d/a", "A");
    let asked = Asked::of(&stage);
    for (tool, arguments) in [
        ("write_file", json!({"path": "d/a", "content": "B"})),
        ("edit_file", json!({"path": "d/a", "edits": [{"find": "B", "replace": "C"}]})),
        ("delete_file", json!({"path": "d/a"})),
    ] {
        let made = asked.agreed(tool, arguments).await;
        assert!(made.ok().get("change").is_none() && made.ok()["irreversible"] == true, "{}", made.0);
    }
    // What only adds or moves loses nothing.
    for (tool, arguments) in [
        ("write_file", json!({"path": "d/a", "content": "B"})),
        ("create_directory", json!({"path": "e"})),
        ("copy_file", json!({"from": "d/a", "to": "e/a"})),
        ("move_file", json!({"from": "e", "to": "d/e"})),
    ] {
        assert!(asked.call(tool, &arguments).await.ok().get("change").is_none(), "{tool}");
    }
    asked.agreed("delete_file", json!({"path": "d", "recursive": true})).await.ok();
    assert!(!stage.has("d") && stage.tree().is_empty());
    assert!(stage.call("revert_change", json!({"path": "d"})).await.is_error());
    assert!(!stage.place.join("journal").exists());
}

/// A journal inside a root is hidden from every client.
#[tokio::test]
async fn the_journal_is_hidden() {
    let stage = Stage::with(json!({}));
    let place = stage.place.to_str().unwrap().to_owned();
    let options = super::super::super::Options {
        journal: Some(stage.place.join("journal")),
        ..super::super::super::Options::new(vec![stage.place.clone()], super::stage::values(&json!({})))
    };
    let server = super::super::super::FileServer::open(&options).unwrap();
    let handler = overt_layers::open(server.endpoint().unwrap());
    ask_once(&handler, "write_file", json!({"path": "x", "content": "x"})).await.ok();
    for (tool, arguments) in [
        ("write_file", json!({"path": "journal/x", "content": "x"})),
        ("delete_file", json!({"path": "journal", "recursive": true})),
        ("copy_file", json!({"from": "journal", "to": "j"})),
        ("move_file", json!({"from": format!("{place}/journal"), "to": "j"})),
    ] {
        let answer: Value = ask_once(&handler, tool, arguments).await.0;
        assert_eq!(answer["result"]["_meta"]["dev.overt/error"]["code"], "PATH_NOT_ALLOWED", "{tool}");
    }
}

/// I-05: a record whose change never happened, because its process was killed before it, does not
/// block earlier changes.
#[tokio::test]
async fn i_05_what_never_happened_is_passed_over() {
    let stage = Stage::new();
    stage.write("a", "one");
    stage.write("d/x", "X");
    let first = stage.call("write_file", json!({"path": "a", "content": "two"})).await.change();
    let journal = stage.place.join("journal");
    let made: [(&str, Value); 3] = [
        ("write_file", json!({"path": "a", "content": "three"})),
        ("delete_file", json!({"path": "a"})),
        ("move_file", json!({"from": "a", "to": "b"})),
    ];
    for (tool, arguments) in made {
        // Reverts the change on disk only, so that the record looks as after a kill.
        let change = stage.call(tool, arguments).await.change();
        let kept = journal.join(format!("{change}.kept"));
        if kept.exists() {
            fs::rename(&kept, stage.root.join("a")).unwrap();
        } else if stage.has("b") {
            fs::rename(stage.root.join("b"), stage.root.join("a")).unwrap();
        } else {
            stage.write("a", "two");
        }
        // Undoing it by id finds nothing to undo.
        assert!(stage.call("revert_change", json!({"change": change})).await.is_error(), "{tool}");
    }
    let undone = stage.call("revert_change", json!({"path": "a"})).await;
    assert_eq!((undone.ok()["reverted"].as_str(), &*stage.read("a")), (Some(&*first), "one"));
}

/// I-08: a copy that a killed process left in the journal is removed by the next change.
#[tokio::test]
async fn i_08_copies_that_a_kill_left_in_the_journal_are_swept() {
    let stage = Stage::new();
    let (_, handler) = super::faults::sweeping(&stage.place);
    let left = stage.place.join("journal/.overt-tmp-0123456789abcdef01234567");
    fs::create_dir_all(left.join("sub")).unwrap();
    fs::write(left.join("sub/x"), "X").unwrap();
    ask_once(&handler, "write_file", json!({"path": "next", "content": "x"})).await.ok();
    assert!(!left.exists());
}

/// I-03: a tree of small files takes a block for each of them. If that does not fit, the call is
/// refused before anything is changed, and older changes stay.
#[tokio::test]
async fn i_03_room_is_measured_as_it_is_made() {
    let stage = Stage::with(json!({"journal_max_bytes": 100_000, "irreversible": "refuse"}));
    stage.write("a", "one");
    let first = stage.call("write_file", json!({"path": "a", "content": "two"})).await.change();
    for number in 0..40 {
        stage.write(&format!("d/{number}"), "");
    }
    let before = stage.tree();
    for answer in [
        stage.preview("delete_file", json!({"path": "d", "recursive": true})).await,
        stage.call("delete_file", json!({"path": "d", "recursive": true})).await,
    ] {
        assert_eq!(answer.code(), "FILE_TOO_LARGE");
        assert!(answer.text().contains("journal_max_bytes"), "{}", answer.text());
    }
    assert_eq!(stage.tree(), before);
    stage.call("revert_change", json!({"change": first})).await.ok();
    assert_eq!(stage.read("a"), "one");
}

/// I-03: only a change that was made evicts older ones.
#[tokio::test]
async fn i_03_a_change_that_fails_evicts_nothing() {
    for (tool, arguments) in [
        ("write_file", json!({"path": "large", "content": "small"})),
        ("delete_file", json!({"path": "d", "recursive": true})),
    ] {
        // Each call gets its own tree, because leftovers of a failed call would hide what the next
        // one does.
        for calls in 0.. {
            let stage = Stage::with(json!({"journal_max_bytes": 95_000, "durability": "rename"}));
            stage.write("a", "one");
            let first = stage.call("write_file", json!({"path": "a", "content": "two"})).await.change();
            (0..22).for_each(|number| drop(stage.write(&format!("d/{number}"), "")));
            stage.write("large", "x".repeat(90_000));
            let before = stage.tree();
            stage.server.disk.fault.arm(calls, super::super::fault::FaultAction::Fail(rustix::io::Errno::IO));
            let answer = stage.call(tool, arguments.clone()).await;
            let struck = stage.server.disk.fault.disarm();
            let kept = stage.place.join(format!("journal/{first}.change")).exists();
            if stage.tree() == before {
                assert!(answer.is_error() && kept, "{tool} call {calls}: {}", answer.0);
            }
            if !struck {
                // The change was made, so the first one no longer fits.
                assert!(!answer.is_error() && !kept, "{tool}: {}", answer.0);
                break;
            }
        }
    }
}

/// I-05: an undoing that was killed before it happened undid nothing.
#[tokio::test]
async fn i_05_a_killed_undoing_hides_nothing() {
    let stage = Stage::new();
    stage.write("a", "one");
    let first = stage.call("write_file", json!({"path": "a", "content": "two"})).await.change();
    stage.call("revert_change", json!({"change": first})).await.ok();
    // Reverts the undoing on disk only, so that its record looks as after a kill.
    stage.write("a", "two");
    let undone = stage.call("revert_change", json!({"path": "a"})).await;
    assert_eq!((undone.ok()["reverted"].as_str(), &*stage.read("a")), (Some(&*first), "one"));
}

/// I-05: a move to another file system that was killed between its two halves leaves the file at
/// both places. Undoing it removes the copy. After that, earlier changes can be undone.
#[tokio::test]
async fn i_05_half_a_move_is_undone() {
    let stage = Stage::new();
    stage.write("a", "one");
    let first = stage.call("write_file", json!({"path": "a", "content": "two"})).await.change();
    stage.call("move_file", json!({"from": "a", "to": "b"})).await.ok();
    let made = fs::metadata(stage.root.join("b")).unwrap().modified().unwrap();
    fs::copy(stage.root.join("b"), stage.root.join("a")).unwrap();
    fs::File::options().write(true).open(stage.root.join("a")).unwrap().set_modified(made).unwrap();
    stage.call("revert_change", json!({"path": "a"})).await.ok();
    assert!(stage.has("a") && !stage.has("b"));
    let undone = stage.call("revert_change", json!({"path": "a"})).await;
    assert_eq!((undone.ok()["reverted"].as_str(), &*stage.read("a")), (Some(&*first), "one"));
}
