//! What to measure, from the command line.

use xtask::failure::Failure;

pub(crate) const USAGE: &str = "usage: cargo xtask bench fs [--peers] [--rows ROW,...] [--in-flight 1,16] [--rounds N] [--seconds S] \
                                [--starts N] [--check]";

/// Each row: its name, and what it is called in the report.
pub(crate) const ROWS: &[(&str, &str)] = &[
    ("read-4k", "read 4 KiB"),
    ("read-1m", "read 1 MiB"),
    ("edit-64k", "edit 64 KiB"),
    ("list-50", "list 50 entries"),
    ("tree-20k", "tree of 20,085 files"),
    ("glob-1k", "glob, 1,000 files"),
    ("glob-20k", "glob, 20,085 files"),
    ("grep-1k", "grep, 1,000 files"),
    ("grep-20k", "grep, 20,085 files"),
];

#[derive(Debug)]
pub(crate) struct Options {
    /// Whether others are measured as well.
    pub(crate) peers: bool,
    pub(crate) rows: Vec<&'static str>,
    pub(crate) in_flight: Vec<usize>,
    pub(crate) rounds: usize,
    pub(crate) seconds: f64,
    pub(crate) starts: usize,
    /// Whether a goal that is missed is a failure.
    pub(crate) check: bool,
}

impl Options {
    pub(crate) fn parse(args: &[String]) -> Result<Self, Failure> {
        let mut options = Self {
            peers: false,
            rows: ROWS.iter().map(|(name, _)| *name).collect(),
            in_flight: vec![1, 16],
            rounds: 3,
            seconds: 0.5,
            starts: 20,
            check: false,
        };
        let mut words = args.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--check" => options.check = true,
                "--peers" => options.peers = true,
                _ => {
                    let needs = || Failure::new(format!("`{word}` needs a value")).hint(USAGE);
                    options.set(word, words.next().ok_or_else(needs)?)?;
                }
            }
        }
        Ok(options)
    }

    fn set(&mut self, word: &str, value: &str) -> Result<(), Failure> {
        match word {
            "--rows" => self.rows = list(value, row)?,
            "--in-flight" => self.in_flight = list(value, number)?,
            "--rounds" => self.rounds = number::<usize>(value)?.max(1),
            "--seconds" => self.seconds = number(value)?,
            "--starts" => self.starts = number(value)?,
            _ => return Err(Failure::new(format!("unknown option `{word}`")).hint(USAGE)),
        }
        Ok(())
    }
}

fn list<T>(value: &str, read: impl Fn(&str) -> Result<T, Failure>) -> Result<Vec<T>, Failure> {
    value.split(',').map(|word| read(word.trim())).collect()
}

fn number<T: std::str::FromStr>(word: &str) -> Result<T, Failure> {
    word.parse().map_err(|_| Failure::new(format!("`{word}` is not a number")).hint(USAGE))
}

fn row(word: &str) -> Result<&'static str, Failure> {
    let names: Vec<&str> = ROWS.iter().map(|(name, _)| *name).collect();
    let unknown =
        || Failure::new(format!("unknown row `{word}`; known are {}", names.join(", "))).hint(USAGE);
    names.iter().find(|known| **known == word).copied().ok_or_else(unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_refused() {
        let parse =
            |words: &[&str]| Options::parse(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        let options = parse(&["--peers", "--rows", "read-4k,list-50", "--seconds", "0.1"]).unwrap();
        assert!(options.peers && !options.check);
        assert_eq!(options.rows, ["read-4k", "list-50"]);
        for wrong in [&["--rows", "x"][..], &["--rounds"], &["--in-flight", "x"], &["--x", "1"]] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
