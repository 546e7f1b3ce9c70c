//! `overt log`.
use std::path::PathBuf;

use clap::Args;

use super::TalkArgs;

/// Show what agents did, the newest first
///
/// Each line is an action: when, which client, in which project, what it did, how that ended, and the id of its change if `overt undo` can
/// take it back. Calls in a row that only read are one line. On a terminal a line is cut to its width; on a pipe nothing is cut. With
/// `--format json` each action is a JSON object on a line of its own.
///
/// With an ID, everything that is recorded about one action is shown. `overt audit verify` checks that the log was not changed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ActivityArgs {
    /// One action: the id of its change, or of its call as `--format json` has it
    #[arg(value_name = "ID", conflicts_with_all = ["since", "until", "client", "project", "server", "tool", "denied", "changed", "session", "count", "follow"])]
    pub(crate) id: Option<String>,

    #[command(flatten)]
    pub(crate) which: WhichActionsArgs,

    /// At most so many lines
    #[arg(short = 'n', long = "count", value_name = "COUNT", default_value = "50", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) count: u32,

    /// Show what is new as it comes, until interrupted
    #[arg(short, long, conflicts_with_all = ["until", "count"])]
    pub(crate) follow: bool,

    #[command(flatten)]
    pub(crate) talk: TalkArgs,
}

/// Which actions.
#[derive(Debug, Args)]
#[command(next_help_heading = "Which actions")]
pub(crate) struct WhichActionsArgs {
    /// From this time on: `today`, `yesterday`, `monday`, `14:00`, `2026-11-15`, `2026-11-15T12:00:00Z`, or how long ago, such as `90m` or `7d`
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,

    /// Before this time
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,

    /// Of clients whose names contain this
    #[arg(long, value_name = "NAME")]
    pub(crate) client: Option<String>,

    /// In this project: a folder, or the last part of its name
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<String>,

    /// Through this server
    #[arg(long, value_name = "NAME")]
    pub(crate) server: Option<String>,

    /// Of this tool, prompt or resource
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,

    /// Only what was refused
    #[arg(long)]
    pub(crate) denied: bool,

    /// Only what changed this path, or something under it
    #[arg(long, value_name = "PATH")]
    pub(crate) changed: Option<PathBuf>,

    /// Of this session, as `--format json` has it, or its beginning
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  overt log
  overt log --since yesterday --client claude
  overt log --denied --since monday
  overt log --changed src/app.ts
  overt log c-3fa9c1
  overt log --follow";
