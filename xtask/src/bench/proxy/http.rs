//! Latency and throughput over HTTP: everybody in turns, round after round, at each load.

use std::time::Duration;

use super::options::Options;
use super::stand::{Programs, Stand};
use crate::bench::compare::{Measured, Ratios};
use crate::failure::Failure;
use crate::say;

/// What one contender did at one load, round by round.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) load: u32,
    pub(crate) rounds: Vec<Measured>,
}

pub(crate) fn measure(programs: &Programs<'_>, options: &Options) -> Result<Vec<Row>, Failure> {
    let mut stands = Vec::new();
    for contender in &options.contenders {
        if let Some(start) = contender.http {
            stands.push((*contender, start(programs)?));
        }
    }
    let mut rows = Vec::new();
    for load in &options.loads {
        let mut at_load: Vec<Row> = stands
            .iter()
            .map(|(contender, _)| Row { name: contender.name, load: *load, rounds: Vec::new() })
            .collect();
        for _ in 0..options.rounds {
            for ((contender, stand), row) in stands.iter().zip(&mut at_load) {
                row.rounds.push(one(programs, options, stand, contender.tool, contender.name, *load)?);
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
    stand: &Stand,
    tool: &str,
    name: &str,
    load: u32,
) -> Result<Measured, Failure> {
    let job = programs
        .load()
        .args(["--in-flight", &load.to_string(), "--seconds", &options.seconds.to_string()])
        .args(["--era", &options.era, "--tool", tool, &stand.url])
        .deadline(Duration::from_secs_f64(options.seconds) + Duration::from_secs(120));
    let finished = job.succeed()?;
    Measured::read(&finished.stdout())
        .ok_or_else(|| Failure::new(format!("{name} at {load}: bad answers: {}", finished.stdout().trim())))
}

fn report(load: u32, rows: &[Row]) {
    say::line(format!(
        "\n{:<20} {:>10} {:>9} {:>9} {:>10} {:>10} {:>9} {:>9} {:>10}",
        format!("http, {load} connections"),
        "calls/s",
        "p50 ms",
        "p99 ms",
        "+p50 us",
        "+p99 us",
        "x direct",
        "x nginx",
        "+p50 nginx"
    ));
    let (direct, nginx) = (find(rows, "direct", load), find(rows, "nginx", load));
    for row in rows {
        let Measured { per_second, p50, p99 } = Measured::median(&row.rounds);
        let added = direct.map(|direct| added(row, direct));
        let shown = |value: Option<f64>, digits: usize| {
            value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
        };
        let ratio = |by: Option<&Row>| by.map(|by| Ratios::of(&row.rounds, &by.rounds).throughput());
        say::line(format!(
            "{:<20} {per_second:>10.0} {p50:>9.3} {p99:>9.3} {:>10} {:>10} {:>9} {:>9} {:>10}",
            row.name,
            shown(added.map(|added| added.0), 0),
            shown(added.map(|added| added.1), 0),
            shown(ratio(direct), 3),
            shown(ratio(nginx), 3),
            shown(added_by_nginx(rows, row), 2),
        ));
    }
}

pub(crate) fn find<'a>(rows: &'a [Row], name: &str, load: u32) -> Option<&'a Row> {
    rows.iter().find(|row| row.name == name && row.load == load)
}

/// Microseconds added to p50 and p99: the medians of what each round added.
pub(crate) fn added(row: &Row, direct: &Row) -> (f64, f64) {
    let rounds: Vec<Measured> = row
        .rounds
        .iter()
        .zip(&direct.rounds)
        .map(|(row, direct)| Measured {
            per_second: 0.0,
            p50: (row.p50 - direct.p50) * 1e3,
            p99: (row.p99 - direct.p99) * 1e3,
        })
        .collect();
    let median = Measured::median(&rounds);
    (median.p50, median.p99)
}

/// What it adds to p50, by what nginx adds.
pub(crate) fn added_by_nginx(rows: &[Row], row: &Row) -> Option<f64> {
    let direct = find(rows, "direct", row.load)?;
    let nginx = find(rows, "nginx", row.load)?;
    (row.name != "direct").then(|| added(row, direct).0 / added(nginx, direct).0)
}
