//! Servers that die, hang or are not MCP servers; signals; pipes.
use std::io::{BufRead as _, BufReader, Read as _};
use std::time::{Duration, Instant};

use crate::output::snapshot;
use crate::support::{Running, Script, overt, report, run, run_with_stdin, wait_until};

#[test]
fn a_server_that_dies_at_once_is_quoted() {
    snapshot!(run(&["list", "--", "sh", "-c", "echo 'API_KEY is missing' >&2; exit 4"]), @"
    exit 3
    --- stderr
    error: the connection was closed: the program ended with exit status: 4; it said last:
        API_KEY is missing
    ");
}

#[test]
fn a_server_that_dies_during_the_call_is_quoted() {
    let server =
        Script::with_tools(r#"[{"name":"t"}]"#).on("tools/call", "echo 'out of memory' >&2; kill -9 $$");
    snapshot!(server.run(&["call", "t"]), @"
    exit 3
    --- stderr
    error: the connection was closed: the program ended with signal: 9 (SIGKILL); it said last:
        out of memory
    ");
}

#[test]
fn a_program_that_is_no_server() {
    snapshot!(run(&["list", "--", "true"]), @"
    exit 3
    --- stderr
    error: the connection was closed: the program ended with exit status: 0

    hint: run the command by hand to see what it says
    ");
    snapshot!(run(&["list", "--timeout", "1s", "--", "sh", "-c", "echo Welcome!; echo please wait >&2; exec sleep 60"]), @"
    exit 3
    --- stderr
    warning: the server writes to its standard output what is not a protocol message: Welcome!
    error: no answer to `initialize` within 1s (messages were dropped: 1 so far, the last one because of a line that is not a protocol message)
      the server said last:
        please wait

    hint: `--timeout` gives it more time, `-v` shows what happens meanwhile
    ");
}

#[test]
fn noise_on_standard_output_is_reported_once() {
    let server = Script::with_tools(r#"[{"name":"t"}]"#)
        .on("tools/call", r#"send 'debug: one'; send 'debug: two'; answer '{"content":[]}'"#);
    snapshot!(server.run(&["call", "t"]), @r#"
    exit 0
    --- stdout
    {"content":[]}
    --- stderr
    warning: the server writes to its standard output what is not a protocol message: debug: one
    "#);
}

#[test]
fn a_call_that_takes_too_long_ends_in_time() {
    let server = Script::with_tools(r#"[{"name":"t"}]"#).on("tools/call", "echo working >&2; hear; hear");
    let start = Instant::now();
    snapshot!(server.run(&["call", "t", "--timeout", "700ms"]), @"
    exit 3
    --- stderr
    error: no answer to `tools/call` within 700ms
      the server said last:
        working

    hint: `--timeout` gives it more time, `-v` shows what happens meanwhile
    ");
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    assert!(server.received().contains("notifications/cancelled"), "{}", server.received());
}

/// A server that reports its process id and that of a child, then waits.
fn slow_server() -> Script {
    Script::with_tools(r#"[{"name":"t"}]"#).on(
        "tools/call",
        r#"sleep 60 & echo "$$ $!" > "$here/started"; while hear; do :; done; echo closed > "$here/ended"; kill $!"#,
    )
}

#[test]
fn ctrl_c_cancels_the_call_and_ends_the_server() {
    for signal in [rustix::process::Signal::INT, rustix::process::Signal::TERM] {
        let server = slow_server();
        let running = Running::start(&mut server.overt(&["call", "t"]));
        wait_until("the call has begun", || server.path("started").exists());
        running.signal(signal);
        assert_eq!(running.report(), "exit 130\n--- stderr\ninterrupted");
        let received = server.received();
        assert!(received.contains(r#""method":"notifications/cancelled""#), "{received}");
        assert!(server.path("ended").exists(), "the server saw its input close");
        let started = std::fs::read_to_string(server.path("started")).unwrap();
        for id in started.split_whitespace() {
            let gone = || {
                std::fs::read_to_string(format!("/proc/{id}/stat")).map_or(true, |stat| stat.contains(") Z "))
            };
            wait_until("all processes have gone", gone);
        }
    }
}

#[test]
fn ctrl_c_while_connecting() {
    let server = Script::empty().on("server/discover", r#"echo > "$here/started"; sleep 60"#);
    let running = Running::start(&mut server.overt(&["list"]));
    wait_until("it is connecting", || server.path("started").exists());
    let start = Instant::now();
    running.interrupt();
    assert_eq!(running.report(), "exit 130\n--- stderr\ninterrupted");
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let long = "x".repeat(1 << 20);
    let server = Script::with_tools(r#"[{"name":"t"}]"#);
    std::fs::write(
        server.path("long"),
        format!(r#"{{"content":[{{"type":"text","text":"first\n{long}"}}]}}"#),
    )
    .unwrap();
    let server = server.on("tools/call", r#"answer "$(cat "$here/long")""#);
    for arguments in [&["call", "t", "--format", "text"][..], &["call", "t"], &["call", "t", "--raw"]] {
        let mut running = Running::start(&mut server.overt(arguments));
        let mut reader = BufReader::new(running.0.stdout.take().unwrap());
        reader.by_ref().take(3).read_until(b'\n', &mut Vec::new()).unwrap();
        drop(reader);
        assert_eq!(running.report(), "exit 0");
    }
}

#[test]
fn output_that_can_not_be_written_is_said() {
    let server = Script::with_tools("[]");
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = server.overt(&["list"]).stdout(full).output().unwrap();
    snapshot!(report(&output), @"
    exit 2
    --- stderr
    error: failed to write to standard output
      caused by: No space left on device (os error 28)
    ");
}

/// G-60: a server that was started through a shell ignores the end of its input, and Overt is
/// killed without warning.
#[test]
fn g_60_a_killed_overt_leaves_no_server_behind() {
    let server = Script::empty();
    let pid_file = server.path("pid");
    let script = format!("sleep 300 & echo $! > '{}'; wait", pid_file.display());
    let mut command = overt();
    command.args(["list", "--timeout", "60s", "--", "sh", "-c", &script]);
    let running = Running::start(&mut command);
    let pid = || std::fs::read_to_string(&pid_file).ok().and_then(|text| text.trim().parse::<u32>().ok());
    wait_until("the server runs", || pid().is_some());
    let pid = pid().unwrap();
    assert!(is_alive(pid));
    // Gives the guardian time to learn of the server.
    std::thread::sleep(Duration::from_millis(800));
    running.signal(rustix::process::Signal::KILL);
    wait_until("the server is gone", || !is_alive(pid));
}

/// Returns whether a process runs. A zombie does not run.
fn is_alive(pid: u32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z')
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;

/// G-58, G-59, H-33: the client learns why a server ends at its start, but sees no secret.
#[test]
fn g_58_a_client_hears_why_a_server_does_not_start() {
    let script = "echo \"the key ghp_0123456789abcdefghij is not valid\" >&2; exit 4";
    let mut command = overt();
    command.args([
        "run",
        "--pin",
        "off",
        "--audit",
        "off",
        "--allow-all",
        "--",
        "sh",
        "-c",
        script,
        "--token",
        "hunter2-planted",
    ]);
    let output = run_with_stdin(&mut command, &format!("{INITIALIZE}\n"));
    assert!(output.contains(r#""code":1503"#) && output.contains(r#""executed":"no""#), "{output}");
    assert!(output.contains("exit status: 4"), "{output}");
    assert!(output.contains("the key [redacted] is not valid"), "{output}");
    assert!(!output.contains("hunter2") && !output.contains("0123456789abcdefghij"), "{output}");

    let mut command = overt();
    command.args([
        "run",
        "--pin",
        "off",
        "--audit",
        "off",
        "--allow-all",
        "--",
        "/nonexistent/server",
        "--token",
        "hunter2-planted",
    ]);
    let output = run_with_stdin(&mut command, &format!("{INITIALIZE}\n"));
    assert!(output.contains(r#""code":1503"#) && output.contains("No such file or directory"), "{output}");
    assert!(output.contains(r#""upstream":"server""#) && !output.contains("hunter2"), "{output}");
}
