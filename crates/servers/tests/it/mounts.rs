//! FS-20, FS-27: other file systems inside a root. The tests need a mount, which not every machine
//! allows. A test that can't mount reports this, and checks what it can without.
use std::fs;
use std::process::Stdio;

use serde_json::json;

use super::paths::refused;
use super::stage::Stage;

/// Reports on the terminal that a case could not be checked here, even if output is captured.
fn not_here(case: &str, why: &str) {
    use std::io::Write as _;
    let _ = writeln!(
        fs::File::options().write(true).open("/dev/stderr").unwrap(),
        "NOT CHECKED HERE: {case}: {why}"
    );
}

/// Runs the same test in a new namespace, in which mounting is allowed. `None` if this machine does
/// not allow that.
#[expect(clippy::disallowed_methods, reason = "the test itself, in another namespace")]
fn in_a_namespace(test: &str, script: &str) -> Option<bool> {
    let me = std::env::current_exe().unwrap();
    let command = format!("{script} && exec '{}' --exact --ignored --nocapture '{test}'", me.display());
    let run = std::process::Command::new("unshare")
        .args(["-rm", "--propagation", "private", "sh", "-c", &command])
        .stdin(Stdio::null())
        .output();
    let probe = std::process::Command::new("unshare")
        .args(["-rm", "--propagation", "private", "sh", "-c", script])
        .stdin(Stdio::null())
        .output();
    if !probe.is_ok_and(|probe| probe.status.success()) {
        return None;
    }
    let run = run.unwrap();
    if !run.status.success() {
        panic!("{}\n{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    }
    assert!(String::from_utf8_lossy(&run.stdout).contains("1 passed"), "the inner test did not run");
    Some(true)
}

/// Checks whether bind mounts can be made in a new namespace.
const MAY_BIND: &str = "d=$(mktemp -d) && mount --bind /etc \"$d\" && umount \"$d\" && rmdir \"$d\"";

#[test]
fn fs_27_a_mount_inside_the_root() {
    if in_a_namespace("mounts::inner_fs_27", MAY_BIND).is_none() {
        not_here("FS-27", "no mount can be made here (`unshare -rm`, `mount --bind`)");
    }
}

#[test]
#[ignore = "runs in a namespace of its own, started by fs_27_a_mount_inside_the_root"]
#[expect(clippy::disallowed_methods, reason = "mounts")]
fn inner_fs_27() {
    let stage = Stage::new();
    let mounted = stage.open_folder("mounted");
    fs::write(mounted.join("f.txt"), "mounted\n").unwrap();
    fs::create_dir(stage.root.join("m")).unwrap();
    let status =
        std::process::Command::new("mount").arg("--bind").arg(&mounted).arg(stage.root.join("m")).status();
    assert!(status.unwrap().success());
    let client = stage.client();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        // A mount is read like everything else in the root, because the user who mounted it there
        // chose that.
        let answer = client.call("read_file", json!({ "path": "m/f.txt" })).await;
        assert_eq!(answer.text(0), "mounted\n");
        // Neither the mount point nor anything in it is moved or deleted.
        for (tool, arguments) in [
            ("delete_file", json!({ "path": "m/f.txt" })),
            ("delete_file", json!({ "path": "m", "recursive": true })),
            ("move_file", json!({ "from": "m/f.txt", "to": "f.txt" })),
            ("move_file", json!({ "from": "m", "to": "n" })),
        ] {
            let answer = client.call(tool, arguments.clone()).await;
            assert!(!answer.is_ok(), "{tool} {arguments}: {}", answer.0);
        }
    });
    assert_eq!(fs::read(mounted.join("f.txt")).unwrap(), b"mounted\n");
    let status = std::process::Command::new("umount").arg(stage.root.join("m")).status();
    assert!(status.unwrap().success());
}

/// Checks whether overlayfs can be mounted in a new namespace.
const MAY_OVERLAY: &str = "d=$(mktemp -d) && mount -t tmpfs tmpfs \"$d\" && mkdir \"$d/l\" \"$d/u\" \"$d/w\" \"$d/m\" \
    && mount -t overlay overlay -o userxattr,lowerdir=\"$d/l\",upperdir=\"$d/u\",workdir=\"$d/w\" \"$d/m\" \
    && umount \"$d/m\" && umount \"$d\" && rmdir \"$d\"";

/// I-06: files of a container's image are changed like all others.
#[test]
fn i_06_overlayfs() {
    if in_a_namespace("mounts::inner_i_06", MAY_OVERLAY).is_none() {
        not_here("I-06", "no overlayfs can be mounted here (`unshare -rm`, `mount -t overlay`)");
    }
}

#[test]
#[ignore = "runs in a namespace of its own, started by i_06_overlayfs"]
fn inner_i_06() {
    // The upper layer and the journal are each on the file system of the lower layer, or on
    // another.
    for upper_elsewhere in [false, true] {
        for journal_elsewhere in [false, true] {
            overlay(upper_elsewhere, journal_elsewhere);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "mounts")]
fn overlay(upper_elsewhere: bool, journal_elsewhere: bool) {
    let stage = Stage::new();
    let (layers, mounted) = (stage.open_folder("layers"), stage.open_folder("mounted"));
    let run = |program: &str, arguments: &[&str]| {
        let done = std::process::Command::new(program).args(arguments).output().unwrap();
        assert!(done.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    };
    let layer = |name: &str| layers.join(name).to_str().unwrap().to_owned();
    let above = layer("above");
    fs::create_dir(&above).unwrap();
    if upper_elsewhere {
        run("mount", &["-t", "tmpfs", "tmpfs", &above]);
    }
    for name in ["lower", "above/upper", "above/work"] {
        fs::create_dir(layers.join(name)).unwrap();
    }
    let lower = layers.join("lower");
    fs::create_dir_all(lower.join("d/sub")).unwrap();
    fs::write(lower.join("d/sub/x.txt"), "X\n").unwrap();
    fs::write(lower.join("d/y.txt"), "Y\n").unwrap();
    fs::write(lower.join("f.txt"), "one\n").unwrap();
    let options = format!(
        "userxattr,lowerdir={},upperdir={},workdir={}",
        layer("lower"),
        layer("above/upper"),
        layer("above/work")
    );
    run("mount", &["-t", "overlay", "overlay", "-o", &options, mounted.to_str().unwrap()]);
    let journal = if journal_elsewhere { stage.open_folder("journal") } else { mounted.join("journal") };
    let client = stage.start(super::stage::Setup {
        roots: vec![mounted.clone()],
        journal: Some(journal),
        settings: json!({ "durability": "rename" }),
        ..stage.setup()
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let place = format!("upper elsewhere: {upper_elsewhere}, journal elsewhere: {journal_elsewhere}");
        for (tool, arguments) in [
            ("edit_file", json!({ "path": "f.txt", "edits": [{ "find": "one", "replace": "two" }] })),
            ("write_file", json!({ "path": "d/y.txt", "content": "more\n", "mode": "append" })),
            ("move_file", json!({ "from": "d", "to": "e" })),
            ("copy_file", json!({ "from": "d", "to": "e" })),
            ("delete_file", json!({ "path": "d", "recursive": true })),
            ("delete_file", json!({ "path": "f.txt" })),
        ] {
            let before = tree(&mounted);
            assert!(client.preview(tool, arguments.clone()).await.is_ok());
            let made = client.call(tool, arguments.clone()).await;
            assert!(made.is_ok(), "{place}: {tool} {arguments}: {}", made.0);
            assert_ne!(tree(&mounted), before, "{place}: {tool} {arguments}");
            let change = made.value()["change"].clone();
            let undone = client.call("revert_change", json!({ "change": change })).await;
            assert!(undone.is_ok(), "{place}: {tool} {arguments}: {}", undone.0);
            assert_eq!(tree(&mounted), before, "{place}: {tool} {arguments}");
        }
    });
    drop(client);
    run("umount", &[mounted.to_str().unwrap()]);
    if upper_elsewhere {
        run("umount", &[&above]);
    }
}

/// Returns every path with its content, except those of the journal.
fn tree(root: &std::path::Path) -> std::collections::BTreeMap<String, String> {
    let mut all = std::collections::BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with("journal") {
                continue;
            }
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                all.insert(name, "/".to_owned());
                folders.push(path);
            } else {
                all.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    all
}

/// FS-20 on a case-insensitive folder, where the system can create one.
#[test]
fn fs_20_a_folder_that_ignores_case() {
    let script = "d=$(mktemp -d) && mount -t tmpfs -o casefold tmpfs \"$d\" && mkdir \"$d/x\" && chattr +F \"$d/x\" && umount \"$d\"";
    if in_a_namespace("mounts::inner_fs_20", script).is_none() {
        not_here("FS-20", "no file system that ignores case can be mounted here (`tmpfs -o casefold`)");
    }
}

#[test]
#[ignore = "runs in a namespace of its own, started by fs_20_a_folder_that_ignores_case"]
#[expect(clippy::disallowed_methods, reason = "mounts")]
fn inner_fs_20() {
    let stage = Stage::new();
    let folded = stage.root.join("folded");
    fs::create_dir(&folded).unwrap();
    let run = |program: &str, arguments: &[&str]| {
        let status = std::process::Command::new(program).args(arguments).arg(&folded).status();
        assert!(status.unwrap().success(), "{program}");
    };
    run("mount", &["-t", "tmpfs", "-o", "casefold", "tmpfs"]);
    run("chattr", &["+F"]);
    stage.write("folded/.git/config", "hidden");
    stage.write("folded/.env", "hidden");
    assert!(folded.join(".GIT/CONFIG").exists());
    let client = stage.with(json!({ "hidden": ["**/.git/**", ".env"] }));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        for path in ["folded/.GIT/config", "folded/.Env", "folded/.git", "folded/.ENV", "FOLDED/.env"] {
            let answer = client.call("read_file", json!({ "path": path })).await;
            assert!(["PATH_NOT_ALLOWED", "FILE_NOT_FOUND"].contains(&answer.code()), "{path}: {}", answer.0);
        }
    });
    run("umount", &[]);
}

/// FS-20: on a case-sensitive folder, rules match exactly.
#[tokio::test]
async fn fs_20_a_folder_that_tells_case_apart() {
    let stage = Stage::new();
    stage.write(".env", "hidden");
    stage.write(".ENV", "another file\n");
    let client = stage.with(json!({ "hidden": [".env"] }));
    refused(&client, ".env", "PATH_NOT_ALLOWED").await;
    let answer = client.call("read_file", json!({ "path": ".ENV" })).await;
    assert_eq!(answer.text(0), "another file\n");
    let short = stage.write("SECRET~1", "a name like any other\n");
    assert!(short.exists());
    assert!(client.call("read_file", json!({ "path": "SECRET~1" })).await.is_ok());
}
