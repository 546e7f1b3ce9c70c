//! I-01: links to files that another program saves meanwhile, through a temporary file and a
//! rename. The target of a link is decided on the open file, never by the name that the kernel
//! reports for a deleted file (`f.txt (deleted)`).
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::stage::{Client, Setup, Stage};

/// Saves files as editors do, at full speed, until it is dropped.
struct Saving {
    is_over: Arc<AtomicBool>,
    saves: Arc<AtomicUsize>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Saving {
    fn start(files: Vec<(PathBuf, String)>, beside: PathBuf) -> Self {
        let (is_over, saves) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let thread = std::thread::spawn({
            let (is_over, saves) = (Arc::clone(&is_over), Arc::clone(&saves));
            move || {
                while !is_over.load(Ordering::Relaxed) {
                    for (path, content) in &files {
                        fs::write(&beside, content).unwrap();
                        fs::rename(&beside, path).unwrap();
                        saves.fetch_add(1, Ordering::Relaxed);
                    }
                }
            }
        });
        Self { is_over, saves, thread: Some(thread) }
    }

    fn count(&self) -> usize {
        self.saves.load(Ordering::Relaxed)
    }
}

impl Drop for Saving {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A stage in which `open.txt` is visible and `h.secret` is hidden. A link leads to each, and
/// another one through a folder.
fn stage() -> (Stage, Vec<(PathBuf, String)>) {
    let stage = Stage::new();
    let open = stage.write("open.txt", "line\n");
    // Every answer is searched for the canaries in the files outside, so they serve as secrets
    // here.
    let canary = fs::read_to_string(stage.outside.join("s.txt")).unwrap();
    let secret = stage.write("h.secret", &canary);
    let deep = stage.write("priv.secret/deep.txt", &canary);
    stage.link("l", "open.txt");
    stage.link("s", "h.secret");
    stage.link("p", "priv.secret");
    (stage, vec![(open, "line\n".to_owned()), (secret, canary.clone()), (deep, canary)])
}

fn names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn calls() -> Vec<(&'static str, Value)> {
    let edits = json!([{ "find": "line", "replace": "line" }]);
    vec![
        ("read_file", json!({ "path": "s" })),
        ("read_file", json!({ "path": "l" })),
        ("read_file", json!({ "path": "p/deep.txt" })),
        ("read_file", json!({ "path": "open.txt" })),
        ("read_multiple_files", json!({ "paths": ["s", "l", "p/deep.txt"] })),
        ("get_file_info", json!({ "path": "s" })),
        ("get_file_info", json!({ "path": "l" })),
        ("list_directory", json!({ "depth": 3, "hidden": true, "sizes": true })),
        ("find_files", json!({ "follow": true, "hidden": true })),
        ("search_files", json!({ "pattern": "canary|line", "follow": true, "hidden": true })),
        ("write_file", json!({ "path": "l", "content": "line\n" })),
        ("write_file", json!({ "path": "s", "content": "line\n" })),
        ("write_file", json!({ "path": "l", "content": "more\n", "mode": "append" })),
        ("write_file", json!({ "path": "open.txt", "content": "line\n" })),
        ("edit_file", json!({ "path": "l", "edits": edits.clone() })),
        ("edit_file", json!({ "path": "s", "edits": edits.clone() })),
        ("edit_file", json!({ "path": "open.txt", "edits": edits })),
        ("copy_file", json!({ "from": "s", "to": "copy" })),
        ("delete_file", json!({ "path": "copy" })),
        ("move_file", json!({ "from": "s", "to": "moved" })),
        ("move_file", json!({ "from": "moved", "to": "s" })),
    ]
}

async fn turns(client: Client, first: usize, until: Instant, done: Arc<AtomicUsize>) {
    let calls = calls();
    let mut turn = first;
    while Instant::now() < until {
        let (tool, arguments) = &calls[turn % calls.len()];
        turn += 1;
        // The client itself searches every answer for canaries.
        let answer = client.call(tool, arguments.clone()).await;
        assert!(answer.0["error"].is_null(), "{tool}: {}", answer.0);
        done.fetch_add(usize::from(answer.is_ok()), Ordering::Relaxed);
    }
}

/// No answer contains hidden content: several clients read and inspect it through links while the
/// hidden files are saved.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i_01_hidden_files_that_are_saved_stay_hidden() {
    let (stage, files) = stage();
    let client = stage.with(json!({ "hidden": ["*.secret", "*.saving"] }));
    let hidden = files.into_iter().filter(|(path, _)| path.ends_with("h.secret")).collect();
    let saving = Saving::start(hidden, stage.root.join("x.saving"));
    let until = Instant::now() + Duration::from_secs(8);
    let workers: Vec<_> = (0..2)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move {
                while Instant::now() < until {
                    for tool in ["read_file", "get_file_info"] {
                        let answer = client.call(tool, json!({ "path": "s" })).await;
                        assert_eq!(answer.code(), "PATH_NOT_ALLOWED", "{tool}");
                    }
                }
            })
        })
        .collect();
    for worker in workers {
        worker.await.unwrap();
    }
    assert!(saving.count() > 0);
}

/// No answer contains hidden content, and nothing is created beside the targets of the links.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i_01_links_to_files_that_are_saved_meanwhile() {
    let (stage, files) = stage();
    let before = names(&stage.root);
    let client = stage.with(json!({ "durability": "rename", "hidden": ["*.secret", "*.saving"] }));
    let saving = Saving::start(files, stage.root.join("x.saving"));
    let done = Arc::new(AtomicUsize::new(0));
    let until = Instant::now() + Duration::from_secs(8);
    let workers: Vec<_> = (0..4)
        .map(|worker| tokio::spawn(turns(client.clone(), worker * 5, until, Arc::clone(&done))))
        .collect();
    for worker in workers {
        worker.await.unwrap();
    }
    assert!(saving.count() > 0 && done.load(Ordering::Relaxed) > 0);
    drop(saving);
    let allowed = ["copy", "moved", "x.saving", "s"].map(str::to_owned);
    let beside: Vec<_> = names(&stage.root)
        .into_iter()
        .filter(|name| !before.contains(name) && !allowed.contains(name))
        .collect();
    assert!(beside.is_empty(), "{beside:?}");
    assert!(fs::read_to_string(stage.root.join("h.secret")).unwrap().starts_with("canary"));
}

/// Every append that was confirmed is there at the end, whether it came through a link or not. Each
/// append replaces the file.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn i_01_no_append_through_a_link_is_lost() {
    let stage = Stage::new();
    stage.write("f.txt", "");
    stage.link("l", "f.txt");
    stage.link("a/up", "../f.txt");
    let (journal, settings) = (Some(stage.open_folder("journal")), json!({ "durability": "rename" }));
    let client = stage.start(Setup { journal, settings, ..stage.setup() });
    let workers: Vec<_> = (0..8)
        .map(|worker| {
            let client = client.clone();
            tokio::spawn(async move {
                let path = ["l", "f.txt", "a/up"][worker % 3];
                let mut made = Vec::new();
                for round in 0..250 {
                    let line = format!("{worker}-{round}\n");
                    let arguments = json!({ "path": path, "content": line, "mode": "append" });
                    let answer = client.call("write_file", arguments).await;
                    if answer.is_ok() {
                        made.push(line);
                    }
                }
                made
            })
        })
        .collect();
    let mut made = Vec::new();
    for worker in workers {
        made.extend(worker.await.unwrap());
    }
    let text = fs::read_to_string(stage.root.join("f.txt")).unwrap();
    let lines: BTreeSet<&str> = text.lines().collect();
    let lost: Vec<_> = made.iter().filter(|line| !lines.contains(line.trim_end())).collect();
    assert!(lost.is_empty(), "{} of {} lost: {lost:?}", lost.len(), made.len());
    assert!(made.len() > 1000, "{} of 2000 were made", made.len());
    assert_eq!(names(&stage.root), BTreeSet::from(["a", "f.txt", "l"].map(str::to_owned)));
}
