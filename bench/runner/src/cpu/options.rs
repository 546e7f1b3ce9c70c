//! What to measure, from the command line.

use std::path::PathBuf;

use xtask::failure::Failure;

pub(crate) const USAGE: &str = "usage: cargo xtask bench cpu [--binary NAME=PATH]... [--part http,stdio,fs] [--in-flight 1,16] \
                                [--rounds N] [--calls N] [--check]";

const PARTS: &[&str] = &["http", "stdio", "fs"];

#[derive(Debug)]
pub(crate) struct Options {
    /// The builds of `overt` to compare, each with its name. None stands for the release build of
    /// this tree.
    pub(crate) binaries: Vec<(String, PathBuf)>,
    pub(crate) parts: Vec<String>,
    pub(crate) in_flight: Vec<usize>,
    pub(crate) rounds: usize,
    /// Calls of each measurement.
    pub(crate) calls: usize,
    /// Whether a missed goal is a failure.
    pub(crate) check: bool,
}

impl Options {
    pub(crate) fn parse(args: &[String]) -> Result<Self, Failure> {
        let mut options = Self {
            binaries: Vec::new(),
            parts: PARTS.iter().map(|part| (*part).to_owned()).collect(),
            in_flight: vec![1, 16],
            rounds: 10,
            calls: 10_000,
            check: false,
        };
        let mut words = args.iter();
        while let Some(word) = words.next() {
            if word == "--check" {
                options.check = true;
                continue;
            }
            let needs = || Failure::new(format!("`{word}` needs a value")).hint(USAGE);
            options.set(word, words.next().ok_or_else(needs)?)?;
        }
        Ok(options)
    }

    fn set(&mut self, word: &str, value: &str) -> Result<(), Failure> {
        match word {
            "--binary" => self.binaries.push(binary(value)?),
            "--part" => self.parts = value.split(',').map(part).collect::<Result<_, _>>()?,
            "--in-flight" => self.in_flight = value.split(',').map(number).collect::<Result<_, _>>()?,
            "--rounds" => self.rounds = number(value)?,
            "--calls" => self.calls = number(value)?,
            _ => return Err(Failure::new(format!("unknown option `{word}`")).hint(USAGE)),
        }
        Ok(())
    }

    pub(crate) fn has(&self, part: &str) -> bool {
        self.parts.iter().any(|wanted| wanted == part)
    }
}

fn binary(value: &str) -> Result<(String, PathBuf), Failure> {
    let (name, path) = value
        .split_once('=')
        .ok_or_else(|| Failure::new(format!("`{value}` is not NAME=PATH")).hint(USAGE))?;
    // The servers run in other folders.
    let path = std::fs::canonicalize(path).map_err(Failure::file("find", path.as_ref()))?;
    Ok((name.to_owned(), path))
}

fn part(word: &str) -> Result<String, Failure> {
    if PARTS.contains(&word) {
        return Ok(word.to_owned());
    }
    Err(Failure::new(format!("unknown part `{word}`; known are {}", PARTS.join(", "))).hint(USAGE))
}

fn number(word: &str) -> Result<usize, Failure> {
    let number = word.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| Failure::new(format!("`{word}` is not a number above 0")).hint(USAGE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_unknown_ones_are_refused() {
        let parse =
            |words: &[&str]| Options::parse(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        let options = parse(&["--binary", "before=/", "--part", "http,fs", "--calls", "5"]).unwrap();
        assert_eq!(options.binaries, [("before".to_owned(), PathBuf::from("/"))]);
        assert!(options.has("fs") && !options.has("stdio") && options.calls == 5 && options.rounds == 10);
        let wrong =
            [&["--binary", "/"][..], &["--binary", "x=/no/such"], &["--rounds", "0"], &["--part", "x"]];
        for wrong in wrong {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
