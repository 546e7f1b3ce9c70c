//! The suite as client, with `overt run` between it and two servers. Every check must have the same
//! outcome as without `overt run`.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Instant;

use super::results::{self, Checks};
use super::server::{RUNS, Run};
use crate::example::{self, Server};
use crate::failure::Failure;
use crate::repo::{CONTROLLED, Repo};
use crate::run::Job;
use crate::say;

/// A server behind `overt run`.
struct Upstream {
    name: &'static str,
    program: fn(&Repo) -> PathBuf,
}

const UPSTREAMS: &[Upstream] = &[
    Upstream { name: "example", program: |repo| repo.binary("example-server") },
    Upstream { name: "rmcp", program: |repo| repo.example("rmcp_server") },
];

/// Scenarios about a single connection, each with the reason. Their outcomes may differ, but must
/// not fail. If one of them never differs, the run fails.
const OF_ONE_CONNECTION: &[(&str, &str)] = &[
    (
        "server-sse-multiple-streams",
        "whether an answer comes as a stream or in one piece is settled on each connection; ours takes one piece \
         where it can, which the suite notes as information",
    ),
    (
        "server-sse-polling",
        "a pause that the upstream makes on its HTTP connection is made for the client too; an upstream on stdio \
         can make none, and one that streams without a pause is answered in one piece. The suite does not score it",
    ),
];

/// The scenarios of a run, with the outcome of each check.
type Score = BTreeMap<String, Checks>;

pub(crate) fn check(repo: &Repo) -> Result<(), Failure> {
    let (mut differ, mut excused) = (Vec::new(), BTreeSet::new());
    for upstream in UPSTREAMS {
        for run in RUNS {
            differ.extend(check_run(repo, upstream, run, &mut excused)?);
        }
    }
    let stale = OF_ONE_CONNECTION.iter().filter(|(name, _)| !excused.contains(name));
    differ
        .extend(stale.map(|(name, _)| format!("`{name}` never differs; take it off the list in through.rs")));
    if differ.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "{} scores are not what the server scores alone\n{}",
        differ.len(),
        differ.join("\n")
    )))
}

/// Returns the differences, for each transport to the upstream.
fn check_run(
    repo: &Repo,
    upstream: &Upstream,
    run: &Run,
    excused: &mut BTreeSet<&'static str>,
) -> Result<Vec<String>, Failure> {
    let name = run.name.replace("server, ", "");
    let alone_name = format!("{}, {name}, alone", upstream.name);
    let server =
        example::start_http(&Job::new(repo, &format!("{alone_name} server"), (upstream.program)(repo)))?;
    let alone = score(repo, run, &alone_name, &server.url)?;
    let stdio = vec!["--".into(), (upstream.program)(repo).into_os_string(), "--stdio".into()];
    let targets = [("http", vec![OsString::from(&server.url)]), ("stdio", stdio)];
    let mut differ = Vec::new();
    for (transport, target) in targets {
        let started = Instant::now();
        let name = format!("run {transport} {}, {name}", upstream.name);
        let gateway = start(repo, &name, &target)?;
        let through = score(repo, run, &name, &gateway.url)?;
        let found = compare(&alone, &through, excused);
        let (passed, without) = (passed(&through), passed(&alone));
        let outcome = if found.is_empty() { "ok" } else { "FAILED" };
        let note = format!("{passed} checks passed, {without} without `overt run`");
        say::step(&name, outcome, started.elapsed(), &note);
        differ.extend(found.into_iter().map(|found| format!("{name}: {found}")));
    }
    Ok(differ)
}

fn start(repo: &Repo, name: &str, target: &[OsString]) -> Result<Server, Failure> {
    let job = Job::command(repo, &format!("{name} overt"), repo.overt());
    let job = job.args(CONTROLLED).args(["--http", "127.0.0.1:0"]).args(target.iter().cloned());
    example::announced(&job)
}

fn score(repo: &Repo, run: &Run, name: &str, url: &str) -> Result<Score, Failure> {
    let (dir, finished) = run.run(repo, name, url)?;
    let score = results::read(&dir)?;
    if score.is_empty() {
        return Err(Failure::new(format!("{name}: no scenario was run\n{}", finished.shown())));
    }
    Ok(score)
}

fn passed(score: &Score) -> usize {
    score.values().map(|checks| checks.passed).sum()
}

/// Returns the scenarios with different outcomes: their checks alone and through `overt run`.
fn compare(alone: &Score, through: &Score, excused: &mut BTreeSet<&'static str>) -> Vec<String> {
    let nothing = Checks::default();
    let mut differ = Vec::new();
    let names: BTreeSet<&String> = alone.keys().chain(through.keys()).collect();
    for name in names {
        let without = &alone.get(name).unwrap_or(&nothing).each;
        let with = &through.get(name).unwrap_or(&nothing).each;
        let only = |these: &[String], those: &[String]| -> Vec<String> {
            let mut those = those.to_vec();
            let kept = these.iter().filter(|check| {
                let found = those.iter().position(|other| other == *check);
                found.map(|index| those.swap_remove(index)).is_none()
            });
            kept.cloned().collect()
        };
        let (gone, new) = (only(without, with), only(with, without));
        if !gone.is_empty() || !new.is_empty() {
            let listed = OF_ONE_CONNECTION.iter().find(|(listed, _)| listed == name);
            let fails = through.get(name).is_none_or(|checks| !checks.failed.is_empty() || checks.warned > 0);
            if let Some((listed, _)) = listed.filter(|_| !fails) {
                excused.insert(listed);
                continue;
            }
            let why = through.get(name).map_or("", |checks| checks.failed.first().map_or("", String::as_str));
            differ.push(format!("{name}: alone [{}], through [{}] {why}", gone.join(", "), new.join(", ")));
        }
    }
    differ
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_difference_is_found() {
        let score = |checks: &[&str]| {
            let each = checks.iter().map(|check| (*check).to_owned()).collect();
            BTreeMap::from([("ping".to_owned(), Checks { each, ..Checks::default() })])
        };
        let alone = score(&["a SUCCESS", "a SUCCESS", "b INFO"]);
        let compare = |alone: &Score, through: &Score| super::compare(alone, through, &mut BTreeSet::new());
        assert!(compare(&alone, &alone).is_empty());
        assert_eq!(compare(&alone, &score(&["a SUCCESS", "b INFO"])).len(), 1, "one fewer");
        assert_eq!(
            compare(&alone, &score(&["a SUCCESS", "a FAILURE", "b INFO"])).len(),
            1,
            "another outcome"
        );
        assert_eq!(compare(&alone, &Score::new()).len(), 1, "a whole scenario");
    }
    #[test]
    fn what_belongs_to_one_connection_may_differ_but_not_fail() {
        let (name, _) = OF_ONE_CONNECTION[0];
        let score = |each: &str, failed: &[&str]| {
            let failed = failed.iter().map(|text| (*text).to_owned()).collect();
            BTreeMap::from([(
                name.to_owned(),
                Checks { each: vec![each.to_owned()], failed, ..Checks::default() },
            )])
        };
        let mut excused = BTreeSet::new();
        assert!(compare(&score("a SUCCESS", &[]), &score("a INFO", &[]), &mut excused).is_empty());
        assert!(excused.contains(name));
        assert_eq!(compare(&score("a SUCCESS", &[]), &score("a FAILURE", &["a"]), &mut excused).len(), 1);
    }
}
