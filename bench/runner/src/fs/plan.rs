//! The plan for the load generator: which servers and programs, on which files, for how long.

use std::path::Path;

use serde_json::{Value, json};

use super::contenders::Others;
use super::options::Options;
use xtask::failure::Failure;
use xtask::repo::Repo;

/// Our server with the guarantees of the others: it replaces files by renaming, without waiting for
/// the disk.
pub(crate) const OURS: &str = "overt";
/// Our server with its defaults. Measured where they make a difference.
pub(crate) const OURS_DURABLE: &str = "overt, fsync";

/// Options that prevent truncated answers, because the complete work is measured.
const UNCUT: &[&str] = &[
    "--read-max-bytes",
    "64MiB",
    "--read-max-line-bytes",
    "64MiB",
    "--find-limit",
    "100000",
    "--search-max-bytes",
    "64MiB",
];

pub(crate) fn of(
    repo: &Repo,
    options: &Options,
    overt: &Path,
    corpus: &Path,
    others: &Others,
) -> Result<Value, Failure> {
    let mut servers = vec![ours(repo, OURS, "rename", overt, corpus, &[])?];
    servers.extend(
        others
            .peers
            .iter()
            .map(|peer| json!({ "name": peer.name, "profile": peer.name, "command": peer.command })),
    );
    if options.rows.contains(&"edit-64k") {
        servers.push(ours(repo, OURS_DURABLE, "fsync", overt, corpus, &["edit-64k"])?);
    }
    Ok(json!({
        "corpus": corpus,
        "seconds": options.seconds,
        "rounds": options.rounds,
        "starts": options.starts,
        "in_flight": options.in_flight,
        "rows": options.rows,
        "servers": servers,
        "programs": programs(corpus, others),
    }))
}

/// Returns the entry for our server as users have it, with audit log and journal, in its own empty
/// state folder. With `rename`, the audit log does not wait for the disk either, because the other
/// servers have no such log.
fn ours(
    repo: &Repo,
    name: &str,
    durability: &str,
    overt: &Path,
    corpus: &Path,
    only: &[&str],
) -> Result<Value, Failure> {
    let state = repo.out.join(format!("bench-fs-state-{durability}"));
    if state.exists() {
        std::fs::remove_dir_all(&state).map_err(Failure::file("remove", &state))?;
    }
    let (program, root) = (overt.display().to_string(), corpus.display().to_string());
    let mut command =
        vec![program.as_str(), "fs", &root, "--durability", durability, "--rate-limit", UNLIMITED];
    command.extend(UNCUT);
    Ok(json!({
        "name": name, "profile": "overt", "command": command, "only": only,
        "environment": { "OVERT_STATE_DIR": state },
    }))
}

/// More calls than a measurement makes.
const UNLIMITED: &str = "1000000/second";

fn programs(corpus: &Path, others: &Others) -> Vec<Value> {
    let part = corpus.join("d00");
    let mut programs = Vec::new();
    if let Some(rg) = &others.rg {
        let search = |folder: &Path| json!([rg, "--fixed-strings", "needle_xyzzy_42", folder]);
        programs.push(json!({ "name": "rg", "row": "grep-1k", "command": search(&part), "lines": 2 }));
        programs.push(json!({ "name": "rg", "row": "grep-20k", "command": search(corpus), "lines": 40 }));
    }
    if let Some(fd) = &others.fd {
        let find = |folder: &Path| json!([fd, "--glob", "f07.json", folder]);
        programs.push(json!({ "name": "fd", "row": "glob-1k", "command": find(&part), "lines": 20 }));
        programs.push(json!({ "name": "fd", "row": "glob-20k", "command": find(corpus), "lines": 400 }));
    }
    programs
}
