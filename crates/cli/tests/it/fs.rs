//! `overt fs`: what it serves, from which settings, and what it says.
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Client;
use crate::support::{file, overt, report, run, snapshot};

/// Two folders beside each other, with a file in each.
pub(crate) fn two_folders() -> TempDir {
    let place = TempDir::new().unwrap();
    for name in ["root", "outside"] {
        std::fs::create_dir(place.path().join(name)).unwrap();
        file(&place.path().join(name), "a.txt", &format!("in {name}\n"));
    }
    place
}

/// The server on the folder `root`, with these words.
pub(crate) fn serve(place: &TempDir, words: &[&str], configuration: &Value) -> Client {
    let mut command = overt();
    command.args(["fs", "--approval-wait", "0"]).args(words).current_dir(place.path().join("root"));
    Client::start(command, configuration)
}

/// Where a test's folder really is.
pub(crate) fn real(place: &TempDir, name: &str) -> String {
    place.path().canonicalize().unwrap().join(name).to_str().unwrap().to_owned()
}

/// The text that a call gave.
pub(crate) fn text(reply: &Value) -> &str {
    reply["result"]["content"][0]["text"].as_str().unwrap_or_default()
}

#[test]
fn the_help_says_what_it_does() {
    snapshot!(run(&["fs", "-h"]), @"");
}

#[test]
fn without_arguments_it_serves_the_current_directory() {
    let place = two_folders();
    let mut client = serve(&place, &[], &Value::Null);
    let hello = &client.hello["result"];
    assert_eq!(hello["serverInfo"]["name"], "overt-fs");
    assert_eq!(hello["capabilities"]["experimental"]["policy"], json!({ "enabled": true }));
    assert_eq!(text(&client.call("read_file", &json!({ "path": "a.txt" }))), "in root\n");
    let roots = client.call("list_roots", &json!({}));
    assert_eq!(
        roots["result"]["structuredContent"]["roots"][0]["path"],
        real(&place, "root").as_str(),
        "{roots}"
    );
    client.end();
}

#[test]
fn every_value_says_where_it_came_from() {
    let place = two_folders();
    let config = "[settings]\nroots = [\"outside\", { path = \"root\", deny = [\"*.key\"], default = true }]\nfind_limit = 7\n";
    file(place.path(), "overt.toml", config);
    let show = |words: &[&str], variables: &[(&str, &str)]| {
        let mut command = overt();
        command.args(["fs", "--show-settings", "--format", "text"]).args(words);
        command.envs(variables.iter().copied()).current_dir(place.path());
        let shown = report(&command.output().unwrap());
        let wanted = |line: &&str| {
            ["roots", "find_limit", "grantable", "read_only", "exit"]
                .iter()
                .any(|key| line.trim_start().starts_with(key))
        };
        shown.lines().filter(wanted).map(str::trim_end).collect::<Vec<_>>().join("\n")
    };
    snapshot!(show(&[], &[]), @"");
    snapshot!(show(&["--config", "overt.toml", "--grantable", "outside"], &[]), @"");
    // A root in the environment is over the file, and one that is typed is over both.
    snapshot!(show(&["--config", "overt.toml"], &[("OVERT_ROOTS", "outside, root"), ("OVERT_FIND_LIMIT", "8")]), @"");
    snapshot!(show(&["--config", "overt.toml", "root", "--read-only"], &[("OVERT_ROOTS", r#"[{"path":"outside","immutable":["**"]}]"#)]), @"");
}

/// H-14: both are the same.
#[test]
fn h_14_the_printed_schema_is_the_published_one() {
    let output = overt().args(["fs", "--print-config-schema", "/nonexistent"]).output().unwrap();
    let printed: Value = serde_json::from_str(std::str::from_utf8(&output.stdout).unwrap()).unwrap();
    let client = serve(&two_folders(), &[], &Value::Null);
    assert_eq!(client.hello["result"]["configSchema"], printed);
    assert!(printed["properties"]["roots"].is_object() && printed["properties"]["allow"].is_object());
    client.end();
}

#[test]
fn what_is_wrong_with_a_root_says_what_to_do() {
    let place = two_folders();
    file(place.path(), "overt.toml", "[settings]\nroots = [\"gone\"]\n");
    let said = |words: &[&str]| {
        let mut command = overt();
        report(&command.arg("fs").args(words).current_dir(place.path()).output().unwrap())
    };
    snapshot!(said(&["gone", "root/a.txt"]), @"");
    snapshot!(said(&["--config", "overt.toml"]), @"");
    snapshot!(said(&["root", "--grantable", "gone", "--sandbox", "maybe"]), @"");
    snapshot!(said(&["root", "--find-limit", "0", "--hidden", "[", "--hardlinks", "no"]), @"");
    snapshot!(said(&["root", "--path", "/x"]), @"");
    snapshot!(said(&["root", "--compat", "other"]), @"");
}

/// FS-11: what is no files is no root, unless it is asked for.
#[test]
fn fs_11_special_folders_are_refused() {
    for root in ["/", "/proc", "/sys/kernel", "/dev", "/proc/self/root/proc"] {
        let said = run(&["fs", root]);
        assert!(said.starts_with("exit 2") && said.contains("--allow-special"), "{root}: {said}");
    }
}

/// What decides about the server is not for its clients, also where it is in a root.
#[test]
fn what_the_server_keeps_is_not_served() {
    let place = two_folders();
    let root = place.path().join("root");
    let config = file(&root, "overt.toml", "[settings]\nfind_limit = 7\n");
    std::fs::create_dir(root.join("state")).unwrap();
    file(&root.join("state"), "key", "secret");
    let mut command = overt();
    command.args(["fs", "--config", &config]).current_dir(&root);
    command.env("OVERT_AUDIT_DIR", root.join("state"));
    let mut client = Client::start(command, &Value::Null);
    client.call("read_file", &json!({ "path": "state/key" }));
    assert!(client.was_refused(), "{}", client.last);
    assert!(text(&client.call("read_file", &json!({ "path": "overt.toml" }))).contains("find_limit"));
    client
        .call("write_file", &json!({ "path": "overt.toml", "content": "[settings]\n", "mode": "overwrite" }));
    assert!(client.was_refused(), "{}", client.last);
    assert!(std::fs::read_to_string(config).unwrap().contains("find_limit"));
    client.end();
}

/// A root that was typed with a link in it can be named by that name.
#[test]
fn a_root_may_be_a_link() {
    let place = two_folders();
    let link = place.path().join("link");
    std::os::unix::fs::symlink(place.path().join("root"), &link).unwrap();
    let link = link.to_str().unwrap();
    let mut client = serve(&place, &[link], &Value::Null);
    assert_eq!(text(&client.call("read_file", &json!({ "path": format!("{link}/a.txt") }))), "in root\n");
    client.end();
}

/// The same over HTTP, in both eras.
#[test]
fn it_serves_over_http() {
    let place = two_folders();
    let state = TempDir::new().unwrap();
    let mut command = overt();
    command.args(["fs", "root", "--http", "127.0.0.1:0"]).current_dir(place.path());
    command.env("OVERT_STATE_DIR", state.path()).stderr(std::process::Stdio::piped());
    let mut running = crate::support::Running(command.spawn().unwrap());
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(running.0.stderr.take().unwrap()), &mut line)
        .unwrap();
    let url = line.trim().strip_prefix("listening on ").unwrap_or_else(|| panic!("{line}"));
    for version in ["2026-07-28", "2025-11-25"] {
        let said = run(&["call", url, "read_file", "path=a.txt", "--protocol", version, "--format", "text"]);
        assert!(said.starts_with("exit 0\n--- stdout\nin root"), "{version}: {said}");
    }
}

/// The target `fs` needs nothing configured.
#[test]
fn the_target_fs_is_the_current_directory() {
    let place = two_folders();
    let state = TempDir::new().unwrap();
    let ask = |words: &[&str]| {
        let mut command = overt();
        command.args(words).current_dir(place.path().join("root"));
        report(&command.env("OVERT_STATE_DIR", state.path()).output().unwrap())
    };
    let read = ask(&["call", "fs", "read_file", "path=a.txt", "--format", "text"]);
    assert!(read.starts_with("exit 0\n--- stdout\nin root"), "{read}");
    let outside = ask(&["call", "fs", "read_file", "path=../outside/a.txt", "--format", "text"]);
    assert!(outside.starts_with("exit 1"), "{outside}");
    let listed = ask(&["list", "fs", "--kind", "tools"]);
    assert!(listed.contains(r#""name":"read_file""#), "{listed}");
    let described = ask(&["describe", "fs", "--as", "ai-help"]);
    assert!(described.contains("read_file"), "{described}");
    // A policy of the call may name roots, and is the server's to decide.
    file(place.path(), "policy.json", &json!({ "roots": [real(&place, "root/sub")] }).to_string());
    let narrowed =
        ask(&["call", "fs", "read_file", "path=a.txt", "--policy", "../policy.json", "--format", "text"]);
    assert!(narrowed.starts_with("exit 1"), "{narrowed}");
}
