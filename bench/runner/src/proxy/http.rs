//! Latency and throughput over HTTP: all proxies in turns, round after round, at each load.

use std::time::Duration;

use serde_json::Value;

use super::options::Options;
use super::running_proxy::{Programs, RunningProxy};
use crate::compare::{Measured, Ratios, median};
use xtask::failure::Failure;
use xtask::say;

/// The rounds of one contender at one load.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) load: u32,
    pub(crate) rounds: Vec<Measured>,
    /// CPU time of a call in each round, in microseconds. Empty if there is no process to measure.
    pub(crate) cpu_us: Vec<f64>,
}

pub(crate) fn measure(programs: &Programs<'_>, options: &Options) -> Result<Vec<Row>, Failure> {
    let mut proxies = Vec::new();
    for contender in options.contenders() {
        if let Some(start) = contender.http {
            proxies.push((contender, start(programs)?));
        }
    }
    let mut rows = Vec::new();
    for load in &options.loads {
        let mut at_load: Vec<Row> = proxies
            .iter()
            .map(|(contender, _)| Row {
                name: contender.name,
                load: *load,
                rounds: Vec::new(),
                cpu_us: Vec::new(),
            })
            .collect();
        for _ in 0..options.rounds {
            for ((contender, proxy), row) in proxies.iter().zip(&mut at_load) {
                let (measured, cpu_us) =
                    one(programs, options, proxy, contender.tool, contender.name, *load)?;
                row.rounds.push(measured);
                row.cpu_us.extend(cpu_us);
            }
        }
        report(*load, &at_load);
        rows.extend(at_load);
    }
    Ok(rows)
}

fn one(
    programs: &Programs<'_>,
    options: &Options,
    proxy: &RunningProxy,
    tool: &str,
    name: &str,
    load: u32,
) -> Result<(Measured, Option<f64>), Failure> {
    // This includes all processes of the proxy. If it starts its upstream, that counts too.
    let pids = proxy.pid.map(xtask::run::tree).unwrap_or_default();
    let pids: Vec<String> = pids.iter().map(ToString::to_string).collect();
    let cpu_of = if pids.is_empty() { Vec::new() } else { vec!["--cpu-of".to_owned(), pids.join(",")] };
    let job = programs
        .load()
        .args(["--in-flight", &load.to_string(), "--seconds", &options.seconds.to_string()])
        .args(cpu_of)
        .args(["--era", &options.era, "--tool", tool, &proxy.url])
        .deadline(Duration::from_secs_f64(options.seconds) + Duration::from_secs(120));
    let stdout = job.succeed()?.stdout();
    let measured = Measured::read(&stdout)
        .ok_or_else(|| Failure::new(format!("{name} at {load}: bad answers: {}", stdout.trim())))?;
    let line: Value = serde_json::from_str(stdout.trim()).unwrap_or_default();
    Ok((measured, line["cpu_us"].as_f64()))
}

fn report(load: u32, rows: &[Row]) {
    say::line(format!(
        "\n{:<20} {:>10} {:>9} {:>9} {:>10} {:>10} {:>9} {:>9} {:>10} {:>8} {:>11}",
        format!("http, {load} connections"),
        "calls/s",
        "p50 ms",
        "p99 ms",
        "+p50 us",
        "+p99 us",
        "x direct",
        "x nginx",
        "+p50 nginx",
        "cpu us",
        "cpu x nginx"
    ));
    let (direct, nginx) = (find(rows, "direct", load), find(rows, "nginx", load));
    for row in rows {
        let Measured { per_second, p50, p99, .. } = Measured::median(&row.rounds);
        let added = direct.map(|direct| added(row, direct));
        let shown = |value: Option<f64>, digits: usize| {
            value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
        };
        let ratio = |by: Option<&Row>| by.map(|by| Ratios::of(&row.rounds, &by.rounds).throughput());
        say::line(format!(
            "{:<20} {per_second:>10.0} {p50:>9.3} {p99:>9.3} {:>10} {:>10} {:>9} {:>9} {:>10} {:>8} {:>11}",
            row.name,
            shown(added.map(|added| added.0), 0),
            shown(added.map(|added| added.1), 0),
            shown(ratio(direct), 3),
            shown(ratio(nginx), 3),
            shown(added_by_nginx(rows, row), 2),
            shown((!row.cpu_us.is_empty()).then(|| median(row.cpu_us.iter().copied())), 1),
            shown(nginx.and_then(|nginx| cpu_by(row, nginx)), 2),
        ));
    }
}

pub(crate) fn find<'a>(rows: &'a [Row], name: &str, load: u32) -> Option<&'a Row> {
    rows.iter().find(|row| row.name == name && row.load == load)
}

/// Returns the microseconds added to p50 and p99: the medians of what each round added.
pub(crate) fn added(row: &Row, direct: &Row) -> (f64, f64) {
    let rounds: Vec<(f64, f64)> = row
        .rounds
        .iter()
        .zip(&direct.rounds)
        .map(|(row, direct)| ((row.p50 - direct.p50) * 1e3, (row.p99 - direct.p99) * 1e3))
        .collect();
    (median(rounds.iter().map(|round| round.0)), median(rounds.iter().map(|round| round.1)))
}

/// Returns the ratio of a call's CPU time to another contender's: the median over the rounds.
pub(crate) fn cpu_by(row: &Row, by: &Row) -> Option<f64> {
    let ratios: Vec<f64> = row.cpu_us.iter().zip(&by.cpu_us).map(|(ours, theirs)| ours / theirs).collect();
    (!ratios.is_empty()).then(|| median(ratios.into_iter()))
}

/// Returns the ratio of what it adds to p50 to what nginx adds.
pub(crate) fn added_by_nginx(rows: &[Row], row: &Row) -> Option<f64> {
    let direct = find(rows, "direct", row.load)?;
    let nginx = find(rows, "nginx", row.load)?;
    (row.name != "direct").then(|| added(row, direct).0 / added(nginx, direct).0)
}
