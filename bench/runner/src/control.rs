//! `bench control`: what it costs that calls are decided about and written down.

use std::time::Duration;

use crate::build::build;
use xtask::failure::Failure;
use xtask::repo::Repo;
use xtask::run::Job;
use xtask::say;

/// Hands its arguments to the program and shows what it prints. The log is written below the target
/// folder: a file system in memory would measure nothing.
pub(crate) fn run(repo: &Repo, args: &[String]) -> Result<(), Failure> {
    let programs = build(repo, &["bench-control"])?;
    let folder = repo.target.join("bench/control");
    let job = Job::new(repo, "bench-control", programs.join("bench-control")).arg(&folder).args(args);
    let finished = job.deadline(Duration::from_secs(600)).finish()?;
    say::line(finished.stdout().trim_end());
    if finished.ok {
        return Ok(());
    }
    Err(Failure::new(format!("`bench-control` ended with {}\n{}", finished.status, finished.stderr())))
}
