//! The programs that are compared with ours, and their installation: fixed versions below `.tools`,
//! only when they are measured.

use std::path::{Path, PathBuf};

use xtask::failure::Failure;
use xtask::repo::Repo;
use xtask::setup::{FD, RIPGREP, RUST_MCP_FILESYSTEM};
use xtask::{say, setup};

/// Another file server, with the command that starts it.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    pub(crate) command: Vec<String>,
}

/// The installed programs. A program that can't be installed is reported and left out.
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

/// Returns the script of the official server, at the version in `tools/npm`.
fn server_filesystem(repo: &Repo) -> Result<PathBuf, Failure> {
    let script = repo.modules().join("@modelcontextprotocol/server-filesystem/dist/index.js");
    if !script.exists() || !repo.node().exists() {
        setup::install(repo)?;
    }
    Ok(script)
}

fn unless_missing(name: &str, installed: Result<PathBuf, Failure>) -> Option<PathBuf> {
    installed.inspect_err(|failure| say::line(format!("{name} is left out: {failure}"))).ok()
}
