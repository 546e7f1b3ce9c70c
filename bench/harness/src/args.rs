//! The command line: what to measure.

use std::time::Duration;

use crate::calls::Era;

pub(crate) const USAGE: &str = "usage: bench-load [--in-flight N] [--seconds S] [--warm S] [--era VERSION] [--tool NAME] [--calls N] \
                                [--cpu-of PID,...] URL\n       \
                                bench-load [--in-flight N] [--seconds S] [--warm S] [--era VERSION] [--calls N] \
                                [--starts N [--to-list]] -- CMD ARGS...\n       \
                                bench-load corpus FOLDER\n       \
                                bench-load fs PLAN";

/// How to reach the server.
#[derive(Debug)]
pub(crate) enum Target {
    Url(String),
    Command(Vec<String>),
}

#[derive(Debug)]
pub(crate) struct Args {
    pub(crate) target: Target,
    /// Calls in flight. Over HTTP, each has its own connection and session.
    pub(crate) in_flight: usize,
    pub(crate) measured: Duration,
    pub(crate) warm: Duration,
    pub(crate) era: Era,
    /// The name of the tool `echo` at this server.
    pub(crate) tool: String,
    /// The number of calls after which the measurement ends, whatever the time.
    pub(crate) calls: Option<usize>,
    /// The processes whose CPU time is measured. Over stdio it is always that of the command.
    pub(crate) cpu_of: Vec<u32>,
    /// If not 0, this many starts of the command are measured instead of a load.
    pub(crate) starts: usize,
    /// Whether a start ends with the first list of tools instead of the first call.
    pub(crate) to_list: bool,
}

impl Args {
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut url = None;
        let mut command = Vec::new();
        let (mut in_flight, mut measured, mut warm, mut era) = (1, 2.0, 0.5, Era::Initialized);
        let (mut calls, mut starts, mut tool) = (None, 0, "echo".to_owned());
        let (mut cpu_of, mut to_list) = (Vec::new(), false);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("`{word}` needs a value\n{USAGE}"));
            match word.as_str() {
                "--in-flight" => in_flight = number(&value()?)?,
                "--seconds" => measured = number(&value()?)?,
                "--warm" => warm = number(&value()?)?,
                "--era" => era = Era::named(&value()?)?,
                "--tool" => tool = value()?,
                "--calls" => calls = Some(number(&value()?)?),
                "--cpu-of" => cpu_of = value()?.split(',').map(number).collect::<Result<_, _>>()?,
                "--starts" => starts = number(&value()?)?,
                "--to-list" => to_list = true,
                "--" => command.extend(words.by_ref()),
                _ if word.starts_with('-') => return Err(format!("unknown option `{word}`\n{USAGE}")),
                _ => url = Some(word),
            }
        }
        let target = match (url, command.is_empty()) {
            (Some(url), true) => Target::Url(url),
            (None, false) => Target::Command(command),
            _ => return Err(format!("give either a URL or a command after `--`\n{USAGE}")),
        };
        let (measured, warm) = (Duration::from_secs_f64(measured), Duration::from_secs_f64(warm));
        Ok(Self { target, in_flight, measured, warm, era, tool, calls, cpu_of, starts, to_list })
    }
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number\n{USAGE}"))
}
