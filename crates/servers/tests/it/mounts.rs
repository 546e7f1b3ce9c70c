//! FS-20, FS-27: other file systems inside a root. They need a mount, which not every machine allows: a test that can't make one says
//! so, and checks what can be checked without.
use std::fs;
use std::process::Stdio;

use serde_json::json;

use super::paths::refused;
use super::stage::Stage;

/// Says on the terminal that something could not be checked here, whether or not output is captured.
fn not_here(case: &str, why: &str) {
    use std::io::Write as _;
    let _ = writeln!(
        fs::File::options().write(true).open("/dev/stderr").unwrap(),
        "NOT CHECKED HERE: {case}: {why}"
    );
}

/// Runs the same test again in a namespace of its own, where mounting is allowed. None if this machine doesn't let us.
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

/// Bind mounts can be made in a namespace of one's own.
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
        // What is mounted is read like everything else in the root: whoever mounted it there has chosen that.
        let answer = client.call("read_file", json!({ "path": "m/f.txt" })).await;
        assert_eq!(answer.text(0), "mounted\n");
        // It is not moved or deleted, neither what is in it nor the place itself.
        for (tool, arguments) in [
            ("delete_file", json!({ "path": "m/f.txt" })),
            ("delete_file", json!({ "path": "m", "recursive": true })),
            ("move_file", json!({ "from": "m/f.txt", "to": "f.txt" })),
            ("move_file", json!({ "from": "m", "to": "n" })),
        ] {
            let answer = client.call(tool, arguments.clone()).await;
            // Before there is such a tool, the call is refused as well.
            assert!(!answer.is_ok(), "{tool} {arguments}: {}", answer.0);
        }
    });
    assert_eq!(fs::read(mounted.join("f.txt")).unwrap(), b"mounted\n");
    let status = std::process::Command::new("umount").arg(stage.root.join("m")).status();
    assert!(status.unwrap().success());
}

/// FS-20 on a folder that ignores case, where one can be made.
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

/// FS-20: where case counts, a rule is exact.
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
