//! What to measure, from the command line.

use super::contenders::{CONTENDERS, Contender};
use xtask::failure::Failure;

pub(crate) const USAGE: &str = "usage: cargo xtask bench proxy [--only NAME,...] [--part http,stdio,memory,start] \
                                [--loads 1,16,64] [--rounds N] [--seconds S] [--era VERSION] [--check] [--debug] \
                                [--soak [--soak-calls N] [--soak-sessions N]]";

const PARTS: &[&str] = &["http", "stdio", "memory", "start"];
/// A part that takes long, so it is measured only where it is asked for.
const SOAK: &str = "soak";

pub(crate) struct Options {
    pub(crate) contenders: Vec<&'static Contender>,
    parts: Vec<String>,
    pub(crate) loads: Vec<u32>,
    pub(crate) rounds: usize,
    pub(crate) seconds: f64,
    pub(crate) era: String,
    /// Whether a goal that is missed is a failure.
    pub(crate) check: bool,
    /// Whether the debug builds are used: they show that the harness works, and no figure of theirs
    /// means anything.
    pub(crate) debug: bool,
    pub(crate) soak_calls: usize,
    pub(crate) soak_sessions: usize,
}

impl Options {
    pub(crate) fn parse(args: &[String]) -> Result<Self, Failure> {
        let mut options = Self {
            contenders: CONTENDERS.iter().collect(),
            parts: PARTS.iter().map(|part| (*part).to_owned()).collect(),
            loads: vec![1, 16, 64],
            rounds: 5,
            seconds: 2.0,
            era: "2025-11-25".to_owned(),
            check: false,
            debug: false,
            soak_calls: 1_000_000,
            soak_sessions: 10_000,
        };
        let mut words = args.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--check" => options.check = true,
                "--debug" => options.debug = true,
                "--soak" => options.parts = vec![SOAK.to_owned()],
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
            "--only" => self.contenders = list(value, find)?,
            "--part" => self.parts = list(value, known_part)?,
            "--loads" => self.loads = list(value, number)?,
            "--rounds" => self.rounds = number::<usize>(value)?.max(1),
            "--seconds" => self.seconds = number(value)?,
            "--era" => value.clone_into(&mut self.era),
            "--soak-calls" => self.soak_calls = number::<usize>(value)?.max(10),
            "--soak-sessions" => self.soak_sessions = number::<usize>(value)?.max(10),
            _ => return Err(Failure::new(format!("unknown option `{word}`")).hint(USAGE)),
        }
        Ok(())
    }

    pub(crate) fn has(&self, part: &str) -> bool {
        self.parts.iter().any(|wanted| wanted == part)
    }

    pub(crate) fn only(&self, name: &str) -> Option<&'static Contender> {
        self.contenders.iter().find(|contender| contender.name == name).copied()
    }
}

fn list<T>(value: &str, read: impl Fn(&str) -> Result<T, Failure>) -> Result<Vec<T>, Failure> {
    value.split(',').map(|word| read(word.trim())).collect()
}

fn number<T: std::str::FromStr>(word: &str) -> Result<T, Failure> {
    word.parse().map_err(|_| Failure::new(format!("`{word}` is not a number")).hint(USAGE))
}

fn known_part(word: &str) -> Result<String, Failure> {
    if PARTS.contains(&word) {
        return Ok(word.to_owned());
    }
    Err(Failure::new(format!("unknown part `{word}`; known are {}", PARTS.join(", "))).hint(USAGE))
}

fn find(word: &str) -> Result<&'static Contender, Failure> {
    let names = || CONTENDERS.iter().map(|known| known.name).collect::<Vec<_>>().join(", ");
    let unknown = || Failure::new(format!("unknown name `{word}`; known are {}", names())).hint(USAGE);
    CONTENDERS.iter().find(|known| known.name == word).ok_or_else(unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Options, Failure> {
        Options::parse(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let options = parse(&["--only", "direct,overt", "--part", "http", "--loads", "1,64"]).unwrap();
        let names: Vec<&str> = options.contenders.iter().map(|contender| contender.name).collect();
        assert_eq!((names, options.loads.as_slice()), (vec!["direct", "overt"], &[1, 64][..]));
        assert!(options.has("http") && !options.has("memory"));
        for wrong in
            [&["--only", "nobody"][..], &["--part", "x"], &["--rounds"], &["--loads", "x"], &["--x", "1"]]
        {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
