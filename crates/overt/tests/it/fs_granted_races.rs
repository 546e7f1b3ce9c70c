//! The worker of a grant, attacked as `overt fs` is: names change places at full speed, the grant
//! comes and goes, and workers are killed. No answer tells anything from outside of the grant,
//! nothing there changes, and every file is old or new.
use overt_testkit::person::{giving, revoking};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use overt_layers::grants::{GrantLifetime, GrantVerdict, GrantedTools, Holder, Terms};
use overt_policy::scope::{Action, Scope};
use overt_state::grants::SqliteStore;
use overt_wire::Principal;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Client;
use crate::fs_granted::helpers;
use crate::support::overt;

const CANARY: &str = "canary: nobody granted this\n";
const LONG: usize = 1 << 18;

/// Runs `act` again and again in a thread until the flag is set, and counts what it did.
fn again(
    is_over: &Arc<AtomicBool>,
    mut act: impl FnMut() -> bool + Send + 'static,
) -> std::thread::JoinHandle<usize> {
    let is_over = Arc::clone(is_over);
    std::thread::spawn(move || {
        let mut count = 0;
        while !is_over.load(Ordering::Relaxed) {
            count += usize::from(act());
        }
        count
    })
}

fn terms(folder: &Path) -> Terms {
    let scope = |action| Scope::of_path(action, "file", folder.to_str().unwrap());
    Terms {
        verdict: GrantVerdict::Allow,
        client: None,
        server: "overt-fs".to_owned(),
        project: None,
        tools: GrantedTools::Every,
        tool_digest: None,
        scopes: vec![scope(Action::Read), scope(Action::Write)],
        lifetime: GrantLifetime::Always,
        arguments: None,
        plan: None,
        expires: None,
    }
}

#[test]
fn fs_05_a_worker_is_raced_killed_and_revoked() {
    let place = TempDir::new().unwrap();
    let top = place.path().canonicalize().unwrap();
    let granted = top.join("granted");
    for name in ["root", "state", "secret/sub", "granted/r/sub"] {
        fs::create_dir_all(top.join(name)).unwrap();
    }
    for name in ["s.txt", "ok.txt", "sub/s.txt"] {
        fs::write(granted.join("r").join(name), "inside\n").unwrap();
        fs::write(top.join("secret").join(name), CANARY).unwrap();
    }
    fs::write(top.join("root/a.txt"), "in root\n").unwrap();
    fs::write(granted.join("long.txt"), "x".repeat(LONG)).unwrap();
    std::os::unix::fs::symlink("../secret", granted.join("r_link")).unwrap();

    let mut command = overt();
    command.args(["fs", "--durability", "rename"]).current_dir(top.join("root"));
    command.env("OVERT_STATE_DIR", top.join("state"));
    let mut client = Client::start_as("racer", command);
    let server = client.running.0.id();
    let is_over = Arc::new(AtomicBool::new(false));
    let (one, other) = (granted.join("r"), granted.join("r_link"));
    let swapping =
        again(&is_over, move || renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).is_ok());
    let store = SqliteStore::open(&top.join("state")).unwrap();
    let folder = granted.clone();
    let granting = again(&is_over, move || {
        let given =
            store.give(&giving(&Holder::any_client(Principal::local()), terms(&folder))).unwrap().grant;
        std::thread::sleep(Duration::from_millis(300));
        store.revoke(&revoking(&given)).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        true
    });
    let killing = again(&is_over, move || {
        std::thread::sleep(Duration::from_millis(170));
        let pids =
            helpers(server, "--serve-grant").into_iter().filter_map(|pid| Pid::from_raw(pid.cast_signed()));
        pids.filter(|pid| kill_process(*pid, Signal::KILL).is_ok()).count() > 0
    });
    let at = |name: &str| granted.join(name).display().to_string();
    let long = AtomicUsize::new(0);
    let calls: [(&str, &dyn Fn() -> Value); 9] = [
        ("read_file", &|| json!({ "path": at("r/s.txt") })),
        ("read_file", &|| json!({ "path": at("r_link/ok.txt") })),
        ("write_file", &|| {
            let letter = if long.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) { "y" } else { "x" };
            json!({ "path": at("long.txt"), "content": letter.repeat(LONG) })
        }),
        ("list_directory", &|| json!({ "path": at("r"), "max_depth": 5 })),
        ("search_files", &|| json!({ "path": at("."), "pattern": "canary", "follow": true, "hidden": true })),
        ("write_file", &|| json!({ "path": at("r/s.txt"), "content": "new\n" })),
        (
            "edit_file",
            &|| json!({ "path": at("r_link/ok.txt"), "edits": [{ "find": "inside", "replace": "edited" }] }),
        ),
        ("copy_file", &|| json!({ "from": at("r_link/s.txt"), "to": at("copy.txt") })),
        ("move_file", &|| json!({ "from": at("copy.txt"), "to": at("moved.txt") })),
    ];
    let (mut done, mut refused) = (0, 0);
    let until = Instant::now() + Duration::from_secs(10);
    while Instant::now() < until {
        for (tool, arguments) in &calls {
            let reply = client.call(tool, &arguments());
            // A search repeats its own pattern.
            assert!(!reply.to_string().contains("nobody granted this"), "{tool}: {reply}");
            assert!(reply.get("error").is_none(), "{tool}: {reply}");
            *(if client.was_refused() { &mut refused } else { &mut done }) += 1;
        }
        let reply = client.call("read_file", &json!({ "path": "a.txt" }));
        assert_eq!(reply["result"]["content"][0]["text"], "in root\n", "{reply}");
    }
    is_over.store(true, Ordering::Relaxed);
    let counts = [swapping, granting, killing].map(|thread| thread.join().unwrap());
    assert!(counts.iter().all(|count| *count > 0) && done > 0 && refused > 0, "{counts:?} {done} {refused}");
    for name in ["s.txt", "ok.txt", "sub/s.txt"] {
        assert_eq!(fs::read_to_string(top.join("secret").join(name)).unwrap(), CANARY, "{name}");
    }
    assert_eq!(fs::read_dir(top.join("secret")).unwrap().count(), 3);
    let long = fs::read_to_string(granted.join("long.txt")).unwrap();
    assert!(long == "x".repeat(LONG) || long == "y".repeat(LONG), "a file is torn");
    client.end();
}
