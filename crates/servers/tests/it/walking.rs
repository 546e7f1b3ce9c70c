//! Results of the walking tools: nothing from outside, nothing hidden, and always bounded.
use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use overt_layers::{Control, PolicySnapshot};
use overt_policy::Authority;
use overt_policy::scope::Scope;
use rustix::fs::{RenameFlags, renameat_with};
use serde_json::{Value, json};

use crate::stage::{Client, Setup, Stage};

const TOOLS: [&str; 3] = ["list_directory", "find_files", "search_files"];

/// The arguments with which a tool walks everything beneath a folder.
fn everything(tool: &str, at: &str, follow: bool) -> Value {
    match tool {
        "list_directory" => json!({ "path": at, "max_depth": 50, "hidden": true }),
        "find_files" => json!({ "path": at, "hidden": true, "no_ignore": true, "follow": follow }),
        _ => json!({ "pattern": ".", "path": at, "hidden": true, "no_ignore": true, "follow": follow }),
    }
}

/// Returns the paths in an answer.
async fn paths(client: &Client, tool: &str, at: &str, follow: bool) -> Vec<String> {
    let answer = client.call(tool, everything(tool, at, follow)).await;
    let value = answer.value();
    let list = |name: &str| value[name].as_array().cloned().unwrap_or_default();
    let named = [list("entries"), list("files")].concat();
    let named = named.iter().map(|entry| entry["path"].clone()).chain(list("matches"));
    named.map(|path| path.as_str().unwrap().to_owned()).collect()
}

/// FS-02, FS-40, B-09: links that lead out reveal nothing, followed or not, and loops end.
#[tokio::test]
async fn fs_40_links_lead_nowhere_else() {
    let stage = Stage::new();
    stage.link("out", &stage.outside);
    stage.link("file", stage.outside.join("s.txt"));
    stage.link("up", "../outside");
    stage.link("all", "/");
    stage.link("proc", "/proc/self/root");
    stage.link("a/loop", "..");
    stage.link("inner", "a");
    stage.write("hostile/.gitignore", "!/../outside/**\n!**\n!/../../**\n");
    stage.write("hostile/.ignore", format!("!{}/**\n", stage.outside.display()));
    let client = stage.client();
    for tool in TOOLS {
        for follow in [false, true] {
            let all = paths(&client, tool, ".", follow).await;
            assert!(all.contains(&"a/ok.txt".to_owned()), "{tool}: {all:?}");
            assert!(all.iter().filter(|path| path.ends_with("ok.txt")).count() < 3, "{tool}: {all:?}");
        }
        for at in ["out", "up", "all", "proc", "../outside", "../root-secret", "a/../../outside"] {
            let answer = client.call(tool, everything(tool, at, true)).await;
            assert_eq!(answer.code(), "PATH_OUTSIDE_ROOT", "{tool} {at}");
        }
    }
}

/// FS-21, FS-22, B-21: denied entries are neither returned nor counted, whichever path leads to
/// them.
#[tokio::test]
async fn b_21_what_is_denied_is_not_there() {
    let stage = Stage::new();
    for path in ["secrets/key", "a/.git/config", "a/x.env", "a/y.txt"] {
        stage.write(path, "text\n");
    }
    stage.link("to_secrets", "secrets");
    let root = stage.root.to_str().unwrap();
    let deny = ["secrets/**", "**/.git/**", "**/*.env"];
    let client = stage.with(json!({ "roots": [{ "path": root, "deny": deny }] }));
    for tool in TOOLS {
        for follow in [false, true] {
            let all = paths(&client, tool, ".", follow).await.join(" ");
            assert!(!all.contains("key") && !all.contains(".git") && !all.contains(".env"), "{tool}: {all}");
            assert!(all.contains("a/y.txt"), "{tool}: {all}");
        }
        for at in ["secrets", "a/.git", "to_secrets", "a/../secrets"] {
            let code = client.call(tool, everything(tool, at, true)).await;
            assert_eq!(code.code(), "PATH_NOT_ALLOWED", "{tool} {at}");
        }
    }
    let found =
        client.call("find_files", json!({ "pattern": "", "type": "file", "hidden": true, "limit": 1 })).await;
    assert_eq!(found.value()["total_count"], 2);
    // The call's own policy narrows further.
    let narrow = client.saying(json!({ "policy": { "roots": [{ "path": root, "deny": ["a/y.txt"] }] } }));
    assert_eq!(paths(&narrow, "search_files", ".", false).await, ["a/ok.txt"]);
}

/// A walk needs access to the whole folder. If the scope of something in it is denied, other
/// folders can still be walked.
#[tokio::test]
async fn a_walk_needs_the_whole_folder() {
    let stage = Stage::new();
    stage.write("a/secret/x", "text\n");
    stage.write("b/y", "text\n");
    let root = stage.root.to_str().unwrap();
    let base = [Scope::parse(&format!("read:file:{root}")).unwrap()].into_iter().collect();
    let authority = Authority { base, ..Authority::careful() };
    let control = Some(Control::new(PolicySnapshot::new(authority)));
    let client = stage.start(Setup { control, ..stage.setup() });
    let denied = format!("read:file:{root}/a/secret");
    let narrow = client.saying(json!({ "denied_scopes": denied }));
    for tool in TOOLS {
        let all = paths(&client, tool, ".", false).await;
        assert!(all.iter().any(|path| path.starts_with("a/secret/x")), "{tool}: {all:?}");
        let answer = narrow.call(tool, everything(tool, "b", false)).await;
        assert!(answer.is_ok(), "{tool}: {answer:?}");
        let answer = narrow.call(tool, everything(tool, "a/secret", false)).await;
        assert!(!answer.is_ok(), "{tool}: {answer:?}");
    }
}

/// FS-31: a root that was replaced is not walked.
#[tokio::test]
async fn fs_31_a_root_that_is_gone_is_not_walked() {
    let stage = Stage::new();
    let client = stage.client();
    let away = stage.open_folder("away");
    fs::rename(&stage.root, away.join("root")).unwrap();
    symlink(&stage.outside, &stage.root).unwrap();
    for tool in TOOLS {
        assert_eq!(client.call(tool, everything(tool, ".", true)).await.code(), "ROOT_GONE", "{tool}");
    }
    fs::remove_file(&stage.root).unwrap();
    fs::rename(away.join("root"), &stage.root).unwrap();
    assert!(client.call("list_directory", json!({})).await.is_ok());
}

/// G-17, G-19, B-21: a wrong or unknown argument is refused with its name; 0 does not mean "no
/// limit".
#[tokio::test]
async fn b_21_arguments_mean_what_they_say() {
    let stage = Stage::new();
    let client = stage.client();
    for (tool, arguments) in [
        ("list_directory", json!({ "limit": 0 })),
        ("list_directory", json!({ "max_depth": 0 })),
        ("list_directory", json!({ "sort": "colour" })),
        ("find_files", json!({ "limit": 0 })),
        ("find_files", json!({ "max_depth": -1 })),
        ("find_files", json!({ "case_sensitive": "maybe" })),
        ("find_files", json!({ "patern": "x" })),
        ("search_files", json!({})),
        ("search_files", json!({ "pattern": "" })),
        ("search_files", json!({ "pattern": "x", "context": "three" })),
        ("search_files", json!({ "pattern": "x", "output": "pages" })),
    ] {
        let answer = client.call(tool, arguments.clone()).await;
        assert!(!answer.is_ok(), "{tool} {arguments}");
        assert!(answer.text(0).len() > 40, "{}", answer.text(0));
    }
}

/// FS-38, B-04, B-15 as clients see them: an option is plain text, and many matches are counted.
#[tokio::test]
async fn b_15_many_matches_are_counted() {
    let stage = Stage::new();
    stage.write("many.txt", "needle in a line\n".repeat(50_000));
    let client = stage.client();
    let answer = client.call("search_files", json!({ "pattern": "needle" })).await;
    let value = answer.value();
    assert_eq!((&value["match_count"], &value["mode"]), (&json!(50_000), &json!("reduced")));
    assert_eq!(value["files"][0]["lines"].as_array().unwrap().len(), 3);
    let answer = client.call("search_files", json!({ "pattern": "--pre=sh" })).await;
    assert_eq!(answer.value()["total_count"], 0);
}

/// FS-21: entries that are hidden in every root are hidden from walks too, not only from calls that
/// name them.
#[tokio::test]
async fn fs_21_what_is_hidden_everywhere_is_not_found() {
    let stage = Stage::new();
    stage.write("a/deep/x.key", "text\n");
    stage.write("private/notes", "text\n");
    stage.write("a/y.txt", "text\n");
    let client = stage.with(json!({ "hidden": ["*.key", "private/**"] }));
    for tool in TOOLS {
        let all = paths(&client, tool, ".", false).await.join(" ");
        assert!(!all.contains(".key") && !all.contains("private"), "{tool}: {all}");
        assert!(all.contains("a/y.txt"), "{tool}: {all}");
        assert_eq!(client.call(tool, everything(tool, "private", false)).await.code(), "PATH_NOT_ALLOWED");
    }
}

/// FS-05: a directory and a link to outside change places all the time. Walks return what is
/// inside, or nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fs_05_walks_while_names_are_exchanged() {
    let stage = Stage::new();
    for number in 0..20 {
        stage.write(&format!("swap/deep/f{number:02}.txt"), "inside\n");
    }
    fs::create_dir(stage.outside.join("deep")).unwrap();
    stage.link("other", &stage.outside);
    let client = stage.client();
    let is_over = Arc::new(AtomicBool::new(false));
    let (over, root) = (Arc::clone(&is_over), stage.root.clone());
    let exchange = std::thread::spawn(move || {
        let folder = fs::File::open(root).unwrap();
        while !over.load(Ordering::Relaxed) {
            let _ = renameat_with(&folder, "swap", &folder, "other", RenameFlags::EXCHANGE);
        }
    });
    let end = Instant::now() + Duration::from_millis(700);
    let mut walks = 0;
    while Instant::now() < end {
        for tool in TOOLS {
            for follow in [false, true] {
                // The client searches every answer for canaries, in names and contents.
                let _ = client.call(tool, everything(tool, ".", follow)).await;
                let _ = client.call(tool, everything(tool, "swap", follow)).await;
                walks += 2;
            }
        }
    }
    is_over.store(true, Ordering::Relaxed);
    exchange.join().unwrap();
    assert!(walks > 0);
}

/// FS-12: files with a second hard link are skipped, if the settings say so.
#[tokio::test]
async fn fs_12_hard_links_can_be_left_out_of_a_search() {
    let stage = Stage::new();
    fs::hard_link(stage.root.join("a/ok.txt"), stage.root.join("b")).unwrap();
    for (setting, files, unreadable) in [("deny", 0, json!(2)), ("read", 2, Value::Null)] {
        let client = stage.with(json!({ "hardlinks": setting }));
        let answer = client.call("search_files", json!({ "pattern": "ok" })).await;
        assert_eq!(answer.value()["total_count"], files, "{setting}");
        assert_eq!(answer.value()["unreadable_files"], unreadable, "{setting}");
    }
}
