//! `overt watch`.
use clap::Args;

/// Answer the calls that wait for you, as they come
///
/// The inbox in the terminal: who asks for what, all that the call will change, and a key for each answer. While it runs, calls wait
/// for your answer instead of being refused. `?` shows the keys, `q` leaves.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct WatchArgs {
    /// One question at a time, line by line: for screen readers and small terminals
    #[arg(long)]
    pub(crate) plain: bool,

    /// No desktop notification and no bell when a question comes
    #[arg(long)]
    pub(crate) no_notify: bool,

    /// No colours, as with `NO_COLOR`
    #[arg(long)]
    pub(crate) no_color: bool,
}

const EXAMPLES: &str = "\
Examples:
  overt watch
  overt watch --plain
  overt grants pending --watch --format json   # for programs";
