//! The suite as client, the example server under test. No check may fail; there are no expected
//! failures.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::results::{self, Checks};
use super::suite::{Release, results_dir};
use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Finished;
use crate::{example, say};

pub(crate) struct Run {
    pub(crate) name: &'static str,
    release: Release,
    args: &'static [&'static str],
    /// The least number of passed checks, so that a suite that checks nothing is noticed. One more
    /// check, for three streams at once, is only counted for a server that streams an answer
    /// needlessly. Ours sends plain JSON then, which the suite notes as information.
    least: usize,
}

pub(crate) const RUNS: &[Run] = &[
    Run { name: "server, 0.1.16", release: Release::Stable, args: &[], least: 39 },
    Run {
        name: "server, 0.2 2025-11-25",
        release: Release::Alpha,
        args: &["--requirements", "2025-11-25"],
        least: 83,
    },
    Run {
        name: "server, 0.2 2026-07-28",
        release: Release::Alpha,
        args: &["--requirements", "2026-07-28"],
        least: 196,
    },
];

pub(crate) fn check(repo: &Repo) -> Result<(), Failure> {
    RUNS.iter().try_for_each(|run| check_run(repo, run))
}

fn check_run(repo: &Repo, run: &Run) -> Result<(), Failure> {
    let server = example::start(repo, &format!("{} example-server", run.name))?;
    let (dir, finished) = run.run(repo, run.name, &server.url)?;
    let scenarios = results::read(&dir)?;
    let counts = judge(run.least, &scenarios).map_err(|what| {
        Failure::new(format!("{}: {what}", run.name)).hint(format!("the results are in {}", dir.display()))
    })?;
    if !finished.ok {
        return Err(Failure::new(format!(
            "{} ended with {}\n{}",
            run.name,
            finished.status,
            finished.shown()
        )));
    }
    say::step(run.name, "ok", finished.took, &counts);
    Ok(())
}

impl Run {
    /// Runs the suite against a server. Returns the directory of its results.
    pub(crate) fn run(&self, repo: &Repo, name: &str, url: &str) -> Result<(PathBuf, Finished), Failure> {
        let dir = results_dir(repo, name)?;
        let job = self.release.job(repo, name).args(["server", "--url", url, "--output-dir"]).arg(&dir);
        let finished = job.args(self.args).finish()?;
        Ok((dir, finished))
    }
}

/// Returns the counts of a run in which nothing failed and enough was checked, or else what is
/// wrong.
fn judge(least: usize, scenarios: &BTreeMap<String, Checks>) -> Result<String, String> {
    let passed: usize = scenarios.values().map(|checks| checks.passed).sum();
    let warned: usize = scenarios.values().map(|checks| checks.warned).sum();
    let failed: Vec<String> = scenarios
        .iter()
        .flat_map(|(name, checks)| checks.failed.iter().map(move |failed| format!("  {name}: {failed}")))
        .collect();
    if !failed.is_empty() {
        return Err(format!("{} checks failed\n{}", failed.len(), failed.join("\n")));
    }
    if passed < least {
        return Err(format!("only {passed} checks passed, {least} are needed"));
    }
    let count = scenarios.len();
    Ok(format!("{passed} checks passed (at least {least}), 0 failed, {warned} warnings, {count} scenarios"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_check_and_too_few_checks_are_noticed() {
        let run = |passed, failed: &[&str]| {
            let failed = failed.iter().map(|text| (*text).to_owned()).collect();
            BTreeMap::from([("ping".to_owned(), Checks { passed, failed, ..Checks::default() })])
        };
        assert!(judge(2, &run(2, &[])).is_ok());
        assert_eq!(judge(2, &run(1, &[])).unwrap_err(), "only 1 checks passed, 2 are needed");
        assert_eq!(judge(2, &run(9, &["id: no"])).unwrap_err(), "1 checks failed\n  ping: id: no");
    }
}
