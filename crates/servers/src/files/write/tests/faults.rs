//! Makes every system call of a change fail once, and kills the process at every one: the file is
//! old or new.
use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use serde_json::{Value, json};

use super::super::fault::FaultAction;
use super::super::is_ours;
use super::super::temp::Sweeper;
use super::irreversible::Asked;
use super::stage::{Stage, ask_once, tree_of};

/// More system calls than any of the changes makes.
const MOST_CALLS: i64 = 300;

/// The changes to test. Each starts from a fresh tree.
fn changes() -> Vec<(&'static str, Value)> {
    vec![
        ("write_file", json!({"path": "a", "content": "new\n"})),
        ("write_file", json!({"path": "a", "content": "more\n", "mode": "append"})),
        ("write_file", json!({"path": "n", "content": "new\n", "mode": "create"})),
        ("write_file", json!({"path": "n/e/w", "content": "new\n", "create_parents": true})),
        ("edit_file", json!({"path": "a", "edits": [{"find": "old", "replace": "new"}]})),
        ("create_directory", json!({"path": "p/q", "create_parents": true})),
        ("move_file", json!({"from": "d", "to": "e"})),
        ("copy_file", json!({"from": "d", "to": "e"})),
        ("delete_file", json!({"path": "d", "recursive": true})),
        ("delete_file", json!({"path": "a"})),
        ("edit_file", several()),
    ]
}

/// Edits of three files as one change.
pub(super) fn several() -> Value {
    json!({"path": "a", "edits": [
        {"find": "old", "replace": "new"},
        {"path": "d/x", "find": "X", "replace": "Z"},
        {"path": "d/sub/y", "find": "Y", "replace": ""},
    ]})
}

fn set_up(stage: &Stage) {
    for entry in std::fs::read_dir(&stage.root).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            std::fs::remove_dir_all(path).unwrap();
        } else {
            std::fs::remove_file(path).unwrap();
        }
    }
    stage.write("a", "old\n");
    stage.write("d/x", "X");
    stage.write("d/sub/y", "Y");
    symlink("x", stage.root.join("d/l")).unwrap();
}

/// Returns the tree after the change.
async fn wanted(stage: &Stage, tool: &str, arguments: &Value) -> BTreeMap<String, String> {
    set_up(stage);
    stage.call(tool, arguments.clone()).await.ok();
    stage.tree()
}

/// FS-32: if any system call fails, the original is whole, and no temporary file is left behind.
#[tokio::test]
async fn fs_32_every_call_fails_once() {
    let stage = Stage::fast();
    for (tool, arguments) in changes() {
        let after = wanted(&stage, tool, &arguments).await;
        // The errno makes no difference, so one is enough for most tools.
        let errnos: &[Errno] = if tool == "edit_file" { &[Errno::IO, Errno::NOSPC] } else { &[Errno::IO] };
        for errno in errnos.iter().copied() {
            set_up(&stage);
            let before = stage.tree();
            for calls in 0.. {
                assert!(calls < MOST_CALLS);
                set_up(&stage);
                stage.server.disk.fault.arm(calls, FaultAction::Fail(errno));
                let answer = stage.call(tool, arguments.clone()).await;
                let struck = stage.server.disk.fault.disarm();
                let now = stage.tree();
                let place = format!("{tool} {arguments} call {calls}: {}", answer.0);
                if answer.is_error() {
                    let is_made = answer.text().contains("was changed, but the disk did not confirm it");
                    assert_eq!(now, if is_made { after.clone() } else { before.clone() }, "{place}");
                } else {
                    assert_eq!(now, after, "{place}");
                }
                if !struck {
                    answer.ok();
                    break;
                }
            }
        }
    }
}

/// FS-32: undoing a change survives the failure of any system call too.
#[tokio::test]
async fn fs_32_every_call_of_an_undoing_fails_once() {
    let stage = Stage::fast();
    for (tool, arguments) in changes() {
        for calls in 0.. {
            assert!(calls < MOST_CALLS);
            set_up(&stage);
            let before = stage.tree();
            let change = stage.call(tool, arguments.clone()).await.change();
            let after = stage.tree();
            stage.server.disk.fault.arm(calls, FaultAction::Fail(Errno::IO));
            let answer = stage.call("revert_change", json!({ "change": change })).await;
            let struck = stage.server.disk.fault.disarm();
            let now = stage.tree();
            let place = format!("{tool} {arguments} call {calls}: {}", answer.0);
            let is_made =
                !answer.is_error() || answer.text().contains("was changed, but the disk did not confirm it");
            assert_eq!(now, if is_made { before } else { after }, "{place}");
            if !struck {
                answer.ok();
                break;
            }
        }
    }
}

const CHILD: &str = "OVERT_TEST_CHILD";

/// FS-37: a process that is killed at any call leaves a tree that is old or new. Leftovers are
/// recognised and swept, and the journal agrees with the tree.
#[tokio::test]
async fn fs_37_killed_at_every_call() {
    let chosen = changes().into_iter().enumerate().filter(|(number, _)| [0, 3].contains(number));
    for (number, (tool, arguments)) in chosen {
        let stage = Stage::fast();
        let after = wanted(&stage, tool, &arguments).await;
        set_up(&stage);
        let before = stage.tree();
        for calls in 0.. {
            assert!(calls < MOST_CALLS);
            set_up(&stage);
            let ended = run_child(&format!("{}\n{number}\n{calls}", stage.place.display()));
            let mut now = stage.tree();
            now.retain(|path, _| !path.split('/').any(is_ours));
            assert!(now == before || now == after, "{tool} call {calls}: {now:?}");
            if ended {
                assert_eq!(now, after, "{tool}");
                break;
            }
            // The next process sweeps the leftovers, and can undo what was done.
            let (server, handler) = sweeping(&stage.place);
            ask_once(&handler, "write_file", json!({"path": "next", "content": "x"})).await.ok();
            let swept = stage.tree();
            assert!(!swept.keys().any(|path| path.split('/').any(is_ours)), "{tool} call {calls}: {swept:?}");
            if now == after {
                let path = arguments.get("to").or(arguments.get("path")).unwrap();
                let path = if path == "n/e/w" { json!("n") } else { path.clone() };
                ask_once(&handler, "revert_change", json!({ "path": path })).await.ok();
                let mut undone = stage.tree();
                undone.remove("next");
                assert_eq!(undone, before, "{tool} call {calls}");
            }
            drop(server);
        }
    }
}

/// I-03: a change of several files that is interrupted at any call was either made, and can be
/// undone as one, or is taken back when the next server starts.
#[tokio::test]
async fn several_files_killed_at_every_call_are_all_old_or_all_new() {
    let stage = Stage::fast();
    let number = changes().len() - 1;
    let after = wanted(&stage, "edit_file", &several()).await;
    set_up(&stage);
    let before = stage.tree();
    let mut was_half = false;
    for calls in 0.. {
        assert!(calls < MOST_CALLS);
        set_up(&stage);
        let ended = run_child(&format!("{}\n{number}\n{calls}", stage.place.display()));
        let mut now = stage.tree();
        now.retain(|path, _| !path.split('/').any(is_ours));
        was_half |= now != before && now != after;
        if ended {
            assert_eq!(now, after);
            break;
        }
        let (_server, handler) = sweeping(&stage.place);
        let mut now = stage.tree();
        now.retain(|path, _| !path.split('/').any(is_ours));
        assert!(now == before || now == after, "call {calls}: {now:?}");
        if now == after {
            ask_once(&handler, "revert_change", json!({ "path": "d/x" })).await.ok();
            let mut undone = stage.tree();
            undone.retain(|path, _| !path.split('/').any(is_ours));
            assert_eq!(undone, before, "call {calls}");
        }
        let pending = std::fs::read_dir(stage.place.join("journal")).unwrap();
        let left = pending
            .filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|end| end == "pending"));
        assert_eq!(left.count(), 0, "call {calls}");
    }
    assert!(was_half, "no kill hit the middle of the change");
}

pub(super) fn sweeping(
    place: &Path,
) -> (std::sync::Arc<super::super::super::FileServer>, std::sync::Arc<dyn overt_wire::Handler>) {
    let options = options(place);
    let server = super::super::super::FileServer::open_with(&options, Sweeper::of_any_age()).unwrap();
    let handler = overt_layers::open(server.endpoint().unwrap());
    (server, handler)
}

fn options(place: &Path) -> super::super::super::Options {
    super::super::super::Options {
        journal: Some(place.join("journal")),
        ..super::super::super::Options::new(vec![place.join("root")], super::stage::values(&json!({})))
    }
}

/// Runs the child process. Returns whether it ran to its end.
fn run_child(task: &str) -> bool {
    run_test("files::write::tests::faults::child", task)
}

#[expect(clippy::disallowed_methods, reason = "the test binary itself, which is to be killed")]
fn run_test(test: &str, task: &str) -> bool {
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", test, "--ignored"]).env(CHILD, task);
    child.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    child.status().unwrap().success()
}

/// The process that is killed. Does nothing unless another test starts it.
#[tokio::test]
#[ignore = "is started by another test"]
#[expect(clippy::disallowed_methods, reason = "its task comes from the test that starts it")]
async fn child() {
    let Ok(task) = std::env::var(CHILD) else { return };
    let mut parts = task.split('\n');
    let place = PathBuf::from(parts.next().unwrap());
    let number: usize = parts.next().unwrap().parse().unwrap();
    let calls: i64 = parts.next().unwrap().parse().unwrap();
    let server = super::super::super::FileServer::open(&options(&place)).unwrap();
    let handler = overt_layers::open(server.endpoint().unwrap());
    server.disk.fault.arm(calls, FaultAction::Kill);
    let (tool, arguments) = changes().swap_remove(number);
    ask_once(&handler, tool, arguments).await.ok();
    assert!(!tree_of(&place).is_empty());
}

/// FS-37: a copy in progress is not taken for a leftover, however long it takes. Before it is
/// locked, only its age protects it.
#[tokio::test]
async fn fs_37_a_copy_in_progress_is_held() {
    let stage = Stage::fast();
    set_up(&stage);
    let root = stage.root.clone();
    let sweep = move || {
        let folder = super::super::super::access::Folder::open_private(&root).unwrap();
        Sweeper::of_any_age().sweep(&super::super::Disk::default(), &folder);
    };
    let sweep = FaultAction::Do(std::sync::Arc::new(sweep));
    let mut swept = 0;
    for calls in 0..MOST_CALLS {
        stage.server.disk.fault.arm(calls, sweep.clone());
        let copied = stage.call("copy_file", json!({"from": "d", "to": "e"})).await;
        let is_past = !stage.server.disk.fault.disarm();
        swept += usize::from(copied.is_error());
        if stage.has("e") {
            std::fs::remove_dir_all(stage.root.join("e")).unwrap();
        }
        if is_past {
            break;
        }
    }
    assert!(swept <= 1, "{swept}");
}

const OTHERS: &str = "of somebody else\n";

/// I-09: another program saves the file at any moment of a change, and the server is killed soon
/// after. Its content is in the file, at the latest after the next server's sweep.
#[tokio::test]
async fn i_09_a_kill_loses_nothing_that_others_wrote() {
    let mut conflicts = 0;
    for over in [true, false] {
        for calls in 0..MOST_CALLS {
            let mut has_ended = false;
            for kill_after in 0..4 {
                let stage = Stage::fast();
                stage.write("a", "old\n");
                has_ended = run_meddled(&stage, "write_file", over, calls, kill_after);
                if !stage.read("a").contains("somebody") {
                    conflicts += 1;
                }
                let (_, handler) = sweeping(&stage.place);
                ask_once(&handler, "write_file", json!({"path": "next", "content": "x"})).await.ok();
                let mut swept = stage.tree();
                swept.remove("next");
                let wanted = if has_ended { "new\n" } else { OTHERS };
                let wanted = BTreeMap::from([("a".to_owned(), wanted.to_owned())]);
                assert_eq!(swept, wanted, "over {over}, call {calls}, killed after {kill_after}");
                if has_ended {
                    break;
                }
            }
            if has_ended {
                break;
            }
        }
    }
    assert!(conflicts > 0, "no kill came between the change and its taking back");
}

/// I-09: another program saves the file at any moment of a deletion, and the server is killed soon
/// after. Its content still exists after the next server's sweep.
#[tokio::test]
async fn i_09_a_killed_delete_loses_nothing_that_others_wrote() {
    let mut kept = 0;
    for calls in 0..MOST_CALLS {
        let mut has_ended = false;
        for kill_after in 0..4 {
            let stage = Stage::fast();
            stage.write("a", "old\n");
            has_ended = run_meddled(&stage, "delete_file", true, calls, kill_after);
            let (_, handler) = sweeping(&stage.place);
            ask_once(&handler, "write_file", json!({"path": "next", "content": "x"})).await.ok();
            let swept = stage.tree();
            let theirs: Vec<_> = swept.iter().filter(|(_, text)| *text == OTHERS).collect();
            assert_eq!(theirs.is_empty(), has_ended, "call {calls}, killed after {kill_after}: {swept:?}");
            kept += theirs.iter().filter(|(path, _)| is_ours(path)).count();
            if has_ended {
                break;
            }
        }
        if has_ended {
            break;
        }
    }
    assert!(kept > 0, "no kill came between the delete and its taking back");
}

/// Runs a child that another program interferes with. Returns whether the change was made before
/// that.
fn run_meddled(stage: &Stage, tool: &str, over: bool, calls: i64, kill_after: i64) -> bool {
    let task = format!("{}\n{over}\n{calls}\n{kill_after}\n{tool}", stage.place.display());
    run_test("files::write::tests::faults::meddled_child", &task)
}

/// Another program writes, and then this process is killed. Does nothing unless another test starts
/// it.
#[tokio::test]
#[ignore = "is started by another test"]
#[expect(clippy::disallowed_methods, reason = "its task comes from the test that starts it")]
async fn meddled_child() {
    let Ok(task) = std::env::var(CHILD) else { return };
    let parts: Vec<&str> = task.split('\n').collect();
    let place = PathBuf::from(parts[0]);
    let (over, calls, kill_after) =
        (parts[1] == "true", parts[2].parse().unwrap(), parts[3].parse().unwrap());
    let tool = parts[4];
    let mut options = options(&place);
    // With a journal, the deletion would move the file into it without a check.
    options.journal = options.journal.filter(|_| tool != "delete_file");
    let server = super::super::super::FileServer::open(&options).unwrap();
    let asked = Asked::of_server(&server);
    let mut arguments = json!({ "path": "a" });
    match tool {
        "write_file" => arguments["content"] = json!("new\n"),
        _ => asked.agree(tool, &arguments).await,
    }
    let (fault, has_struck) = (server.disk.fault.clone(), std::sync::Arc::new(std::sync::Mutex::new(false)));
    let struck = std::sync::Arc::clone(&has_struck);
    let meddle = move || {
        let into = place.join(if over { "beside" } else { "root/a" });
        std::fs::write(&into, OTHERS).unwrap();
        std::fs::rename(&into, place.join("root/a")).unwrap();
        *struck.lock().unwrap() = true;
        fault.arm(kill_after, FaultAction::Kill);
    };
    server.disk.fault.arm(calls, FaultAction::Do(std::sync::Arc::new(meddle)));
    asked.call(tool, &arguments).await;
    if *has_struck.lock().unwrap() {
        // The call ended before the kill. The process is killed now, because the test counts its
        // outcome as killed.
        let own = rustix::process::getpid();
        rustix::process::kill_process(own, rustix::process::Signal::KILL).unwrap();
    }
}
