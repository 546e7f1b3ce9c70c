//! The page of `overt ui`: builds it from `ui/`, compares it with the embedded files, and tests it
//! in a real browser.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::repo::Repo;
use crate::run::Job;
use crate::{example, say, setup};

/// `cargo xtask ui` builds `ui/dist`. With `--check` it compares a new build with the existing
/// files.
pub(crate) fn build(repo: &Repo, args: &[String]) -> Result<(), Failure> {
    setup::install_page_packages(repo)?;
    match args {
        [] => node(repo, "ui-build", "build.mjs", &[]),
        [check] if check == "--check" => check_built(repo),
        _ => Err(Failure::new("only `--check` is known here")),
    }
}

/// Checks the types, and that the embedded files match the source and stay within their size
/// budget.
pub(crate) fn check_built(repo: &Repo) -> Result<(), Failure> {
    let types = Job::new(repo, "ui-types", "npm").args(["run", "--silent", "check"]);
    types.dir(repo.root.join("ui")).deadline(Duration::from_secs(120)).succeed()?;
    node(repo, "ui-check", "build.mjs", &["--check"])
        .map_err(|failure| failure.hint("`cargo xtask ui` writes `ui/dist` anew"))
}

/// Tests every view in Chromium: with a server that fails on purpose, and with the program itself.
pub(crate) fn browse(repo: &Repo, _: &[String]) -> Result<(), Failure> {
    setup::install_page_packages(repo)?;
    setup::install_chromium(repo)?;
    check_built(repo)?;
    example::build(repo, "browser")?;
    let files = test_files(repo)?;
    let failed: Vec<&PathBuf> = files.iter().filter(|file| run_file(repo, file, "").is_err()).collect();
    // A browser on a busy machine may miss a deadline, so run failed files again. A real fault
    // fails again.
    failed.into_iter().try_for_each(|file| run_file(repo, file, "in the second try"))
}

fn run_file(repo: &Repo, file: &Path, note: &str) -> Result<(), Failure> {
    let name = format!("browser {}", file.file_name().unwrap_or_default().to_string_lossy());
    // A failed test may leave something open that Node would wait for.
    let tests = Job::new(repo, &name, repo.node()).args(["--test", "--test-force-exit"]).arg(file);
    let tests = tests.env("OVERT_BINARY", repo.binary("overt")).deadline(Duration::from_secs(600));
    let started = Instant::now();
    let result = tests.succeed();
    say::step(&name, if result.is_ok() { "ok" } else { "FAILED" }, started.elapsed(), note);
    result.map(|_| ())
}

fn test_files(repo: &Repo) -> Result<Vec<PathBuf>, Failure> {
    let mut files: Vec<PathBuf> = Vec::new();
    for dir in ["tools/browser", "tools/browser/apps"].map(|dir| repo.root.join(dir)) {
        let entries = std::fs::read_dir(&dir).map_err(Failure::file("read", &dir))?;
        files.extend(entries.flatten().map(|entry| entry.path()));
    }
    files.retain(|file| file.to_string_lossy().ends_with(".test.mjs"));
    files.sort();
    Ok(files)
}

fn node(repo: &Repo, name: &str, script: &str, words: &[&str]) -> Result<(), Failure> {
    let job = Job::new(repo, name, "node").arg(script).args(words);
    job.dir(repo.root.join("ui")).deadline(Duration::from_secs(120)).succeed().map(|_| ())
}
