//! The options of `bench fs`.

use clap::builder::ValueParser;

use crate::values::{count, one_of};

/// The rows: each with its name and its title in the report.
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

/// `overt fs` beside other file servers, operation by operation
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Measure others as well
    #[arg(long)]
    pub(crate) peers: bool,
    #[arg(long, value_delimiter = ',', value_parser = row(), default_values_t = ROWS.iter().map(|(name, _)| *name))]
    pub(crate) rows: Vec<&'static str>,
    #[arg(long, value_delimiter = ',', value_parser = count(), default_values_t = [1, 16])]
    pub(crate) in_flight: Vec<usize>,
    #[arg(long, default_value = "3", value_parser = count())]
    pub(crate) rounds: usize,
    /// Of each measurement
    #[arg(long, default_value = "0.5")]
    pub(crate) seconds: f64,
    #[arg(long, default_value = "20")]
    pub(crate) starts: usize,
    /// Fail where a goal is missed
    #[arg(long)]
    pub(crate) check: bool,
}

fn row() -> ValueParser {
    let names = || ROWS.iter().map(|(name, _)| *name);
    one_of(names(), move |word| names().find(|name| *name == word))
}
