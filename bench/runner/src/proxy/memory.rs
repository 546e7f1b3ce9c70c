//! Resident memory after 100,000 calls, and after 100,000 more.

use std::time::Duration;

use super::options::Options;
use super::running_proxy::Programs;
use crate::compare::Measured;
use xtask::failure::Failure;
use xtask::say;

const CALLS: usize = 100_000;
const CONNECTIONS: &str = "16";

/// Resident memory of a contender in MiB, after `CALLS` calls and after twice as many.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) first: f64,
    pub(crate) second: f64,
}

/// The contenders that can answer this many calls in a minute. For others, only latency is
/// measured.
pub(crate) const FAST: &[&str] = &["nginx", "overt", "overt-log-off", "mcp-proxy-rs"];

pub(crate) fn measure(programs: &Programs<'_>, options: &Options) -> Result<Vec<Row>, Failure> {
    say::line(format!("\n{:<24} {:>12} {:>12}", "resident MiB", "100,000 calls", "200,000"));
    let mut rows = Vec::new();
    for contender in options.contenders().filter(|contender| FAST.contains(&contender.name)) {
        let Some(start) = contender.http else { continue };
        let proxy = start(programs)?;
        let mut resident = Vec::new();
        for _ in 0..2 {
            let job = programs
                .load()
                .args(["--in-flight", CONNECTIONS, "--calls", &CALLS.to_string(), "--warm", "0"])
                .args(["--era", &options.era, "--tool", contender.tool, &proxy.url])
                .deadline(Duration::from_secs(300));
            let finished = job.succeed()?;
            if Measured::read(&finished.stdout()).is_none() {
                let what = format!("{}: bad answers: {}", contender.name, finished.stdout().trim());
                return Err(Failure::new(what));
            }
            resident.push(proxy.pid.map_or(f64::NAN, resident_mib));
        }
        let row = Row { name: contender.name, first: resident[0], second: resident[1] };
        say::line(format!("{:<24} {:>12.1} {:>12.1}", row.name, row.first, row.second));
        rows.push(row);
    }
    Ok(rows)
}

/// Returns the resident memory of the process and its children, in MiB.
pub(crate) fn resident_mib(pid: u32) -> f64 {
    let kib: f64 = xtask::run::tree(pid)
        .into_iter()
        .filter_map(|pid| {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
            let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
            line.trim().trim_end_matches(" kB").parse::<f64>().ok()
        })
        .sum();
    kib / 1024.0
}
