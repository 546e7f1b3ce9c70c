//! Runs every fuzz target for a short fixed time, or one for longer; see `fuzz/README.md`.

use std::path::PathBuf;
use std::time::Duration;

use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::{Finished, Job};
use crate::{say, shared_work};

/// How long each target runs in the suite.
const SECONDS: u64 = 5;
/// The seed in the suite, which must say whether a change broke something. So its inputs are the
/// same every time, as far as timing allows. A single target gets other inputs each time, to find
/// new faults.
const SEED: &str = "-seed=1";
/// The compiler flags of `cargo fuzz`, without a sanitizer, because the code under test has no
/// `unsafe`. Building that tool would take longer than repeating the flags here.
const FLAGS: &[&str] = &[
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Cdebug-assertions",
    "-Ccodegen-units=16",
];

/// Takes no arguments for all targets, or a target and its seconds.
pub(crate) fn run(repo: &Repo, args: &[String]) -> Result<(), Failure> {
    match args {
        [] => check(repo),
        [target, seconds] => {
            let seconds = seconds.parse().map_err(|_| usage())?;
            build(repo)?;
            if !targets(repo)?.contains(target) {
                return Err(usage());
            }
            let finished = job(repo, target, seconds)?.succeed()?;
            tell(target, &finished);
            Ok(())
        }
        _ => Err(usage()),
    }
}

fn usage() -> Failure {
    Failure::new("this is not a target and a number of seconds")
        .hint("usage: cargo xtask fuzz [TARGET SECONDS]; fuzz/README.md has the targets")
}

/// Runs all targets, one for each processor at a time.
pub(crate) fn check(repo: &Repo) -> Result<(), Failure> {
    build(repo)?;
    let targets = targets(repo)?;
    let results = shared_work::each(&targets, shared_work::processors(), |target| {
        let finished = job(repo, target, SECONDS)?.arg(SEED).succeed()?;
        tell(target, &finished);
        Ok(())
    });
    results.into_iter().collect()
}

fn build(repo: &Repo) -> Result<(), Failure> {
    // With `--target` the flags do not apply to build scripts and macros.
    Job::cargo(repo, "fuzz-build", &["build", "--quiet", "--release", "--bins", "--target", &host()])
        .dir(repo.root.join("fuzz"))
        .env("CARGO_ENCODED_RUSTFLAGS", FLAGS.join("\u{1f}"))
        // It needs its own target directory, because its flags differ from all other builds.
        .env("CARGO_TARGET_DIR", repo.root.join("fuzz/target"))
        .deadline(Duration::from_secs(1800))
        .succeed()
        .map(|_| ())
}

fn job(repo: &Repo, target: &str, seconds: u64) -> Result<Job, Failure> {
    let fuzz = repo.root.join("fuzz");
    // New inputs go into a corpus that is not committed. The seeds are only read.
    let [corpus, artifacts] = ["corpus", "artifacts"].map(|dir| fuzz.join(dir).join(target));
    for dir in [&corpus, &artifacts] {
        std::fs::create_dir_all(dir).map_err(Failure::file("create", dir))?;
    }
    let program = fuzz.join("target").join(host()).join("release").join(target);
    Ok(Job::new(repo, &format!("fuzz-{target}"), program)
        .arg(&corpus)
        .arg(fuzz.join("seeds").join(target))
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .arg(format!("-max_total_time={seconds}"))
        .args(["-max_len=4096", "-timeout=5", "-dict=fuzz/json.dict"])
        .deadline(Duration::from_secs(600 + seconds)))
}

fn host() -> String {
    format!("{}-unknown-linux-gnu", std::env::consts::ARCH)
}

/// Returns the names of the targets, from their files.
fn targets(repo: &Repo) -> Result<Vec<String>, Failure> {
    let dir = repo.root.join("fuzz/fuzz_targets");
    let entries = std::fs::read_dir(&dir).map_err(Failure::file("read", &dir))?;
    let name = |path: PathBuf| Some(path.file_name()?.to_str()?.strip_suffix(".rs")?.to_owned());
    let mut names: Vec<String> = entries.flatten().filter_map(|entry| name(entry.path())).collect();
    names.sort();
    Ok(names)
}

fn tell(target: &str, finished: &Finished) {
    say::step(&format!("fuzz {target}"), "ok", finished.took, &runs(&finished.stderr()));
}

/// Returns the number of runs from the fuzzer's last line, `Done 12345 runs in 11 second(s)`.
fn runs(log: &str) -> String {
    let line = log.lines().rev().find_map(|line| line.strip_prefix("Done "));
    line.and_then(|line| line.split_once(" in ")).map_or(String::new(), |(runs, _)| runs.to_owned())
}
