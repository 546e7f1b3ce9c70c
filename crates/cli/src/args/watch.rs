//! `overt watch`.
use clap::Args;

/// Answer calls that need your approval, as they arrive
///
/// An inbox in the terminal: it shows who asks for what, everything that the call will change, and
/// a key for each answer. While it runs, calls wait for your answer instead of being refused. `?`
/// shows the keys, `q` leaves.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct WatchArgs {
    /// Show one question at a time, line by line, for screen readers and small terminals
    #[arg(long)]
    pub(crate) plain: bool,

    /// Show no desktop notification and ring no bell when a question arrives
    #[arg(long)]
    pub(crate) no_notify: bool,

    /// Use no colours, as with `NO_COLOR`
    #[arg(long)]
    pub(crate) no_color: bool,
}

const EXAMPLES: &str = "\
Examples:
  overt watch
  overt watch --plain
  overt grants pending --watch --format json   # for programs";
