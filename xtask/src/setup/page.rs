//! The tool sets of the page: the packages that build it, and the browser that tests it.

use std::path::Path;
use std::time::Duration;

use super::npm;
use super::stamp::Stamp;
use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;

const FILES: [&str; 3] = ["ui/package.json", "ui/package-lock.json", "ui/.npmrc"];

/// The path of Debian's package. It is complete and downloads nothing itself.
const CHROMIUM: &str = "/usr/bin/chromium";

pub fn install_packages(repo: &Repo) -> Result<bool, Failure> {
    let stamp = Stamp::new(repo, "ui", &FILES, "npm ci")?;
    let dir = repo.root.join("ui");
    if stamp.is_current(&dir.join("node_modules/esbuild/bin/esbuild")) {
        return Ok(false);
    }
    stamp.remove();
    npm::ci(repo, "setup-ui", &dir)?;
    stamp.write()?;
    Ok(true)
}

pub fn install_chromium(repo: &Repo) -> Result<bool, Failure> {
    if Path::new(CHROMIUM).exists() {
        return Ok(false);
    }
    let apt = |name: &str, words: &[&str]| {
        let job = Job::new(repo, name, "apt-get").args(["-q"]).args(words);
        let job = job.env("DEBIAN_FRONTEND", "noninteractive").deadline(Duration::from_secs(600));
        job.succeed().map_err(|failure| {
            failure.hint(
                "install Chromium as `/usr/bin/chromium`; `cargo xtask setup` does it with apt, as root",
            )
        })
    };
    apt("setup-apt-update", &["update"])?;
    apt("setup-chromium", &["install", "-y", "--no-install-recommends", "chromium"])?;
    Ok(true)
}
