//! `overt log`.
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::OutputArgs;

/// Show what agents did, the newest first
///
/// Each line shows one action: the time, the client, the project, what it did, how it ended, and an
/// id: `c-…` if it changed something that `overt undo` can take back, or else `a-…`. Consecutive
/// reads share one line without an id. Lines are cut to the width of the terminal; on a pipe
/// nothing is cut. With `--format json` each action is a JSON object on its own line.
///
/// With an ID, `overt log` shows everything that is recorded about one action. `overt audit verify`
/// checks that the log was not changed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ActivityArgs {
    /// Show one action, by the id at the end of its line or an id of `--format json`
    #[arg(value_name = "ID", conflicts_with_all = ["since", "until", "client", "project", "server", "tool", "denied", "changed", "session", "outcome", "count", "follow"])]
    pub(crate) id: Option<String>,

    #[command(flatten)]
    pub(crate) which: WhichActionsArgs,

    /// Only actions that are `ok`, `refused`, `failed`, `cancelled` or `open`
    #[arg(
        long,
        value_name = "OUTCOME",
        help_heading = "Which actions",
        value_enum,
        hide_possible_values = true,
        conflicts_with = "denied"
    )]
    pub(crate) outcome: Option<Ending>,

    /// Show at most this many entries
    #[arg(short = 'n', long = "count", value_name = "COUNT", default_value = "50", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) count: u32,

    /// Show new actions as they happen, until interrupted
    #[arg(short, long, conflicts_with_all = ["until", "count"])]
    pub(crate) follow: bool,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// How an action ended, as people tell endings apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ending {
    #[value(name = "ok")]
    Done,
    /// It was not made.
    Refused,
    /// It was made and did not go well.
    Failed,
    /// The client no longer waited for it.
    Cancelled,
    /// Nothing says how it ended.
    Open,
}

/// Which actions.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Which actions")]
pub(crate) struct WhichActionsArgs {
    /// Since TIME: `today`, `yesterday`, `monday`, `14:00`, `2026-11-15`, `2026-11-15T12:00:00Z`,
    /// or an age such as `90m` or `7d`
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,

    /// Before TIME
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,

    /// By clients whose name contains NAME
    #[arg(long, value_name = "NAME")]
    pub(crate) client: Option<String>,

    /// In this project: its folder, or the last part of the folder's name
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<String>,

    /// Through this server
    #[arg(long, value_name = "NAME")]
    pub(crate) server: Option<String>,

    /// For this tool, prompt or resource
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,

    /// Only refused actions
    #[arg(long)]
    pub(crate) denied: bool,

    /// Only actions that changed this path or something under it
    #[arg(long, value_name = "PATH")]
    pub(crate) changed: Option<PathBuf>,

    /// In the session whose id begins with ID, as `--format json` and `overt undo --list` show it
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
