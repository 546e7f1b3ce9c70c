//! A legacy client of the binary over stdio, one request at a time.
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::output::CommandOutput;
use crate::support::{Running, overt};

pub(crate) struct Client {
    pub(crate) running: Running,
    replies: BufReader<ChildStdout>,
    /// The last line from the server.
    pub(crate) line: String,
    /// The answer to `initialize`.
    pub(crate) handshake: Value,
    /// The last answer to a call.
    pub(crate) last: Value,
    id: u64,
    /// The state folder of the binary.
    pub(crate) state: TempDir,
}

impl Client {
    /// Starts the binary with its own state folder and sends `initialize`.
    pub(crate) fn start(mut command: Command, configuration: &Value) -> Self {
        let state = TempDir::new().unwrap();
        command.env("OVERT_STATE_DIR", state.path());
        let capabilities = json!({ "experimental": { "configuration": configuration } });
        Self { state, ..Self::greeting("test", &capabilities, command) }
    }

    /// Starts the binary as a client of this name, with the state folder that the command sets.
    pub(crate) fn start_as(name: &str, command: Command) -> Self {
        Self::greeting(name, &json!({}), command)
    }

    /// Starts the binary and sends `initialize` with these capabilities.
    pub(crate) fn greeting(name: &str, capabilities: &Value, command: Command) -> Self {
        let mut client = Self::silent(command);
        let about = json!({ "name": name, "version": "1" });
        let params =
            json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": about });
        client.handshake = client.ask("initialize", &params);
        client.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
    }

    /// Starts the binary and sends nothing.
    pub(crate) fn silent(mut command: Command) -> Self {
        command.stdin(Stdio::piped());
        let mut running = Running::start(&mut command);
        let replies = BufReader::new(running.0.stdout.take().unwrap());
        let (handshake, last, state) = (Value::Null, Value::Null, TempDir::new().unwrap());
        Self { running, replies, line: String::new(), handshake, last, id: 0, state }
    }

    /// Returns when and which policies came into force, according to the audit log.
    pub(crate) fn policy_loads(&self) -> Vec<[String; 2]> {
        let mut command = overt();
        command.env("OVERT_STATE_DIR", self.state.path()).args(["audit", "query", "--kind", "policy_load"]);
        let page: Value =
            serde_json::from_str(std::str::from_utf8(&command.output().unwrap().stdout).unwrap()).unwrap();
        let text = |record: &Value, name: &str| record[name].as_str().unwrap_or_default().to_owned();
        let records = page["records"].as_array().unwrap().iter();
        records.map(|record| ["reason", "policy_version"].map(|name| text(record, name))).collect()
    }

    pub(crate) fn write(&mut self, message: &Value) {
        let input = self.running.0.stdin.as_mut().unwrap();
        writeln!(input, "{message}").unwrap();
    }

    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.send(method, params);
        loop {
            let message = self.next_message();
            // Notifications may arrive in between.
            if message["id"] == self.id {
                return message;
            }
        }
    }

    /// Sends a request without waiting for its answer.
    pub(crate) fn send(&mut self, method: &str, params: &Value) {
        self.id += 1;
        self.write(&json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params }));
    }

    /// Returns the next message from the server.
    pub(crate) fn next_message(&mut self) -> Value {
        self.line.clear();
        self.replies.read_line(&mut self.line).unwrap();
        serde_json::from_str(&self.line).unwrap_or_else(|error| panic!("{error}: {}", self.line))
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.call_with(tool, arguments, &json!({}))
    }

    /// Makes a call with this `_meta`.
    pub(crate) fn call_with(&mut self, tool: &str, arguments: &Value, meta: &Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
        self.last = self.ask("tools/call", &params);
        self.last.clone()
    }

    pub(crate) fn was_refused(&self) -> bool {
        self.last["result"]["isError"] == true || self.last.get("error").is_some()
    }

    pub(crate) fn end(mut self) {
        drop(self.running.0.stdin.take());
        self.running.0.wait().unwrap();
    }

    /// Ends the session and returns what else the binary printed.
    pub(crate) fn report(mut self) -> CommandOutput {
        drop(self.running.0.stdin.take());
        self.running.report()
    }
}
