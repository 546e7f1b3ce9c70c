//! The options of `bench cpu`.

use std::path::PathBuf;

use crate::values::count;

/// The CPU time of a call, with the audit log on and off, beside nginx
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Builds of `overt` to compare, each with its name [default: the release build of this tree]
    #[arg(long = "binary", value_name = "NAME=PATH", value_parser = binary)]
    pub(crate) binaries: Vec<(String, PathBuf)>,
    #[arg(long = "part", value_delimiter = ',', value_parser = ["http", "stdio", "fs"], default_values = ["http", "stdio", "fs"])]
    parts: Vec<String>,
    #[arg(long, value_delimiter = ',', value_parser = count(), default_values_t = [1, 16])]
    pub(crate) in_flight: Vec<usize>,
    #[arg(long, default_value = "10", value_parser = count())]
    pub(crate) rounds: usize,
    /// Of each measurement
    #[arg(long, default_value = "10000", value_parser = count())]
    pub(crate) calls: usize,
    /// Fail where a goal is missed
    #[arg(long)]
    pub(crate) check: bool,
}

impl Options {
    pub(crate) fn has(&self, part: &str) -> bool {
        self.parts.iter().any(|wanted| wanted == part)
    }
}

fn binary(value: &str) -> Result<(String, PathBuf), String> {
    let (name, path) = value.split_once('=').ok_or("write NAME=PATH")?;
    // Make the path absolute, because the servers run in other directories.
    let path = std::fs::canonicalize(path).map_err(|cause| cause.to_string())?;
    Ok((name.to_owned(), path))
}
