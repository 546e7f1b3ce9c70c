//! Checks many schedules against the promises. The seeds are the same every time, so that a change
//! does not fail by chance.
use std::env;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::scenario::{self, Report};
use super::schedule::Schedule;

/// How many schedules `cargo test` runs. `OVERT_CASES` replaces the number; the suite runs 10,000.
const SCHEDULES: u64 = 500;
/// How often a failing seed is run to reproduce the failure. A seed determines the schedule, but
/// not the iteration order of a `HashMap`.
const MOST_RUNS: usize = 20;

#[test]
fn every_schedule_keeps_the_promises() {
    let folder = folder();
    if let Some(seed) = variable("OVERT_SEED") {
        let report = run_until_broken(seed, folder.path());
        eprintln!("{:#?}\n{}", Schedule::new(seed), report.trace.join("\n"));
        for violation in &report.violations {
            eprintln!("{:?}: {}", violation.promise, violation.what);
        }
        assert!(report.is_kept(), "the schedule of seed {seed} breaks a promise");
        return;
    }
    let count = variable("OVERT_CASES").unwrap_or(SCHEDULES);
    let began = Instant::now();
    let next = AtomicU64::new(0);
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let failed: Mutex<Option<(u64, String)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let seed = next.fetch_add(1, Ordering::Relaxed)
                    && seed < count
                    && failed.lock().unwrap().is_none()
                {
                    if let Err(why) = check(seed, folder.path()) {
                        *failed.lock().unwrap() = Some((seed, why));
                    }
                }
            });
        }
    });
    eprintln!("{count} schedules in {:.1?}", began.elapsed());
    if let Some((seed, why)) = failed.into_inner().unwrap() {
        panic!(
            "{why}\nrepeat it with: OVERT_SEED={seed} cargo test -p overt-testkit --test sim -- --nocapture"
        );
    }
}

/// Runs one schedule. The error describes the schedule and what happened.
fn check(seed: u64, folder: &Path) -> Result<(), String> {
    let report = catch_unwind(AssertUnwindSafe(|| run(seed, folder, false)));
    let Ok(report) = report else { return Err(format!("the schedule of seed {seed} panicked")) };
    match report.violations.first() {
        Some(first) => Err(explain(seed, folder, &format!("{:?}: {}", first.promise, first.what))),
        None => Ok(()),
    }
}

/// Runs the schedule again, with a trace.
fn explain(seed: u64, folder: &Path, first: &str) -> String {
    let report = run_until_broken(seed, folder);
    let again = match report.is_kept() {
        true => {
            format!("\n({MOST_RUNS} more runs of the same seed kept the promises; the trace is of the last)")
        }
        false => String::new(),
    };
    format!("{:#?}\n{}\nseed {seed} broke {first}{again}", Schedule::new(seed), report.trace.join("\n"))
}

/// Runs one schedule with a trace, repeatedly, until a promise is broken.
fn run_until_broken(seed: u64, folder: &Path) -> Report {
    let mut reports = (0..MOST_RUNS).map(|_| run(seed, folder, true));
    let last = reports.next_back().unwrap();
    reports.find(|report| !report.is_kept()).unwrap_or(last)
}

fn run(seed: u64, folder: &Path, is_traced: bool) -> Report {
    run_schedule(Schedule::new(seed), folder, is_traced)
}

/// Runs a schedule with its own folder for the pins.
pub(crate) fn run_schedule(schedule: Schedule, folder: &Path, is_traced: bool) -> Report {
    let own = tempfile::tempdir_in(folder).unwrap();
    scenario::run(schedule, own.path(), is_traced)
}

/// Returns a temporary folder, in memory if the system supports it.
pub(crate) fn folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    tempfile::tempdir_in(memory).unwrap_or_else(|_| tempfile::tempdir().unwrap())
}

#[expect(clippy::disallowed_methods, reason = "a test has no settings")]
fn variable(name: &str) -> Option<u64> {
    let text = env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("`{name}` must be a number, but is `{text}`")))
}
