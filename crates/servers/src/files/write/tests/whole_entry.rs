//! Tests of `move_file`, `copy_file` and `delete_file`.
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, lchown, symlink};
use std::path::Path;

use serde_json::{Value, json};

use super::super::super::file_digest::FileDigest;
use super::stage::{Stage, mode, tree_of};

/// FS-29: in none of seven cases is anything overwritten.
#[tokio::test]
async fn fs_29_a_move_overwrites_nothing() {
    let stage = Stage::new();
    stage.write("a", "A");
    stage.write("b", "B");
    stage.write("d/x", "X");
    symlink("nowhere", stage.root.join("dangling")).unwrap();
    let before = stage.tree();
    let go = |from: &str, to: &str| stage.call("move_file", json!({"from": from, "to": to}));
    assert_eq!(go("a", "b").await.code(), "TARGET_EXISTS");
    assert_eq!(go("a", "dangling").await.code(), "TARGET_EXISTS");
    let into = go("a", "d").await;
    assert_eq!(into.code(), "TARGET_EXISTS");
    assert!(into.text().contains("`d/a`"), "{}", into.text());
    assert_eq!(go("a", "a").await.code(), "TARGET_EXISTS");
    assert_eq!(go("d", "d/x/y").await.code(), "NOT_A_DIRECTORY");
    assert_eq!(go("d", "d/y").await.code(), "INVALID_PATH");
    assert_eq!(go("none", "z").await.code(), "FILE_NOT_FOUND");
    assert_eq!(go("a", "no/z").await.code(), "FILE_NOT_FOUND");
    assert_eq!(stage.tree(), before);
    // Changes only the case of the name.
    assert_eq!(go("a", "A").await.ok()["to"], "A");
    assert_eq!(stage.read("A"), "A");
    // The link itself is moved.
    go("dangling", "d/link").await.ok();
    assert!(stage.root.join("d/link").symlink_metadata().unwrap().is_symlink());
    assert_eq!(go("d", "e").await.ok()["total_count"], 3);
    assert_eq!(stage.read("e/x"), "X");
}

/// FS-28: in a move between roots, each end is subject to its own rules. Links are copied as links.
#[tokio::test]
async fn fs_28_moves_between_roots() {
    let place = tempfile::tempdir().unwrap();
    let whole = place.path().canonicalize().unwrap();
    let other = whole.join("other");
    fs::create_dir(&other).unwrap();
    let roots = json!([
        {"path": whole.join("root"), "immutable": ["fixed/**"]},
        {"path": other, "deny": ["**/*.key"], "immutable": ["fixed/**"]},
    ]);
    let stage = Stage::on(place, std::slice::from_ref(&other), json!({ "roots": roots }));
    stage.write("d/a", "A");
    symlink("/etc/hostname", stage.root.join("d/l")).unwrap();
    stage.write("k/x.key", "K");
    stage.write("fixed/f", "F");
    let go = |tool: &str, from: &str, to: &str| {
        let to = other.join(to).to_str().unwrap().to_owned();
        let (tool, from) = (tool.to_owned(), from.to_owned());
        let stage = &stage;
        async move { stage.call(&tool, json!({"from": from, "to": to})).await }
    };
    assert_eq!(go("move_file", "k", "k").await.code(), "PATH_IMMUTABLE");
    assert_eq!(go("copy_file", "k", "k").await.code(), "PATH_IMMUTABLE");
    assert_eq!(go("move_file", "k/x.key", "x.key").await.code(), "PATH_NOT_ALLOWED");
    assert_eq!(go("move_file", "fixed", "f").await.code(), "PATH_IMMUTABLE");
    assert_eq!(go("move_file", "d", "fixed").await.code(), "PATH_IMMUTABLE");
    let moved = go("move_file", "d", "d").await;
    assert_eq!(tree_of(&other)["d/a"], "A");
    assert_eq!(tree_of(&other)["d/l"], "-> /etc/hostname");
    assert!(!stage.has("d"));
    stage.call("revert_change", json!({"change": moved.change()})).await.ok();
    assert_eq!(stage.read("d/a"), "A");
    go("copy_file", "fixed/f", "f").await.ok();
    assert_eq!(fs::read_to_string(other.join("f")).unwrap(), "F");
}

#[tokio::test]
async fn copies_keep_modes_times_and_links() {
    let stage = Stage::new();
    let path = stage.write("d/x.sh", "#!");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    stage.write("d/sub/y", "Y");
    symlink("x.sh", stage.root.join("d/l")).unwrap();
    let made = stage.call("copy_file", json!({"from": "d", "to": "e"})).await;
    assert_eq!((&made.ok()["total_count"], &made.ok()["size"]), (&json!(5), &json!(3)));
    assert_eq!(tree_of(&stage.root.join("d")), tree_of(&stage.root.join("e")));
    assert_eq!(mode(stage.root.join("e/x.sh")), 0o755);
    let modified = |path: &str| fs::metadata(stage.root.join(path)).unwrap().modified().unwrap();
    assert_eq!(modified("d/x.sh"), modified("e/x.sh"));
    assert_eq!(stage.call("copy_file", json!({"from": "d", "to": "e"})).await.code(), "TARGET_EXISTS");
    assert_eq!(stage.call("copy_file", json!({"from": "d", "to": "d/f"})).await.code(), "INVALID_PATH");
    rustix::fs::mkfifoat(rustix::fs::CWD, stage.root.join("d/pipe"), rustix::fs::Mode::RUSR).unwrap();
    assert_eq!(stage.call("copy_file", json!({"from": "d", "to": "g"})).await.code(), "NOT_A_FILE");
    assert!(!stage.has("g"));
}

/// FS-28: an entry that moves to another file system and back is unchanged, its owner included.
#[tokio::test]
async fn fs_28_between_file_systems() {
    let (Ok(place), Ok(elsewhere)) = (tempfile::tempdir(), tempfile::tempdir_in("/dev/shm")) else { return };
    let stage = Stage::on(place, &[elsewhere.path().to_owned()], json!({"irreversible": "refuse"}));
    if fs::metadata(elsewhere.path()).unwrap().dev() == fs::metadata(&stage.root).unwrap().dev() {
        return;
    }
    let owned = [stage.write("d/a", "A"), stage.root.join("d"), stage.root.join("d/l")];
    symlink("a", &owned[2]).unwrap();
    let may_give = owned.iter().all(|path| lchown(path, Some(12345), Some(54321)).is_ok());
    let owner = |path: &Path| path.symlink_metadata().map(|about| (about.uid(), about.gid())).unwrap();
    let away = elsewhere.path().join("d");
    let moved = stage.call("move_file", json!({"from": "d", "to": away})).await.change();
    let there = [away.join("a"), away.clone(), away.join("l")];
    assert!(!may_give || there.iter().all(|path| owner(path) == (12345, 54321)));
    // A copy belongs to the user who makes it.
    stage.call("copy_file", json!({"from": away, "to": "copy"})).await.ok();
    assert_ne!(owner(&stage.root.join("copy/a")), (12345, 54321));
    // The journal is on the other file system, so deleting crosses it as well.
    let gone = stage.call("delete_file", json!({"path": away, "recursive": true})).await.change();
    assert!(!away.exists());
    stage.call("revert_change", json!({"change": gone})).await.ok();
    assert!(!may_give || there.iter().all(|path| owner(path) == (12345, 54321)));
    stage.call("revert_change", json!({"change": moved})).await.ok();
    assert!(!may_give || owned.iter().all(|path| owner(path) == (12345, 54321)));
    rustix::fs::mkfifoat(rustix::fs::CWD, elsewhere.path().join("pipe"), rustix::fs::Mode::RUSR).unwrap();
    let pipe = json!({"path": elsewhere.path().join("pipe")});
    assert_eq!(stage.preview("delete_file", pipe.clone()).await.code(), "OTHER_FILE_SYSTEM");
    assert_eq!(stage.call("delete_file", pipe).await.code(), "OTHER_FILE_SYSTEM");
}

/// FS-30, FS-21, B-05: a root, a folder that contains a root, and a folder with anything that must
/// stay are not moved or deleted.
#[tokio::test]
async fn fs_30_b_05_what_must_stay_stays() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().canonicalize().unwrap().join("root");
    fs::create_dir_all(root.join("in/ner")).unwrap();
    let roots = json!([
        {"path": root, "deny": ["**/.git/**", "secrets/**"], "immutable": ["d/keep/**"]},
        {"path": root.join("in/ner")},
    ]);
    let stage = Stage::on(place, &[root.join("in/ner")], json!({ "roots": roots }));
    stage.write("d/keep/a", "A");
    stage.write("d/b", "B");
    stage.write("g/.git/config", "G");
    stage.write("secrets/s", "S");
    stage.write("t/x", "X");
    symlink("t", stage.root.join("link")).unwrap();
    let before = stage.tree();
    let delete = |path: &str| stage.call("delete_file", json!({"path": path, "recursive": true}));
    let go = |from: &str| stage.call("move_file", json!({"from": from, "to": "moved"}));
    for (path, code) in [
        (".", "PATH_IS_ROOT"),
        ("..", "PATH_OUTSIDE_ROOT"),
        ("/", "PATH_OUTSIDE_ROOT"),
        ("in", "PATH_IS_ROOT"),
        ("in/ner", "PATH_IS_ROOT"),
        ("d", "PATH_IMMUTABLE"),
        ("d/keep", "PATH_IMMUTABLE"),
        ("g", "PATH_IMMUTABLE"),
        ("g/.git", "PATH_NOT_ALLOWED"),
        ("secrets", "PATH_NOT_ALLOWED"),
    ] {
        assert_eq!(delete(path).await.code(), code, "delete {path}");
        assert_eq!(go(path).await.code(), code, "move {path}");
    }
    let plain = stage.call("delete_file", json!({"path": "t"})).await;
    assert_eq!(plain.code(), "DIRECTORY_NOT_EMPTY");
    assert_eq!(stage.tree(), before);
    // Hidden entries are not copied.
    stage.call("copy_file", json!({"from": "g", "to": "h"})).await.ok();
    assert!(stage.has("h") && !stage.has("h/.git"));
    // The link itself is deleted.
    delete("link").await.ok();
    assert!(!stage.has("link") && stage.has("t/x"));
}

/// FS-27: nothing is deleted or moved across a mount.
#[tokio::test]
async fn fs_27_mounts_are_not_crossed() {
    let stage = Stage::new();
    stage.write("d/a", "A");
    fs::create_dir(stage.root.join("d/m")).unwrap();
    let outside = stage.place.join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("s"), "S").unwrap();
    let mounted = rustix::mount::mount_bind(&outside, stage.root.join("d/m"));
    if mounted.is_err() {
        // Mounting needs privileges.
        return;
    }
    let answers = [
        stage.call("delete_file", json!({"path": "d", "recursive": true})).await,
        stage.call("delete_file", json!({"path": "d/m", "recursive": true})).await,
        stage.call("delete_file", json!({"path": "d/m/s"})).await,
        stage.call("move_file", json!({"from": "d", "to": "e"})).await,
        stage.call("move_file", json!({"from": "d/m/s", "to": "e"})).await,
        stage.call("copy_file", json!({"from": "d", "to": "e"})).await,
    ];
    let content = fs::read_to_string(outside.join("s"));
    // A change on the mounted file system can be undone there.
    let mut undone = Vec::new();
    for (tool, arguments) in [
        ("write_file", json!({"path": "d/m/s", "content": "T"})),
        ("write_file", json!({"path": "d/m/new", "content": "T"})),
        ("write_file", json!({"path": "d/m/f/new", "content": "T", "create_parents": true})),
        ("create_directory", json!({"path": "d/m/g"})),
        ("copy_file", json!({"from": "d/a", "to": "d/m/a"})),
    ] {
        let made = stage.call(tool, arguments).await;
        let change = made.0["result"]["structuredContent"]["change"].clone();
        undone.push(stage.call("revert_change", json!({"change": change})).await);
    }
    let left = tree_of(&outside);
    rustix::mount::unmount(stage.root.join("d/m"), rustix::mount::UnmountFlags::DETACH).unwrap();
    for answer in answers {
        assert_eq!(answer.code(), "OTHER_FILE_SYSTEM");
    }
    assert_eq!(content.unwrap(), "S");
    for answer in undone {
        answer.ok();
    }
    assert_eq!(left, [("s".to_owned(), "S".to_owned())].into());
}

/// FS-34: a plan is valid only for the state that it saw.
#[tokio::test]
async fn fs_34_a_plan_is_bound_to_what_it_saw() {
    let stage = Stage::new();
    stage.write("a", "same size 1");
    stage.write("d/x", "X");
    let calls = [
        ("edit_file", json!({"path": "a", "edits": [{"find": "same", "replace": "S"}]})),
        ("write_file", json!({"path": "a", "content": "x"})),
        ("delete_file", json!({"path": "a"})),
        ("move_file", json!({"from": "a", "to": "b"})),
        ("copy_file", json!({"from": "a", "to": "c"})),
    ];
    let plan = |answer: super::stage::Answer| answer.0["result"]["_meta"]["dev.overt/plan"].clone();
    for (tool, arguments) in calls {
        let shown = plan(stage.preview(tool, arguments.clone()).await);
        stage.write("a", "same size 2");
        let stale = stage.call_with(tool, arguments.clone(), json!({"dev.overt/plan": shown})).await;
        assert!(stale.is_error(), "{tool}: {}", stale.0);
        assert_eq!(stage.read("a"), "same size 2", "{tool}");
        stage.write("a", "same size 1");
    }
    let arguments = json!({"path": "d", "recursive": true});
    let shown = plan(stage.preview("delete_file", arguments.clone()).await);
    stage.write("d/y", "Y");
    assert!(
        stage.call_with("delete_file", arguments.clone(), json!({"dev.overt/plan": shown})).await.is_error()
    );
    let shown: Value = plan(stage.preview("delete_file", arguments.clone()).await);
    stage.call_with("delete_file", arguments, json!({"dev.overt/plan": shown})).await.ok();
    assert!(!stage.has("d"));
}

/// FS-37: unfinished files are hidden from every tool.
#[tokio::test]
async fn fs_37_unfinished_files_are_not_shown() {
    let stage = Stage::new();
    let left = ".overt-tmp-0123456789abcdef01234567";
    stage.write(left, "unfinished\n");
    stage.write(&format!("d/{left}/x"), "unfinished\n");
    for (tool, arguments) in [
        ("list_directory", json!({"path": ".", "hidden": true})),
        ("find_files", json!({"hidden": true})),
        ("search_files", json!({"pattern": "unfinished", "hidden": true})),
    ] {
        let answer = stage.call(tool, arguments).await;
        answer.ok();
        assert!(!answer.0.to_string().contains(left), "{tool}: {}", answer.0);
    }
    for path in [left.to_owned(), format!("d/{left}/x")] {
        assert_eq!(stage.call("read_file", json!({ "path": path })).await.code(), "PATH_NOT_ALLOWED");
    }
    // An unfinished file is deleted with its folder.
    stage.call("delete_file", json!({"path": "d", "recursive": true})).await.ok();
    assert!(!stage.has("d"));
}

/// I-11: an entry that can't be named is not silently left out of a copy.
#[tokio::test]
async fn i_11_names_that_are_no_text_are_not_dropped() {
    use std::os::unix::ffi::OsStrExt as _;
    let stage = Stage::new();
    stage.write("d/x", "X");
    fs::write(stage.root.join("d").join(std::ffi::OsStr::from_bytes(b"\xff")), "Y").unwrap();
    for answer in [
        stage.preview("copy_file", json!({"from": "d", "to": "e"})).await,
        stage.call("copy_file", json!({"from": "d", "to": "e"})).await,
    ] {
        assert_eq!(answer.code(), "PATH_NOT_ALLOWED");
        assert!(answer.text().contains("not UTF-8"), "{}", answer.text());
    }
    assert!(!stage.has("e"));
}

/// An access list with an entry for another user.
const ACCESS_LIST: &[u8] = b"\x02\0\0\0\x01\0\x07\0\xff\xff\xff\xff\x02\0\x06\0\x39\x30\0\0\
    \x04\0\x05\0\xff\xff\xff\xff\x10\0\x07\0\xff\xff\xff\xff\x20\0\x05\0\xff\xff\xff\xff";

/// Returns everything that a file system stores of a tree.
fn everything(root: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let mut first_names: BTreeMap<u64, String> = BTreeMap::new();
    let mut paths = vec![root.to_owned()];
    let mut sorted = Vec::new();
    while let Some(path) = paths.pop() {
        if path.symlink_metadata().unwrap().is_dir() {
            paths.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
        sorted.push(path);
    }
    sorted.sort();
    for path in sorted {
        let about = path.symlink_metadata().unwrap();
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        let same_as = first_names.entry(about.ino()).or_insert_with(|| name.clone()).clone();
        let mut attributes = Vec::new();
        if !about.is_symlink() {
            for attribute in ["user.note", "system.posix_acl_access", "system.posix_acl_default"] {
                let mut value = [0; 256];
                if let Ok(count) = rustix::fs::getxattr(&path, attribute, &mut value[..]) {
                    attributes.push((attribute, value[..count].to_vec()));
                }
            }
        }
        let is_sparse = about.is_file() && about.blocks() * 512 < about.len();
        let content = if about.is_file() {
            FileDigest::of(&fs::read(&path).unwrap()).to_string()
        } else {
            String::new()
        };
        let facts = (about.mode(), about.uid(), about.gid(), about.mtime(), about.mtime_nsec());
        all.insert(name, format!("{facts:?} {same_as} {is_sparse} {content} {attributes:?}"));
    }
    all
}

/// I-11: an entry that is deleted to a journal on another file system and restored is unchanged.
#[tokio::test]
async fn i_11_what_comes_back_from_another_file_system_is_what_it_was() {
    let stage = Stage::with_journal_elsewhere();
    stage.write("d/sub/a", "A");
    let sparse = stage.write("d/sparse", "start");
    fs::File::options().write(true).open(&sparse).unwrap().set_len(4 << 20).unwrap();
    fs::hard_link(stage.root.join("d/sub/a"), stage.root.join("d/b")).unwrap();
    fs::hard_link(stage.root.join("d/sub/a"), stage.root.join("d/sub/c")).unwrap();
    std::os::unix::fs::symlink("sub/a", stage.root.join("d/l")).unwrap();
    let script = stage.write("d/script", "S");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o4750)).unwrap();
    let set = |path: &str, name: &str, value: &[u8]| {
        let none = rustix::fs::XattrFlags::empty();
        rustix::fs::setxattr(stage.root.join(path), name, value, none).unwrap();
    };
    for path in ["d", "d/sub", "d/b"] {
        set(path, "user.note", b"kept");
        set(path, "system.posix_acl_access", ACCESS_LIST);
    }
    set("d/sub", "system.posix_acl_default", ACCESS_LIST);
    fs::set_permissions(stage.root.join("d/sub"), fs::Permissions::from_mode(0o2775)).unwrap();
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    for path in ["d/sub", "d", "d/script"] {
        fs::File::open(stage.root.join(path)).unwrap().set_modified(old).unwrap();
    }
    let before = everything(&stage.root.join("d"));
    let change = stage.call("delete_file", json!({"path": "d", "recursive": true})).await.change();
    assert!(!stage.has("d"));
    stage.call("revert_change", json!({"change": change})).await.ok();
    let after = everything(&stage.root.join("d"));
    for (path, wanted) in &before {
        assert_eq!(after.get(path), Some(wanted), "{path}");
    }
    assert_eq!(before.len(), after.len());
}

/// I-11: what another program writes to a tree while it is copied to the journal is not lost.
#[tokio::test]
async fn i_11_what_is_written_while_it_is_copied_stays() {
    let stage = Stage::with_journal_elsewhere();
    for calls in 0.. {
        stage.write("d/x", "X");
        stage.write("d/y", "Y");
        let path = stage.root.join("d/y");
        // Writes only while the file is still there.
        let write = move || {
            if let Ok(file) = fs::File::options().write(true).truncate(true).open(&path) {
                std::io::Write::write_all(&mut &file, b"of somebody else").unwrap();
            }
        };
        stage.server.disk.fault.arm(calls, super::super::fault::FaultAction::Do(std::sync::Arc::new(write)));
        let answer = stage.call("delete_file", json!({"path": "d", "recursive": true})).await;
        if !stage.server.disk.fault.disarm() {
            answer.ok();
            break;
        }
        if answer.is_error() {
            assert_eq!(
                (answer.code(), &*stage.read("d/y")),
                ("CONFLICT", "of somebody else"),
                "call {calls}"
            );
        } else {
            // The write came after the last check. The file that it wrote to is in the journal, or
            // was deleted.
            assert!(!stage.has("d/x"), "call {calls}");
            let _ = fs::remove_dir_all(stage.root.join("d"));
        }
    }
}
