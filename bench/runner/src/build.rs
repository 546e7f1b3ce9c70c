//! How programs are built for the benchmarks.

use std::path::PathBuf;

use xtask::failure::Failure;
use xtask::repo::Repo;
use xtask::run::Job;

/// Builds packages of the workspace `bench/` for release and hands back where their programs are.
pub(crate) fn build(repo: &Repo, packages: &[&str]) -> Result<PathBuf, Failure> {
    Ok(build_with(repo, packages, &["build", "--quiet", "--locked", "--release"])?.join("release"))
}

/// Builds packages without optimisation, to try the benchmarks themselves.
pub(crate) fn build_debug(repo: &Repo, packages: &[&str]) -> Result<PathBuf, Failure> {
    Ok(build_with(repo, packages, &["build", "--quiet", "--locked"])?.join("debug"))
}

fn build_with(repo: &Repo, packages: &[&str], words: &[&str]) -> Result<PathBuf, Failure> {
    let target = repo.target.join("bench");
    let mut job =
        Job::cargo(repo, "bench-build", words).dir(repo.root.join("bench")).arg("--target-dir").arg(&target);
    for package in packages {
        job = job.args(["--package", package]);
    }
    job.succeed()?;
    Ok(target)
}

/// The program, built for release beside the benchmarks.
pub(crate) fn overt(repo: &Repo) -> Result<PathBuf, Failure> {
    let target = repo.target.join("bench");
    Job::cargo(
        repo,
        "bench-build-overt",
        &["build", "--quiet", "--release", "--locked", "--package", "overt"],
    )
    .arg("--target-dir")
    .arg(&target)
    .succeed()?;
    Ok(target.join("release/overt"))
}
