//! The tasks around the code, run as `cargo xtask TASK`. Knows the repository, and none of our crates.

mod failure; // what a task says when it fails
mod repo; // where things are
mod run; // other programs: their output, their time, their end
mod say; // the only place that prints

mod setup; // what the suite needs beyond Rust
mod suite; // all checks, in order

mod conformance; // the official suites
mod deny; // licences, duplicates, sources
mod example; // the programs under test
mod fuzz; // each fuzz target for a short time
mod page; // the page of overt ui, and the browser before it
mod peers; // other people's clients and servers
mod tidy; // the rules that no compiler checks

mod bench; // how fast we are beside others

use std::process::ExitCode;
use std::time::Instant;

use failure::Failure;
use repo::Repo;

type Task = fn(&Repo, &[String]) -> Result<(), Failure>;

/// Each task: its name, what it is for, the function behind it.
const TASKS: &[(&str, &str, Task)] = &[
    ("test", "everything below but bench, in order [STEP...]", suite::run),
    ("setup", "install what the suite needs below .tools/", |repo, _| setup::install(repo)),
    ("tidy", "check the rules that no compiler checks", |repo, _| tidy::check(repo)),
    ("deny", "check licences, duplicates and sources of dependencies", |repo, _| {
        with_tools(repo, deny::check)
    }),
    ("fuzz", "run each fuzz target for a short time", |repo, _| with_tools(repo, fuzz::check)),
    ("conformance", "run the official conformance suites [server | skills | client | run]", conformance::run),
    ("ui", "build the page of overt ui [--check]", page::build),
    ("browser", "try the page in a real browser", |repo, args| {
        setup::install(repo)?;
        page::browse(repo, args)
    }),
    ("peers", "meet other clients and servers [PART OF A NAME]", peers::run),
    (
        "bench",
        "measure us beside others (serve | proxy | fs | pages | cpu | describe | control | wire | log)",
        bench::run,
    ),
];

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_default();
    let rest: Vec<String> = args.collect();
    let Some((_, _, task)) = TASKS.iter().find(|(known, _, _)| *known == name) else {
        say::usage(TASKS.iter().map(|(name, purpose, _)| (*name, *purpose)));
        return ExitCode::from(2);
    };
    let started = Instant::now();
    match Repo::find().and_then(|repo| task(&repo, &rest)) {
        // The suite ends with a line of its own.
        Ok(()) if name == "test" => ExitCode::SUCCESS,
        Ok(()) => {
            say::step(&name, "ok", started.elapsed(), "");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            run::end_all();
            say::failure(&failure);
            ExitCode::FAILURE
        }
    }
}

fn with_tools(repo: &Repo, task: fn(&Repo) -> Result<(), Failure>) -> Result<(), Failure> {
    setup::install(repo)?;
    task(repo)
}
