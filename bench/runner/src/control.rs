//! `bench control`: the cost of deciding about calls and recording them.

use std::time::Duration;

use crate::build::build;
use xtask::failure::Failure;
use xtask::repo::Repo;
use xtask::run::Job;
use xtask::say;

/// The audit log, written durably
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// For the program that measures: seconds and rounds
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

/// Passes the arguments to the program and shows what it prints. The log is written below the
/// target folder, because a file system in memory would measure nothing.
pub(crate) fn run(repo: &Repo, options: &Options) -> Result<(), Failure> {
    let programs = build(repo, &["bench-control"])?;
    let folder = repo.target.join("bench/control");
    let job =
        Job::new(repo, "bench-control", programs.join("bench-control")).arg(&folder).args(&options.words);
    let finished = job.deadline(Duration::from_secs(600)).finish()?;
    say::line(finished.stdout().trim_end());
    if finished.ok {
        return Ok(());
    }
    Err(Failure::new(format!("`bench-control` ended with {}\n{}", finished.status, finished.stderr())))
}
