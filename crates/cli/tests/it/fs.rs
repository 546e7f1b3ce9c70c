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
    snapshot!(run(&["fs", "-h"]), @r#"
    exit 0
    --- stdout
    Serve files: an MCP server that shows what it will do, and can undo what it did

    Usage: overt fs [OPTIONS] [ROOT]...

    Arguments:
      [ROOT]...  The folders that are served, and what of each: `allow`, `deny` and `immutable` patterns
                 [env: OVERT_ROOTS]

    Options:
          --http <ADDR>            Serve clients over Streamable HTTP on this address, such as
                                   127.0.0.1:[PORT]; port 0 takes a free one
          --path <PATH>            The path of the endpoint [default: /mcp]
          --allow-host <HOST>      A further `Host` that requests may name, for a name that this machine
                                   has (repeatable)
          --allow-origin <ORIGIN>  A further `Origin` that requests may come from, for web pages that
                                   may use the server (repeatable)
          --public-url <URL>       The URL of the endpoint behind a proxy, for documents and as a
                                   further `Host`
          --max-timeout <TIME>     How long a request may take that reports progress again and again
                                   [default: 30m]
          --drain <TIME>           How long requests may take after Ctrl-C or SIGTERM; then they get an
                                   error [default: 10s]
          --ai-help                Print help for AI agents, as Markdown
      -h, --help                   Print help (see more with '--help')

    File options:
          --read-only[=<BOOL>]          Change nothing [env: OVERT_READ_ONLY]
          --hidden <GLOB>               Patterns of what is not there, in every root (repeatable) [env:
                                        OVERT_HIDDEN]
          --immutable <GLOB>            Patterns of what can be read and not changed, in every root
                                        (repeatable) [env: OVERT_IMMUTABLE]
          --read-max-bytes <SIZE>       The most that one call reads of a file [env:
                                        OVERT_READ_MAX_BYTES] [default: 50KiB]
          --read-max-line-bytes <SIZE>  The most that is given of one line [env:
                                        OVERT_READ_MAX_LINE_BYTES] [default: 25KiB]
          --media-max-bytes <SIZE>      The largest picture, sound or other binary file that one call
                                        gives [env: OVERT_MEDIA_MAX_BYTES] [default: 2MiB]
          --edit-max-bytes <SIZE>       The largest file that is edited [env: OVERT_EDIT_MAX_BYTES]
                                        [default: 16MiB]
          --find-limit <N>              The most files that one call finds [env: OVERT_FIND_LIMIT]
                                        [default: 200]
          --search-max-bytes <SIZE>     The most that one search gives; beyond it, a summary [env:
                                        OVERT_SEARCH_MAX_BYTES] [default: 50KiB]
          --search-summary-top <N>      How many files the summary of a search names [env:
                                        OVERT_SEARCH_SUMMARY_TOP] [default: 20]
          --hardlinks <WORD>            What may be done with a file that has a second name, which may
                                        be outside of every root [env: OVERT_HARDLINKS] [default: read]
                                        [possible values: deny, read, allow]
          --durability <WORD>           `fsync`: a change is on the disk before the call ends; `rename`:
                                        the system writes it when it likes [env: OVERT_DURABILITY]
                                        [default: fsync] [possible values: fsync, rename]
          --journal-max-bytes <SIZE>    How much of what was there before is kept, so that changes can
                                        be undone; 0 keeps nothing [env: OVERT_JOURNAL_MAX_BYTES]
                                        [default: 1GiB]
          --irreversible <WORD>         What is done with a deletion or an overwriting that does not fit
                                        the journal, and so can't be undone: `refuse` it, or `ask` a
                                        person each time [env: OVERT_IRREVERSIBLE] [default: ask]
                                        [possible values: refuse, ask]
          --new-file-mode <WORD>        The permissions of files that are created [env:
                                        OVERT_NEW_FILE_MODE] [default: 0644] [possible values: 0600,
                                        0644]
          --grantable <DIR>             A folder beside the roots in which a person can allow more
                                        (repeatable) [env: OVERT_GRANTABLE]
          --sandbox <WORD>              `auto`: the kernel keeps the program to the roots, where it can
                                        (Landlock) [env: OVERT_SANDBOX] [default: auto] [possible
                                        values: auto, off]
          --require-sandbox[=<BOOL>]    Do not start where the kernel can't do that [env:
                                        OVERT_REQUIRE_SANDBOX]
          --allow-special[=<BOOL>]      Serve `/`, and special file systems such as `/proc` inside a
                                        root [env: OVERT_ALLOW_SPECIAL]
          --compat <WORD>               `official`: the tools of the official file server, under its
                                        names; `mcp4h`: the literal forms of mcp4h, for its clients
                                        [env: OVERT_COMPAT] [possible values: official, mcp4h]

    Control options:
          --allow <SCOPE>                 What is allowed without asking, beside everything in the roots
                                          (repeatable) [env: OVERT_ALLOW]
          --deny <SCOPE>                  What is refused, whatever else allows it (repeatable) [env:
                                          OVERT_DENY]
          --allow-all[=<BOOL>]            Allow everything without asking, but for what is denied [env:
                                          OVERT_ALLOW_ALL]
          --max-grantable <SCOPE>         The most that a person can grant when asked (repeatable) [env:
                                          OVERT_MAX_GRANTABLE]
          --approval-wait <TIME>          How long a call waits for a person where the client can't ask;
                                          0 waits only while somebody watches for questions [env:
                                          OVERT_APPROVAL_WAIT] [default: 0s]
          --trust-grants[=<BOOL>]         Believe a client that says which scopes were granted; anybody
                                          who can write a message can say so [env: OVERT_TRUST_GRANTS]
          --trust-quick-answers[=<BOOL>]  Count answers that a client gives within 0.3 s of the
                                          question; a person takes longer, so a program gave them [env:
                                          OVERT_TRUST_QUICK_ANSWERS]
          --allow-client-config[=<BOOL>]  Let the configuration of every client replace settings, also
                                          over HTTP, and what is allowed [env:
                                          OVERT_ALLOW_CLIENT_CONFIG]
          --rate-limit <RATE>             How many calls there may be in all, such as `1000/hour` [env:
                                          OVERT_RATE_LIMIT]
          --tool-rate-limit <RATE>        How many calls of one tool each caller may make [env:
                                          OVERT_TOOL_RATE_LIMIT]
          --max-argument-bytes <SIZE>     The largest arguments of a call, as JSON [env:
                                          OVERT_MAX_ARGUMENT_BYTES]
          --max-result-bytes <SIZE>       The largest result of a call, as JSON [env:
                                          OVERT_MAX_RESULT_BYTES]
          --call-timeout <TIME>           How long a call may take, the wait for a person not counted
                                          [env: OVERT_CALL_TIMEOUT]
          --audit <WORD>                  What is written down: `strict` makes no call with side effects
                                          before its record is durable [env: OVERT_AUDIT] [default:
                                          strict] [possible values: strict, best_effort, off]
          --audit-dir <TEXT>              The folder of the audit log; without it, in the state folder
                                          [env: OVERT_AUDIT_DIR]
          --audit-retention-days <N>      Records are removed when they are older; without it, never
                                          [env: OVERT_AUDIT_RETENTION_DAYS]
          --audit-max-bytes <SIZE>        The oldest records are removed when all together are larger;
                                          without it, never [env: OVERT_AUDIT_MAX_BYTES]
          --audit-arguments <WORD>        What is kept of the arguments of calls: a digest alone, or all
                                          but secrets [env: OVERT_AUDIT_ARGUMENTS] [default: digest]
                                          [possible values: digest, redacted]
          --audit-checkpoint-file <TEXT>  A further file that signed checkpoints are appended to [env:
                                          OVERT_AUDIT_CHECKPOINT_FILE]
          --config <FILE>                 Read settings, a policy that nothing passes, and rules from
                                          FILE (see docs/settings.md). Read again on SIGHUP [env:
                                          OVERT_CONFIG]
          --show-settings                 Print every setting with its value and where that came from,
                                          and do nothing else
          --format <FORMAT>               How to print the settings [env: OVERT_FORMAT] [default: text]
                                          [possible values: text, json]
          --print-config-schema           Print the JSON Schema of the settings, as clients get it, and
                                          do nothing else

    Observability options:
          --log <LEVEL|FILTER>   What to log on standard error: `off`, `error`, `warn`, `info` (one line
                                 per request), `debug`, `trace`, or a filter such as
                                 `warn,overt_gateway=debug`. Never what the messages hold [env:
                                 OVERT_LOG] [default: warn]
          --log-format <FORMAT>  How log lines are written [default: text] [possible values: text, json]
          --trace <FILE>         Append the conversation to FILE, one JSON object per line, with secrets
                                 taken out
          --otlp <URL>           Send a span per request to this OpenTelemetry collector (OTLP over
                                 HTTP, JSON), such as `http://localhost:4318` [env:
                                 OTEL_EXPORTER_OTLP_ENDPOINT]
          --status <ADDR>        Serve `/healthz`, `/readyz` and `/metrics` (Prometheus) on this
                                 address, such as `127.0.0.1:[PORT]`
          --status-anywhere      Let --status listen on an address that other machines reach; nothing
                                 asks them who they are
          --status-host <HOST>   Also answer on the status address when it is asked for under this name,
                                 such as `status.example.com:9090` (repeatable)

    Examples:
      overt fs
      overt fs ~/notes ~/projects/site --read-only
      overt fs . --hidden '**/.env' --immutable 'vendor/**'
      overt fs . --grantable ~/Downloads
      overt fs . --http 127.0.0.1:[PORT]

    In the configuration of a client:
      "command": "overt", "args": ["fs", "/home/me/notes"]

    From the shell, with nothing configured:
      overt call fs edit_file path=notes.md edits:='[{"find":"teh","replace":"the"}]' --preview

    docs/fs.md has the tools, the rules of paths, and how to move over from the official server.
    "#);
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

/// H-15: roots of the command line are over those of the environment, and these over those of the file; without any there is the
/// current directory. Each begins where it was written.
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

/// H-14: both are the same.
#[test]
fn h_14_the_printed_schema_is_the_published_one() {
    let output = overt().args(["fs", "--print-config-schema", "/nonexistent"]).output().unwrap();
    let printed: Value = serde_json::from_str(std::str::from_utf8(&output.stdout).unwrap()).unwrap();
    let client = serve(&two_folders(), &[], &Value::Null);
    assert_eq!(client.hello["result"]["capabilities"]["configSchema"], printed);
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
    error: the settings can't be used
        `ROOT`: `gone` does not exist; create it with `mkdir`, or name a directory that is there; `root/a.txt` is not a directory; name the directory that it is in

    hint: docs/settings.md lists the settings; `overt fs --show-settings` shows what they are and why
    ");
    snapshot!(said(&["--config", "overt.toml"]), @"
    exit 2
    --- stderr
    error: the settings can't be used
        `roots` in overt.toml:2: `gone` does not exist; create it with `mkdir`, or name a directory that is there

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
