//! How a command selects its server: what is refused, and why.
use std::io::{BufRead as _, BufReader};

use crate::output::snapshot;
use crate::support::{Running, Script, file, overt, report, run};

#[test]
fn a_target_is_needed() {
    snapshot!(run(&["list"]), @"
    exit 2
    --- stderr
    error: no server to talk to

    hint: a target is a URL such as `https://example.com/mcp`, `--mcp-json FILE NAME`, a command after `--`, or `fs` for the files here
    ");
    snapshot!(run(&["call"]), @"
    exit 2
    --- stderr
    error: no server to talk to

    hint: a target is a URL such as `https://example.com/mcp`, `--mcp-json FILE NAME`, a command after `--`, or `fs` for the files here
    ");
    snapshot!(run(&["call", "echo", "message=hi"]), @"
    exit 2
    --- stderr
    error: `echo` is not a target

    hint: a target is a URL such as `https://example.com/mcp`, `--mcp-json FILE NAME`, a command after `--`, or `fs` for the files here
    ");
}

#[test]
fn words_that_are_no_target_are_explained() {
    snapshot!(run(&["list", "github"]), @"
    exit 2
    --- stderr
    error: `github` is not a target

    hint: a target is a URL such as `https://example.com/mcp`, `--mcp-json FILE NAME`, a command after `--`, or `fs` for the files here
    ");
    snapshot!(run(&["list", "localhost:3001/mcp"]), @"
    exit 2
    --- stderr
    error: `localhost:3001/mcp` is not a target

    hint: did you mean `http://localhost:3001/mcp`?
    ");
    snapshot!(run(&["list", "ws://localhost/mcp"]), @"
    exit 2
    --- stderr
    error: `ws://localhost/mcp` is not a target

    hint: a target is a URL such as `https://example.com/mcp`, `--mcp-json FILE NAME`, a command after `--`, or `fs` for the files here
    ");
}

#[test]
fn two_targets_are_one_too_many() {
    snapshot!(run(&["list", "http://x/mcp", "--", "true"]), @"
    exit 2
    --- stderr
    error: two servers are given: `http://x/mcp` and `-- true`

    hint: give one of them
    ");
    snapshot!(run(&["call", "http://x/mcp", "t", "--mcp-json", "f", "n"]), @"
    exit 2
    --- stderr
    error: two servers are given: `http://x/mcp` and `--mcp-json`

    hint: give one of them
    ");
    snapshot!(run(&["list", "--mcp-json", "f", "n", "--", "true"]), @"
    exit 2
    --- stderr
    error: two servers are given: `--mcp-json` and `-- true`

    hint: give one of them
    ");
}

#[test]
fn a_call_needs_a_tool() {
    snapshot!(run(&["call", "http://x/mcp"]), @"
    exit 2
    --- stderr
    error: no tool is named

    hint: `overt list` with the same target shows the tools
    ");
    snapshot!(run(&["call", "a=1", "--", "true"]), @"
    exit 2
    --- stderr
    error: `a=1` stands where the name of the tool should

    hint: the order is target, tool, arguments; see `overt call --help`
    ");
}

#[test]
fn options_belong_to_their_kind_of_target() {
    snapshot!(run(&["list", "--header", "A: b", "--", "true"]), @"
    exit 2
    --- stderr
    error: `--header` needs a server that is reached over HTTP
    ");
    snapshot!(run(&["list", "--cwd", "/", "http://x/mcp"]), @"
    exit 2
    --- stderr
    error: `--cwd` needs a server that is started as a command
    ");
    snapshot!(run(&["list", "--env", "A", "--", "true"]), @"
    exit 2
    --- stderr
    error: `--env A` passes on a variable that is not set here

    hint: `--env NAME=VALUE` sets one
    ");
    snapshot!(run(&["list", "--root", "/nonexistent", "--", "true"]), @"
    exit 2
    --- stderr
    error: `--root /nonexistent` is not a directory that can be opened
      caused by: No such file or directory (os error 2)
    ");
}

#[test]
fn headers_are_checked_and_their_values_never_shown() {
    snapshot!(run(&["list", "--header", "Bearer s3cret", "http://x/mcp"]), @"
    exit 2
    --- stderr
    error: `--header` has no colon

    hint: write it as `--header 'NAME: VALUE'`
    ");
    snapshot!(run(&["list", "--header", "A b: s3cret", "http://x/mcp"]), @"
    exit 2
    --- stderr
    error: `A b` is not the name of a header

    hint: a name consists of letters, digits and hyphens
    ");
    snapshot!(run(&["list", "--header-env", "Authorization", "http://x/mcp"]), @"
    exit 2
    --- stderr
    error: `--header-env Authorization` has no `=`

    hint: write it as `--header-env NAME=VARIABLE`
    ");
    snapshot!(run(&["list", "--header-env", "Authorization=NO_SUCH", "http://x/mcp"]), @"
    exit 2
    --- stderr
    error: the environment variable `NO_SUCH` for the header `Authorization` is not set

    hint: export it first: `export NO_SUCH=…`
    ");
}

#[test]
fn servers_that_are_not_there() {
    snapshot!(run(&["list", "--", "/nonexistent/server"]), @"
    exit 3
    --- stderr
    error: could not start `/nonexistent/server`
      caused by: No such file or directory (os error 2)

    hint: check that `/nonexistent/server` is installed and in `PATH`, or give its full path
    ");
    snapshot!(run(&["list", "http://127.0.0.1:1/mcp"]), @"
    exit 3
    --- stderr
    error: could not connect to `http://127.0.0.1:[PORT]/mcp`
      caused by: tcp connect error
      caused by: Connection refused (os error 111)

    hint: check that the server is running and that host and port are right
    ");
}

/// H-33: a user who starts Overt over stdio could have started the server too, so the server sees
/// the same variables.
#[test]
fn h_33_a_child_sees_our_environment_without_our_own_settings() {
    let show = r#"printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"%s|%s|%s|%s"}]}}\n' "$id" "$SECRET" "$GIVEN" "$(basename "$PWD")" "$OVERT_FORMAT""#;
    let server = Script::with_hello(r#"{"tools":{}}"#).on("tools/list", show);
    let mut command = server.overt(&["list", "--env", "GIVEN=yes", "--cwd", "/usr"]);
    let output = report(&command.env("SECRET", "configured").output().unwrap());
    assert!(output.contains(r#""name":"configured|yes|usr|""#), "{output}");
    let mut command = server.overt(&["list", "--env", "SECRET=changed"]);
    let output = report(&command.env("SECRET", "ours").output().unwrap());
    assert!(output.contains(r#""name":"changed||"#), "{output}");
}

#[test]
fn h_33_a_file_of_variables_is_read() {
    let show = r#"printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"%s|%s|%s"}]}}\n' "$id" "$ONE" "$TWO" "$THREE""#;
    let server = Script::with_hello(r#"{"tools":{}}"#).on("tools/list", show);
    let path =
        file(server.path("").as_path(), "vars", "# comment\nexport ONE=1\nTWO=\"t w o\"\nTHREE=file\n");
    let output = server.run(&["list", "--env-file", &path, "--env", "THREE=option"]);
    assert!(output.contains(r#""name":"1|t w o|option""#), "{output}");
    let wrong = file(server.path("").as_path(), "wrong", "ONE=1\nTWO\n");
    snapshot!(server.run(&["list", "--env-file", &wrong]), @"
    exit 2
    --- stderr
    error: line 2 of `[TMP]/wrong` has no `=`

    hint: a line is `NAME=VALUE`, `NAME=\"VALUE\"` or `# a comment`
    ");
}

/// DESIGN 5.15: if clients connect over a network, a server sees only a short list of variables and
/// those that are set for it.
#[test]
fn h_33_behind_http_a_child_sees_a_short_list() {
    let show = r#"printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"%s|%s|%s"}]}}\n' "$id" "$SECRET" "$GIVEN" "$WHOLE""#;
    let server = Script::with_hello(r#"{"tools":{}}"#).on("tools/list", show);
    for (options, expected) in
        [(&[][..], r#""name":"|yes|""#), (&["--inherit-env"], r#""name":"ours|yes|ours""#)]
    {
        let mut command = overt();
        command.args(["run", "--http", "127.0.0.1:0", "--pin", "off", "--audit", "off", "--allow-all"]);
        command.args(["--env", "GIVEN=yes"]).args(options).arg("--").args(server.command());
        let mut running = Running::start(command.env("SECRET", "ours").env("WHOLE", "ours"));
        let mut line = String::new();
        BufReader::new(running.0.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("listening on ").unwrap_or_else(|| panic!("{line}"));
        let output = run(&["list", "--protocol", "2025-11-25", url]);
        assert!(output.contains(expected), "{options:?} {output}");
    }
}
