//! The suite as server, the example client under test: every scenario of both eras that is not left out.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use super::left_out::LEFT_OUT;
use super::results::{self, Checks};
use super::suite::{Release, results_dir};
use crate::failure::Failure;
use crate::repo::Repo;
use crate::say;

const REVISIONS: &[&str] = &["2025-11-25", "2026-07-28"];

pub(crate) fn check(repo: &Repo) -> Result<(), Failure> {
    let mut known = BTreeSet::new();
    for revision in REVISIONS {
        known.extend(check_revision(repo, revision)?);
    }
    let stale: Vec<&str> =
        LEFT_OUT.iter().map(|(name, _)| *name).filter(|name| !known.contains(*name)).collect();
    if stale.is_empty() {
        return Ok(());
    }
    let what = format!("left out, but the suite has no such client scenario: {}", stale.join(", "));
    Err(Failure::new(what).hint("remove it from xtask/src/conformance/left_out.rs and docs/testing.md"))
}

/// Runs all scenarios of a revision and hands back their names.
fn check_revision(repo: &Repo, revision: &str) -> Result<Vec<String>, Failure> {
    let started = Instant::now();
    let scenarios = run_all(repo, revision)?;
    let mut passed = 0;
    for (name, checks) in &scenarios {
        let left_out = LEFT_OUT.iter().any(|(listed, _)| listed == name);
        if left_out && checks.pass() {
            let what = format!("client, {revision}: `{name}` is left out but passes");
            return Err(Failure::new(what)
                .hint("remove it from xtask/src/conformance/left_out.rs and docs/testing.md"));
        }
        if !left_out {
            passed += check_one(repo, revision, name)?;
        }
    }
    let demanded = scenarios.keys().filter(|name| !LEFT_OUT.iter().any(|(listed, _)| listed == name)).count();
    let counts = format!("{passed} checks passed, 0 failed, {demanded} of {} scenarios", scenarios.len());
    say::step(&format!("client, 0.2 {revision}"), "ok", started.elapsed(), &counts);
    Ok(scenarios.into_keys().collect())
}

/// All scenarios at once. The suite does not look at the client's exit status in this mode, so it settles only
/// what there is and what does not pass.
fn run_all(repo: &Repo, revision: &str) -> Result<BTreeMap<String, Checks>, Failure> {
    let name = format!("client, 0.2 {revision}");
    let dir = results_dir(repo, &name)?;
    let finished = Release::Alpha
        .job(repo, &name)
        .args(["client", "--requirements", revision, "--timeout", "20000", "--output-dir"])
        .arg(&dir)
        .arg("--command")
        .arg(repo.binary("example-client"))
        .finish()?;
    let scenarios = results::read(&dir)?;
    if scenarios.is_empty() {
        return Err(Failure::new(format!("{name}: no scenario was run\n{}", finished.shown())));
    }
    Ok(scenarios)
}

/// One scenario by itself: its checks and the client's exit status must be well. Hands back the checks passed.
fn check_one(repo: &Repo, revision: &str, scenario: &str) -> Result<usize, Failure> {
    let name = format!("client {revision} {scenario}");
    let dir = results_dir(repo, &name)?;
    let finished = Release::Alpha
        .job(repo, &name)
        .args(["client", "--force", "--spec-version", revision, "--scenario", scenario, "--output-dir"])
        .arg(&dir)
        .arg("--command")
        .arg(repo.binary("example-client"))
        .finish()?;
    let checks = results::read(&dir)?.remove(scenario).unwrap_or_default();
    if finished.ok && checks.pass() {
        return Ok(checks.passed);
    }
    let what = format!(
        "client, {revision}: `{scenario}` failed: {} checks passed, {} warnings\n  {}\n{}",
        checks.passed,
        checks.warned,
        checks.failed.join("\n  "),
        finished.shown()
    );
    Err(Failure::new(what))
}
