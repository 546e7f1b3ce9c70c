//! The suite as client, `overt skills` under test, alone and behind `overt run`: every check of the
//! skills extension must pass, without a warning, in both eras.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::results::{self, Checks};
use super::suite::{Release, results_dir};
use crate::example::{self, Server};
use crate::failure::Failure;
use crate::repo::{CONTROLLED, Repo};
use crate::run::Job;
use crate::say;

const REVISIONS: &[&str] = &["2025-11-25", "2026-07-28"];

/// Each scenario, and the least number of passed checks in each revision.
const SCENARIOS: &[(&str, [usize; 2])] = &[
    ("sep-2640-skills-enumeration", [30, 32]),
    ("sep-2640-skills-manifest", [5, 5]),
    ("sep-2640-skills-directory", [6, 6]),
];

/// The files of the library: a skill with directories, which is in a category, another skill inside
/// it, and one with repository metadata.
pub(crate) const LIBRARY: &[(&str, &str)] = &[
    (
        "docs/pdf-tools/SKILL.md",
        "---\nname: pdf-tools\ndescription: Reads PDF files. Use when asked for the text of one.\nlicense: MIT\nmetadata:\n  a: \"1\"\n---\n\n# PDF\n",
    ),
    ("docs/pdf-tools/references/forms.md", "# Forms\n"),
    ("docs/pdf-tools/scripts/read.py", "print('text')\n"),
    (
        "docs/pdf-tools/more/inner/SKILL.md",
        "---\nname: inner\ndescription: Does more. Use when asked for more.\n---\n\n# More\n",
    ),
    (
        "mail/SKILL.md",
        "---\nname: mail\ndescription: Writes mail. Use when asked to write one.\nx-personal-mcp:\n  id: mail\n  version: \"1.0.0\"\n  capabilities:\n    - resource://skills/mail/document\n---\n\n# Mail\n",
    ),
];

pub(crate) fn check(repo: &Repo) -> Result<(), Failure> {
    let library = library(repo)?;
    let server = start(repo, &library)?;
    let behind = behind(repo, &server)?;
    for (place, url) in [("skills", &server.url), ("skills behind run", &behind.url)] {
        for (index, revision) in REVISIONS.iter().enumerate() {
            let started = Instant::now();
            let mut passed = 0;
            for (scenario, least) in SCENARIOS {
                passed += check_one(repo, place, url, revision, scenario, least[index])?;
            }
            let counts = format!("{passed} checks passed, 0 failed, 0 warnings");
            say::step(&format!("{place}, 0.2 {revision}"), "ok", started.elapsed(), &counts);
        }
    }
    Ok(())
}

/// Writes the library, after removing an earlier one.
pub(crate) fn library(repo: &Repo) -> Result<PathBuf, Failure> {
    let directory = repo.out.join("skills-library");
    let _ = std::fs::remove_dir_all(&directory);
    for (path, text) in LIBRARY {
        let path = directory.join(path);
        let folder = path.parent().unwrap_or(Path::new("/"));
        std::fs::create_dir_all(folder).map_err(Failure::file("create", folder))?;
        std::fs::write(&path, text).map_err(Failure::file("write", &path))?;
    }
    Ok(directory)
}

/// Starts `overt skills` over HTTP.
pub(crate) fn start(repo: &Repo, library: &Path) -> Result<Server, Failure> {
    let job = Job::command(repo, "skills server", repo.overt());
    example::announced(&job.args(["skills", "--tools", "--prompts", "--http", "127.0.0.1:0"]).arg(library))
}

fn behind(repo: &Repo, server: &Server) -> Result<Server, Failure> {
    let job = Job::command(repo, "skills behind run", repo.overt());
    example::announced(&job.args(CONTROLLED).args(["--http", "127.0.0.1:0"]).arg(&server.url))
}

fn check_one(
    repo: &Repo,
    place: &str,
    url: &str,
    revision: &str,
    scenario: &str,
    least: usize,
) -> Result<usize, Failure> {
    let name = format!("{place} {revision} {scenario}");
    let dir = results_dir(repo, &name)?;
    let finished = Release::Alpha
        .job(repo, &name)
        .args([
            "server",
            "--force",
            "--spec-version",
            revision,
            "--scenario",
            scenario,
            "--url",
            url,
            "--output-dir",
        ])
        .arg(&dir)
        .finish()?;
    let checks = results::read(&dir)?.remove(scenario).unwrap_or_default();
    match judge(&checks, least) {
        Ok(()) if finished.ok => Ok(checks.passed),
        judged => {
            let why = judged.err().unwrap_or_default();
            Err(Failure::new(format!(
                "{name}: {why}\n  {}\n{}",
                checks.failed.join("\n  "),
                finished.shown()
            )))
        }
    }
}

fn judge(checks: &Checks, least: usize) -> Result<(), String> {
    if !checks.pass() {
        return Err(format!("{} checks failed, {} warnings", checks.failed.len(), checks.warned));
    }
    match checks.passed < least {
        true => Err(format!("only {} checks passed, {least} are needed", checks.passed)),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_a_failure_and_too_few_checks_are_noticed() {
        let good = Checks { passed: 6, ..Checks::default() };
        assert!(judge(&good, 6).is_ok());
        assert!(judge(&good, 7).is_err(), "too few");
        assert!(judge(&Checks { warned: 1, passed: 6, ..Checks::default() }, 6).is_err());
        assert!(judge(&Checks { failed: vec!["a".to_owned()], passed: 6, ..Checks::default() }, 6).is_err());
    }
}
