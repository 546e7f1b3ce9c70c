//! `bench ui`: how soon the page of `overt ui` is painted and usable, compared with the official
//! Inspector; how soon a question appears on it; whether long lists scroll smoothly.
//! `tools/browser/bench.mjs` does the measuring.

use std::path::PathBuf;
use std::time::Duration;

use crate::build::overt;
use crate::values::count;
use xtask::failure::Failure;
use xtask::repo::Repo;
use xtask::run::Job;
use xtask::{say, setup};

/// Long, because starting the Inspector and Chromium takes a while on a cold machine.
const DEADLINE: Duration = Duration::from_secs(1_800);

pub(crate) fn run(repo: &Repo, options: Options) -> Result<(), Failure> {
    let words = options.words();
    setup::install_page_packages(repo)?;
    setup::install_chromium(repo)?;
    let inspector = repo.modules().join("@modelcontextprotocol/inspector");
    if !inspector.is_dir() {
        return Err(Failure::new("the Inspector is not installed").hint("run `cargo xtask setup`"));
    }
    let overt = match options.binary {
        Some(binary) => binary,
        None => overt(repo)?,
    };
    let bench = Job::new(repo, "bench-ui", repo.node())
        .arg(repo.root.join("tools/browser/bench.mjs"))
        .args(words.iter().map(String::as_str))
        .env("OVERT_BINARY", overt)
        .env("OVERT_MODULES", repo.modules())
        .env("OVERT_NODE", repo.node())
        .deadline(DEADLINE);
    let finished = bench.succeed()?;
    say::line(finished.stdout().trim_end());
    Ok(())
}

/// The page of `overt ui` and the Inspector, in a browser
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    #[arg(long, value_parser = count())]
    rounds: Option<usize>,
    #[arg(long, value_parser = count())]
    questions: Option<usize>,
    /// A program that is built already
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Fail where a goal is missed
    #[arg(long)]
    check: bool,
}

impl Options {
    /// Returns the options in the form that the script takes.
    fn words(&self) -> Vec<String> {
        let numbers = [("--rounds", self.rounds), ("--questions", self.questions)];
        let numbers =
            numbers.into_iter().filter_map(|(name, number)| Some([name.to_owned(), number?.to_string()]));
        numbers.flatten().chain(self.check.then(|| "--check".to_owned())).collect()
    }
}
