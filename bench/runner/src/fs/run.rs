//! Runs the benchmark from start to end and checks the goals.

use std::time::Duration;

use super::contenders::Others;
use super::options::{Options, ROWS};
use super::outcome::Outcome;
use super::plan::{self, OURS, OURS_DURABLE};
use super::table;
use crate::build::{build, overt};
use xtask::failure::Failure;
use xtask::repo::Repo;
use xtask::run::Job;
use xtask::say;

/// The highest ratio of the processor time of reading 4 KiB to that of each peer.
const MOST_READING: &[(&str, f64)] = &[("server-filesystem", 0.125), ("rust-mcp-filesystem", 0.5)];
/// The highest ratio of a search's time to that of a program that only searches.
const MOST_BY_PROGRAM: f64 = 1.25;
const MOST_START_MS: f64 = 8.0;
const MOST_MIB_AFTER_START: f64 = 14.0;
const MOST_MIB_AT_THE_END: f64 = 64.0;

pub(crate) fn run(repo: &Repo, options: &Options) -> Result<(), Failure> {
    let corpus = repo.target.join("bench-files");
    let others = if options.peers { Others::install(repo, &corpus) } else { Others::default() };
    let harness = build(repo, &["bench-harness"])?.join("bench-load");
    let overt = overt(repo)?;
    Job::new(repo, "bench-corpus", &harness)
        .arg("corpus")
        .arg(&corpus)
        .deadline(Duration::from_secs(120))
        .succeed()?;
    let plan = plan::of(repo, options, &overt, &corpus, &others)?;
    let file = repo.out.join("bench-fs.json");
    std::fs::write(&file, plan.to_string()).map_err(Failure::file("write", &file))?;
    let measured = Job::new(repo, "bench-fs", &harness)
        .arg("fs")
        .arg(&file)
        .deadline(Duration::from_secs(1800))
        .succeed()?;
    let outcome = Outcome::read(&measured.stdout());
    table::report(&outcome, options).iter().for_each(say::line);
    goals(&outcome, options)
}

fn goals(outcome: &Outcome, options: &Options) -> Result<(), Failure> {
    let mut missed = 0;
    let mut note = |what: &str, found: f64, goal: f64, is_met: bool| {
        let verdict = if is_met { "met" } else { "MISSED" };
        say::line(format!("{what:<62} {found:>8.2}  (goal {goal})  {verdict}"));
        missed += usize::from(!is_met);
    };
    say::line("");
    if let Some(start) = outcome.starts.get(OURS) {
        note("start to `tools/list`, ms", start.p50, MOST_START_MS, start.p50 < MOST_START_MS);
    }
    if let Some(memory) = outcome.memory.get(OURS) {
        let (first, last) = (memory.after_start, memory.at_the_end);
        note("MiB after the start", first, MOST_MIB_AFTER_START, first < MOST_MIB_AFTER_START);
        note("MiB at the end", last, MOST_MIB_AT_THE_END, last < MOST_MIB_AT_THE_END);
    }
    let peers: Vec<&String> =
        outcome.servers.iter().filter(|server| ![OURS, OURS_DURABLE].contains(&server.as_str())).collect();
    for (row, title) in ROWS {
        for in_flight in &options.in_flight {
            for peer in &peers {
                let Some(ratios) = table::by(outcome, peer, row, *in_flight) else { continue };
                let found = ratios.throughput();
                note(&format!("{title} at {in_flight} by {peer}"), found, 1.0, found >= 1.0);
                let goal = MOST_READING.iter().find(|(name, _)| *row == "read-4k" && name == peer);
                if let (Some((_, goal)), Some(found)) = (goal, ratios.cpu()) {
                    let what = format!("{title} at {in_flight}, processor time by {peer}");
                    note(&what, found, *goal, found <= *goal);
                }
                if let Some(ratios) = table::compared(outcome, OURS_DURABLE, peer, row, *in_flight) {
                    let found = ratios.throughput();
                    note(&format!("{title} at {in_flight} with fsync by {peer}"), found, 1.0, found >= 1.0);
                }
            }
        }
        for (name, p50, _) in outcome.floors.get(*row).into_iter().flatten() {
            if let (true, Some(ours)) =
                (["rg", "fd"].contains(&name.as_str()), outcome.measured(OURS, row, 1))
            {
                let found = ours.p50 / p50;
                note(&format!("{title} by {name}"), found, MOST_BY_PROGRAM, found <= MOST_BY_PROGRAM);
            }
        }
    }
    // A row without a number for our server is a missed goal, whatever the others did.
    for ((server, row, _), _) in outcome.failed.iter().filter(|((server, ..), _)| server.starts_with(OURS)) {
        note(&format!("{server}: an answer in {row}"), 0.0, 1.0, false);
    }
    if options.check && missed > 0 {
        return Err(Failure::new(format!("{missed} goals were missed")));
    }
    Ok(())
}
