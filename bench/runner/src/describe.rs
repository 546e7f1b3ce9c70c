//! `bench describe`: how long a user waits for a document about a running server with a hundred
//! tools.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::build::{build, overt};
use crate::values::count;
use xtask::example;
use xtask::failure::Failure;
use xtask::repo::Repo;
use xtask::run::Job;
use xtask::say;

/// The number of tools besides `echo`, which makes a hundred.
const MORE_TOOLS: &str = "99";
/// The longest time that a person does not notice.
const GOAL: Duration = Duration::from_millis(50);

/// The commands to measure. Each starts the program, talks to the server over HTTP, and ends. The
/// others are compared with the first, which asks for the same lists and makes no document.
const COMMANDS: [(&str, &[&str]); 5] = [
    ("list", &["list", "--format", "json"]),
    ("describe --as ai-help", &["describe", "--as", "ai-help"]),
    ("describe --as skill", &["describe", "--as", "skill"]),
    ("describe --as dashdash", &["describe", "--as", "dashdash"]),
    ("describe --as all", &["describe", "--as", "all", "--format", "json"]),
];

/// `overt describe` of a server with a hundred tools, beside `overt list`
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[arg(long, default_value = "20", value_parser = count())]
    rounds: usize,
    /// Fail where a document takes too long
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(repo: &Repo, options: &Options) -> Result<(), Failure> {
    let Options { rounds, check } = *options;
    let overt = overt(repo)?;
    let programs = build(repo, &["echo-overt"])?;
    let directory = repo.out.join("bench-describe");
    let manifest = directory.join("overt.toml");
    std::fs::create_dir_all(&directory).map_err(Failure::file("create", &directory))?;
    std::fs::write(&manifest, manifest_text()).map_err(Failure::file("write", &manifest))?;
    let server =
        Job::new(repo, "bench-echo-overt", programs.join("echo-overt")).args(["--tools", MORE_TOOLS]);
    let server = example::start_http(&server)?;

    let mut times = vec![Vec::new(); COMMANDS.len()];
    // Alternate between the commands, so that all meet the same noise. The first turn is a warm-up.
    for round in 0..=rounds {
        for ((name, words), times) in COMMANDS.iter().zip(&mut times) {
            let took = once(repo, &overt, &directory, name, words, &server.url)?;
            if round > 0 {
                times.push(took);
            }
        }
    }
    say::line(format!("{:<34} {:>10} {:>10} {:>10}", "", "median ms", "worst ms", "by list"));
    let list = median(&mut times[0]);
    let mut late = Vec::new();
    for ((name, _), times) in COMMANDS.iter().zip(&mut times) {
        let (median, worst) = (median(times), times.last().copied().unwrap_or_default());
        let ratio = median.as_secs_f64() / list.as_secs_f64();
        say::line(format!("{name:<34} {:>10.1} {:>10.1} {ratio:>9.2}x", millis(median), millis(worst)));
        if median > GOAL {
            late.push(format!("`{name}` takes {:.1} ms", millis(median)));
        }
    }
    if check && !late.is_empty() {
        return Err(Failure::new(format!("over {} ms\n  {}", GOAL.as_millis(), late.join("\n  "))));
    }
    Ok(())
}

/// Runs the program once, and returns the time from its start to its end.
fn once(
    repo: &Repo,
    overt: &Path,
    directory: &Path,
    name: &str,
    words: &[&str],
    url: &str,
) -> Result<Duration, Failure> {
    let job = Job::new(repo, &format!("bench {name}"), overt).args(words).arg(url).dir(directory);
    let started = Instant::now();
    let finished = job.succeed()?;
    let took = started.elapsed();
    if finished.stdout().trim().is_empty() {
        return Err(Failure::new(format!("`overt {name}` printed nothing")));
    }
    Ok(took)
}

/// Returns a manifest with a record for each tool, as a real one would have.
fn manifest_text() -> String {
    let mut text =
        "[server]\ndescription = \"Gives messages back. Use when the user wants to measure.\"\n".to_owned();
    let names = (0..99).map(|number| format!("echo_{number}")).chain(["echo".to_owned()]);
    for name in names {
        text.push_str(&format!(
            "\n[tools.{name}]\neffect = \"read\"\ncategory = \"echo\"\nreversible = false\npii_exposure = \"none\"\n\
             secrets_exposure = \"none\"\nrefusal_modes = []\n\n[[tools.{name}.examples]]\ndescription = \"A word\"\n\
             input = {{ message = \"hello\" }}\n"
        ));
    }
    text
}

/// Sorts the times, and returns their median.
fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
