//! Installs the proxies: fixed versions, below `.tools/bench`, only when they are measured.

use std::path::{Path, PathBuf};
use std::time::Duration;

use xtask::failure::Failure;
use xtask::repo::Repo;
use xtask::run::Job;

const MCP_PROXY_RS: &str = "0.6.0";
const MCP_PROXY_PY: &str = "mcp-proxy==0.13.0";
const NPM: &[&str] = &["supergateway@4.0.0", "mcp-remote@0.15.1"];

fn dir(repo: &Repo) -> PathBuf {
    repo.tools.join("bench")
}

pub(crate) fn nginx_program() -> PathBuf {
    PathBuf::from("/usr/sbin/nginx")
}

pub(crate) fn nginx(_: &Repo) -> Result<(), Failure> {
    if nginx_program().exists() {
        return Ok(());
    }
    Err(Failure::new("nginx is not installed")
        .hint("`apt-get install --no-install-recommends nginx-light`, or leave it out with `--only`"))
}

pub(crate) fn mcp_proxy_rs_program(repo: &Repo) -> PathBuf {
    dir(repo).join("cargo/bin/mcp-proxy")
}

pub(crate) fn mcp_proxy_rs(repo: &Repo) -> Result<(), Failure> {
    if mcp_proxy_rs_program(repo).exists() {
        return Ok(());
    }
    Job::cargo(repo, "bench-install-mcp-proxy-rs", &["install", "mcp-proxy", "--version", MCP_PROXY_RS])
        .args(["--locked", "--quiet", "--root"])
        .arg(dir(repo).join("cargo"))
        .succeed()
        .map(|_| ())
}

/// Returns the path of a file of an installed npm package.
pub(crate) fn module(repo: &Repo, file: &str) -> PathBuf {
    dir(repo).join("npm/node_modules").join(file)
}

pub(crate) fn npm(repo: &Repo) -> Result<(), Failure> {
    // These programs run on the Node of the test tools.
    xtask::setup::install(repo)?;
    if module(repo, "supergateway").exists() && module(repo, "mcp-remote").exists() {
        return Ok(());
    }
    let dir = dir(repo).join("npm");
    create(&dir)?;
    Job::new(repo, "bench-install-npm", "npm")
        .args(["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"])
        .arg(&dir)
        .args(NPM.iter().copied())
        .dir(&dir)
        .deadline(Duration::from_secs(600))
        .succeed()
        .map(|_| ())
}

pub(crate) fn mcp_proxy_py_program(repo: &Repo) -> PathBuf {
    dir(repo).join("python/bin/mcp-proxy")
}

pub(crate) fn mcp_proxy_py(repo: &Repo) -> Result<(), Failure> {
    if mcp_proxy_py_program(repo).exists() {
        return Ok(());
    }
    create(&dir(repo))?;
    let venv = dir(repo).join("python");
    Job::new(repo, "bench-install-venv", "python3").args(["-m", "venv", "--clear"]).arg(&venv).succeed()?;
    Job::new(repo, "bench-install-pip", venv.join("bin/python"))
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", MCP_PROXY_PY])
        .deadline(Duration::from_secs(600))
        .succeed()
        .map(|_| ())
}

fn create(dir: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(dir).map_err(Failure::file("create", dir))
}
