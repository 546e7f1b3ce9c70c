//! `overt doctor`.
use clap::{ArgAction, Args};

use super::OutputArgs;
use super::value::flag;

/// Check that wrapped servers start and questions can be answered
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DoctorArgs {
    /// Clients, such as `claude-code` or `cursor`, or files [default: all clients]
    #[arg(value_name = "CLIENT|FILE")]
    pub(crate) what: Vec<String>,

    /// Look at the files only, and start no server
    #[arg(long = "no-start", action = ArgAction::SetTrue, value_parser = flag(Start::Yes, Start::No))]
    pub(crate) start: Start,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Whether servers are started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    Yes,
    No,
}

const EXAMPLES: &str = "\
Examples:
  overt doctor
  overt doctor cursor --no-start
  overt doctor --format json | jq '.sections[].lines[] | select(.state == \"wrong\")'

The exit code is 1 if something is wrong.";
