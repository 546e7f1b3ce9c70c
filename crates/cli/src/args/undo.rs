//! `overt undo`.
use std::path::PathBuf;

use clap::Args;

use super::TalkArgs;

/// Take back what agents changed through `overt fs`
///
/// Without anything else, the last change that was not undone yet. What will change is shown first, and you are asked. Undoing is a change
/// itself: it has an id and can be undone. Where a file was changed since, nothing is undone.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct UndoArgs {
    /// Changes by id, as `--list` and `overt log` name them, or a path: its last change
    #[arg(value_name = "ID|PATH", conflicts_with_all = ["count", "session", "since"])]
    pub(crate) what: Vec<String>,

    /// The last so many changes
    #[arg(short = 'n', long = "count", value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub(crate) count: Option<u32>,

    /// The changes of the last session, or of the session with this id
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "last", conflicts_with = "count")]
    pub(crate) session: Option<String>,

    /// The changes from this time on: `1h`, `today`, `14:00`
    #[arg(long, value_name = "TIME", conflicts_with_all = ["count", "session"])]
    pub(crate) since: Option<String>,

    /// Of these, only the changes of this path or of something under it (repeatable)
    #[arg(long, value_name = "PATH")]
    pub(crate) only: Vec<PathBuf>,

    /// Show the changes instead of undoing them
    #[arg(long, conflicts_with_all = ["yes", "dry_run"])]
    pub(crate) list: bool,

    /// Undo without asking, for scripts
    #[arg(short, long)]
    pub(crate) yes: bool,

    /// Show what would change, and do nothing
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,

    #[command(flatten)]
    pub(crate) talk: TalkArgs,
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
