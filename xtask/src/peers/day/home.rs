//! The home folder of a person with a project and its four servers, and programs that run there.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::failure::Failure;
use crate::peers::approver;
use crate::repo::Repo;
use crate::run::Job;

/// The number of files in each folder that a server serves.
pub(super) const FILES: usize = 10;

#[derive(Clone)]
pub(super) struct Home {
    pub(super) repo: Repo,
    dir: PathBuf,
}

impl Home {
    /// Creates the home as it is in the morning: nothing is wrapped, and nothing is recorded.
    pub(super) fn new(repo: &Repo) -> Result<Self, Failure> {
        let dir = repo.out.join("day");
        let _ = std::fs::remove_dir_all(&dir);
        let home = Self { repo: repo.clone(), dir };
        for folder in ["docs", "notes/old"] {
            for number in 0..FILES {
                home.write(&format!("{folder}/{number}.md"), &first_text(folder, number))?;
            }
        }
        home.write(".gitignore", "node_modules\n.mcp.json\nmemory.json\n")?;
        let modules = home.site().join("node_modules");
        std::os::unix::fs::symlink(repo.modules(), &modules).map_err(Failure::file("create", &modules))?;
        home.git(&["init", "--quiet"])?;
        for (name, value) in [("user.name", "Ada"), ("user.email", "ada@example.com")] {
            home.git(&["config", name, value])?;
        }
        home.git(&["add", "."])?;
        home.git(&["commit", "--quiet", "-m", "first"])?;
        home.write(".mcp.json", &home.configuration())?;
        approver::set_passphrase(&home.dir.join(".local/state/overt"))?;
        Ok(home)
    }

    /// Returns the path of the project.
    pub(super) fn site(&self) -> PathBuf {
        self.dir.join("site")
    }

    pub(super) fn path(&self, inner: &str) -> String {
        self.site().join(inner).display().to_string()
    }

    pub(super) fn read(&self, inner: &str) -> Result<String, Failure> {
        let path = self.site().join(inner);
        std::fs::read_to_string(&path).map_err(Failure::file("read", &path))
    }

    pub(super) fn write(&self, inner: &str, text: &str) -> Result<PathBuf, Failure> {
        let path = self.site().join(inner);
        let folder = path.parent().unwrap_or(Path::new("/"));
        std::fs::create_dir_all(folder).map_err(Failure::file("create", folder))?;
        std::fs::write(&path, text).map_err(Failure::file("write", &path))?;
        Ok(path)
    }

    /// Returns the job for a program that the person starts in the project.
    pub(super) fn job(&self, name: &str, words: impl IntoIterator<Item = OsString>) -> Job {
        let mut home = OsString::from("HOME=");
        home.push(&self.dir);
        // Unset these variables of the person who runs the tests, so that the folders are those of
        // this home.
        let unset = ["-u", "XDG_CONFIG_HOME", "-u", "XDG_STATE_HOME"].map(OsString::from);
        let start = std::iter::once("env".into()).chain(unset).chain([home]);
        Job::command(&self.repo, &format!("peer day {name}"), start.chain(words)).dir(self.site())
    }

    pub(super) fn overt(&self, name: &str, words: &[&str]) -> Job {
        let program = self.repo.binary("overt").into_os_string();
        self.job(name, std::iter::once(program).chain(words.iter().map(OsString::from)))
    }

    fn git(&self, words: &[&str]) -> Result<(), Failure> {
        let words = std::iter::once("git").chain(words.iter().copied()).map(OsString::from);
        self.job("git", words).succeed().map(|_| ())
    }

    /// Returns the client's configuration as its author wrote it.
    fn configuration(&self) -> String {
        let module = |name: &str| self.repo.modules().join(name).display().to_string();
        let (node, python) = (self.repo.node(), self.repo.python());
        let servers: Value = json!({ "mcpServers": {
            "filesystem": {
                "command": node,
                "args": [module("@modelcontextprotocol/server-filesystem/dist/index.js"), self.path("docs")],
            },
            "memory": {
                "command": node,
                "args": [module("@modelcontextprotocol/server-memory/dist/index.js")],
                "env": { "MEMORY_FILE_PATH": self.path("memory.json") },
            },
            "git": {
                "command": python,
                "args": ["-m", "mcp_server_git", "--repository", self.site()],
            },
            // The person replaces this one with `overt fs`.
            "notes": {
                "command": "npx",
                "args": ["--offline", "@modelcontextprotocol/server-filesystem", self.path("notes")],
            },
        }});
        format!("{servers:#}\n")
    }
}

/// Returns the content of a file in the morning.
pub(super) fn first_text(folder: &str, number: usize) -> String {
    format!("# {folder} {number}\n\nthe first version\n")
}
