//! `overt run` as a client sees it: a handshake sent all at once, floods, the end of input,
//! signals, many sessions.
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::support::{Running, Script, run_with_stdin, wait_until};

const RUN: [&str; 6] = ["run", "--allow-all", "--audit", "off", "--pin", "off"];
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const CALL: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","arguments":{}}}"#;

fn server(call: &str) -> Script {
    Script::with_tools(r#"[{"name":"t","inputSchema":{"type":"object"}}]"#).on("tools/call", call)
}

fn overt_run(server: &Script, options: &[&str]) -> Command {
    server.overt(&[&RUN, options].concat())
}

/// Starts `overt run` and sends the handshake and a call.
fn start(server: &Script, options: &[&str]) -> Running {
    let mut running = Running::start(overt_run(server, options).stdin(Stdio::piped()));
    let input = running.0.stdin.as_mut().unwrap();
    input.write_all(format!("{INITIALIZE}\n{INITIALIZED}\n{CALL}\n").as_bytes()).unwrap();
    wait_until("the call has begun", || server.path("started").exists());
    running
}

#[test]
fn g_47_g_55_a_whole_conversation_in_one_piece_is_answered() {
    // Longer than the time that an earlier version waited.
    let server = server(r#"sleep 7; answer '{"content":[{"type":"text","text":"late"}]}'"#);
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let input = format!("{INITIALIZE}\n{INITIALIZED}\n{list}\n{CALL}");
    run_with_stdin(&mut overt_run(&server, &[]), &input).exits(
        0,
        &[
            r#""id":0,"result""#,
            r#""id":1,"result":{"tools":[{"name":"t""#,
            r#""id":2,"result":{"content":[{"type":"text","text":"late"}]"#,
        ],
    );
}

#[test]
fn g_47_a_question_that_can_not_be_answered_any_more_ends_the_call_at_once() {
    let server = server(r#"answer '{"content":[]}'"#);
    let initialize = INITIALIZE.replace(r#""capabilities":{}"#, r#""capabilities":{"elicitation":{}}"#);
    let state = tempfile::TempDir::new().unwrap();
    let mut command = server.overt(&["run", "--audit", "off", "--pin", "off"]);
    command.env("OVERT_STATE_DIR", state.path());
    let began = Instant::now();
    let report = run_with_stdin(&mut command, &format!("{initialize}\n{INITIALIZED}\n{CALL}\n")).succeeds();
    let answer =
        report.lines().find(|line| line.contains(r#""id":2,"#)).unwrap_or_else(|| panic!("{report}"));
    assert!(answer.contains("nobody is answering questions right now"), "{answer}");
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
}

#[test]
fn g_47_progress_of_the_server_extends_the_deadline_up_to_a_cap() {
    let progress = r#"token=${line#*'"progressToken":'}; token=${token%%[,\}]*}
        for i in 1 2 3 4; do
            sleep 1
            send '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":'"$token"',"progress":'$i'}}'
        done
        answer '{"content":[{"type":"text","text":"at last"}]}'"#;
    let call = CALL.replace(r#""arguments":{}"#, r#""arguments":{},"_meta":{"progressToken":7}"#);
    for (options, input, answer) in [
        (&["--timeout", "2s"][..], &call, "at last"),
        (&["--timeout", "2s", "--max-timeout", "3s"], &call, r#""code":1408"#),
        // A client that requests no progress gets none, so the server has none to report.
        (&["--timeout", "2s"], &CALL.to_owned(), r#""code":1408"#),
    ] {
        let server = server(progress);
        let input = format!("{INITIALIZE}\n{INITIALIZED}\n{input}\n");
        let report = run_with_stdin(&mut overt_run(&server, options), &input);
        assert!(report.contains(answer), "{options:?}: {report}");
    }
}

#[test]
fn g_47_a_signal_ends_calls_with_an_error_when_their_time_is_over() {
    let server = server(r#"touch "$here/started"; sleep 60"#);
    for signal in [Signal::TERM, Signal::INT] {
        let _ = std::fs::remove_file(server.path("started"));
        let running = start(&server, &["--drain", "1s"]);
        let began = Instant::now();
        running.signal(signal);
        running.report().exits(
            130,
            &[r#""id":2,"error":{"code":1408"#, r#""data":{"code":"STOPPED","executed":"unknown"}"#],
        );
        assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    }
}

#[test]
fn g_47_a_client_that_is_gone_is_not_waited_for() {
    let server = server(r#"touch "$here/started"; sleep 60"#);
    let mut running = start(&server, &[]);
    let began = Instant::now();
    drop(running.0.stdin.take());
    drop(running.0.stdout.take());
    running.report().succeeds();
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

#[test]
fn g_48_notifications_to_a_server_that_does_not_read_do_not_fill_the_memory() {
    let server = server(r#"touch "$here/started"; sleep 60"#);
    for bytes in [10, 100 << 10] {
        let _ = std::fs::remove_file(server.path("started"));
        let mut running = start(&server, &[]);
        let mut input = running.0.stdin.take().unwrap();
        let text = "x".repeat(bytes);
        let line =
            format!(r#"{{"jsonrpc":"2.0","method":"notifications/n","params":{{"text":"{text}"}}}}"#) + "\n";
        // Send 200 MB, or as much as the program reads.
        let flood = std::thread::spawn(move || {
            for _ in 0..(200 << 20) / line.len() {
                if input.write_all(line.as_bytes()).is_err() {
                    return;
                }
            }
        });
        std::thread::sleep(Duration::from_secs(4));
        let status = std::fs::read_to_string(format!("/proc/{}/status", running.0.id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
        assert!(kilobytes < 200_000, "{kilobytes} kB after notifications of {bytes} bytes");
        drop(running);
        flood.join().unwrap();
    }
}

/// Sends one legacy request, and returns the head and body of the answer.
fn post(address: &str, session: Option<&str>, body: &str) -> String {
    let session = session.map_or_else(String::new, |id| format!("Mcp-Session-Id: {id}\r\n"));
    let mut stream = TcpStream::connect(address).unwrap();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nConnection: close\r\n{session}\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn g_56_more_sessions_than_the_upstream_can_have_are_opened_one_after_the_other() {
    let server = server(r#"answer '{"content":[]}'"#);
    let mut running = Running::start(&mut overt_run(&server, &["--http", "127.0.0.1:0"]));
    let mut line = String::new();
    BufReader::new(running.0.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
    let url = line.trim().strip_prefix("listening on http://").unwrap_or_else(|| panic!("{line}"));
    let address = url.trim_end_matches("/mcp").to_owned();
    let mut first = None;
    for number in 0..300 {
        let answer = post(&address, None, INITIALIZE);
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains(r#""result""#), "{number}: {answer}");
        if first.is_none() {
            let id = answer.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
            first = id.map(str::to_owned);
        }
    }
    let gone = post(&address, first.as_deref(), r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    assert!(gone.starts_with("HTTP/1.1 404"), "{gone}");
}
