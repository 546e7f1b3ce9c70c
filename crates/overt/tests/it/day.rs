//! A state folder, two projects, and clients that work in them through `overt fs` and `overt run`,
//! with the audit log and the pins enabled.
use std::path::Path;

use serde_json::json;

use crate::client::Client;
use crate::environment::TestEnvironment;
use crate::support::Script;

impl TestEnvironment {
    /// Makes the projects `site`, with three files, and `api`, and another server.
    pub(crate) fn with_projects() -> Self {
        let tools = r#"[{"name":"add","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false}},
            {"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]"#;
        let answer = r#"{"content":[{"type":"text","text":"done"}]}"#;
        let day = Self::of(Script::with_tools(&tools.replace('\n', " ")).result("tools/call", answer));
        for name in ["a", "b", "c"] {
            day.write(&format!("site/src/{name}.ts"), &format!("one {name}\ntwo\n"));
        }
        std::fs::create_dir(day.path("api")).unwrap();
        day
    }

    /// Starts a client of `overt fs` on these folders.
    pub(crate) fn files(&self, client: &str, project: &str, roots: &[&str]) -> Client {
        let mut words = vec!["fs", "--approval-wait", "0"];
        words.extend(roots);
        Client::start_as(client, self.command_in(project, &words))
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
        Client::start_as(client, self.command_in(project, &words))
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
pub(crate) fn everything_verifies(day: &TestEnvironment) {
    day.text_in("site", &["audit", "verify"]).succeeds();
    assert!(Path::new(&day.state()).join("audit").is_dir());
}
