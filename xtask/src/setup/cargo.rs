//! The tool sets that cargo builds: `cargo-deny` and `cargo-fuzz`, at fixed versions.

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

fn install(repo: &Repo, name: &str, version: &str) -> Result<bool, Failure> {
    let stamp = Stamp::new(repo, name, &[], version)?;
    if stamp.is_current(&repo.cargo_tool(name)) {
        return Ok(false);
    }
    stamp.remove();
    let build = repo.tools.join("build");
    // Unoptimised: they run for seconds and an optimised build takes minutes.
    Job::cargo(repo, &format!("setup-{name}"), &["install", name, "--version", version])
        .args(["--locked", "--debug", "--force", "--quiet", "--root"])
        .arg(repo.tools.join("cargo"))
        .arg("--target-dir")
        .arg(&build)
        .succeed()
        .map_err(|failure| {
            failure.hint("`cargo xtask setup` needs a crates registry that cargo can reach")
        })?;
    let _ = std::fs::remove_dir_all(&build);
    stamp.write()?;
    Ok(true)
}
