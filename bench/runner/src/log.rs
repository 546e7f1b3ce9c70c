//! `bench log`: how long a person waits for `overt log` with a million records of four servers,
//! compared with programs that read the same files.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::build::{build, overt};
use crate::values::count;
use xtask::failure::Failure;
use xtask::repo::Repo;
use xtask::run::Job;
use xtask::say;

/// The longest time for the first screen.
const GOAL: Duration = Duration::from_millis(100);
/// The id of a call and the path of a change, in the middle of the logs of every size in use.
const CALL: &str = "bench-memory.1005";
const PATH: &str = "/home/ada/api/src/module7/file7.rs";

/// A command to measure: its name, the program, and its arguments.
struct Row {
    name: &'static str,
    program: PathBuf,
    args: Vec<String>,
}

pub(crate) fn run(repo: &Repo, options: &Options) -> Result<(), Failure> {
    let Options { records, rounds, check } = *options;
    let overt = overt(repo)?;
    let programs = build(repo, &["bench-control"])?;
    let state = repo.target.join(format!("bench/log-{records}"));
    // Writing takes a while, so keep the logs for the next run.
    let is_filled = state.join("filled");
    if !is_filled.exists() {
        let _ = std::fs::remove_dir_all(&state);
        std::fs::create_dir_all(&state).map_err(Failure::file("create", &state))?;
        let fill = Job::new(repo, "bench-log-fill", programs.join("bench-control"));
        let fill = fill.args(["fill"]).arg(&state).arg(records.to_string());
        say::line(fill.deadline(Duration::from_secs(1_800)).succeed()?.stdout().trim_end());
        std::fs::write(&is_filled, "").map_err(Failure::file("write", &is_filled))?;
    }
    let segments = segments(&state)?;
    let rows = rows(&overt, &segments);
    let mut times = vec![Vec::new(); rows.len()];
    // Alternate between the programs, so that all meet the same noise. The first turn is a warm-up.
    for round in 0..=rounds {
        for (row, times) in rows.iter().zip(&mut times) {
            let took = once(row, &state)?;
            if round > 0 {
                times.push(took);
            }
        }
    }
    say::line(format!("{records} records in {} segments, {} MB", segments.len(), megabytes(&segments)));
    say::line(format!("{:<34} {:>10} {:>10} {:>12}", "", "median ms", "worst ms", "by the first"));
    let first = median(&mut times[0]);
    for (row, times) in rows.iter().zip(&mut times) {
        let (median, worst) = (median(times), times.last().copied().unwrap_or_default());
        let ratio = median.as_secs_f64() / first.as_secs_f64();
        say::line(format!(
            "{:<34} {:>10.1} {:>10.1} {ratio:>11.2}x",
            row.name,
            millis(median),
            millis(worst)
        ));
    }
    if check && first > GOAL {
        return Err(Failure::new(format!(
            "the first screen takes {:.1} ms, over {} ms",
            millis(first),
            GOAL.as_millis()
        )));
    }
    Ok(())
}

/// Returns our commands first, then those of other installed programs that can read the files.
fn rows(overt: &Path, segments: &[PathBuf]) -> Vec<Row> {
    let ours = |name, words: &[&str]| Row {
        name,
        program: overt.to_owned(),
        args: words.iter().map(|word| (*word).to_owned()).collect(),
    };
    let mut rows = vec![
        ours("overt log", &["log"]),
        ours("overt log --since yesterday", &["log", "--since", "yesterday"]),
        ours("overt log --denied", &["log", "--denied"]),
        ours("overt log --changed PATH", &["log", "--changed", PATH]),
        ours("overt log --changed NOTHING", &["log", "--changed", "/nowhere"]),
        ours("overt log ID", &["log", CALL]),
    ];
    let texts: Vec<String> = segments.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let theirs = |name, program: &str, words: &[&str]| {
        let program = find(program)?;
        let args = words.iter().map(|word| (*word).to_owned()).chain(texts.iter().cloned()).collect();
        Some(Row { name, program, args })
    };
    rows.extend(theirs("tail -n 1000 of each segment", "tail", &["-q", "-n", "1000"]));
    rows.extend(theirs("grep -F PATH, everything", "grep", &["-F", "-c", PATH]));
    rows.extend(theirs("rg -F PATH, everything", "rg", &["-F", "-c", PATH]));
    rows.extend(theirs("jq, everything", "jq", &["-c", "select(.decision == \"deny\") | .ts"]));
    rows
}

fn find(program: &str) -> Option<PathBuf> {
    ["/usr/bin", "/bin", "/usr/local/bin"]
        .iter()
        .map(|folder| Path::new(folder).join(program))
        .find(|path| path.exists())
}

/// Runs the command once, and returns the time from its start to its end. The output is read, as a
/// terminal would, and discarded.
#[expect(clippy::disallowed_methods, reason = "the time is that of the program alone")]
fn once(row: &Row, state: &Path) -> Result<Duration, Failure> {
    let mut command = Command::new(&row.program);
    command.args(&row.args).env("OVERT_STATE_DIR", state).env("LC_ALL", "C.UTF-8");
    command.stdin(Stdio::null()).stderr(Stdio::null());
    let started = Instant::now();
    let output = command
        .output()
        .map_err(|error| Failure::new(format!("`{}` can't be started: {error}", row.name)))?;
    let took = started.elapsed();
    let is_nothing = output.stdout.is_empty() && row.name != "overt log --changed NOTHING";
    if is_nothing || (!output.status.success() && !row.name.starts_with(['g', 'r'])) {
        return Err(Failure::new(format!("`{}` printed nothing or failed: {}", row.name, output.status)));
    }
    Ok(took)
}

fn segments(state: &Path) -> Result<Vec<PathBuf>, Failure> {
    let logs = state.join("audit");
    let mut found = Vec::new();
    for log in std::fs::read_dir(&logs).map_err(Failure::file("read", &logs))?.flatten() {
        let files = std::fs::read_dir(log.path()).into_iter().flatten().flatten().map(|entry| entry.path());
        found.extend(
            files.filter(|path| path.extension().is_some_and(|end| end == "jsonl") && is_segment(path)),
        );
    }
    found.sort();
    Ok(found)
}

fn is_segment(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("seg-"))
}

fn megabytes(files: &[PathBuf]) -> u64 {
    let bytes: u64 = files.iter().filter_map(|path| path.metadata().ok()).map(|about| about.len()).sum();
    bytes / 1_000_000
}

/// `overt log` beside `tail`, `grep`, `rg` and `jq`
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[arg(long, default_value = "1000000", value_parser = count())]
    records: usize,
    #[arg(long, default_value = "9", value_parser = count())]
    rounds: usize,
    /// Fail where the first screen takes too long
    #[arg(long)]
    check: bool,
}

/// Sorts the times, and returns their median.
fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
