//! `overt fs` in its sandbox: everything that should work works, and the program reports the state.
use serde_json::{Value, json};

use crate::client::Client;
use crate::fs::{real, serve, text, two_folders};
use crate::support::{file, overt, wait_until};

/// Returns whether this kernel supports the sandbox. Otherwise there is nothing to test.
fn is_there(client: &mut Client) -> bool {
    client.call("list_roots", &json!({}))["result"]["structuredContent"]["sandbox"] == "full"
}

/// FS-44: the state is reported, and the process is confined from its first thread on.
#[test]
fn fs_44_the_state_of_the_sandbox_is_shown() {
    let place = two_folders();
    let mut client = serve(&place, &[], &Value::Null);
    let process = client.running.0.id();
    if is_there(&mut client) {
        let threads = std::fs::read_dir(format!("/proc/{process}/task")).unwrap();
        for thread in threads {
            let status = std::fs::read_to_string(thread.unwrap().path().join("status")).unwrap();
            // This thread only reloads the settings files.
            let is_reader = status.starts_with("Name:\tsettings\n");
            assert!(is_reader || status.contains("NoNewPrivs:\t1"), "{status}");
        }
    }
    client.end();
    let mut client = serve(&place, &["--sandbox", "off"], &Value::Null);
    let roots = client.call("list_roots", &json!({}));
    assert_eq!(roots["result"]["structuredContent"]["sandbox"], "off", "{roots}");
    client.end();
}

/// FS-43: reading needs no write permission.
#[test]
fn fs_43_reading_works_under_a_rule_that_only_reads() {
    let place = two_folders();
    let root = place.path().join("root");
    std::fs::create_dir(root.join("sub")).unwrap();
    file(&root.join("sub"), "b.txt", "needle\n");
    let mut client = serve(&place, &["--read-only"], &Value::Null);
    let calls = [
        ("list_roots", json!({})),
        ("list_directory", json!({ "path": "." })),
        ("find_files", json!({ "pattern": "\\.txt$" })),
        ("search_files", json!({ "pattern": "needle" })),
        ("read_file", json!({ "path": "sub/b.txt" })),
        ("read_multiple_files", json!({ "paths": ["a.txt", "sub/b.txt"] })),
        ("get_file_info", json!({ "path": "sub" })),
    ];
    let listed = client.ask("tools/list", &json!({}));
    for (tool, arguments) in calls {
        if !listed.to_string().contains(&format!("\"name\":\"{tool}\"")) {
            continue;
        }
        client.call(tool, &arguments);
        assert!(!client.was_refused(), "{tool}: {}", client.last);
    }
    client.end();
}

/// The program's own work must still succeed in the sandbox: audit log, grants, trace, and
/// reloading of settings, even after an editor replaced the file.
#[test]
fn the_program_does_its_own_work_in_the_sandbox() {
    let place = two_folders();
    let config = file(place.path(), "overt.toml", "[settings]\nhidden = [\"none\"]\n");
    let trace = place.path().join("trace.jsonl");
    let (trace_word, outside) = (trace.to_str().unwrap(), real(&place, "outside"));
    let words = ["--config", &config, "--trace", trace_word, "--grantable", &outside];
    let mut client = serve(&place, &words, &Value::Null);
    let read = json!({ "path": "a.txt" });
    assert_eq!(text(&client.call("read_file", &read)), "in root\n");
    let new = file(place.path(), "overt.toml.new", "[settings]\nhidden = [\"a.txt\"]\n");
    std::fs::rename(new, &config).unwrap();
    client.running.signal(rustix::process::Signal::HUP);
    wait_until("the file was read", || {
        client.call("read_file", &read);
        client.was_refused()
    });
    assert_eq!(client.policy_loads().len(), 2);
    let asks = format!("{outside}/a.txt");
    client.call("read_file", &json!({ "path": asks }));
    assert!(client.was_refused());
    client.end();
    assert!(std::fs::read_to_string(trace).unwrap().contains("read_file"));
}

/// If the sandbox is required and the kernel lacks it, the program does not start.
#[test]
fn a_sandbox_that_is_required_is_there() {
    let place = two_folders();
    let state = tempfile::TempDir::new().unwrap();
    let mut command = overt();
    command.args(["fs", "--require-sandbox"]).current_dir(place.path()).env("OVERT_STATE_DIR", state.path());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    match output.status.code() {
        Some(0) => assert!(!said.contains("sandbox"), "{said}"),
        code => assert!(code == Some(3) && said.contains("--require-sandbox"), "{said}"),
    }
}
