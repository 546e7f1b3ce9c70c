//! `overt run` from outside: log lines, the trace file, spans, health and metrics.
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use tempfile::TempDir;

use crate::support::{Script, run};

const SECRET: &str = "hunter2-planted";
const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
const TOOLS: &str = r#"[{"name":"echo","inputSchema":{"type":"object"}}]"#;

/// A gateway in front of a scripted server, and its standard streams.
struct Gateway {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    script: Script,
}

impl Gateway {
    fn start(options: &[&str]) -> Self {
        let script = Script::with_tools(TOOLS)
            .result("tools/call", r#"{"content":[{"type":"text","text":"password=hunter2-planted"}]}"#);
        // Messages about pins are not part of these tests.
        let mut arguments = vec!["run", "--allow-all", "--audit", "off", "--pin", "off"];
        arguments.extend(options);
        let mut command = script.overt(&arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output, script }
    }

    /// Sends a request and waits for its answer.
    fn ask(&mut self, id: u32, method: &str, params: &str) -> String {
        self.say(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#));
        let mut line = String::new();
        while !line.contains(&format!(r#""id":{id}"#)) {
            line.clear();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "it ended");
        }
        line
    }

    fn say(&mut self, line: &str) {
        self.input.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn hello(&mut self) {
        self.ask(
            1,
            "initialize",
            r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}"#,
        );
        self.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    }

    /// Closes the input and returns what was written to standard error.
    fn end(self) -> String {
        let Self { mut child, input, output, script: _script } = self;
        drop(input);
        drop(output);
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        child.wait().unwrap();
        said
    }
}

fn call_params() -> String {
    format!(
        r#"{{"name":"echo","arguments":{{"api_key":"{SECRET}","n":1.0}},"_meta":{{"traceparent":"{PARENT}"}}}}"#
    )
}

/// A collector that accepts everything. The channel receives the bodies.
fn collector() -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (bodies, received) = channel();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut length = 0;
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|count| count > 2) {
                if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}");
            let _ = bodies.send(String::from_utf8(body).unwrap());
        }
    });
    (url, received)
}

#[test]
fn one_json_line_per_request_and_no_payload() {
    let mut gateway = Gateway::start(&["--log", "debug", "--log-format", "json"]);
    gateway.hello();
    assert!(gateway.ask(2, "tools/call", &call_params()).contains(SECRET), "the client gets what was said");
    let log = gateway.end();
    assert!(!log.contains(SECRET), "{log}");
    let line =
        log.lines().find(|line| line.contains(r#""message":"request""#) && line.contains("tools/call"));
    let line = line.unwrap_or_else(|| panic!("{log}"));
    for part in [
        r#""level":"info","target":"overt::requests""#,
        r#""session":1,"direction":"to_server","method":"tools/call","of":"echo","outcome":"ok""#,
        r#""took_ms":"#,
    ] {
        assert!(line.contains(part), "{part} in {line}");
    }
    let json = log.lines().all(|line| line.starts_with(r#"{"timestamp":"#) && line.ends_with('}'));
    assert!(json, "{log}");
}

#[test]
fn rpc_19_names_of_a_client_stay_inside_their_line() {
    for format in ["text", "json"] {
        let mut gateway = Gateway::start(&["--log", "info", "--log-format", format]);
        gateway.hello();
        let evil = r"x\n{\u001b[2J\u009b31m\u202e forged";
        gateway.ask(2, "tools/call", &format!(r#"{{"name":"{evil}","arguments":{{}}}}"#));
        let log = gateway.end();
        assert!(log.contains("forged"), "{log}");
        assert!(
            log.lines().all(|line| line.starts_with("{\"timestamp\"") || line.starts_with("20")),
            "{log}"
        );
        assert!(!log.replace('\n', "").chars().any(overt_wire::text::is_deceptive), "{log:?}");
    }
}

#[test]
fn the_trace_has_both_sides_and_no_secrets() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("trace.jsonl");
    let mut gateway = Gateway::start(&["--trace", path.to_str().unwrap()]);
    gateway.hello();
    gateway.ask(2, "tools/call", &call_params());
    gateway.end();
    let trace = std::fs::read_to_string(&path).unwrap();
    assert!(!trace.contains(SECRET), "{trace}");
    let of_call: Vec<&str> =
        trace.lines().filter(|line| line.contains(r#""method":"tools/call","id":2"#)).collect();
    assert_eq!(of_call.len(), 2, "{trace}");
    let arguments = r#""arguments":{"api_key":"[redacted]","n":1.0}"#;
    assert!(of_call[0].contains(r#""direction":"client_to_server""#) && of_call[0].contains(arguments));
    assert!(
        of_call[1].contains(r#""direction":"server_to_client""#)
            && of_call[1].contains("password=[redacted]")
    );
    assert!(trace.contains(r#""kind":"notification","method":"notifications/initialized""#), "{trace}");
}

#[test]
fn spans_follow_the_client_and_reach_the_server() {
    let (url, bodies) = collector();
    let mut gateway = Gateway::start(&["--otlp", &url]);
    gateway.hello();
    gateway.ask(2, "tools/call", &call_params());
    let received = gateway.script.received();
    gateway.end();
    let body = bodies.recv_timeout(Duration::from_secs(20)).unwrap();
    assert!(!body.contains(SECRET), "{body}");
    let start = body.find(r#""name":"tools/call echo""#).unwrap_or_else(|| panic!("{body}"));
    let trace = r#"{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":""#;
    let span = body[..start].rfind(trace).unwrap_or_else(|| panic!("{body}"));
    let own = &body[span + trace.len()..][..16];
    assert!(body[start..].contains(r#""parentSpanId":"00f067aa0ba902b7""#), "{body}");
    let told = format!(r#""traceparent":"00-0af7651916cd43dd8448eb211c80319c-{own}-01""#);
    assert!(received.contains(&told), "{told} in {received}");
}

#[test]
fn without_spans_the_server_hears_what_the_client_said() {
    let mut gateway = Gateway::start(&[]);
    gateway.hello();
    gateway.ask(2, "tools/call", &call_params());
    let received = gateway.script.received();
    assert!(received.contains(&format!(r#""traceparent":"{PARENT}""#)), "{received}");
    assert_eq!(gateway.end(), "", "nothing is logged that nobody asked for");
}

#[test]
fn http_16_the_status_address_shows_numbers_and_no_names() {
    let mut gateway = Gateway::start(&["--status", "127.0.0.1:0"]);
    let mut line = String::new();
    let mut errors = BufReader::new(gateway.child.stderr.take().unwrap());
    errors.read_line(&mut line).unwrap();
    let address = line.trim().rsplit("http://").next().unwrap().to_owned();
    gateway.hello();
    gateway.ask(2, "tools/call", &call_params());
    let get = |path: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    assert!(get("/healthz").ends_with("\r\n\r\nok\n"));
    assert!(get("/readyz").starts_with("HTTP/1.1 200 "));
    let metrics = get("/metrics");
    for line in [
        r#"overt_requests_total{method="tools/call",outcome="ok"} 1"#,
        r#"overt_requests_total{method="initialize",outcome="ok"} 1"#,
        "overt_sessions 1",
        "overt_upstream_up 1",
    ] {
        assert!(metrics.lines().any(|found| found == line), "{line} in {metrics}");
    }
    for hidden in [SECRET, "echo", "server.sh", "scripted"] {
        assert!(!metrics.contains(hidden), "{hidden} in {metrics}");
    }
    assert!(get("/mcp").starts_with("HTTP/1.1 404 "));
    gateway.child.stderr = Some(errors.into_inner());
    gateway.end();
}

#[test]
fn what_can_not_be_used_is_said_at_the_start() {
    for (options, expected) in [
        (["--log", "overt=loud"], "error: `overt=loud` is not a log filter"),
        (["--trace", "-"], "error: `--trace -` is not possible"),
        (["--trace", "/nonexistent/x"], "error: can't write the trace to `/nonexistent/x`"),
        (["--otlp", "ftp://x"], "error: can't send spans"),
        (["--status", "0.0.0.0:0"], "error: can't serve health and metrics"),
    ] {
        // {options:?}.
        run(&["run", options[0], options[1], "--", "true"]).exits(2, &[expected]);
    }
}
