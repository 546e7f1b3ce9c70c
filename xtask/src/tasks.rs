//! The table of tasks, and the program that runs them.

use std::process::ExitCode;
use std::time::Instant;

use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;
use crate::{call_path, conformance, deny, fuzz, page, peers, run, rustdoc, say, setup, suite, tidy};

type Task = fn(&Repo, &[String]) -> Result<(), Failure>;

/// Each task: its name, its purpose, and its function.
const TASKS: &[(&str, &str, Task)] = &[
    ("test", "everything below but bench, in order [STEP...]", suite::run),
    ("setup", "install what the suite needs below .tools/", |repo, _| setup::install(repo)),
    ("tidy", "check the rules that no compiler checks", |repo, _| tidy::check(repo)),
    ("deny", "check licences, duplicates and sources of dependencies", |repo, _| deny::check(repo)),
    ("call-path", "check that no call passes through code built for size [LIBRARY]", call_path::check),
    ("fuzz", "run each fuzz target for a short time, or one [TARGET SECONDS]", fuzz::run),
    ("conformance", "run the official conformance suites [server | skills | client | run]", conformance::run),
    ("ui", "build the page of overt ui [--check]", page::build),
    ("browser", "try the page in a real browser", |repo, args| {
        setup::install(repo)?;
        page::browse(repo, args)
    }),
    ("peers", "meet other clients and servers [PART OF A NAME]", peers::run),
    ("bench", "measure us beside others, with `bench/runner` [WHAT]", bench),
];

/// Runs the task that the first argument names.
pub fn main() -> ExitCode {
    if let Some(ended) = rustdoc::stand_in() {
        return ended;
    }
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_default();
    let rest: Vec<String> = args.collect();
    let Some((_, _, task)) = TASKS.iter().find(|(known, _, _)| *known == name) else {
        say::usage(TASKS.iter().map(|(name, purpose, _)| (*name, *purpose)));
        return ExitCode::from(2);
    };
    let started = Instant::now();
    match Repo::find().and_then(|repo| task(&repo, &rest)) {
        // The suite prints its own last line.
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

/// Passes the arguments to the program of `bench/runner`, which prints its own report.
fn bench(repo: &Repo, args: &[String]) -> Result<(), Failure> {
    Err(Job::cargo(repo, "bench", &["run", "--quiet", "--package", "overt-bench", "--"]).args(args).replace())
}
