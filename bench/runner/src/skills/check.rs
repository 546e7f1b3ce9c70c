//! Compares the time of `overt skill check` with that of the reference validator and agnix on the
//! same skills.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::library::find_skills;
use xtask::failure::Failure;
use xtask::repo::Repo;
use xtask::say;

/// The number of skills for which the command of skills-ref is started separately, as people do.
const MOST_STARTS: usize = 20;

/// A program that checks a directory of skills.
struct Row {
    name: String,
    program: PathBuf,
    args: Vec<String>,
    /// Skills that are each checked by a separate start; empty if one start checks all.
    directories: Vec<PathBuf>,
}

/// Measures every program on one directory. Returns how many times faster we are than skills-ref.
pub(super) fn measure(
    repo: &Repo,
    overt: &Path,
    what: &str,
    skills: &Path,
    rounds: usize,
) -> Result<f64, Failure> {
    let all = find_skills(skills)?;
    say::line(format!("{what}: {} skills", all.len()));
    say::line(format!("{:<46} {:>10} {:>12} {:>12}", "", "median ms", "a skill, us", "by the first"));
    let rows = rows(repo, overt, skills, &all);
    let mut times = vec![Vec::new(); rows.len()];
    // Alternate between the programs, so that all meet the same noise. The first turn is a warm-up.
    for round in 0..=rounds {
        for (row, times) in rows.iter().zip(&mut times) {
            let took = row.once()?;
            if round > 0 {
                times.push(took);
            }
        }
    }
    let mut per_skill = Vec::with_capacity(rows.len());
    for (row, times) in rows.iter().zip(&mut times) {
        times.sort();
        let median = times.get(times.len() / 2).copied().unwrap_or_default().as_secs_f64();
        let checked = if row.directories.is_empty() { all.len() } else { row.directories.len() };
        #[expect(clippy::cast_precision_loss, reason = "there are far fewer skills than 2^52")]
        per_skill.push(median / checked as f64);
        let (own, first) = (per_skill[per_skill.len() - 1], per_skill[0]);
        say::line(format!(
            "{:<46} {:>10.1} {:>12.1} {:>11.1}x",
            row.name,
            median * 1e3,
            own * 1e6,
            own / first
        ));
    }
    let reference = rows.iter().position(|row| row.name == REFERENCE).map(|at| per_skill[at]);
    reference
        .map(|reference| reference / per_skill[0])
        .ok_or_else(|| Failure::new("skills-ref is not installed").hint("run `cargo xtask setup`"))
}

const REFERENCE: &str = "skills-ref 0.1.1, one process";

/// Returns our rows first, then those of the other programs that are installed.
fn rows(repo: &Repo, overt: &Path, skills: &Path, all: &[PathBuf]) -> Vec<Row> {
    let path = skills.to_string_lossy().into_owned();
    let row = |name: &str, program: PathBuf, words: &[&str]| Row {
        name: name.to_owned(),
        program,
        args: words.iter().map(|word| (*word).to_owned()).chain([path.clone()]).collect(),
        directories: Vec::new(),
    };
    let json = ["skill", "check", "--format", "json"];
    let mut rows = vec![
        row(
            "overt skill check --profile skills-ref",
            overt.to_owned(),
            &[&json[..], &["--profile", "skills-ref"]].concat(),
        ),
        row("overt skill check, all readers", overt.to_owned(), &json),
    ];
    let python = repo.python();
    if python.exists() {
        let script = repo.root.join("tools/peers/skills_time.py").to_string_lossy().into_owned();
        rows.push(row(REFERENCE, python.clone(), &[&script]));
    }
    let command = python.with_file_name("agentskills");
    if command.exists() {
        let directories: Vec<PathBuf> = all.iter().take(MOST_STARTS).cloned().collect();
        let name = format!("skills-ref 0.1.1, started for each of {}", directories.len());
        rows.push(Row { name, program: command, args: vec!["validate".to_owned()], directories });
    }
    match repo.agnix() {
        agnix if agnix.exists() => rows.push(row("agnix 0.60.3", agnix, &["--format", "json"])),
        _ => say::line("agnix is not installed: left out; `--peers` installs it"),
    }
    rows
}

impl Row {
    /// Returns the time from the program's start to its end. Exit code 1 means that it found
    /// something.
    #[expect(clippy::disallowed_methods, reason = "the time is that of the program alone")]
    fn once(&self) -> Result<Duration, Failure> {
        let each: Vec<Vec<String>> = match self.directories.as_slice() {
            [] => vec![self.args.clone()],
            directories => {
                let words =
                    |path: &PathBuf| [&self.args[..], &[path.to_string_lossy().into_owned()]].concat();
                directories.iter().map(words).collect()
            }
        };
        let started = Instant::now();
        for args in &each {
            let mut command = Command::new(&self.program);
            let output = command.args(args).stdin(Stdio::null()).output();
            let output =
                output.map_err(|error| Failure::new(format!("`{}` can't be started: {error}", self.name)))?;
            let is_silent = output.stdout.is_empty() && output.stderr.is_empty();
            if is_silent || !matches!(output.status.code(), Some(0 | 1)) {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                return Err(Failure::new(format!("`{}` failed: {}\n{said}", self.name, output.status)));
            }
        }
        Ok(started.elapsed())
    }
}
