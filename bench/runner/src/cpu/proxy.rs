//! `overt run` in front of `echo-rmcp`, over HTTP and over stdio, and nginx in front of the same
//! upstream.

use std::time::Duration;

use serde_json::Value;

use super::config::{Config, Log, NGINX, Series};
use super::options::Options;
use super::table::Cell;
use crate::proxy::{ONE_ALLOW_RULE, Programs, RunningProxy, install_nginx, nginx};
use xtask::failure::Failure;
use xtask::run::Job;
use xtask::say;

const LONGEST: Duration = Duration::from_secs(600);

/// Measures over HTTP. Every configuration keeps one process for all rounds.
pub(crate) fn measure_http(
    programs: &Programs<'_>,
    options: &Options,
    configs: &[Config],
) -> Result<Vec<Cell>, Failure> {
    let mut proxies: Vec<(Series, RunningProxy)> = Vec::new();
    for config in configs {
        proxies.push((config.series(), overt(programs, config)?));
    }
    match install_nginx(programs.repo) {
        Ok(()) => {
            let threads = proxies.first().and_then(|(_, proxy)| proxy.pid).map_or(1, xtask::run::threads);
            say::line(format!("nginx has {threads} workers, as many as `overt run` has threads"));
            proxies.push(((NGINX.to_owned(), Log::Off), nginx(programs, threads)?));
        }
        Err(failure) => say::line(format!("nginx is left out: {failure}")),
    }
    let mut cells = Vec::new();
    for in_flight in &options.in_flight {
        for _ in 0..options.rounds {
            for (series, proxy) in &proxies {
                let pids = proxy.pid.map(xtask::run::tree).unwrap_or_default();
                let pids: Vec<String> = pids.iter().map(ToString::to_string).collect();
                let job = load(programs, options, *in_flight).args(["--cpu-of", &pids.join(","), &proxy.url]);
                cells.push(Cell::new("run, HTTP", *in_flight, series.clone(), cpu_us(&job)?));
            }
        }
    }
    Ok(cells)
}

/// Measures over stdio. Each round starts the program again. Only the CPU time of `overt` counts,
/// not that of the server behind it.
pub(crate) fn measure_stdio(
    programs: &Programs<'_>,
    options: &Options,
    configs: &[Config],
) -> Result<Vec<Cell>, Failure> {
    let mut cells = Vec::new();
    for in_flight in &options.in_flight {
        for _ in 0..options.rounds {
            for config in configs {
                let job = load(programs, options, *in_flight)
                    .env("OVERT_STATE_DIR", config.new_state(programs.repo, "stdio")?)
                    .arg("--")
                    .arg(&config.overt)
                    .args(ONE_ALLOW_RULE)
                    .args(config.audit_flags().iter().copied())
                    .arg("--")
                    .arg(programs.echo())
                    .arg("--stdio");
                cells.push(Cell::new("run, stdio", *in_flight, config.series(), cpu_us(&job)?));
            }
        }
    }
    Ok(cells)
}

fn overt(programs: &Programs<'_>, config: &Config) -> Result<RunningProxy, Failure> {
    let upstream = programs.upstream(&config.slug())?;
    let job = Job::new(programs.repo, &format!("bench-cpu-{}", config.slug()), &config.overt)
        .env("OVERT_STATE_DIR", config.new_state(programs.repo, "http")?)
        .args(ONE_ALLOW_RULE)
        .args(config.audit_flags().iter().copied())
        .args(["--http", "127.0.0.1:0", &upstream.url]);
    RunningProxy::announced(&job, upstream)
}

fn load(programs: &Programs<'_>, options: &Options, in_flight: usize) -> Job {
    let (in_flight, calls) = (in_flight.to_string(), options.calls.to_string());
    programs.load().args(["--in-flight", &in_flight, "--calls", &calls]).deadline(LONGEST)
}

fn cpu_us(job: &Job) -> Result<f64, Failure> {
    let stdout = job.succeed()?.stdout();
    read_cpu_us(&serde_json::from_str(stdout.trim()).unwrap_or_default())
        .ok_or_else(|| Failure::new(format!("`{}`: bad answers: {}", job.typed(), stdout.trim())))
}

/// Returns the CPU time of each call, in microseconds. `None` if an answer was bad, lost or
/// duplicated.
pub(crate) fn read_cpu_us(measured: &Value) -> Option<f64> {
    let is_good = ["bad", "lost", "stray"].iter().all(|count| measured[*count] == 0);
    measured["cpu_us"].as_f64().filter(|_| is_good)
}
