//! `bench describe`: how long a user waits for a document about a server that runs already and has
//! a hundred tools.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::build::{build, overt};
use crate::usage::USAGE;
use xtask::example;
use xtask::failure::Failure;
use xtask::repo::Repo;
use xtask::run::Job;
use xtask::say;

/// With `echo`, a hundred.
const MORE_TOOLS: &str = "99";
/// What a person doesn't notice.
const GOAL: Duration = Duration::from_millis(50);

/// What is measured: each starts the program anew, talks to the server over HTTP, and ends. The
/// first is what the others are held against: it asks for the same lists and makes no document.
const COMMANDS: [(&str, &[&str]); 5] = [
    ("list", &["list", "--format", "json"]),
    ("describe --as ai-help", &["describe", "--as", "ai-help"]),
    ("describe --as skill", &["describe", "--as", "skill"]),
    ("describe --as dashdash", &["describe", "--as", "dashdash"]),
    ("describe --as all", &["describe", "--as", "all", "--format", "json"]),
];

pub(crate) fn run(repo: &Repo, args: &[String]) -> Result<(), Failure> {
    let (rounds, check) = options(args)?;
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
    // In turns, so that all meet the same noise; the first turn warms up and doesn't count.
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

fn options(args: &[String]) -> Result<(usize, bool), Failure> {
    let (mut rounds, mut check) = (20, false);
    let mut words = args.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--rounds" => {
                let number = words.next().and_then(|number| number.parse().ok()).filter(|number| *number > 0);
                rounds = number.ok_or_else(|| Failure::new("`--rounds` needs a number").hint(USAGE))?;
            }
            "--check" => check = true,
            _ => return Err(Failure::new(format!("unknown option `{word}`")).hint(USAGE)),
        }
    }
    Ok((rounds, check))
}

/// From the start of the program to its end.
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

/// A record for each tool, as a real manifest would have.
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

/// Sorts them on the way.
fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
