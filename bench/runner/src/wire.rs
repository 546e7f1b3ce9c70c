//! `bench wire`: the scanner and the editor compared with serde_json's parse to a tree.

use std::time::Duration;

use crate::build::build;
use xtask::failure::Failure;
use xtask::repo::Repo;
use xtask::run::Job;
use xtask::say;

/// The scanner and the editor beside serde_json
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// For the program that measures
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

/// Passes the arguments to the program and shows what it prints.
pub(crate) fn run(repo: &Repo, options: &Options) -> Result<(), Failure> {
    let programs = build(repo, &["bench-wire"])?;
    let job = Job::new(repo, "bench-wire", programs.join("bench-wire")).args(&options.words);
    let finished = job.deadline(Duration::from_secs(600)).finish()?;
    say::line(finished.stdout().trim_end());
    if finished.ok {
        return Ok(());
    }
    Err(Failure::new(format!("`bench-wire` ended with {}\n{}", finished.status, finished.stderr())))
}
