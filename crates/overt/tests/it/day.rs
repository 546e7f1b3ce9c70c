//! A state folder, two projects, and clients that work in them through `overt fs` and `overt run`,
//! with the audit log and the pins enabled.
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Client;
use crate::support::{Script, by_person, overt, report};

pub(crate) struct Day {
    place: TempDir,
    server: Script,
}

impl Day {
    pub(crate) fn new() -> Self {
        let place = TempDir::new().unwrap();
        for folder in ["state", "site/src", "api"] {
            std::fs::create_dir_all(place.path().join(folder)).unwrap();
        }
        let tools = r#"[{"name":"add","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false}},
            {"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]"#;
        let answer = r#"{"content":[{"type":"text","text":"done"}]}"#;
        let server = Script::with_tools(&tools.replace('\n', " ")).result("tools/call", answer);
        let day = Self { place, server };
        for name in ["a", "b", "c"] {
            day.write(&format!("site/src/{name}.ts"), &format!("one {name}\ntwo\n"));
        }
        day
    }

    pub(crate) fn path(&self, inner: &str) -> PathBuf {
        self.place.path().canonicalize().unwrap().join(inner)
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.path("state")
    }

    pub(crate) fn write(&self, inner: &str, text: &str) {
        std::fs::write(self.place.path().join(inner), text).unwrap();
    }

    pub(crate) fn read(&self, inner: &str) -> String {
        std::fs::read_to_string(self.place.path().join(inner)).unwrap()
    }

    /// The program in a project, with this state folder.
    pub(crate) fn overt(&self, project: &str, words: &[&str]) -> Command {
        let mut command = overt();
        command.env("OVERT_STATE_DIR", self.state()).env("HOME", self.path("")).env("TZ", "UTC");
        command.args(words).current_dir(self.path(project));
        command
    }

    /// Starts a client of `overt fs` on these folders.
    pub(crate) fn files(&self, client: &str, project: &str, roots: &[&str]) -> Client {
        let mut words = vec!["fs", "--approval-wait", "0"];
        words.extend(roots);
        Client::start_as(client, self.overt(project, &words))
    }

    /// Starts a client of another server, behind `overt run`.
    pub(crate) fn notes(&self, client: &str, project: &str, options: &[&str]) -> Client {
        self.notes_of(&self.server, client, project, options)
    }

    /// Starts a client of this other server, behind `overt run`.
    pub(crate) fn notes_of(&self, server: &Script, client: &str, project: &str, options: &[&str]) -> Client {
        let [command, script] = server.command();
        let servers = json!({ "mcpServers": { "notes": { "command": command, "args": [script] } } });
        let file = self.path("servers.json");
        std::fs::write(&file, servers.to_string()).unwrap();
        let mut words = vec!["run", "--approval-wait", "0"];
        words.extend(options);
        words.extend(["--mcp-json", file.to_str().unwrap(), "notes"]);
        Client::start_as(client, self.overt(project, &words))
    }

    /// Returns what a command printed, as text.
    pub(crate) fn text(&self, project: &str, words: &[&str]) -> String {
        let mut command = self.overt(project, words);
        report(&by_person(command.env("OVERT_FORMAT", "text")))
    }

    /// Returns what a command printed as JSON, one value per line.
    pub(crate) fn json(&self, project: &str, words: &[&str]) -> Vec<Value> {
        let output = self.overt(project, words).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
            .collect()
    }
}

/// Edits a file, and returns the id of the change.
#[track_caller]
pub(crate) fn edit(client: &mut Client, path: &str, find: &str, replace: &str) -> String {
    client.call("edit_file", &json!({ "path": path, "edits": [{ "find": find, "replace": replace }] }));
    let change = &client.last["result"]["structuredContent"]["change"];
    change.as_str().unwrap_or_else(|| panic!("{}", client.last)).to_owned()
}

/// Returns the short form of a change id, such as `c-3fa9c1`.
pub(crate) fn short(change: &str) -> String {
    format!("c-{}", change.rsplit('-').next().unwrap())
}

/// Checks that all records of the logs verify.
#[track_caller]
pub(crate) fn everything_verifies(day: &Day) {
    let said = day.text("site", &["audit", "verify"]);
    assert!(said.starts_with("exit 0"), "{said}");
    assert!(Path::new(&day.state()).join("audit").is_dir());
}
