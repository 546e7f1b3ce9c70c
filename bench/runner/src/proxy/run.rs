//! Runs all parts in order and checks the goals.

use super::options::Options;
use super::running_proxy::Programs;
use super::{contenders, http, memory, soak, stdio};
use crate::build::{build, build_debug, overt};
use crate::compare::Ratios;
use xtask::failure::Failure;
use xtask::repo::Repo;
use xtask::say;

/// Goals of `overt run`. Figures from other machines are not comparable, so most goals are ratios
/// to nginx in the same run.
const LEAST_THROUGHPUT_AT_64: f64 = 0.85;
const MOST_ADDED_AT_1: f64 = 2.0;
const MOST_ADDED_US: f64 = 60.0;
/// It was once 30 ms (H-41).
const MOST_ADDED_TO_LIST_MS: f64 = 15.0;
const MOST_MIB: f64 = 20.0;
const MOST_GROWTH: f64 = 1.05;
const MOST_START_MS: f64 = 15.0;
/// The highest ratio of a call's CPU time with the log off to nginx's, at each load above one
/// connection.
const MOST_CPU_BY_NGINX: f64 = 1.45;

pub(crate) fn run(repo: &Repo, options: &Options) -> Result<(), Failure> {
    for contender in options.contenders() {
        (contender.install)(repo)?;
    }
    let programs = programs(repo, options)?;
    let mut goals = Goals::default();
    if options.has("http") {
        goals.http(&http::measure(&programs, options)?);
    }
    if options.has("stdio") {
        let rows = stdio::measure(&programs, options)?;
        for row in rows.iter().filter(|row| row.name.starts_with("overt")) {
            let added = stdio::added(&rows, row);
            goals.note(
                &format!("{}: added at p50, us", row.name),
                added,
                MOST_ADDED_US,
                added < MOST_ADDED_US,
            );
        }
    }
    if options.has("memory") {
        for row in memory::measure(&programs, options)?.iter().filter(|row| row.name == "overt") {
            goals.note("MiB after 100,000 calls", row.first, MOST_MIB, row.first < MOST_MIB);
            let growth = row.second / row.first;
            goals.note("growth over the next 100,000", growth, MOST_GROWTH, growth <= MOST_GROWTH);
        }
    }
    if options.has("start") {
        for (name, measured) in stdio::measure_starts(&programs, options)? {
            if name == "overt" {
                let p50 = measured.p50;
                goals.note("start to first answer, ms", p50, MOST_START_MS, p50 < MOST_START_MS);
            }
        }
    }
    if options.has("start") {
        for (name, added) in stdio::measure_first_lists(&programs, options)? {
            let what = format!("{name}: added to the first list, ms");
            goals.note(&what, added, MOST_ADDED_TO_LIST_MS, added < MOST_ADDED_TO_LIST_MS);
        }
    }
    if options.has("soak") {
        for row in soak::measure(&programs, options)?.iter().filter(|row| row.name.starts_with("overt")) {
            for (what, series) in [("calls", &row.calls), ("sessions", &row.sessions)] {
                let growth = soak::growth(series);
                let what = format!("{}: growth after the first tenth of the {what}", row.name);
                goals.note(&what, growth, MOST_GROWTH, growth <= MOST_GROWTH);
            }
        }
    }
    goals.end(options.check)
}

/// Builds the programs and finds out how many threads `overt run` has.
fn programs<'a>(repo: &'a Repo, options: &Options) -> Result<Programs<'a>, Failure> {
    let packages = ["bench-harness", "echo-rmcp"];
    let (bench, overt) = match options.debug {
        true => (build_debug(repo, &packages)?, repo.binary("overt")),
        false => (build(repo, &packages)?, overt(repo)?),
    };
    let mut programs = Programs { repo, bench, overt, nginx_workers: 1 };
    if options.only("nginx").is_some() {
        let proxy = contenders::overt(&programs, &[])?;
        programs.nginx_workers = proxy.pid.map_or(1, xtask::run::threads);
        say::line(format!(
            "nginx has {} workers, as many as `overt run` has threads",
            programs.nginx_workers
        ));
    }
    Ok(programs)
}

/// The goals of `overt run` with their outcomes.
#[derive(Default)]
struct Goals {
    lines: Vec<String>,
    missed: usize,
}

impl Goals {
    fn note(&mut self, what: &str, found: f64, goal: f64, met: bool) {
        let verdict = if met { "met" } else { "MISSED" };
        self.lines.push(format!("{what:<52} {found:>8.2}  (goal {goal})  {verdict}"));
        self.missed += usize::from(!met);
    }

    fn http(&mut self, rows: &[http::Row]) {
        if let (Some(overt), Some(nginx)) = (http::find(rows, "overt", 64), http::find(rows, "nginx", 64)) {
            let ratio = Ratios::of(&overt.rounds, &nginx.rounds).throughput();
            let met = ratio >= LEAST_THROUGHPUT_AT_64;
            self.note("throughput at 64 by nginx's", ratio, LEAST_THROUGHPUT_AT_64, met);
        }
        let at_one = http::find(rows, "overt", 1).and_then(|overt| http::added_by_nginx(rows, overt));
        if let Some(added) = at_one {
            let met = added <= MOST_ADDED_AT_1;
            self.note("added at p50 at 1 by what nginx adds", added, MOST_ADDED_AT_1, met);
        }
        for overt in rows.iter().filter(|row| row.name == "overt-log-off" && row.load > 1) {
            let nginx = http::find(rows, "nginx", overt.load);
            if let Some(ratio) = nginx.and_then(|nginx| http::cpu_by(overt, nginx)) {
                let what = format!("CPU of a call with the log off by nginx's at {}", overt.load);
                self.note(&what, ratio, MOST_CPU_BY_NGINX, ratio <= MOST_CPU_BY_NGINX);
            }
        }
        for overt in rows.iter().filter(|row| row.name == "overt") {
            let others = rows.iter().filter(|row| row.load == overt.load);
            for other in
                others.filter(|row| !["direct", "nginx", "overt", "overt-log-off"].contains(&row.name))
            {
                let worse = Ratios::of(&overt.rounds, &other.rounds).worse(0.0);
                let what = format!("better than {} at {}", other.name, overt.load);
                self.note(&what, worse.len() as f64, 0.0, worse.is_empty());
            }
        }
    }

    fn end(self, check: bool) -> Result<(), Failure> {
        say::line("");
        self.lines.iter().for_each(say::line);
        if check && self.missed > 0 {
            return Err(Failure::new(format!("{} goals were missed", self.missed)));
        }
        Ok(())
    }
}
