//! Installs the tool `agnix`, which cargo builds, at a fixed version.

use std::time::Duration;

use super::stamp::Stamp;
use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;

/// Installs the linter that `bench skills` compares ours with, optimised. Only that benchmark needs
/// it, because it takes minutes to build.
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
