//! A grant is for one program in one project. Another program with the same command line can't use
//! it (A-10).
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::output::CommandOutput;
use crate::support::{Running, Script, by_person, overt, report, wait_until};

/// Two folders that each contain a program of the same name, and a shared state folder.
struct Projects {
    state: TempDir,
    root: TempDir,
    servers: [Script; 2],
}

impl Projects {
    fn new() -> Self {
        let server = || {
            Script::with_tools(
                r#"[{"name":"touch","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false}}]"#,
            )
            .result("tools/call", r#"{"content":[{"type":"text","text":"touched"}]}"#)
        };
        let projects = Self {
            state: TempDir::new().unwrap(),
            root: TempDir::new().unwrap(),
            servers: [server(), server()],
        };
        for (number, server) in projects.servers.iter().enumerate() {
            let [_, script] = server.command();
            let program = projects.folder(number).join("tool");
            std::fs::create_dir_all(projects.folder(number)).unwrap();
            std::fs::copy(&script, projects.folder(number).join("server.sh")).unwrap();
            std::fs::write(&program, format!("#!/bin/sh\nexec sh {script}\n")).unwrap();
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        projects
    }

    fn folder(&self, number: usize) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(["a", "b"][number])
    }

    /// Runs `overt call` through `overt run` in one of the folders. That folder is also the first
    /// in `PATH`.
    fn call(&self, number: usize, options: &[&str], server: &[&str]) -> Command {
        let mut command = overt();
        let inherited = command.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, path)| path);
        let inherited = inherited.unwrap().to_string_lossy().into_owned();
        let path = format!("{}:{inherited}", self.folder(number).display());
        command.current_dir(self.folder(number)).env("PATH", path);
        command.args(["call", "touch", "--json", "{}", "--format", "json", "--", "env"]);
        command.arg(format!("OVERT_STATE_DIR={}", self.state.path().display()));
        command.arg(env!("CARGO_BIN_EXE_overt")).arg("run").args(options).arg("--").args(server);
        command
    }

    fn overt(&self, folder: &Path, arguments: &[&str]) -> CommandOutput {
        let mut command = overt();
        command.env("OVERT_STATE_DIR", self.state.path()).current_dir(folder).args(arguments);
        report(&by_person(&mut command))
    }

    /// Answers a call in the first folder with a yes.
    fn allow(&self, answer: &[&str], server: &[&str]) {
        let call = Running::start(&mut self.call(0, &["--approval-wait", "60s"], server));
        let pending = || self.overt(self.root.path(), &["grants", "pending"]);
        wait_until("the call waits", || pending().contains(r#""id":"q-"#));
        let list = pending();
        let id = list.split_once(r#""id":""#).unwrap().1.split('"').next().unwrap().to_owned();
        self.overt(self.root.path(), &[&["grants", "allow", &id], answer].concat()).succeeds();
        call.report().exits(0, &["touched"]);
    }

    fn runs(&self, number: usize, server: &[&str]) -> bool {
        let called = report(&self.call(number, &[], server).output().unwrap());
        assert!(called.contains("touched") || called.contains("PERMISSION_NOT_GRANTED"), "{called}");
        called.contains("touched")
    }
}

/// A script by a relative path, a program by a relative path, and a program found through `PATH`.
const COMMANDS: [&[&str]; 3] = [&["sh", "./server.sh"], &["./tool"], &["tool"]];

#[test]
fn a_10_always_in_one_project_does_not_count_in_another() {
    for command in COMMANDS {
        let projects = Projects::new();
        projects.allow(&["--always"], command);
        assert!(projects.runs(0, command), "{command:?}: it lasts where it was given");
        assert!(!projects.runs(1, command), "{command:?}: another program runs unasked");
    }
}

/// A grant for every project has no project. A person gives it in a terminal; no dialog offers it.
#[test]
fn everywhere_counts_in_every_project() {
    let command = COMMANDS[0];
    let projects = Projects::new();
    projects.allow(&["--always", "--everywhere"], command);
    assert!(projects.runs(0, command) && projects.runs(1, command));
    let list = projects.overt(projects.root.path(), &["grants", "list", "--format", "text"]);
    assert!(list.contains("everywhere"), "{list}");
    // Another program is another server, even with a grant for every project.
    let command = COMMANDS[2];
    let projects = Projects::new();
    projects.allow(&["--always", "--everywhere"], command);
    assert!(projects.runs(0, command) && !projects.runs(1, command));
}

#[test]
fn a_grant_in_advance_is_for_the_project_that_is_named() {
    let command = COMMANDS[0];
    let projects = Projects::new();
    assert!(!projects.runs(0, command) && !projects.runs(1, command));
    let scope = "write:server-sh:touch";
    let allow = ["grants", "allow", "--server", "server-sh", "--tool", "touch", "--scope", scope, "--always"];
    projects.overt(&projects.folder(1), &allow).exits(0, &["/b\""]);
    assert!(!projects.runs(0, command) && projects.runs(1, command));
    projects.overt(&projects.folder(1), &[&allow[..], &["--project", "../a"]].concat()).succeeds();
    assert!(projects.runs(0, command));
}

/// The names of the configured variables are part of the server's identity.
#[test]
fn a_10_another_configured_variable_is_another_server() {
    let command = COMMANDS[0];
    let projects = Projects::new();
    projects.allow(&["--always"], command);
    let called = |options: &[&str]| report(&projects.call(0, options, command).output().unwrap());
    assert!(called(&[]).contains("touched"));
    assert!(called(&["--env", "LIBRARY=evil"]).contains("PERMISSION_NOT_GRANTED"));
}

/// B-34: a record names the server, its id and the project.
#[test]
fn b_34_records_name_the_server_by_its_id_and_its_project() {
    let projects = Projects::new();
    projects.allow(&["--always"], COMMANDS[0]);
    projects.runs(1, COMMANDS[0]);
    let folder = projects.folder(0).display().to_string();
    let of = |log: &str| projects.overt(projects.root.path(), &["audit", "query", log]);
    for log in ["server-sh", "grants"] {
        let records = of(log);
        let record = records.split("{\"").find(|record| record.contains("\"target\":\"touch\"")).unwrap();
        assert!(
            record.contains("\"server\":\"server-sh\"") && record.contains("\"server_id\":\""),
            "{record}"
        );
        assert!(record.contains(&format!("\"project\":\"{folder}\"")), "{record}");
    }
}

/// A store of an earlier version: its lasting grants end, and the person is told once.
#[test]
fn a_10_a_store_of_an_earlier_version_is_taken_over_without_its_grants() {
    let projects = Projects::new();
    let grants = projects.state.path().join("grants");
    std::fs::create_dir(&grants).unwrap();
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../state/src/grants/tests/fixtures/version-2.db");
    std::fs::copy(fixture, grants.join("grants.db")).unwrap();
    std::fs::set_permissions(grants.join("grants.db"), std::fs::Permissions::from_mode(0o600)).unwrap();
    let list = || projects.overt(projects.root.path(), &["grants", "list"]);
    let told = list();
    assert!(
        told.contains("3 lasting grants, 2 decisions about trust") && told.contains("{\"grants\":[]}"),
        "{told}"
    );
    let again = list().succeeds();
    assert!(!again.contains("has ended"), "{again}");
    assert!(!projects.runs(0, COMMANDS[0]));
}

/// In questions, grants and pins, a server from a file has the name that it has in the file.
#[test]
fn a_server_of_a_file_is_called_as_it_is_there() {
    let projects = Projects::new();
    let text = r#"{"mcpServers":{"Notes":{"command":"sh","args":["./server.sh"],"env":{"KEY":"x"}}}}"#;
    std::fs::write(projects.folder(0).join("mcp.json"), text).unwrap();
    let called = || {
        let mut command = overt();
        command.current_dir(projects.folder(0)).args(["call", "touch", "--json", "{}", "--", "env"]);
        command.arg(format!("OVERT_STATE_DIR={}", projects.state.path().display()));
        command.args([env!("CARGO_BIN_EXE_overt"), "run", "--mcp-json", "mcp.json", "Notes"]);
        report(&command.output().unwrap())
    };
    assert!(called().contains("PERMISSION_NOT_GRANTED"));
    let pins = projects.overt(&projects.folder(0), &["pins", "list"]);
    assert!(pins.contains("\"name\":\"notes#") && pins.contains("\"env\":[\"KEY\"]"), "{pins}");
    let allow = [
        "grants",
        "allow",
        "--server",
        "notes",
        "--tool",
        "touch",
        "--scope",
        "write:notes:touch",
        "--always",
    ];
    projects.overt(&projects.folder(0), &allow).succeeds();
    assert!(called().contains("touched"));
}
