//! The tool set `npm`: node 22, both conformance suites, the Inspector, both TypeScript SDKs, two
//! servers.

use std::path::Path;
use std::time::Duration;

use super::stamp::Stamp;
use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;

const FILES: &[&str] = &["package.json", "package-lock.json", ".npmrc"];

pub(crate) fn install(repo: &Repo) -> Result<bool, Failure> {
    let manifests: Vec<String> = FILES.iter().map(|file| format!("tools/npm/{file}")).collect();
    let manifests: Vec<&str> = manifests.iter().map(String::as_str).collect();
    let stamp = Stamp::new(repo, "npm", &manifests, "npm ci")?;
    if stamp.is_current(&repo.node()) {
        link_for_scripts(repo)?;
        return Ok(false);
    }
    stamp.remove();
    let dir = repo.tools.join("npm");
    std::fs::create_dir_all(&dir).map_err(Failure::file("create", &dir))?;
    for (from, file) in manifests.iter().zip(FILES) {
        let to = dir.join(file);
        std::fs::copy(repo.root.join(from), &to).map_err(Failure::file("write", &to))?;
    }
    ci(repo, "setup-npm", &dir)?;
    link_for_scripts(repo)?;
    stamp.write()?;
    Ok(true)
}

/// Installs the packages that the lock file in this directory names.
pub(super) fn ci(repo: &Repo, name: &str, dir: &Path) -> Result<(), Failure> {
    let job = Job::new(repo, name, "npm").args(["ci", "--loglevel=error"]).dir(dir);
    job.deadline(Duration::from_secs(600)).succeed().map(|_| ()).map_err(|failure| {
        failure.hint("`cargo xtask setup` needs npm of Node 20 or later and a registry it can reach")
    })
}

/// Links the packages beside the scripts that import them, because Node looks for packages there.
fn link_for_scripts(repo: &Repo) -> Result<(), Failure> {
    for folder in ["tools/peers", "tools/browser"] {
        let link = repo.root.join(folder).join("node_modules");
        if link.exists() {
            continue;
        }
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink("../../.tools/npm/node_modules", &link)
            .map_err(Failure::file("create", &link))?;
    }
    Ok(())
}
