//! `bench pages`: how long each page after the first takes in a folder with a million entries.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use crate::build::{build, overt};
use crate::values::count;
use xtask::failure::Failure;
use xtask::repo::Repo;
use xtask::run::Job;
use xtask::say;

/// The longest time for one page, in milliseconds.
const MOST_MS: f64 = 5.0;

/// Every page of a large folder
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[arg(long, default_value = "1000000", value_parser = count())]
    entries: usize,
    /// A program that is built already
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Fail where a page took too long
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(repo: &Repo, options: Options) -> Result<(), Failure> {
    let harness = build(repo, &["bench-harness"])?.join("bench-load");
    let overt = match options.binary {
        Some(binary) => binary,
        None => overt(repo)?,
    };
    // The files are empty, so there is room for them in memory, where creating them takes only
    // seconds.
    let memory = PathBuf::from("/dev/shm");
    let base = if memory.is_dir() { memory } else { repo.target.clone() };
    let root = base.join(format!("overt-bench-pages-{}", std::process::id()));
    let measured = measure(repo, &harness, &overt, &root, options.entries);
    let _ = std::fs::remove_dir_all(&root);
    let outcome: Value = measured?;
    show(&outcome);
    let worst = outcome["wall"]["worst_ms"].as_f64().unwrap_or(f64::INFINITY);
    let verdict = if worst <= MOST_MS { "met" } else { "MISSED" };
    say::line(format!("the slowest page, ms {worst:>8.2}  (goal {MOST_MS})  {verdict}"));
    if options.check && worst > MOST_MS {
        return Err(Failure::new("a page took too long").hint("see whether it worked or waited for a CPU"));
    }
    Ok(())
}

fn measure(
    repo: &Repo,
    harness: &std::path::Path,
    overt: &std::path::Path,
    root: &std::path::Path,
    entries: usize,
) -> Result<Value, Failure> {
    let (folder, state) = (root.join("root"), root.join("state"));
    let order = json!({
        "command": [overt, "fs", folder],
        "environment": { "OVERT_STATE_DIR": state },
        "root": folder,
        "entries": entries,
    });
    std::fs::create_dir_all(&folder).map_err(Failure::file("create", &folder))?;
    let file = repo.out.join("bench-pages.json");
    std::fs::write(&file, order.to_string()).map_err(Failure::file("write", &file))?;
    let job = Job::new(repo, "bench-pages", harness).arg("pages").arg(&file);
    let finished = job.deadline(Duration::from_secs(900)).succeed()?;
    let out = finished.stdout();
    serde_json::from_str(out.trim())
        .map_err(|cause| Failure::new(format!("the load generator did not print JSON: {cause}\n{out}")))
}

fn show(outcome: &Value) {
    say::line(format!(
        "{} entries in {} pages; the first page {} ms; {} MiB at most",
        outcome["entries"], outcome["pages"], outcome["first_ms"], outcome["most_mib"]
    ));
    say::line(format!("{:<34} {:>8} {:>8} {:>8}", "each further page, ms", "p50", "p99", "worst"));
    for (member, title) in
        [("wall", "until it is answered"), ("worked", "the server worked"), ("waited", "it waited for a CPU")]
    {
        let of = |name: &str| outcome[member][name].as_f64().unwrap_or(f64::NAN);
        let (p50, p99, worst) = (of("p50_ms"), of("p99_ms"), of("worst_ms"));
        say::line(format!("{title:<34} {p50:>8.2} {p99:>8.2} {worst:>8.2}"));
    }
}
