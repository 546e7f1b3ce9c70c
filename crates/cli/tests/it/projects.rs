//! A grant is for one program in one project: another program with the same command line gets nothing of it (A-10).
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::support::{Running, Script, overt, report, wait_until};

/// Two folders with a program of the same name each, and a state folder that they share.
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
        let projects =
            Self { state: TempDir::new().unwrap(), root: TempDir::new().unwrap(), servers: [server(), server()] };
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

    /// `overt call` through `overt run`, in one of the folders, which is also the first of `PATH`.
    fn call(&self, number: usize, options: &[&str], server: &[&str]) -> Command {
        let mut command = overt();
        let path = format!("{}:{}", self.folder(number).display(), std::env::var("PATH").unwrap());
        command.current_dir(self.folder(number)).env("PATH", path);
        command.args(["call", "touch", "--json", "{}", "--format", "json", "--", "env"]);
        command.arg(format!("OVERT_STATE_DIR={}", self.state.path().display()));
        command.arg(env!("CARGO_BIN_EXE_overt")).arg("run").args(options).arg("--").args(server);
        command
    }

    fn overt(&self, folder: &Path, arguments: &[&str]) -> String {
        let mut command = overt();
        command.env("OVERT_STATE_DIR", self.state.path()).current_dir(folder).args(arguments);
        report(&command.output().unwrap())
    }

    /// Says yes to a call in the first folder.
    fn allow(&self, answer: &[&str], server: &[&str]) {
        let call = Running::start(&mut self.call(0, &["--approval-wait", "60s"], server));
        let pending = || self.overt(self.root.path(), &["grants", "pending"]);
        wait_until("the call waits", || pending().contains(r#""id":"q-"#));
        let list = pending();
        let id = list.split_once(r#""id":""#).unwrap().1.split('"').next().unwrap().to_owned();
        let said = self.overt(self.root.path(), &[&["grants", "allow", &id], answer].concat());
        assert!(said.starts_with("exit 0"), "{said}");
        let called = call.report();
        assert!(called.starts_with("exit 0") && called.contains("touched"), "{called}");
    }

    fn runs(&self, number: usize, server: &[&str]) -> bool {
        let called = report(&self.call(number, &[], server).output().unwrap());
        assert!(called.contains("touched") || called.contains("PERMISSION_NOT_GRANTED"), "{called}");
        called.contains("touched")
    }
}

/// A script by a relative path, a program by a relative path, a program that `PATH` finds.
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
