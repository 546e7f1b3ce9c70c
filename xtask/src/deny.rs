//! What we build on: licences, duplicates and sources, by `cargo deny` with `deny.toml`.

use std::time::Duration;

use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;

/// `deny.toml` says why advisories are not part of it.
pub(crate) fn check(repo: &Repo) -> Result<(), Failure> {
    Job::new(repo, "deny", repo.cargo_tool("cargo-deny"))
        .args(["--workspace", "check", "--hide-inclusion-graph"])
        // An exception that is no longer needed must leave the list.
        .args(["--deny", "unmatched-skip", "--deny", "license-not-encountered"])
        .args(["bans", "licenses", "sources"])
        .deadline(Duration::from_secs(120))
        .succeed()
        .map(|_| ())
}
