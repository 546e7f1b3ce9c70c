//! Builds the example programs of `overt-testkit` and the binary `overt`, and starts servers.

use std::time::Duration;

use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::{Job, Running};

/// A running example server, and the URL where it listens.
#[derive(Debug)]
pub struct Server {
    pub url: String,
    _running: Running,
}

/// Builds all binaries. It builds all targets, as `cargo test` does: with fewer targets, cargo
/// would choose other features for some dependencies and build half of the tree twice. `task` names
/// the caller's log, because two tasks may build at the same time.
pub fn build(repo: &Repo, task: &str) -> Result<(), Failure> {
    let words = ["build", "--quiet", "--workspace", "--all-targets"];
    Job::linting_cargo(repo, &format!("build-for-{task}"), &words).succeed().map(|_| ())
}

/// Starts a server that takes `--http ADDR` and announces its URL, as all our test servers do.
pub fn start_http(job: &Job) -> Result<Server, Failure> {
    announced(&job.clone().args(["--http", "127.0.0.1:0"]))
}

/// Starts a server that announces its URL.
pub fn announced(job: &Job) -> Result<Server, Failure> {
    let mut running = job.start()?;
    let url = running.announced("listening on ", Duration::from_secs(20))?;
    Ok(Server { url, _running: running })
}

pub fn start(repo: &Repo, name: &str) -> Result<Server, Failure> {
    start_http(&Job::new(repo, name, repo.binary("example-server")))
}
