//! `overt fs`: what it serves, from which settings, and what it reports.
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Client;
use crate::output::snapshot;
use crate::support::{file, overt, report, run};

/// Two sibling folders with a file in each.
pub(crate) fn two_folders() -> TempDir {
    let place = TempDir::new().unwrap();
    for name in ["root", "outside"] {
        std::fs::create_dir(place.path().join(name)).unwrap();
        file(&place.path().join(name), "a.txt", &format!("in {name}\n"));
    }
    place
}

/// Serves the folder `root`, with these words on the command line.
pub(crate) fn serve(place: &TempDir, words: &[&str], configuration: &Value) -> Client {
    let mut command = overt();
    command.args(["fs", "--approval-wait", "0"]).args(words).current_dir(place.path().join("root"));
    Client::start(command, configuration)
}

/// Returns the canonical path of a test folder.
pub(crate) fn real(place: &TempDir, name: &str) -> String {
    place.path().canonicalize().unwrap().join(name).to_str().unwrap().to_owned()
}

/// Returns the text of a call's answer.
pub(crate) fn text(reply: &Value) -> &str {
    reply["result"]["content"][0]["text"].as_str().unwrap_or_default()
}

#[test]
fn the_help_says_what_it_does() {
    snapshot!(run(&["fs", "-h"]), @"
    exit 0
    --- stdout
    Serve files: an MCP server that shows changes and can undo them

    Usage: overt fs [OPTIONS] [ROOT]...

    Arguments:
      [ROOT]...  The folders that are served, and what of each: `allow`, `deny` and `immutable` patterns
                 [env: OVERT_ROOTS]

    Options:
          --http <ADDR>  Serve clients over Streamable HTTP on this address, such as 127.0.0.1:[PORT];
                         port 0 takes a free one
      -h, --help         Print help (see more with '--help')

    File options:
          --read-only[=<BOOL>]  Change nothing [env: OVERT_READ_ONLY]
          --hidden <GLOB>       Patterns of what is not there, in every root (repeatable) [env:
                                OVERT_HIDDEN]
          --immutable <GLOB>    Patterns of what can be read and not changed, in every root (repeatable)
                                [env: OVERT_IMMUTABLE]

    Control options:
          --allow <SCOPE>  What is allowed without asking, beside everything in the roots (repeatable)
                           [env: OVERT_ALLOW]
          --deny <SCOPE>   What is refused, whatever else allows it (repeatable) [env: OVERT_DENY]
          --config <FILE>  Read settings, a policy that nothing passes, and rules from FILE (see
                           docs/settings.md). Read again on SIGHUP [env: OVERT_CONFIG]

    Examples:
      overt fs
      overt fs ~/notes ~/projects/site --read-only

    `overt fs --help` shows everything (`--ai-help`: for agents).
    ");
}

#[test]
fn without_arguments_it_serves_the_current_directory() {
    let place = two_folders();
    let mut client = serve(&place, &[], &Value::Null);
    let hello = &client.handshake["result"];
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

/// H-15: roots on the command line override those in the environment, and these override those in
/// the file. Without any, the root is the current directory. Each is relative to where it was
/// written.
#[test]
fn h_15_every_value_says_where_it_came_from() {
    let place = two_folders();
    let config = "[settings]\nroots = [\"outside\", { path = \"root\", deny = [\"*.key\"], default = true }]\nfind_limit = 7\n";
    file(place.path(), "overt.toml", config);
    let show = |words: &[&str], variables: &[(&str, &str)]| {
        let mut command = overt();
        command.args(["fs", "--show-settings", "--format", "json", "--config", "../overt.toml"]).args(words);
        command.envs(variables.iter().copied()).current_dir(place.path().join("root"));
        let output = command.output().unwrap();
        let shown = String::from_utf8_lossy(&output.stdout).replace(&real(&place, ""), "T/");
        let shown: Value = serde_json::from_str(&shown).unwrap_or_else(|_| panic!("{output:?}"));
        json!([
            shown["roots"]["value"],
            shown["roots"]["from"],
            shown["find_limit"],
            shown["grantable"]["value"]
        ])
    };
    let seven = json!({ "value": 7, "from": "file", "file": "../overt.toml", "line": 3 });
    let of_file = json!(["T/outside", { "path": "T/root", "deny": ["*.key"], "default": true }]);
    assert_eq!(show(&[], &[]), json!([of_file, "file", seven, null]));
    assert_eq!(
        show(&["--grantable", "../outside"], &[("OVERT_ROOTS", "., ../outside"), ("OVERT_FIND_LIMIT", "8")]),
        json!([
            ["T/outside", "T/root"],
            "environment",
            { "value": 8, "from": "environment", "variable": "OVERT_FIND_LIMIT" },
            ["T/outside"],
        ])
    );
    let variable = r#"[{"path":"../outside","immutable":["**"]}]"#;
    assert_eq!(
        show(&[], &[("OVERT_ROOTS", variable)]),
        json!([[{ "path": "T/outside", "immutable": ["**"] }], "environment", seven, null])
    );
    assert_eq!(show(&["."], &[("OVERT_ROOTS", variable)]), json!([["T/root"], "flag", seven, null]));
    let here =
        overt().args(["fs", "--show-settings", "--format", "json"]).current_dir(&place).output().unwrap();
    let here: Value = serde_json::from_str(&String::from_utf8_lossy(&here.stdout)).unwrap();
    assert_eq!(
        here["roots"],
        json!({ "value": [real(&place, "").trim_end_matches('/')], "from": "default" })
    );
}

/// H-14: the printed schema equals the published one.
#[test]
fn h_14_the_printed_schema_is_the_published_one() {
    let output = overt().args(["fs", "--print-config-schema", "/nonexistent"]).output().unwrap();
    let printed: Value = serde_json::from_str(std::str::from_utf8(&output.stdout).unwrap()).unwrap();
    let client = serve(&two_folders(), &[], &Value::Null);
    assert_eq!(client.handshake["result"]["capabilities"]["configSchema"], printed);
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
    snapshot!(said(&["gone", "root/a.txt"]), @"
    exit 2
    --- stderr
    error: can't serve `gone`: it does not exist; create it with `mkdir`, or name a directory that is there; `root/a.txt`: it is not a directory; name the directory that it is in
    ");
    snapshot!(said(&["--config", "overt.toml"]), @"
    exit 2
    --- stderr
    error: the settings can't be used
        `roots` in overt.toml:2: `gone`: it does not exist; create it with `mkdir`, or name a directory that is there

    hint: docs/settings.md lists the settings; `overt fs --show-settings` shows what they are and why
    ");
    snapshot!(said(&["root", "--grantable", "gone", "--sandbox", "maybe"]), @"
    exit 2
    --- stderr
    error: invalid value 'maybe' for '--sandbox <WORD>'
      [possible values: auto, off]

    For more information, try '--help'.
    ");
    snapshot!(said(&["root", "--find-limit", "0", "--hidden", "[", "--hardlinks", "no"]), @"
    exit 2
    --- stderr
    error: invalid value 'no' for '--hardlinks <WORD>'
      [possible values: deny, read, allow]

    For more information, try '--help'.
    ");
    snapshot!(said(&["root", "--path", "/x"]), @"
    exit 2
    --- stderr
    error: the following required arguments were not provided:
      --http <ADDR>

    Usage: overt fs --http <ADDR> --path <PATH> [ROOT]...

    For more information, try '--help'.
    ");
    snapshot!(said(&["root", "--compat", "other"]), @"
    exit 2
    --- stderr
    error: invalid value 'other' for '--compat <WORD>'
      [possible values: official, mcp4h]

    For more information, try '--help'.
    ");
}

/// FS-11: `/` and special file systems are refused as roots unless the operator allows them.
#[test]
fn fs_11_special_folders_are_refused() {
    for root in ["/", "/proc", "/sys/kernel", "/dev", "/proc/self/fd"] {
        // {root}.
        run(&["fs", root]).exits(2, &["--allow-special"]);
    }
}

/// Files that decide about the server are not served, even if they are inside a root.
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

/// A root that was given through a link can be named by that path.
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

/// The file server also works over HTTP, in both eras.
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

/// The target `fs` needs no configuration.
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
    ask(&["call", "fs", "read_file", "path=../outside/a.txt", "--format", "text"]).exits(1, &[]);
    let listed = ask(&["list", "fs", "--kind", "tools"]);
    assert!(listed.contains(r#""name":"read_file""#), "{listed}");
    let described = ask(&["describe", "fs", "--as", "ai-help"]);
    assert!(described.contains("read_file"), "{described}");
    // The policy of a call may name roots, and the server enforces it.
    file(place.path(), "policy.json", &json!({ "roots": [real(&place, "root/sub")] }).to_string());
    let narrowed =
        ask(&["call", "fs", "read_file", "path=a.txt", "--policy", "../policy.json", "--format", "text"]);
    assert!(narrowed.starts_with("exit 1"), "{narrowed}");
}
