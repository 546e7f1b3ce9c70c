//! `bench ui`: how soon the page of `overt ui` is painted and can be used, beside the official
//! Inspector; how soon a question is on it; whether long lists scroll smoothly. The measuring
//! itself is in `tools/browser/bench.mjs`.

use std::path::PathBuf;
use std::time::Duration;

use crate::build::overt;
use crate::usage::USAGE;
use xtask::failure::Failure;
use xtask::repo::Repo;
use xtask::run::Job;
use xtask::{say, setup};

/// Starting the Inspector and Chromium takes a while on a cold machine.
const DEADLINE: Duration = Duration::from_secs(1_800);

pub(crate) fn run(repo: &Repo, args: &[String]) -> Result<(), Failure> {
    let Options { words, binary } = Options::read(args)?;
    setup::install_page_packages(repo)?;
    setup::install_chromium(repo)?;
    let inspector = repo.modules().join("@modelcontextprotocol/inspector");
    if !inspector.is_dir() {
        return Err(Failure::new("the Inspector is not installed").hint("run `cargo xtask setup`"));
    }
    let overt = match binary {
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

#[derive(Debug)]
struct Options {
    /// For the script.
    words: Vec<String>,
    /// A program that is built already.
    binary: Option<PathBuf>,
}

impl Options {
    fn read(args: &[String]) -> Result<Self, Failure> {
        let mut options = Self { words: Vec::new(), binary: None };
        let mut words = args.iter();
        while let Some(word) = words.next() {
            let wrong = || Failure::new(format!("`{word}` needs a value")).hint(USAGE);
            match word.as_str() {
                "--rounds" | "--questions" => {
                    let value =
                        words.next().filter(|text| text.parse::<u32>().is_ok_and(|number| number > 0));
                    options.words.extend([word.clone(), value.ok_or_else(wrong)?.clone()]);
                }
                "--binary" => options.binary = Some(words.next().ok_or_else(wrong)?.into()),
                "--check" => options.words.push(word.clone()),
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
    fn options_are_passed_on_and_mistakes_are_told() {
        let read =
            |words: &[&str]| Options::read(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        let options = read(&["--rounds", "3", "--binary", "x", "--check"]).unwrap();
        assert_eq!(options.words, ["--rounds", "3", "--check"]);
        assert_eq!(options.binary, Some(PathBuf::from("x")));
        for wrong in
            [&["--rounds"][..], &["--rounds", "0"], &["--questions", "x"], &["--binary"], &["--what"]]
        {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }
}
