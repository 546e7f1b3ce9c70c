//! Runs all parts in order and checks the goal.

use super::config::{Config, Log};
use super::options::Options;
use super::table::Table;
use super::{files, proxy};
use crate::build::{build, overt};
use crate::proxy::Programs;
use xtask::failure::Failure;
use xtask::repo::Repo;
use xtask::say;

/// The highest ratio of a call's CPU time with the log on to that with the log off.
const MOST_BY_LOG_OFF: f64 = 1.5;

pub(crate) fn run(repo: &Repo, mut options: Options) -> Result<(), Failure> {
    let bench = build(repo, &["bench-harness", "echo-rmcp"])?;
    if options.binaries.is_empty() {
        options.binaries.push(("overt".to_owned(), overt(repo)?));
    }
    let builds: Vec<String> = options.binaries.iter().map(|(name, _)| name.clone()).collect();
    let configs = Config::all(&options.binaries);
    let programs = Programs { repo, bench, overt: options.binaries[0].1.clone(), nginx_workers: 1 };
    let mut table = Table::default();
    if options.has("http") {
        table.extend(proxy::measure_http(&programs, &options, &configs)?);
    }
    if options.has("stdio") {
        table.extend(proxy::measure_stdio(&programs, &options, &configs)?);
    }
    if options.has("fs") {
        table.extend(files::measure(&programs, &options, &configs)?);
    }
    table.report(&builds).iter().for_each(say::line);
    goal(&table, &builds, options.check)
}

/// Checks the goal for the last build.
fn goal(table: &Table, builds: &[String], check: bool) -> Result<(), Failure> {
    let Some(build) = builds.last() else { return Ok(()) };
    let mut missed = 0;
    say::line("");
    for row in table.rows().into_iter().filter(|(row, _)| row.starts_with("run")) {
        let Some(ratio) = table.ratio(row, (build, Log::On), (build, Log::Off)) else { continue };
        let is_met = ratio <= MOST_BY_LOG_OFF;
        let what = format!("{build}, {} at {}: log on by log off", row.0, row.1);
        let verdict = if is_met { "met" } else { "MISSED" };
        say::line(format!("{what:<52} {ratio:>8.2}  (goal {MOST_BY_LOG_OFF})  {verdict}"));
        missed += usize::from(!is_met);
    }
    if check && missed > 0 {
        return Err(Failure::new(format!("{missed} goals were missed")));
    }
    Ok(())
}
