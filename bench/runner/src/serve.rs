//! `bench serve`: our echo server and the official SDK's, alternating, under the same load.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::compare::{Measured, Ratios};
use crate::build::build;
use crate::values::count;
use xtask::example::{self, Server};
use xtask::failure::Failure;
use xtask::repo::Repo;
use xtask::run::Job;
use xtask::say;

const OURS: &str = "echo-overt";
const THEIRS: &str = "echo-rmcp";

/// Both echo servers in turns
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[arg(long, default_value = "5", value_parser = count())]
    rounds: usize,
    /// Of each measurement
    #[arg(long, default_value = "2")]
    seconds: f64,
    /// 0.05 forgives five percent
    #[arg(long, default_value = "0")]
    tolerance: f64,
    /// Fail where ours is worse
    #[arg(long)]
    check: bool,
}

/// One load: how it reaches the server, how many calls are in flight, in which protocol version.
#[derive(Debug, Clone, Copy)]
struct Load {
    transport: Transport,
    in_flight: u32,
    version: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Transport {
    Http,
    Stdio,
}

pub(crate) fn run(repo: &Repo, options: &Options) -> Result<(), Failure> {
    let programs = build(repo, &["bench-harness", OURS, THEIRS])?;
    say::line(format!("{:<34} {:>10} {:>10} {:>10}", "", "calls/s", "p50 ms", "p99 ms"));
    let mut worse = Vec::new();
    for load in Load::all() {
        let (ours, theirs) = measure(repo, &programs, options, load)?;
        let ratios = Ratios::of(&ours, &theirs);
        say::line(Measured::median(&theirs).row(&format!("{} rmcp", load.name())));
        say::line(Measured::median(&ours).row(&format!("{} overt", load.name())));
        say::line(ratios.row("    overt by rmcp"));
        worse.extend(
            ratios.worse(options.tolerance).into_iter().map(|what| format!("{}: {what}", load.name())),
        );
    }
    if options.check && !worse.is_empty() {
        return Err(Failure::new(format!("worse than rmcp\n  {}", worse.join("\n  "))));
    }
    Ok(())
}

impl Load {
    fn all() -> Vec<Self> {
        let shapes = [
            (Transport::Http, 1),
            (Transport::Http, 16),
            (Transport::Http, 64),
            (Transport::Stdio, 1),
            (Transport::Stdio, 16),
        ];
        ["2025-11-25", "2026-07-28"]
            .into_iter()
            .flat_map(|version| shapes.map(|(transport, in_flight)| Self { transport, in_flight, version }))
            .collect()
    }

    fn name(self) -> String {
        let transport = if self.transport == Transport::Http { "http" } else { "stdio" };
        format!("{transport} {:>2}, {},", self.in_flight, self.version)
    }
}

/// Measures both servers in turns: theirs, ours, theirs, ours. Each round starts its server again.
fn measure(
    repo: &Repo,
    programs: &Path,
    options: &Options,
    load: Load,
) -> Result<(Vec<Measured>, Vec<Measured>), Failure> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..options.rounds {
        theirs.push(measure_one(repo, programs, options, load, THEIRS)?);
        ours.push(measure_one(repo, programs, options, load, OURS)?);
    }
    Ok((ours, theirs))
}

fn measure_one(
    repo: &Repo,
    programs: &Path,
    options: &Options,
    load: Load,
    server: &str,
) -> Result<Measured, Failure> {
    let program: PathBuf = programs.join(server);
    let job = Job::new(repo, "bench-load", programs.join("bench-load"))
        .args(["--in-flight", &load.in_flight.to_string(), "--seconds", &options.seconds.to_string()])
        .args(["--era", load.version])
        .deadline(Duration::from_secs_f64(options.seconds) + Duration::from_secs(60));
    // Keep the server running until the measurement is over.
    let (job, _server): (Job, Option<Server>) = match load.transport {
        Transport::Stdio => (job.arg("--").arg(program).arg("--stdio"), None),
        Transport::Http => {
            let server = example::start_http(&Job::new(repo, &format!("bench-{server}"), program))?;
            (job.arg(&server.url), Some(server))
        }
    };
    let finished = job.succeed()?;
    Measured::read(&finished.stdout()).ok_or_else(|| {
        Failure::new(format!("{} {server}: bad answers: {}", load.name(), finished.stdout().trim()))
    })
}
