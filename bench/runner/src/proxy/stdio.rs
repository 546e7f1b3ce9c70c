//! Latency over stdio in front of a running HTTP upstream, and the time of a start.

use std::ffi::OsString;
use std::time::Duration;

use super::contenders::{LOG_OFF, overt_command};
use super::options::Options;
use super::running_proxy::Programs;
use crate::compare::{Measured, median};
use xtask::failure::Failure;
use xtask::say;

/// The rounds of one command.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) rounds: Vec<Measured>,
    /// The index of the row without a proxy that this one is compared with.
    floor: usize,
}

/// How often a program is started.
const STARTS: usize = 20;

/// Measures all rows. The first two are the upstream itself, over stdio and over HTTP.
pub(crate) fn measure(programs: &Programs<'_>, options: &Options) -> Result<Vec<Row>, Failure> {
    let upstream = programs.upstream("stdio")?;
    let direct: Vec<OsString> = vec![programs.echo().into(), "--stdio".into()];
    let mut aims: Vec<(String, Vec<OsString>, usize)> = vec![
        ("direct, stdio".into(), command(&direct), 0),
        ("direct, http".into(), vec![OsString::from(&upstream.url)], 1),
    ];
    for (name, words) in in_front_of(programs, options, &direct) {
        aims.push((format!("{name}, command"), command(&words), 0));
    }
    for contender in options.contenders() {
        if let Some(stdio) = contender.stdio {
            let words = stdio(programs, &upstream.url);
            aims.push((format!("{}, url", contender.name), command(&words), 1));
        }
    }
    let mut rows: Vec<Row> = aims
        .iter()
        .map(|(name, _, floor)| Row { name: name.clone(), rounds: Vec::new(), floor: *floor })
        .collect();
    for _ in 0..options.rounds {
        for ((name, aim, _), row) in aims.iter().zip(&mut rows) {
            let job = programs
                .load_of_command()?
                .args(["--seconds", &options.seconds.to_string(), "--era", &options.era])
                .args(aim.iter().cloned())
                .deadline(Duration::from_secs_f64(options.seconds) + Duration::from_secs(120));
            row.rounds.push(read(name, &job.succeed()?.stdout())?);
        }
    }
    say::line(format!(
        "\n{:<24} {:>10} {:>9} {:>9} {:>10}",
        "stdio, 1 in flight", "calls/s", "p50 ms", "p99 ms", "+p50 us"
    ));
    for (index, row) in rows.iter().enumerate() {
        let Measured { per_second, p50, p99, .. } = Measured::median(&row.rounds);
        let added = if row.floor == index { "-".to_owned() } else { format!("{:.0}", added(&rows, row)) };
        say::line(format!("{:<24} {per_second:>10.0} {p50:>9.3} {p99:>9.3} {added:>10}", row.name));
    }
    Ok(rows)
}

/// Returns the commands for `overt run` in front of a server, with the audit log and without.
fn in_front_of(
    programs: &Programs<'_>,
    options: &Options,
    server: &[OsString],
) -> Vec<(&'static str, Vec<OsString>)> {
    let rows: [(&str, &[&str]); 2] = [("overt", &[]), ("overt-log-off", &LOG_OFF)];
    let chosen = rows.into_iter().filter(|(name, _)| options.only(name).is_some());
    chosen
        .map(|(name, more)| {
            (name, [overt_command(programs, more), vec!["--".into()], server.to_vec()].concat())
        })
        .collect()
}

/// Measures the time from the start of the process to its first list of tools (H-41), and compares
/// it with the server alone. Returns what `overt run` adds to p50, in milliseconds.
pub(crate) fn measure_first_lists(
    programs: &Programs<'_>,
    options: &Options,
) -> Result<Vec<(&'static str, f64)>, Failure> {
    let server: Vec<OsString> = vec![programs.echo().into(), "--stdio".into()];
    let rows = in_front_of(programs, options, &server);
    say::line(format!("\n{:<24} {:>9} {:>9} {:>10}", "start to first list", "p50 ms", "worst ms", "+p50 ms"));
    let (mut alone, mut added) = (None, Vec::new());
    for (name, words) in [("the server alone", server)].into_iter().chain(rows) {
        let job = programs
            .load_of_command()?
            .args(["--starts", &STARTS.to_string(), "--to-list", "--era", &options.era])
            .args(command(&words))
            .deadline(Duration::from_secs(300));
        let measured = read(name, &job.succeed()?.stdout())?;
        let more = alone.map(|alone: f64| measured.p50 - alone);
        alone = alone.or(Some(measured.p50));
        let shown = more.map_or_else(|| "-".to_owned(), |more| format!("{more:.1}"));
        say::line(format!("{name:<24} {:>9.1} {:>9.1} {shown:>10}", measured.p50, measured.p99));
        added.extend(more.map(|more| (name, more)));
    }
    Ok(added)
}

/// Returns the microseconds added to p50, compared with the same upstream without the proxy.
pub(crate) fn added(rows: &[Row], row: &Row) -> f64 {
    let floor = &rows[row.floor];
    median(row.rounds.iter().zip(&floor.rounds).map(|(row, floor)| (row.p50 - floor.p50) * 1e3))
}

/// Measures the time from the start of the process to the answer of its first call. Returns the
/// milliseconds for each contender.
pub(crate) fn measure_starts(
    programs: &Programs<'_>,
    options: &Options,
) -> Result<Vec<(&'static str, Measured)>, Failure> {
    let upstream = programs.upstream("start")?;
    say::line(format!("\n{:<24} {:>9} {:>9}", "start to first answer", "p50 ms", "worst ms"));
    let mut found = Vec::new();
    for contender in options.contenders() {
        let Some(stdio) = contender.stdio else { continue };
        let job = programs
            .load_of_command()?
            .args(["--starts", &STARTS.to_string(), "--era", &options.era])
            .args(command(&stdio(programs, &upstream.url)))
            .deadline(Duration::from_secs(300));
        let measured = read(contender.name, &job.succeed()?.stdout())?;
        say::line(format!("{:<24} {:>9.1} {:>9.1}", contender.name, measured.p50, measured.p99));
        found.push((contender.name, measured));
    }
    Ok(found)
}

fn command(words: &[OsString]) -> Vec<OsString> {
    [vec![OsString::from("--")], words.to_vec()].concat()
}

fn read(name: &str, line: &str) -> Result<Measured, Failure> {
    Measured::read(line).ok_or_else(|| Failure::new(format!("{name}: bad answers: {}", line.trim())))
}
