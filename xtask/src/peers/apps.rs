//! Runs five of the reference MCP Apps servers behind `overt run`. Their tools, pages and marks
//! must come out unchanged.

use std::ffi::OsString;

use serde_json::Value;

use super::case::{self, Case};
use crate::failure::Failure;
use crate::repo::{PASSING, Repo};
use crate::run::Job;

/// Each server and its tool with a page.
const APPS: &[(&str, &str)] = &[
    ("basic-vanillajs", "get-time"),
    ("budget-allocator", "get-budget-data"),
    ("cohort-heatmap", "get-cohort-data"),
    ("debug", "debug-tool"),
    ("system-monitor", "get-system-info"),
];

/// Returns a case for each server. They speak only 2025-11-25, so the newer client needs the
/// gateway.
pub(crate) fn cases(repo: &Repo) -> Vec<Case> {
    let case = |(app, tool): &(&str, &str)| {
        let script = repo.modules().join(format!("@modelcontextprotocol/server-{app}/dist/index.js"));
        let server: Vec<OsString> = vec![repo.node().into(), script.into(), "--stdio".into()];
        let run = [repo.overt(), PASSING.map(OsString::from).to_vec(), vec!["--".into()]].concat();
        let job = |name: &str, era: &str, target: Vec<OsString>| {
            Job::new(repo, &format!("peer app {app} {name}"), repo.node())
                .arg(repo.root.join("tools/peers/app.mjs"))
                .args([era, tool, "{}"])
                .args(target)
        };
        let direct = job("direct", "legacy", server.clone());
        let older = job("older", "legacy", [run.clone(), server.clone()].concat());
        let newer = job("newer", "modern", [run, server].concat());
        Case::new(format!("app {app}, run"), move || check(&direct, &[&older, &newer]))
    };
    APPS.iter().map(case).collect()
}

fn check(direct: &Job, through: &[&Job; 2]) -> Result<String, Failure> {
    let alone = case::json(direct)?;
    for (job, version) in through.iter().zip(["2025-11-25", "2026-07-28"]) {
        let report = case::json(job)?;
        case::demand_equal("the version", case::text(&report["version"]), version)?;
        if report["same"] != alone["same"] {
            let what = format!("not the same as without\n  {}\n  {}", alone["same"], report["same"]);
            return Err(Failure::new(what));
        }
        if report["content"].as_u64().unwrap_or(0) == 0 {
            return Err(Failure::new("the call brought no content"));
        }
    }
    let pages = alone["same"]["pages"].as_array().map_or(0, Vec::len);
    let tools = alone["same"]["tools"].as_array().map_or(&[][..], Vec::<Value>::as_slice).len();
    Ok(format!("{tools} tools, {pages} page, call, in both eras"))
}
