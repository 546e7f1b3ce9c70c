//! `overt doctor`.
use clap::Args;

use super::OutputArgs;

/// Check that wrapped servers start and questions can be answered
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DoctorArgs {
    /// Clients, such as `claude-code` or `cursor`, or files [default: all clients]
    #[arg(value_name = "CLIENT|FILE")]
    pub(crate) what: Vec<String>,

    /// Look at the files only, and start no server
    #[arg(long)]
    pub(crate) no_start: bool,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

const EXAMPLES: &str = "\
Examples:
  overt doctor
  overt doctor cursor --no-start
  overt doctor --format json | jq '.sections[].lines[] | select(.state == \"wrong\")'

The exit code is 1 if something is wrong.";
