//! The files in which other programs keep their servers.
use tempfile::TempDir;

use crate::output::{CommandOutput, snapshot};
use crate::support::{Script, file, overt, report, run};

/// Runs `overt list --kind tools` on an entry of a file with this text.
fn list(text: &str, name: &str) -> CommandOutput {
    let directory = TempDir::new().unwrap();
    run(&["list", "--mcp-json", &file(directory.path(), "mcp.json", text), name])
}

#[test]
fn every_shape_of_file_starts_its_server() {
    let show = r#"printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"%s %s"}]}}\n' "$id" "$TOKEN" "$(basename "$PWD")""#;
    let server = Script::with_hello(r#"{"tools":{}}"#).on("tools/list", show);
    let [shell, script] = server.command();
    let entry = format!(
        r#"{{"type":"stdio","command":"{shell}","args":["${{SCRIPT_DIR}}/server.sh"],"env":{{"TOKEN":"${{env:KEY}}"}},"cwd":"${{PLACE:-/usr}}"}}"#
    );
    let files = [
        format!(r#"{{"mcpServers":{{"other":{{}},"mine":{entry}}}}}"#),
        format!("{{ // VS Code writes comments\n \"servers\": {{ \"mine\": {entry}, }}, \"inputs\": [] }}"),
        format!(r#"{{"mcp":{{"servers":{{"mine":{entry}}}}}}}"#),
    ];
    for text in files {
        let directory = TempDir::new().unwrap();
        let path = file(directory.path(), "mcp.json", &text);
        let mut command = overt();
        command.args(["list", "--mcp-json", &path, "mine"]);
        command.env("KEY", "k3y").env("SCRIPT_DIR", script.strip_suffix("/server.sh").unwrap());
        let output = report(&command.output().unwrap());
        assert!(output.contains(r#"[{"name":"k3y usr"}]"#), "{text}\n{output}");
    }
}

#[test]
fn options_win_over_the_file() {
    let show = r#"printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"%s %s"}]}}\n' "$id" "$TOKEN" "$(basename "$PWD")""#;
    let server = Script::with_hello(r#"{"tools":{}}"#).on("tools/list", show);
    let [shell, script] = server.command();
    let text = format!(
        r#"{{"mcpServers":{{"m":{{"command":"{shell}","args":["{script}"],"env":{{"TOKEN":"file"}},"cwd":"/"}}}}}}"#
    );
    let path = file(server.path("").as_path(), "mcp.json", &text);
    let output = run(&["list", "--mcp-json", &path, "m", "--env", "TOKEN=option", "--cwd", "/usr"]);
    assert!(output.contains(r#"[{"name":"option usr"}]"#), "{output}");
}

/// H-33: VS Code's `envFile`; `env` wins over it.
#[test]
fn h_33_variables_come_from_the_file_that_an_entry_names() {
    let show =
        r#"printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"%s %s"}]}}\n' "$id" "$ONE" "$TWO""#;
    let server = Script::with_hello(r#"{"tools":{}}"#).on("tools/list", show);
    let [shell, script] = server.command();
    let folder = server.path(".vscode");
    std::fs::create_dir(&folder).unwrap();
    file(server.path("").as_path(), "my.env", "ONE=from-file\nTWO=from-file\n");
    for env_file in ["${workspaceFolder}/my.env", "my.env"] {
        let text = format!(
            r#"{{"servers":{{"m":{{"command":"{shell}","args":["{script}"],"envFile":"{env_file}","env":{{"TWO":"from-entry"}}}}}}}}"#
        );
        let path = file(&folder, "mcp.json", &text);
        let output = run(&["list", "--mcp-json", &path, "m"]);
        assert!(output.contains(r#"[{"name":"from-file from-entry"}]"#), "{output}");
    }
}

#[test]
fn files_that_are_none() {
    snapshot!(run(&["list", "--mcp-json", "/nonexistent/mcp.json", "x"]), @"
    exit 2
    --- stderr
    error: failed to take server `x` from `/nonexistent/mcp.json`
      caused by: failed to read `/nonexistent/mcp.json`
      caused by: No such file or directory (os error 2)
    ");
    snapshot!(list("{", "x"), @"
    exit 2
    --- stderr
    error: failed to take server `x` from `[TMP]/mcp.json`
      caused by: the file is not valid JSON
      caused by: the JSON text ends too early
    ");
    snapshot!(list(r#"{"mcpServers":{"x":{},"x":{}}}"#, "x"), @"
    exit 2
    --- stderr
    error: failed to take server `x` from `[TMP]/mcp.json`
      caused by: the file is not valid JSON
      caused by: duplicate member name at byte 23
    ");
    snapshot!(list(r#"{"other":{}}"#, "x"), @r#"
    exit 2
    --- stderr
    error: failed to take server `x` from `[TMP]/mcp.json`
      caused by: the file has neither `mcpServers` nor `servers`

    hint: Claude and Cursor write `{"mcpServers": {"NAME": {"command": …}}}`, VS Code `{"servers": …}`
    "#);
    snapshot!(list(r#"{"mcpServers":{}}"#, "x"), @"
    exit 2
    --- stderr
    error: failed to take server `x` from `[TMP]/mcp.json`
      caused by: the file names no server at all
    ");
}

#[test]
fn unknown_names_list_those_that_exist() {
    snapshot!(list(r#"{"mcpServers":{"github":{},"files":{},"time":{}}}"#, "gihtub"), @"
    exit 2
    --- stderr
    error: failed to take server `gihtub` from `[TMP]/mcp.json`
      caused by: no server has this name; did you mean `github`? available: `github`, `files`, `time`
    ");
}

#[test]
fn entries_that_are_wrong() {
    let entry = |text: &str| list(&format!(r#"{{"mcpServers":{{"x":{text}}}}}"#), "x");
    snapshot!(entry("{}"), @"
    exit 2
    --- stderr
    error: failed to take server `x` from `[TMP]/mcp.json`
      caused by: the entry has neither `command` nor `url`
    ");
    snapshot!(entry(r#"{"command":"a","url":"http://b"}"#), @"
    exit 2
    --- stderr
    error: failed to take server `x` from `[TMP]/mcp.json`
      caused by: the entry has both `command` and `url`
    ");
    snapshot!(entry(r#"{"command":"a","args":"b"}"#), @"
    exit 2
    --- stderr
    error: failed to take server `x` from `[TMP]/mcp.json`
      caused by: `args` must be an array of strings
    ");
    snapshot!(entry(r#"{"command":"a","env":["b"]}"#), @"
    exit 2
    --- stderr
    error: failed to take server `x` from `[TMP]/mcp.json`
      caused by: `env` must be an object of strings
    ");
    snapshot!(entry(r#"{"type":"sse","url":"http://b"}"#), @"
    exit 2
    --- stderr
    error: failed to take server `x` from `[TMP]/mcp.json`
      caused by: the transport `sse` is not supported

    hint: supported are `stdio` and `http`; most servers with `sse` also have a Streamable HTTP endpoint
    ");
    snapshot!(entry(r#"{"command":"${HERE}/a","args":["${THERE}","${HERE}"],"env":{"K":"${env:KEY}"}}"#), @"
    exit 2
    --- stderr
    error: failed to take server `x` from `[TMP]/mcp.json`
      caused by: not set in the environment: `HERE`, `KEY`, `THERE`

    hint: set what the file refers to: `export HERE=… KEY=… THERE=…`
    ");
    snapshot!(entry(r#"{"command":"a","env":{"K":"${input:key}"}}"#), @"
    exit 2
    --- stderr
    error: failed to take server `x` from `[TMP]/mcp.json`
      caused by: not set in the environment: `input:key`

    hint: VS Code asks for `${input:…}` itself; here, pass the server as a command or URL instead
    ");
}

#[test]
fn names_need_a_file_and_a_name() {
    snapshot!(run(&["list", "--mcp-json", "only-a-file"]), @"
    exit 2
    --- stderr
    error: 2 values required for '--mcp-json <FILE> <NAME>' but 1 was provided

    Usage: overt list [OPTIONS] <URL>
           overt list [OPTIONS] --mcp-json <FILE> <NAME>
           overt list [OPTIONS] -- <CMD> [ARG]...
           overt list [OPTIONS] fs

    For more information, try '--help'.
    ");
}
