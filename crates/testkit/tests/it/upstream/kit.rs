//! A client of the older era, `overt run` and the evil server, connected in a row.
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use overt_testkit::http_raw::PATIENCE;
use overt_testkit::process::Process;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::time::timeout;

pub(super) const EVIL: &str = env!("CARGO_BIN_EXE_evil-server");

/// The variable and value that set the state folder of `overt`.
pub(super) const STATE: (&str, &str) = ("OVERT_STATE_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/state"));

/// A client connected to `overt run`.
pub(super) struct Gate {
    pub(super) process: Process,
    input: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
    next: u64,
    /// Answers that came while waiting for another one.
    answers: HashMap<u64, Value>,
    /// Notifications and questions, in the order in which they came.
    pub(super) others: Vec<Value>,
}

/// Returns the program, which `cargo test` builds beside this test.
pub(crate) fn overt() -> PathBuf {
    let program = Path::new(EVIL).with_file_name("overt");
    assert!(
        program.exists(),
        "`overt` is not built: run `cargo build -p overt`, or test the whole workspace"
    );
    program
}

/// Returns a program and its arguments that start `overt` with these arguments. Its state folder is
/// not the user's.
pub(super) fn overt_words(arguments: &[&str]) -> (PathBuf, Vec<String>) {
    let overt = overt().display().to_string();
    let state = format!("{}={}", STATE.0, STATE.1);
    let words = [&[state.as_str(), &overt], arguments].concat();
    (PathBuf::from("env"), words.into_iter().map(str::to_owned).collect())
}

impl Gate {
    /// Starts `overt run` in front of the evil server with these habits, and does the handshake.
    pub(super) async fn before(habits: &[&str]) -> Self {
        Self::with(&[], habits).await
    }

    pub(super) async fn with(options: &[&str], habits: &[&str]) -> Self {
        let mut gate = Self::start(options, habits);
        let answer = gate.greet().await;
        assert!(answer["result"]["serverInfo"].is_object(), "{answer}");
        gate
    }

    /// Starts without a handshake.
    pub(super) fn start(options: &[&str], habits: &[&str]) -> Self {
        Self::run(
            &[
                &["run", "--allow", "read", "--allow", "write", "--allow", "execute"],
                options,
                &["--", EVIL],
                habits,
                &["--stdio"],
            ]
            .concat(),
            &[],
        )
    }

    pub(super) fn run(arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut process = Process::start_in(overt(), arguments, &[environment, &[STATE]].concat());
        let input = process.input.take();
        let lines = BufReader::new(process.output.take().unwrap()).lines();
        Self { process, input, lines, next: 1, answers: HashMap::new(), others: Vec::new() }
    }

    /// Sends `initialize` and, after a success, the notification that follows it. Returns the
    /// answer.
    pub(super) async fn greet(&mut self) -> Value {
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "elicitation": {}, "sampling": {}, "roots": {} },
            "clientInfo": { "name": "test", "version": "1" }
        });
        let id = self.request("initialize", params).await;
        let answer = self.answer(id).await;
        if !answer["result"].is_null() {
            self.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        }
        answer
    }

    pub(super) async fn request(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        id
    }

    pub(super) async fn send(&mut self, tool: &str, arguments: Value) -> u64 {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// Sends a call and reads answers while it writes.
    pub(super) async fn send_and_read(&mut self, tool: &str, arguments: Value) -> u64 {
        let mut input = self.input.take().unwrap();
        let (id, params) = (self.next, json!({ "name": tool, "arguments": arguments }));
        self.next += 1;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        let text = format!("{message}\n");
        {
            let mut written = std::pin::pin!(input.write_all(text.as_bytes()));
            loop {
                tokio::select! {
                    result = &mut written => break result.unwrap(),
                    () = self.read() => {}
                }
            }
        }
        self.input = Some(input);
        id
    }

    /// Makes a call and returns its answer.
    pub(super) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let id = self.send(tool, arguments).await;
        self.answer(id).await
    }

    /// Makes a call and returns its text.
    pub(super) async fn text(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.call(tool, arguments).await;
        let text = answer["result"]["content"][0]["text"].as_str();
        text.unwrap_or_else(|| panic!("`{tool}` answered {answer}")).to_owned()
    }

    /// Checks that the upstream still works.
    pub(super) async fn is_well(&mut self) {
        assert_eq!(self.text("echo", json!({ "message": "still here" })).await, "still here");
    }

    /// Waits for the answer to a request. Fails if any answer comes twice.
    pub(super) async fn answer(&mut self, id: u64) -> Value {
        loop {
            if let Some(answer) = self.answers.remove(&id) {
                return answer;
            }
            self.read().await;
        }
    }

    /// Reads one message.
    async fn read(&mut self) {
        let line = timeout(PATIENCE, self.lines.next_line()).await.expect("something comes").unwrap();
        let line = line.expect("`overt run` goes on");
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no message: {line:?}"));
        match message["id"].as_u64() {
            Some(id) if message["method"].is_null() => {
                assert!(id < self.next, "an answer to nothing: {line}");
                assert!(self.answers.insert(id, message).is_none(), "a second answer: {line}");
            }
            _ => self.others.push(message),
        }
    }

    /// Checks that no other message comes before the answer to a ping.
    pub(super) async fn is_quiet(&mut self) {
        let id = self.request("ping", json!({})).await;
        self.answer(id).await;
        assert!(self.answers.is_empty(), "{:?}", self.answers);
    }

    pub(super) async fn write(&mut self, message: &Value) {
        let input = self.input.as_mut().unwrap();
        let written = timeout(PATIENCE, input.write_all(format!("{message}\n").as_bytes())).await;
        written.expect("`overt run` reads").unwrap();
    }

    /// Closes the input and returns the log. The program must end without an error, and in time.
    pub(super) async fn end(mut self) -> String {
        self.input = None;
        let mut log = String::new();
        let mut errors = self.process.errors.take().unwrap();
        timeout(PATIENCE, errors.read_to_string(&mut log)).await.expect("the log ends").unwrap();
        let ended = self.process.ended_within(Duration::from_secs(30)).await.expect("`overt run` ends");
        assert!(ended.success(), "{ended}: {log}");
        log
    }
}

/// Returns a line for the tool `say`: an answer with this result.
pub(super) fn result(result: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{result}}}\n")
}

/// Returns a line for the tool `say`: a result with one text.
pub(super) fn said(text: &str) -> String {
    result(&json!({ "content": [{ "type": "text", "text": text }] }).to_string())
}

/// Returns the error code of an answer, and what its data says about whether the call was executed.
#[track_caller]
pub(super) fn failed(answer: &Value) -> (i64, &str) {
    let code = answer["error"]["code"].as_i64();
    (
        code.unwrap_or_else(|| panic!("no error: {answer}")),
        answer["error"]["data"]["executed"].as_str().unwrap_or(""),
    )
}

/// Returns the lines of a file; none if it does not exist.
pub(super) fn lines(file: &Path) -> Vec<String> {
    std::fs::read_to_string(file).unwrap_or_default().lines().map(str::to_owned).collect()
}
