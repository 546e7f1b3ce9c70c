//! `bench skills`: how long `overt skill check` takes on the same skills as the reference validator and agnix. What counts is the
//! ratio in one run.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::which::{USAGE, overt};
use crate::failure::Failure;
use crate::repo::Repo;
use crate::say;
use crate::setup::install_agnix;

/// Generated skills.
const COUNT: usize = 1_000;
/// How many times faster than skills-ref, in one process, on the generated skills.
const GOAL: f64 = 50.0;
/// Skills for which the command of skills-ref is started one by one, as people run it.
const MOST_STARTS: usize = 20;

/// A program that checks a directory of skills.
struct Row {
    name: String,
    program: PathBuf,
    args: Vec<String>,
    /// Of the skills, those that one start checks.
    directories: Vec<PathBuf>,
}

pub(crate) fn run(repo: &Repo, args: &[String]) -> Result<(), Failure> {
    let Options { count, rounds, check, peers, binary } = Options::read(args)?;
    if peers {
        install_agnix(repo)?;
    }
    let overt = match binary {
        Some(binary) => binary,
        None => overt(repo)?,
    };
    let generated = repo.target.join(format!("bench/skills-{count}"));
    write_skills(&generated, count)?;
    let ratio = measure(repo, &overt, "generated", &generated, rounds)?;
    let corpora = repo.root.ancestors().map(|folder| folder.join("shared/data/skills-corpus"));
    match corpora.into_iter().find(|corpus| corpus.is_dir()) {
        Some(corpus) => drop(measure(repo, &overt, "corpus", &corpus, rounds)?),
        None => say::line("the corpus of public skills is not beside the repository: left out"),
    }
    if check && ratio < GOAL {
        return Err(Failure::new(format!(
            "`overt skill check` is {ratio:.0} times as fast as skills-ref, under {GOAL}"
        )));
    }
    Ok(())
}

/// Measures every program on one directory. Hands back how many times faster than skills-ref we are.
fn measure(repo: &Repo, overt: &Path, what: &str, skills: &Path, rounds: usize) -> Result<f64, Failure> {
    let all = find_skills(skills)?;
    say::line(format!("{what}: {} skills", all.len()));
    say::line(format!("{:<46} {:>10} {:>12} {:>12}", "", "median ms", "a skill, us", "by the first"));
    let rows = rows(repo, overt, skills, &all);
    let mut times = vec![Vec::new(); rows.len()];
    // In turns, so that all meet the same noise; the first turn warms up and doesn't count.
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

/// Ours first; then the others, as far as they are installed.
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
    /// From the start of the program to its end. A program that finds something ends with 1.
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

/// The directories with a SKILL.md, in order.
fn find_skills(root: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).map_err(Failure::file("read", &directory))?.flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(entry.path());
            } else if entry.file_name() == "SKILL.md" {
                found.push(directory.clone());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Skills as people write them: a few fields, a page of instructions, and now and then a mistake.
fn write_skills(root: &Path, count: usize) -> Result<(), Failure> {
    let done = root.join("written");
    if done.exists() {
        return Ok(());
    }
    for number in 0..count {
        let directory = root.join(format!("skills/skill-{number:05}"));
        std::fs::create_dir_all(&directory).map_err(Failure::file("create", &directory))?;
        let path = directory.join("SKILL.md");
        std::fs::write(&path, skill(number)).map_err(Failure::file("write", &path))?;
    }
    std::fs::write(&done, "").map_err(Failure::file("write", &done))
}

fn skill(number: usize) -> String {
    let name = if number % 9 == 8 { "Wrong Name".to_owned() } else { format!("skill-{number:05}") };
    let extra = if number % 13 == 12 { "version: 1.0.0\n" } else { "" };
    let mut text = format!(
        "---\nname: {name}\ndescription: Reads the tables of report {number} and sums them up. Use when the user asks for \
         totals, trends or a summary of report {number}.\nlicense: MIT\n{extra}metadata:\n  author: somebody\n  version: \
         \"1.{number}\"\n---\n\n# Report {number}\n"
    );
    for step in 0..60 {
        text.push_str(&format!(
            "\n{step}. Open `table-{step}.csv` and look for rows that are not in the last report.\n"
        ));
    }
    text
}

struct Options {
    count: usize,
    rounds: usize,
    check: bool,
    /// Installs agnix first.
    peers: bool,
    /// A program that is built already.
    binary: Option<PathBuf>,
}

impl Options {
    fn read(args: &[String]) -> Result<Self, Failure> {
        let mut options = Self { count: COUNT, rounds: 5, check: false, peers: false, binary: None };
        let mut words = args.iter();
        while let Some(word) = words.next() {
            let wrong = || Failure::new(format!("`{word}` needs a value")).hint(USAGE);
            let mut number = || {
                words.next().and_then(|text| text.parse().ok()).filter(|number| *number > 0).ok_or_else(wrong)
            };
            match word.as_str() {
                "--skills" => options.count = number()?,
                "--rounds" => options.rounds = number()?,
                "--binary" => options.binary = Some(words.next().ok_or_else(wrong)?.into()),
                "--peers" => options.peers = true,
                "--check" => options.check = true,
                _ => return Err(Failure::new(format!("unknown option `{word}`")).hint(USAGE)),
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_mistakes_are_told() {
        let read =
            |words: &[&str]| Options::read(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        let options = read(&["--skills", "7", "--check", "--binary", "x"]).unwrap();
        assert_eq!((options.count, options.rounds, options.check), (7, 5, true));
        assert_eq!(options.binary, Some(PathBuf::from("x")));
        for wrong in [&["--skills"][..], &["--skills", "0"], &["--rounds", "x"], &["--binary"], &["--what"]] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn generated_skills_are_skills_and_some_are_wrong() {
        assert!(skill(0).starts_with("---\nname: skill-00000\n"));
        assert!(skill(8).contains("name: Wrong Name\n"));
        assert!(skill(12).contains("version: 1.0.0\n"));
        assert!(skill(0).len() > 4_000 && skill(0).len() < 6_000, "{}", skill(0).len());
    }
}
