//! The suite as client, the example server under test. No check may fail, and there are no expected failures.

use super::results;
use super::suite::{Release, results_dir};
use crate::failure::Failure;
use crate::repo::Repo;
use crate::{example, say};

struct Run {
    name: &'static str,
    release: Release,
    args: &'static [&'static str],
    /// The fewest checks that must pass, so that a suite that checks nothing is noticed. One more check, that
    /// three streams at once work, is only counted for a server that streams an answer without need; ours sends
    /// plain JSON then, and the suite notes that as information.
    least: usize,
}

const RUNS: &[Run] = &[
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
    let dir = results_dir(repo, run.name)?;
    let finished = run
        .release
        .job(repo, run.name)
        .args(["server", "--url", &server.url, "--output-dir"])
        .arg(&dir)
        .args(run.args)
        .finish()?;
    let scenarios = results::read(&dir)?;
    let passed: usize = scenarios.values().map(|checks| checks.passed).sum();
    let warned: usize = scenarios.values().map(|checks| checks.warned).sum();
    let failed: Vec<String> = scenarios
        .iter()
        .flat_map(|(name, checks)| checks.failed.iter().map(move |failed| format!("  {name}: {failed}")))
        .collect();
    if !failed.is_empty() {
        let what = format!("{}: {} checks failed\n{}", run.name, failed.len(), failed.join("\n"));
        return Err(Failure::new(what).hint(format!("the results are in {}", dir.display())));
    }
    if !finished.ok {
        return Err(Failure::new(format!(
            "{} ended with {}\n{}",
            run.name,
            finished.status,
            finished.shown()
        )));
    }
    if passed < run.least {
        return Err(Failure::new(format!(
            "{}: only {passed} checks passed, {} are needed",
            run.name, run.least
        )));
    }
    let counts = format!(
        "{passed} checks passed (at least {}), 0 failed, {warned} warnings, {} scenarios",
        run.least,
        scenarios.len()
    );
    say::step(run.name, "ok", finished.took, &counts);
    Ok(())
}
