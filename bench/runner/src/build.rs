//! Builds programs for the benchmarks, below `target/bench`, for release.

use std::path::PathBuf;

use xtask::failure::Failure;
use xtask::repo::Repo;
use xtask::run::Job;

/// The only package outside the main workspace: its features of the official SDK would otherwise be
/// enabled for the program too.
const APART: &str = "echo-rmcp";

/// Builds packages below `bench/` for release. Returns the directory of their programs.
pub(crate) fn build(repo: &Repo, packages: &[&str]) -> Result<PathBuf, Failure> {
    Ok(build_with(repo, packages, &["build", "--quiet", "--locked", "--release"])?.join("release"))
}

/// Builds packages without optimisation, to try the benchmarks themselves.
pub(crate) fn build_debug(repo: &Repo, packages: &[&str]) -> Result<PathBuf, Failure> {
    Ok(build_with(repo, packages, &["build", "--quiet", "--locked"])?.join("debug"))
}

/// Builds the program for release, and returns its path.
pub(crate) fn overt(repo: &Repo) -> Result<PathBuf, Failure> {
    Ok(build(repo, &["overt"])?.join("overt"))
}

fn build_with(repo: &Repo, packages: &[&str], words: &[&str]) -> Result<PathBuf, Failure> {
    let target = repo.target.join("bench");
    let (apart, members): (Vec<&str>, Vec<&str>) = packages.iter().partition(|name| **name == APART);
    for (dir, packages) in [("", members), ("bench/echo-rmcp", apart)] {
        if packages.is_empty() {
            continue;
        }
        let job = Job::cargo(repo, "bench-build", words).dir(repo.root.join(dir));
        let job = job.arg("--target-dir").arg(&target);
        packages.iter().fold(job, |job, package| job.args(["--package", package])).succeed()?;
    }
    Ok(target)
}
