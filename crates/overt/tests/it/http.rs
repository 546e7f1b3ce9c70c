//! Streamable HTTP: the example server in both eras, and servers that don't speak MCP.
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use overt_testkit::example;
use overt_transport::http::{Options, Server};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::output::snapshot;
use crate::support::{file, overt, report, run};

/// The example server on its own port, until it is dropped.
pub(crate) struct Example {
    pub(crate) url: String,
    _runtime: Runtime,
}

impl Example {
    pub(crate) fn start() -> Self {
        let runtime = Runtime::new().unwrap();
        let server =
            runtime.block_on(Server::bind("127.0.0.1:0".parse().unwrap(), Options::default())).unwrap();
        let url = server.url();
        let handler = overt_disclosure::open(example::toolbox().unwrap()).unwrap();
        runtime.spawn(server.serve(handler, std::future::pending()));
        Self { url, _runtime: runtime }
    }
}

/// Answers every request with this text. The list collects the requests.
pub(crate) fn canned(response: &'static str) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let requests = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&requests);
    // Ends with the test process.
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut request = vec![0; 16 << 10];
            let count = stream.read(&mut request).unwrap_or(0);
            log.lock().unwrap().push(String::from_utf8_lossy(&request[..count]).to_lowercase());
            let _ = stream.write_all(response.as_bytes());
        }
    });
    (url, requests)
}

#[test]
fn every_version_lists_and_calls() {
    let server = Example::start();
    for version in ["auto", "2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"] {
        // {version}.
        let list = run(&["list", &server.url, "--protocol", version, "--kind", "tools"])
            .exits(0, &[r#""name":"test_simple_text""#]);
        let spoken = if version == "auto" { "2026-07-28" } else { version };
        assert!(list.contains(&format!(r#""protocolVersion":"{spoken}""#)), "{version}: {list}");
        let call = run(&["call", &server.url, "test_simple_text", "--protocol", version, "--format", "text"]);
        assert!(call.starts_with("exit 0\n--- stdout\n"), "{version}: {call}");
        let failing =
            run(&["call", &server.url, "test_error_handling", "--protocol", version, "--format", "text"]);
        assert!(failing.starts_with("exit 1\n--- stderr\ntool error: "), "{version}: {failing}");
    }
}

#[test]
fn progress_and_log_messages_arrive_in_both_eras() {
    let server = Example::start();
    for version in ["2026-07-28", "2025-11-25"] {
        let call = |tool| run(&["call", &server.url, tool, "--protocol", version, "--format", "text", "-v"]);
        // {version}.
        call("test_tool_with_progress").exits(0, &["\nprogress: "]);
        // {version}.
        call("test_tool_with_logging").exits(0, &["\nserver info"]);
    }
}

#[test]
fn a_question_is_not_asked_of_a_client_that_can_not_answer() {
    let server = Example::start();
    for version in ["2026-07-28", "2025-11-25"] {
        let output = run(&[
            "call",
            &server.url,
            "test_elicitation",
            "--json",
            r#"{"message":"m"}"#,
            "--protocol",
            version,
        ]);
        assert!(!output.starts_with("exit 0") || output.contains("decline"), "{version}: {output}");
    }
}

#[test]
fn headers_arrive_from_options_variables_and_files() {
    const REFUSAL: &str = "HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n";
    let (url, requests) = canned(REFUSAL);
    let mut command = overt();
    command
        .args(["list", &url, "--header", "X-One: 1", "--header-env", "Authorization=KEY"])
        .env("KEY", "Bearer k3y");
    snapshot!(report(&command.output().unwrap()), @"
    exit 3
    --- stderr
    error: `http://127.0.0.1:[PORT]/mcp` answered with HTTP status 401

    hint: the server wants another authorization: `--token-env VAR` or `--token-file FILE` pass a token, `overt login` asks for one
    ");
    for request in requests.lock().unwrap().iter() {
        assert!(request.contains("\r\nx-one: 1\r\n"), "{request}");
        assert!(request.contains("\r\nauthorization: bearer k3y\r\n"), "{request}");
    }

    let (url, requests) = canned(REFUSAL);
    let directory = TempDir::new().unwrap();
    let headers = r#"{"Authorization":"Bearer ${KEY}","X-Two":"file"}"#;
    let text = format!(r#"{{"servers":{{"x":{{"type":"http","url":"{url}","headers":{headers}}}}}}}"#);
    let path = file(directory.path(), "mcp.json", &text);
    let mut command = overt();
    command.args(["list", "--mcp-json", &path, "x", "--header", "x-two: option"]).env("KEY", "k3y");
    report(&command.output().unwrap()).exits(3, &[]);
    for request in requests.lock().unwrap().iter() {
        assert!(request.contains("\r\nauthorization: bearer k3y\r\n"), "{request}");
        assert!(request.contains("\r\nx-two: option\r\n") && !request.contains("file"), "{request}");
    }
}

#[test]
fn servers_that_do_not_speak_mcp() {
    let page = "HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 9\r\n\r\nnot \u{1b}[1mh";
    snapshot!(run(&["list", &canned(page).0]), @r"
    exit 3
    --- stderr
    error: `http://127.0.0.1:[PORT]/mcp` answered with HTTP status 404: not \u{1b}[1mh

    hint: check the path of the address; it often ends in `/mcp`. Servers of the old HTTP+SSE transport are not supported
    ");
    let elsewhere = "HTTP/1.1 302 Found\r\nlocation: http://elsewhere/\r\ncontent-length: 0\r\n\r\n";
    snapshot!(run(&["list", &canned(elsewhere).0]), @"
    exit 3
    --- stderr
    error: `http://127.0.0.1:[PORT]/mcp` redirects to `http://elsewhere`, and redirects are not followed

    hint: if you trust that place, use it as the address: http://elsewhere
    ");
    let page =
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/html\r\ncontent-length: 5\r\n\r\n<h1>!";
    snapshot!(run(&["list", &canned(page).0]), @"
    exit 3
    --- stderr
    error: the server broke the protocol: the answer to `initialize` has the content type `text/html`, not `application/json` or `text/event-stream`
    ");
}
