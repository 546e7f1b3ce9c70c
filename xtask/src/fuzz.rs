//! Every fuzz target for a short fixed time, as `fuzz/README.md` says.

use std::path::Path;
use std::time::Duration;

use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;
use crate::say;

/// How long each target runs. Long runs are started by hand.
const SECONDS: u32 = 6;
/// The suite says whether a change broke something: its inputs are the same every time, as far as
/// the clock allows. To search for new faults, start a target by hand: it has other inputs each
/// time.
const SEED: u32 = 1;

pub(crate) fn check(repo: &Repo) -> Result<(), Failure> {
    let fuzz = repo.root.join("fuzz");
    // The first build has all that the documents are read with.
    let build = cargo_fuzz(repo, "fuzz-build").deadline(Duration::from_secs(1800));
    build.args(["build", "--sanitizer", "none", "--codegen-units", "16"]).succeed()?;
    for target in targets(&fuzz)? {
        // New inputs go into a corpus that is not committed; the seeds are only read.
        let corpus = fuzz.join("corpus").join(&target);
        std::fs::create_dir_all(&corpus).map_err(Failure::file("create", &corpus))?;
        let finished = cargo_fuzz(repo, &format!("fuzz-{target}"))
            .args(["run", "--sanitizer", "none", "--codegen-units", "16", &target])
            .arg(&corpus)
            .arg(fuzz.join("seeds").join(&target))
            .args([
                "--",
                &format!("-max_total_time={SECONDS}"),
                &format!("-seed={SEED}"),
                "-max_len=4096",
                "-timeout=5",
                "-dict=fuzz/json.dict",
            ])
            .succeed()?;
        say::step(&format!("fuzz {target}"), "ok", finished.took, &runs(&finished.stderr()));
    }
    Ok(())
}

fn cargo_fuzz(repo: &Repo, name: &str) -> Job {
    Job::new(repo, name, repo.cargo_tool("cargo-fuzz"))
        // Lets the pinned stable compiler take the coverage flags, so that no nightly is needed.
        .env("RUSTC_BOOTSTRAP", "1")
        // A target directory of its own: its flags differ from all other builds.
        .env("CARGO_TARGET_DIR", repo.root.join("fuzz/target"))
        .deadline(Duration::from_secs(600))
}

/// The names of the targets, from their files.
fn targets(fuzz: &Path) -> Result<Vec<String>, Failure> {
    let dir = fuzz.join("fuzz_targets");
    let entries = std::fs::read_dir(&dir).map_err(Failure::file("read", &dir))?;
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| Some(entry.path().file_name()?.to_str()?.strip_suffix(".rs")?.to_owned()))
        .collect();
    names.sort();
    Ok(names)
}

/// `Done 12345 runs in 11 second(s)`, as the fuzzer says at its end.
fn runs(log: &str) -> String {
    let line = log.lines().rev().find_map(|line| line.strip_prefix("Done "));
    line.and_then(|line| line.split_once(" in ")).map_or(String::new(), |(runs, _)| runs.to_owned())
}
