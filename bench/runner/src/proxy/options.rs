//! The options of `bench proxy`.

use clap::builder::ValueParser;

use super::contenders::{CONTENDERS, Contender};
use crate::values::{count, one_of};

const PARTS: [&str; 4] = ["http", "stdio", "memory", "start"];
/// A part that takes long, so it is measured only if requested.
const SOAK: &str = "soak";

/// `overt run` beside nginx and other proxies, under load
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Whom to measure [default: all]
    #[arg(long = "only", value_delimiter = ',', value_parser = contender())]
    chosen: Vec<&'static Contender>,
    #[arg(long = "part", value_delimiter = ',', value_parser = PARTS, default_values = PARTS)]
    parts: Vec<String>,
    #[arg(long, value_delimiter = ',', default_values_t = [1, 16, 64])]
    pub(crate) loads: Vec<u32>,
    #[arg(long, default_value = "5", value_parser = count())]
    pub(crate) rounds: usize,
    /// Of each measurement
    #[arg(long, default_value = "2")]
    pub(crate) seconds: f64,
    #[arg(long, value_name = "VERSION", default_value = "2025-11-25")]
    pub(crate) era: String,
    /// Fail where a goal is missed
    #[arg(long)]
    pub(crate) check: bool,
    /// Use the debug builds: they show that the harness works, and their figures mean nothing
    #[arg(long)]
    pub(crate) debug: bool,
    /// Measure memory over many calls and sessions instead
    #[arg(long)]
    soak: bool,
    #[arg(long, default_value = "1000000", value_parser = clap::value_parser!(u32).range(10..))]
    soak_calls: u32,
    #[arg(long, default_value = "10000", value_parser = clap::value_parser!(u32).range(10..))]
    soak_sessions: u32,
}

impl Options {
    pub(crate) fn has(&self, part: &str) -> bool {
        match self.soak {
            true => part == SOAK,
            false => self.parts.iter().any(|wanted| wanted == part),
        }
    }

    pub(crate) fn contenders(&self) -> impl Iterator<Item = &'static Contender> {
        let all = if self.chosen.is_empty() { CONTENDERS } else { &[] };
        all.iter().chain(self.chosen.iter().copied())
    }

    pub(crate) fn only(&self, name: &str) -> Option<&'static Contender> {
        self.contenders().find(|contender| contender.name == name)
    }

    pub(crate) fn soak_calls(&self) -> usize {
        self.soak_calls as usize
    }

    pub(crate) fn soak_sessions(&self) -> usize {
        self.soak_sessions as usize
    }
}

fn contender() -> ValueParser {
    one_of(CONTENDERS.iter().map(|known| known.name), |name| {
        CONTENDERS.iter().find(|known| known.name == name)
    })
}
