//! The tasks around the code, run as `cargo xtask TASK`. Knows the repository, and none of our crates.

mod failure; // what a task says when it fails
mod repo; // where things are
mod run; // other programs: their output, their time, their end
mod say; // the only place that prints
mod setup; // what the suite needs beyond Rust
mod tidy; // the rules that no compiler checks

use std::process::ExitCode;

use failure::Failure;
use repo::Repo;

/// Each task: its name, what it is for, the function behind it.
const TASKS: &[(&str, &str, Task)] = &[
    ("setup", "install what the suite needs below .tools/", |repo, _| setup::install(repo)),
    ("tidy", "check the rules that no compiler checks", |repo, _| tidy::report(repo)),
];

type Task = fn(&Repo, &[String]) -> Result<(), Failure>;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_default();
    let rest: Vec<String> = args.collect();
    let Some((_, _, task)) = TASKS.iter().find(|(known, _, _)| *known == name) else {
        say::usage(TASKS.iter().map(|(name, purpose, _)| (*name, *purpose)));
        return ExitCode::from(2);
    };
    match Repo::find().and_then(|repo| task(&repo, &rest)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            say::failure(&failure);
            ExitCode::FAILURE
        }
    }
}
