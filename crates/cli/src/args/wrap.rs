//! `overt wrap` and `overt unwrap`.
use clap::{ArgAction, Args};

use super::value::flag;
use super::{AnswerArgs, OutputArgs};

/// Put Overt in front of the servers that your clients use
///
/// Finds the configurations of Claude Code, Claude Desktop, VS Code, Cursor and other clients, in
/// your home folder and in the current folder, shows what would change, and asks. Names, variables,
/// comments and layout stay as they are.
#[derive(Debug, Args)]
#[command(after_help = WRAP_EXAMPLES)]
pub(crate) struct WrapArgs {
    /// Clients, such as `claude-code` or `cursor`, or files [default: all clients]
    #[arg(value_name = "CLIENT|FILE")]
    pub(crate) what: Vec<String>,

    /// Only the server with this name (repeatable)
    #[arg(long = "server", value_name = "NAME")]
    pub(crate) servers: Vec<String>,

    /// Show the changes and write nothing
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,

    /// Write without asking; each server asks you before changes
    #[arg(long, short)]
    pub(crate) yes: bool,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Take Overt away from the servers that `overt wrap` wrapped
///
/// Reverses only the edits of `overt wrap`. A file that was not changed otherwise gets its old
/// bytes back. An entry that was edited since is shown and left as it is. This removes protection,
/// so only a person can do it: at a terminal, or with the passphrase.
#[derive(Debug, Args)]
#[command(after_help = UNWRAP_EXAMPLES)]
pub(crate) struct UnwrapArgs {
    /// Clients, such as `claude-code` or `cursor`, or files [default: all clients]
    #[arg(value_name = "CLIENT|FILE")]
    pub(crate) what: Vec<String>,

    /// Only the server with this name (repeatable)
    #[arg(long = "server", value_name = "NAME")]
    pub(crate) servers: Vec<String>,

    /// Restore the command also in entries that were edited since
    #[arg(long = "force", action = ArgAction::SetTrue, value_parser = flag(EditedEntry::Keep, EditedEntry::PutBack))]
    pub(crate) edited: EditedEntry,

    /// Show the changes and write nothing
    #[arg(long, conflicts_with = "yes")]
    pub(crate) dry_run: bool,

    /// Write without asking
    #[arg(long, short)]
    pub(crate) yes: bool,

    #[command(flatten)]
    pub(crate) answer: AnswerArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// What happens to an entry that was edited since it was wrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EditedEntry {
    Keep,
    PutBack,
}

const WRAP_EXAMPLES: &str = "\
Examples:
  overt wrap
  overt wrap --dry-run
  overt wrap cursor .vscode/mcp.json
  overt wrap --server filesystem --yes

`overt unwrap` puts everything back. docs/wrap.md lists the clients and says what is left alone, and why.";

const UNWRAP_EXAMPLES: &str = "\
Examples:
  overt unwrap
  overt unwrap .mcp.json --server filesystem
  overt unwrap --dry-run";
