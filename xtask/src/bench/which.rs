//! `bench serve`, `bench proxy`, `bench fs`, `bench pages`, `bench cpu`, `bench describe`, `bench control`, `bench log`, `bench skills`, `bench ui` or `bench wire`, and how benchmarks are built.

use super::{control, cpu, describe, fs, log, pages, proxy, serve, skills, ui, wire};
use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;

pub(crate) const USAGE: &str = "usage: cargo xtask bench serve [--rounds N] [--seconds S] [--check] [--tolerance T] | \
     bench proxy [--only NAME,...] [--part PART,...] [--rounds N] [--seconds S] [--check] [--soak] | \
     bench fs [--peers] [--rows ROW,...] [--rounds N] [--seconds S] [--check] | \
     bench pages [--entries N] [--binary PATH] [--check] | \
     bench cpu [--binary NAME=PATH]... [--part PART,...] [--rounds N] [--calls N] [--check] | \
     bench describe [--rounds N] [--check] | bench control [SECONDS [ROUNDS]] | bench log [--records N] [--rounds N] [--check] | \
     bench skills [--peers] [--skills N] [--rounds N] [--binary PATH] [--check] | \
     bench ui [--rounds N] [--questions N] [--binary PATH] [--check] | bench wire";

pub(crate) fn run(repo: &Repo, args: &[String]) -> Result<(), Failure> {
    match args.split_first() {
        Some((which, rest)) if which == "serve" => serve::run(repo, rest),
        Some((which, rest)) if which == "proxy" => proxy::run(repo, rest),
        Some((which, rest)) if which == "fs" => fs::run(repo, rest),
        Some((which, rest)) if which == "pages" => pages::run(repo, rest),
        Some((which, rest)) if which == "cpu" => cpu::run(repo, rest),
        Some((which, rest)) if which == "describe" => describe::run(repo, rest),
        Some((which, rest)) if which == "control" => control::run(repo, rest),
        Some((which, rest)) if which == "log" => log::run(repo, rest),
        Some((which, rest)) if which == "skills" => skills::run(repo, rest),
        Some((which, rest)) if which == "ui" => ui::run(repo, rest),
        Some((which, rest)) if which == "wire" => wire::run(repo, rest),
        _ => Err(Failure::new("say what to measure").hint(USAGE)),
    }
}

/// Builds packages of the workspace `bench/` for release and hands back where their programs are.
pub(crate) fn build(repo: &Repo, packages: &[&str]) -> Result<std::path::PathBuf, Failure> {
    Ok(build_with(repo, packages, &["build", "--quiet", "--locked", "--release"])?.join("release"))
}

/// The same without optimisation, to try the benchmarks themselves.
pub(crate) fn build_debug(repo: &Repo, packages: &[&str]) -> Result<std::path::PathBuf, Failure> {
    Ok(build_with(repo, packages, &["build", "--quiet", "--locked"])?.join("debug"))
}

fn build_with(repo: &Repo, packages: &[&str], words: &[&str]) -> Result<std::path::PathBuf, Failure> {
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
pub(crate) fn overt(repo: &Repo) -> Result<std::path::PathBuf, Failure> {
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
