//! The tool sets that cargo builds: `cargo-deny`, `cargo-fuzz` and `agnix` at fixed versions, and
//! the Rust SDK's peer.

use std::time::Duration;

use super::stamp::Stamp;
use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;

pub(crate) fn install_deny(repo: &Repo) -> Result<bool, Failure> {
    install(repo, "cargo-deny", "0.20.2")
}

pub(crate) fn install_fuzz(repo: &Repo) -> Result<bool, Failure> {
    install(repo, "cargo-fuzz", "0.13.2")
}

pub(crate) fn build_rmcp_peer(repo: &Repo) -> Result<bool, Failure> {
    let dir = repo.root.join("tools/rmcp-peer");
    let files = [
        "Cargo.toml",
        "Cargo.lock",
        "src/main.rs",
        "src/ask.rs",
        "src/calls.rs",
        "src/client.rs",
        "src/server.rs",
    ];
    let files: Vec<String> = files.iter().map(|file| format!("tools/rmcp-peer/{file}")).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let stamp = Stamp::new(repo, "rmcp-peer", &files, "build")?;
    if stamp.is_current(&repo.rmcp_peer()) {
        return Ok(false);
    }
    stamp.remove();
    Job::cargo(repo, "setup-rmcp-peer", &["build", "--quiet", "--locked", "--target-dir"])
        .arg(repo.tools.join("rmcp-peer"))
        .dir(dir)
        .succeed()?;
    stamp.write()?;
    Ok(true)
}

/// The linter beside which `bench skills` measures, optimised. Only that benchmark installs it: it
/// takes minutes to build.
pub fn install_agnix(repo: &Repo) -> Result<bool, Failure> {
    let stamp = Stamp::new(repo, "agnix", &[], AGNIX)?;
    if stamp.is_current(&repo.agnix()) {
        return Ok(false);
    }
    stamp.remove();
    let build = repo.tools.join("build-agnix");
    Job::cargo(repo, "setup-agnix", &["install", "agnix-cli", "--version", AGNIX])
        .args(["--locked", "--force", "--quiet", "--root"])
        .arg(repo.tools.join("agnix"))
        .arg("--target-dir")
        .arg(&build)
        .deadline(Duration::from_secs(1_800))
        .succeed()
        .map_err(|failure| failure.hint("`--peers` needs a crates registry that cargo can reach"))?;
    let _ = std::fs::remove_dir_all(&build);
    stamp.write()?;
    Ok(true)
}

const AGNIX: &str = "0.60.3";

fn install(repo: &Repo, name: &str, version: &str) -> Result<bool, Failure> {
    let stamp = Stamp::new(repo, name, &[], version)?;
    if stamp.is_current(&repo.cargo_tool(name)) {
        return Ok(false);
    }
    stamp.remove();
    let build = repo.tools.join("build");
    // Unoptimised and without debug information: they run for seconds, and anything more takes
    // minutes to build.
    Job::cargo(repo, &format!("setup-{name}"), &["install", name, "--version", version])
        .args(["--locked", "--debug", "--force", "--quiet", "--root"])
        .arg(repo.tools.join("cargo"))
        .arg("--target-dir")
        .arg(&build)
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .succeed()
        .map_err(|failure| {
            failure.hint("`cargo xtask setup` needs a crates registry that cargo can reach")
        })?;
    let _ = std::fs::remove_dir_all(&build);
    stamp.write()?;
    Ok(true)
}
