//! `overt undo`.
use std::path::PathBuf;

use clap::Args;

use super::OutputArgs;

/// Take back what agents changed through `overt fs`
///
/// Without arguments, `overt undo` takes back the last change that was not undone yet. It shows the
/// diff first and asks you. An undo is a change too: it has an id and can be undone. If a file was
/// changed since, nothing is undone.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct UndoArgs {
    /// Ids of changes, as `--list` and `overt log` show them, or paths, for the last change of each
    #[arg(value_name = "ID|PATH", conflicts_with_all = ["count", "session", "since"])]
    pub(crate) what: Vec<String>,

    /// Undo this many changes, the newest first
    #[arg(short = 'n', long = "count", value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) count: Option<u32>,

    /// Undo the changes of the last session, or of the session whose id begins with ID, as `--list`
    /// and `overt log --format json` show it
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "last", conflicts_with = "count")]
    pub(crate) session: Option<String>,

    /// Undo the changes made since TIME, such as `1h`, `today` or `14:00`
    #[arg(long, value_name = "TIME", conflicts_with_all = ["count", "session"])]
    pub(crate) since: Option<String>,

    /// Undo only changes that touched this path or files under it, each as a whole (repeatable)
    #[arg(long, value_name = "PATH")]
    pub(crate) only: Vec<PathBuf>,

    /// List the changes instead of undoing them
    #[arg(long, conflicts_with_all = ["yes", "dry_run"])]
    pub(crate) list: bool,

    /// Undo without asking, for scripts
    #[arg(short, long)]
    pub(crate) yes: bool,

    /// Show the diff and undo nothing
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

const EXAMPLES: &str = "\
Examples:
  overt undo
  overt undo c-3fa9c1
  overt undo src/app.ts
  overt undo -n 3 --yes
  overt undo --session
  overt undo --since 1h --only src
  overt undo --list";
