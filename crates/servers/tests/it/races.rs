//! FS-05 to FS-07: names that change while they are used. The tests exchange names at full speed
//! for half a minute in all. Whatever the calls answer, no answer contains anything from outside,
//! and nothing outside changes.
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::{Value, json};

use super::stage::{Client, Stage};

/// Calls to make in turn, each with its arguments.
type Calls = Vec<(&'static str, Value)>;

/// Exchanges two names until it is dropped.
struct Swapping {
    is_over: Arc<AtomicBool>,
    swaps: Arc<AtomicUsize>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Swapping {
    fn start(one: PathBuf, other: PathBuf) -> Self {
        let (is_over, swaps) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let thread = std::thread::spawn({
            let (is_over, swaps) = (Arc::clone(&is_over), Arc::clone(&swaps));
            move || {
                while !is_over.load(Ordering::Relaxed) {
                    // A call may have moved one of the names away for a moment.
                    if renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).is_ok() {
                        swaps.fetch_add(1, Ordering::Relaxed);
                    }
                }
            }
        });
        Self { is_over, swaps, thread: Some(thread) }
    }
}

impl Drop for Swapping {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A stage in which `r` is a folder of the root and `r_link` a link to the folder outside. The two
/// change places, and files have the same names in both.
fn contested() -> Stage {
    let stage = Stage::new();
    for name in ["s.txt", "ok.txt", "sub/s.txt"] {
        stage.write(&format!("r/{name}"), "inside\n");
    }
    stage.link("r_link", "../outside");
    stage
}

/// Makes all calls in turn, several at a time, for `seconds`, while the names change places.
async fn contest(stage: &Stage, seconds: u64, calls: Calls) {
    let client = stage.with(json!({ "durability": "rename" }));
    let swapping = Swapping::start(stage.root.join("r"), stage.root.join("r_link"));
    let (done, refused) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let until = Instant::now() + Duration::from_secs(seconds);
    let workers: Vec<_> = (0..4)
        .map(|worker| {
            let (client, calls) = (client.clone(), calls.clone());
            let (done, refused) = (Arc::clone(&done), Arc::clone(&refused));
            tokio::spawn(turns(client, calls, worker, until, done, refused))
        })
        .collect();
    for worker in workers {
        worker.await.unwrap();
    }
    let swaps = swapping.swaps.load(Ordering::Relaxed);
    drop(swapping);
    stage.check();
    let (done, refused) = (done.load(Ordering::Relaxed), refused.load(Ordering::Relaxed));
    assert!(swaps > 0 && done + refused > 0, "{swaps} exchanges, {done} calls done, {refused} refused");
}

async fn turns(
    client: Client,
    calls: Calls,
    worker: usize,
    until: Instant,
    done: Arc<AtomicUsize>,
    refused: Arc<AtomicUsize>,
) {
    let mut turn = worker;
    while Instant::now() < until {
        let (tool, arguments) = &calls[turn % calls.len()];
        turn += 1;
        // The client itself searches every answer for canaries.
        let answer = client.call(tool, arguments.clone()).await;
        assert!(answer.0["error"].is_null(), "{tool}: {}", answer.0);
        if answer.is_ok() { &done } else { &refused }.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fs_05_reading_while_a_folder_is_exchanged_for_a_link() {
    let calls = vec![
        ("read_file", json!({ "path": "r/s.txt" })),
        ("read_file", json!({ "path": "r_link/ok.txt" })),
        ("read_multiple_files", json!({ "paths": ["r/s.txt", "r_link/sub/s.txt"] })),
        ("get_file_info", json!({ "path": "r/sub" })),
    ];
    contest(&contested(), 10, calls).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fs_05_looking_around_while_a_folder_is_exchanged_for_a_link() {
    let calls = vec![
        ("list_directory", json!({ "path": "r", "max_depth": 5, "hidden": true, "sizes": true })),
        ("find_files", json!({ "path": "r_link", "hidden": true, "no_ignore": true, "follow": true })),
        ("find_files", json!({ "hidden": true, "no_ignore": true, "follow": true })),
        (
            "search_files",
            json!({ "pattern": ".", "path": "r", "hidden": true, "no_ignore": true, "follow": true }),
        ),
        (
            "search_files",
            json!({ "pattern": "canary", "hidden": true, "no_ignore": true, "follow": true, "context": 2 }),
        ),
    ];
    contest(&contested(), 8, calls).await;
}

/// FS-05: calls change files in the folder, or nothing. A file outside is neither written nor
/// deleted nor moved.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fs_05_changing_while_a_folder_is_exchanged_for_a_link() {
    let calls = vec![
        ("write_file", json!({ "path": "r/s.txt", "content": "new\n" })),
        ("delete_file", json!({ "path": "r/s.txt" })),
        ("write_file", json!({ "path": "r_link/ok.txt", "content": "more\n", "mode": "append" })),
        ("edit_file", json!({ "path": "r/ok.txt", "edits": [{ "find": "inside", "replace": "edited" }] })),
        ("move_file", json!({ "from": "r/ok.txt", "to": "r_link/moved.txt" })),
        ("move_file", json!({ "from": "r_link/moved.txt", "to": "r/ok.txt" })),
        ("copy_file", json!({ "from": "r_link/s.txt", "to": "copy.txt" })),
        ("delete_file", json!({ "path": "copy.txt" })),
        ("create_directory", json!({ "path": "r/new/deep" })),
        ("delete_file", json!({ "path": "r/sub", "recursive": true })),
        ("delete_file", json!({ "path": "r/new", "recursive": true })),
    ];
    contest(&contested(), 10, calls).await;
}

/// FS-06: the temporary file and the final name are in one folder, whatever happens to the name of
/// that folder.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fs_06_writing_while_the_folder_of_the_file_is_exchanged() {
    let stage = contested();
    let calls = vec![
        ("write_file", json!({ "path": "r/s.txt", "content": "x".repeat(1 << 16) })),
        ("write_file", json!({ "path": "r/sub/s.txt", "content": "x".repeat(1 << 16) })),
        ("write_file", json!({ "path": "r/n.txt", "content": "new\n", "mode": "prepend" })),
    ];
    contest(&stage, 8, calls).await;
    // No unfinished file is left, wherever the folder is now.
    let folders = [stage.root.join("r"), stage.root.join("r_link")];
    let folder = folders.iter().find(|path| fs::symlink_metadata(path).unwrap().is_dir()).unwrap();
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    let known = ["n.txt", "ok.txt", "s.txt", "sub"];
    assert!(names.iter().all(|name| known.iter().any(|known| name == known)), "{names:?}");
}

/// FS-07: a reader does not follow a folder that is moved out of the root.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fs_07_a_folder_that_is_moved_out_of_the_root() {
    let stage = Stage::new();
    stage.write("m/deep/er/x.txt", "inside\n");
    let away = stage.open_folder("away").join("m");
    let client = stage.client();
    let is_over = Arc::new(AtomicBool::new(false));
    let mover = std::thread::spawn({
        let (is_over, here) = (Arc::clone(&is_over), stage.root.join("m"));
        move || {
            let mut moves = 0_usize;
            while !is_over.load(Ordering::Relaxed) {
                fs::rename(&here, &away).unwrap();
                fs::rename(&away, &here).unwrap();
                moves += 1;
            }
            moves
        }
    });
    let until = Instant::now() + Duration::from_secs(4);
    while Instant::now() < until {
        for path in ["m/deep/er/x.txt", "m/deep/../../../away/m/deep/er/x.txt", "m/../../outside/s.txt"] {
            let answer = client.call("read_file", json!({ "path": path })).await;
            if answer.is_ok() {
                assert_eq!(answer.text(0), "inside\n");
            }
        }
    }
    is_over.store(true, Ordering::Relaxed);
    assert!(mover.join().unwrap() > 0);
}
