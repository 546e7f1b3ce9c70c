//! What the command line says.

use std::path::PathBuf;

use crate::usage::USAGE;
use xtask::failure::Failure;

/// Generated skills.
const COUNT: usize = 1_000;

pub(super) struct Options {
    pub(super) count: usize,
    pub(super) rounds: usize,
    pub(super) check: bool,
    /// Installs agnix first.
    pub(super) peers: bool,
    /// A program that is built already.
    pub(super) binary: Option<PathBuf>,
}

impl Options {
    pub(super) fn read(args: &[String]) -> Result<Self, Failure> {
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
}
