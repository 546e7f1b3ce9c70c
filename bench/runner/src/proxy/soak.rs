//! Resident memory in the long run: after each tenth of a million calls, and after thousands of
//! sessions.

use std::time::Duration;

use super::contenders::Contender;
use super::memory::{FAST, resident_mib};
use super::options::Options;
use super::running_proxy::{Programs, RunningProxy};
use crate::compare::Measured;
use xtask::failure::Failure;
use xtask::say;

/// Concurrent calls.
const CONNECTIONS: usize = 16;
/// Concurrent sessions. Each makes two calls and ends.
const SESSIONS: usize = 100;
/// The number of measurements in each series.
const STEPS: usize = 10;

/// Resident memory of one contender, in MiB.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// After each tenth of the calls.
    pub(crate) calls: Vec<f64>,
    /// After each tenth of the sessions.
    pub(crate) sessions: Vec<f64>,
}

pub(crate) fn measure(programs: &Programs<'_>, options: &Options) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for contender in options.contenders().filter(|contender| FAST.contains(&contender.name)) {
        let Some(start) = contender.http else { continue };
        let proxy = start(programs)?;
        let mut row = Row { name: contender.name, calls: Vec::new(), sessions: Vec::new() };
        for _ in 0..STEPS {
            load(programs, options, contender, &proxy, CONNECTIONS, options.soak_calls() / STEPS)?;
            row.calls.push(resident(&proxy));
        }
        for _ in 0..STEPS {
            for _ in 0..(options.soak_sessions() / STEPS).div_ceil(SESSIONS) {
                load(programs, options, contender, &proxy, SESSIONS, 2 * SESSIONS)?;
            }
            row.sessions.push(resident(&proxy));
        }
        report(options, &row);
        rows.push(row);
    }
    Ok(rows)
}

/// Returns the ratio of the last value to the first, which shows growth after the first tenth.
pub(crate) fn growth(series: &[f64]) -> f64 {
    match series {
        [first, .., last] => last / first,
        _ => f64::NAN,
    }
}

fn load(
    programs: &Programs<'_>,
    options: &Options,
    contender: &Contender,
    proxy: &RunningProxy,
    connections: usize,
    calls: usize,
) -> Result<(), Failure> {
    let job = programs
        .load()
        .args(["--in-flight", &connections.to_string(), "--calls", &calls.to_string(), "--warm", "0"])
        .args(["--era", &options.era, "--tool", contender.tool, &proxy.url])
        .deadline(Duration::from_secs(1800));
    let stdout = job.succeed()?.stdout();
    match Measured::read(&stdout) {
        Some(_) => Ok(()),
        None => Err(Failure::new(format!("{}: bad answers: {}", contender.name, stdout.trim()))),
    }
}

fn resident(proxy: &RunningProxy) -> f64 {
    proxy.pid.map_or(f64::NAN, resident_mib)
}

fn report(options: &Options, row: &Row) {
    let shown = |series: &[f64]| series.iter().map(|mib| format!("{mib:.1}")).collect::<Vec<_>>().join(" ");
    say::line(format!("\n{}, resident MiB", row.name));
    say::line(format!("  after each tenth of {} calls: {}", options.soak_calls(), shown(&row.calls)));
    say::line(format!(
        "  after each tenth of {} sessions: {}",
        options.soak_sessions(),
        shown(&row.sessions)
    ));
}
