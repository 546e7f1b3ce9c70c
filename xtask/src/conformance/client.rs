//! The suite as server, the example client under test: every scenario of both eras, except those
//! that are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use super::left_out::LEFT_OUT;
use super::results::{self, Checks};
use super::suite::{Release, results_dir};
use crate::failure::Failure;
use crate::repo::Repo;
use crate::say;

/// The hint if the list of left-out scenarios is out of date.
const HOW: &str = "remove it from xtask/src/conformance/left_out.rs and docs/testing.md";

const REVISIONS: &[&str] = &["2025-11-25", "2026-07-28"];

/// What a host must do when it takes skills from a server (SEP-2640).
const EXTENSIONS: &[&str] = &[
    "sep-2640-client-no-prefetch",
    "sep-2640-client-verify-digest",
    "sep-2640-client-verify-size",
    "sep-2640-client-verify-frontmatter",
];

pub(crate) fn check(repo: &Repo) -> Result<(), Failure> {
    let mut known = BTreeSet::new();
    for revision in REVISIONS {
        known.extend(check_revision(repo, revision)?);
    }
    demand_no_stale(&known, LEFT_OUT)?;
    check_extensions(repo)
}

/// Checks the scenarios of extensions, which belong to no revision.
fn check_extensions(repo: &Repo) -> Result<(), Failure> {
    let started = Instant::now();
    let mut passed = 0;
    for revision in REVISIONS {
        for scenario in EXTENSIONS {
            match check_one(repo, revision, scenario)? {
                0 => return Err(Failure::new(format!("client, {revision}: `{scenario}` checks nothing"))),
                checks => passed += checks,
            }
        }
    }
    let counts = format!("{passed} checks passed, 0 failed, {} scenarios", EXTENSIONS.len());
    say::step("client, extensions", "ok", started.elapsed(), &counts);
    Ok(())
}

/// Runs all scenarios of a revision and returns their names.
fn check_revision(repo: &Repo, revision: &str) -> Result<Vec<String>, Failure> {
    let started = Instant::now();
    let scenarios = run_all(repo, revision)?;
    let demanded = demanded(&scenarios, LEFT_OUT)?;
    let mut passed = 0;
    for name in &demanded {
        passed += check_one(repo, revision, name)?;
    }
    let counts =
        format!("{passed} checks passed, 0 failed, {} of {} scenarios", demanded.len(), scenarios.len());
    say::step(&format!("client, 0.2 {revision}"), "ok", started.elapsed(), &counts);
    Ok(scenarios.into_keys().collect())
}

/// Returns the scenarios that must pass. A left-out scenario that passes is an error.
fn demanded<'a>(
    scenarios: &'a BTreeMap<String, Checks>,
    left_out: &[(&str, &str)],
) -> Result<Vec<&'a str>, Failure> {
    let mut demanded = Vec::new();
    for (name, checks) in scenarios {
        let listed = left_out.iter().any(|(listed, _)| listed == name);
        if listed && checks.pass() {
            return Err(
                Failure::new(format!("the client scenario `{name}` is left out but passes")).hint(HOW)
            );
        }
        if !listed {
            demanded.push(name.as_str());
        }
    }
    Ok(demanded)
}

/// Checks that every left-out scenario exists.
fn demand_no_stale(known: &BTreeSet<String>, left_out: &[(&str, &str)]) -> Result<(), Failure> {
    let stale: Vec<&str> =
        left_out.iter().map(|(name, _)| *name).filter(|name| !known.contains(*name)).collect();
    if stale.is_empty() {
        return Ok(());
    }
    let what = format!("left out, but the suite has no such client scenario: {}", stale.join(", "));
    Err(Failure::new(what).hint(HOW))
}

/// Runs all scenarios at once. In this mode the suite ignores the client's exit status, so the
/// outcome only shows which scenarios exist and which fail.
fn run_all(repo: &Repo, revision: &str) -> Result<BTreeMap<String, Checks>, Failure> {
    let name = format!("client, 0.2 {revision}");
    let dir = results_dir(repo, &name)?;
    let finished = Release::Alpha
        .job(repo, &name)
        .args(["client", "--requirements", revision, "--timeout", "20000", "--output-dir"])
        .arg(&dir)
        .arg("--command")
        .arg(repo.binary("examples/example_client"))
        .finish()?;
    let scenarios = results::read(&dir)?;
    if scenarios.is_empty() {
        return Err(Failure::new(format!("{name}: no scenario was run\n{}", finished.shown())));
    }
    Ok(scenarios)
}

/// Runs one scenario. Its checks and the client's exit status must be good. Returns the number of
/// passed checks.
fn check_one(repo: &Repo, revision: &str, scenario: &str) -> Result<usize, Failure> {
    let name = format!("client {revision} {scenario}");
    let dir = results_dir(repo, &name)?;
    let finished = Release::Alpha
        .job(repo, &name)
        .args(["client", "--force", "--spec-version", revision, "--scenario", scenario, "--output-dir"])
        .arg(&dir)
        .arg("--command")
        .arg(repo.binary("examples/example_client"))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn checks(passed: usize, failed: &[&str]) -> Checks {
        Checks { passed, failed: failed.iter().map(|text| (*text).to_owned()).collect(), ..Checks::default() }
    }

    #[test]
    fn the_list_of_what_is_left_out_fails_both_ways() {
        let scenarios =
            BTreeMap::from([("a".to_owned(), checks(1, &[])), ("b".to_owned(), checks(0, &["no"]))]);
        assert_eq!(demanded(&scenarios, &[("b", "why")]).unwrap(), ["a"]);
        assert!(demanded(&scenarios, &[("a", "why")]).is_err(), "`a` passes, so it must not be left out");

        let known: BTreeSet<String> = scenarios.into_keys().collect();
        assert!(demand_no_stale(&known, &[("b", "why")]).is_ok());
        assert!(demand_no_stale(&known, &[("gone", "why")]).is_err());
    }
}
