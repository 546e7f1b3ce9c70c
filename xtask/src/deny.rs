//! Checks the packages that we depend on: licences, duplicates, bans and sources, as `deny.toml`
//! says.
//!
//! `cargo deny` reads the same file. It is not used here because building it takes minutes, for a
//! check of what `cargo metadata` prints.

mod graph; // packages and dependencies, from cargo
mod licence; // licence expressions
mod rules; // the rules of deny.toml

use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;

use graph::Graph;
use rules::Rules;

/// Checks everything except advisories; `deny.toml` says why.
pub(crate) fn check(repo: &Repo) -> Result<(), Failure> {
    let path = repo.root.join("deny.toml");
    let text = std::fs::read_to_string(&path).map_err(Failure::file("read", &path))?;
    let rules = Rules::parse(&text).map_err(|why| Failure::new(format!("deny.toml: {why}")))?;
    let mut graph = Graph::default();
    for target in &rules.targets {
        let words = ["metadata", "--format-version", "1", "--all-features", "--locked", "--filter-platform"];
        let metadata = Job::cargo(repo, "deny-metadata", &words).arg(target).succeed()?.stdout();
        let words =
            ["tree", "--workspace", "--all-features", "--locked", "--prefix", "none", "--format", "{p}"];
        let tree = Job::cargo(repo, "deny-tree", &words).arg("--target").arg(target).succeed()?.stdout();
        graph.add(&metadata, &tree).map_err(|why| Failure::new(format!("cargo metadata: {why}")))?;
    }
    let problems = rules.problems(&graph);
    match problems.is_empty() {
        true => Ok(()),
        false => Err(Failure::new(problems.join("\n")).hint("deny.toml has what is allowed, and why")),
    }
}
