//! Who is measured, and how each comes onto this machine: fixed versions below `.tools`, only when they are measured.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;
use crate::say;

/// A program that cargo builds.
struct Built {
    package: &'static str,
    version: &'static str,
    program: &'static str,
}

const RUST_MCP_FILESYSTEM: Built =
    Built { package: "rust-mcp-filesystem", version: "0.4.5", program: "rust-mcp-filesystem" };
const RIPGREP: Built = Built { package: "ripgrep", version: "15.1.0", program: "rg" };
const FD: Built = Built { package: "fd-find", version: "10.3.0", program: "fd" };

/// Another file server.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    pub(crate) command: Vec<String>,
}

/// What others bring. Whoever can't be installed is named, and the rest is measured without them.
#[derive(Debug, Default)]
pub(crate) struct Others {
    pub(crate) peers: Vec<Peer>,
    pub(crate) rg: Option<PathBuf>,
    pub(crate) fd: Option<PathBuf>,
}

impl Others {
    pub(crate) fn install(repo: &Repo, corpus: &Path) -> Self {
        let corpus = corpus.display().to_string();
        let mut peers = Vec::new();
        if let Some(script) = unless_missing("server-filesystem", server_filesystem(repo)) {
            let command =
                vec![repo.node().display().to_string(), script.display().to_string(), corpus.clone()];
            peers.push(Peer { name: "server-filesystem", command });
        }
        if let Some(program) = unless_missing("rust-mcp-filesystem", RUST_MCP_FILESYSTEM.install(repo)) {
            let command = vec![program.display().to_string(), "--allow-write".to_owned(), corpus];
            peers.push(Peer { name: "rust-mcp-filesystem", command });
        }
        Self {
            peers,
            rg: unless_missing("rg", RIPGREP.install(repo)),
            fd: unless_missing("fd", FD.install(repo)),
        }
    }
}

/// The official server, at the version of `tools/npm`.
fn server_filesystem(repo: &Repo) -> Result<PathBuf, Failure> {
    let script = repo.modules().join("@modelcontextprotocol/server-filesystem/dist/index.js");
    if !script.exists() || !repo.node().exists() {
        crate::setup::install(repo)?;
    }
    Ok(script)
}

/// The program of rust-mcp-filesystem, if a benchmark has installed it.
pub(crate) fn installed_rust_mcp_filesystem(repo: &Repo) -> Option<PathBuf> {
    Some(RUST_MCP_FILESYSTEM.path(repo)).filter(|program| program.exists())
}

/// Installs rust-mcp-filesystem, which takes minutes.
pub(crate) fn install_rust_mcp_filesystem(repo: &Repo) -> Result<PathBuf, Failure> {
    RUST_MCP_FILESYSTEM.install(repo)
}

impl Built {
    fn path(&self, repo: &Repo) -> PathBuf {
        root(repo).join("bin").join(self.program)
    }

    fn install(&self, repo: &Repo) -> Result<PathBuf, Failure> {
        let (root, program) = (root(repo), self.path(repo));
        if program.exists() {
            return Ok(program);
        }
        let name = format!("bench-install-{}", self.package);
        Job::cargo(repo, &name, &["install", self.package, "--version", self.version])
            .args(["--locked", "--quiet", "--root"])
            .arg(&root)
            .succeed()?;
        Ok(program)
    }
}

fn root(repo: &Repo) -> PathBuf {
    repo.tools.join("bench/cargo")
}

fn unless_missing(name: &str, installed: Result<PathBuf, Failure>) -> Option<PathBuf> {
    installed.inspect_err(|failure| say::line(format!("{name} is left out: {failure}"))).ok()
}
