//! A legacy client of the binary over stdio, one request at a time.
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Running, overt};

pub(crate) struct Client {
    pub(crate) running: Running,
    replies: BufReader<ChildStdout>,
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
        Self::begin(command, configuration, "test", state)
    }

    /// Starts the binary as a client of this name, with the state folder that the command sets.
    pub(crate) fn start_as(name: &str, command: Command) -> Self {
        Self::begin(command, &json!({}), name, TempDir::new().unwrap())
    }

    fn begin(mut command: Command, configuration: &Value, name: &str, state: TempDir) -> Self {
        command.stdin(Stdio::piped());
        let mut running = Running::start(&mut command);
        let replies = BufReader::new(running.0.stdout.take().unwrap());
        let (handshake, last) = (Value::Null, Value::Null);
        let mut client = Self { running, replies, handshake, last, id: 0, state };
        let capabilities = json!({ "experimental": { "configuration": configuration } });
        let about = json!({ "name": name, "version": "1" });
        let params =
            json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": about });
        client.handshake = client.ask("initialize", &params);
        client.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        client
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
        self.id += 1;
        self.write(&json!({ "jsonrpc": "2.0", "id": self.id, "method": method, "params": params }));
        loop {
            let message = self.next_message();
            // Notifications may arrive in between.
            if message["id"] == self.id {
                return message;
            }
        }
    }

    /// Returns the next message from the server.
    pub(crate) fn next_message(&mut self) -> Value {
        let mut line = String::new();
        self.replies.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
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
}
