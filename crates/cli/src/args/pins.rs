//! `overt pins`.
use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{AnswerArgs, OutputArgs};

/// See which definitions of tools changed, and accept them
///
/// `overt run` remembers the tools of a server as they were when it saw them first. A tool that
/// comes later, or is not what it was, waits for a decision: `accept` takes it as it is now, `keep`
/// stays with what was accepted.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct PinsArgs {
    #[command(subcommand)]
    pub(crate) command: PinsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PinsCommand {
    List(ListPinsArgs),
    Diff(DiffPinsArgs),
    Accept(AcceptPinsArgs),
    Keep(KeepPinsArgs),
    Forget(ForgetPinsArgs),
}

/// List the servers and tools that are remembered, and how each tool stands
#[derive(Debug, Args)]
pub(crate) struct ListPinsArgs {
    /// The server: its id in this list, or its URL [default: all]
    #[arg(value_name = "SERVER")]
    pub(crate) server: Option<String>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    #[command(flatten)]
    pub(crate) at: PinsServerArgs,
}

/// Show what differs between the accepted definitions and those seen last; exit code 1 if anything
/// does
#[derive(Debug, Args)]
#[command(override_usage = DIFF_USAGE, after_help = SERVER)]
pub(crate) struct DiffPinsArgs {
    /// The server unless it is named otherwise, then tools
    #[arg(value_name = "[SERVER] TOOL", hide = true)]
    pub(crate) words: Vec<String>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    #[command(flatten)]
    pub(crate) at: PinsServerArgs,
}

/// Accept tools as they were seen last. What changed after `overt pins diff` showed it is not
/// accepted
#[derive(Debug, Args)]
#[command(override_usage = ACCEPT_USAGE, after_help = SERVER)]
pub(crate) struct AcceptPinsArgs {
    #[command(flatten)]
    pub(crate) answer: AnswerArgs,

    #[command(flatten)]
    pub(crate) decision: DecisionArgs,
}

/// Stay with what was accepted and forget what else was seen
#[derive(Debug, Args)]
#[command(override_usage = KEEP_USAGE, after_help = SERVER)]
pub(crate) struct KeepPinsArgs {
    #[command(flatten)]
    pub(crate) decision: DecisionArgs,
}

/// Forget a server: what it shows next is accepted as if it was seen for the first time
#[derive(Debug, Args)]
pub(crate) struct ForgetPinsArgs {
    /// The server, by its id in `overt pins list` or its URL
    #[arg(value_name = "SERVER")]
    pub(crate) server: Option<String>,

    #[command(flatten)]
    pub(crate) answer: AnswerArgs,

    #[command(flatten)]
    pub(crate) at: PinsServerArgs,
}

/// What a decision is about.
#[derive(Debug, Args)]
pub(crate) struct DecisionArgs {
    /// The server unless it is named otherwise, then tools
    #[arg(value_name = "[SERVER] TOOL", hide = true)]
    pub(crate) words: Vec<String>,

    /// Every tool of the server that is new or changed
    #[arg(long)]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) at: PinsServerArgs,
}

/// The other ways to name a server: as one would start it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Server options")]
pub(crate) struct PinsServerArgs {
    /// The server NAME in FILE, a client's file with `mcpServers` or `servers`
    #[arg(long, num_args = 2, value_names = ["FILE", "NAME"])]
    pub(crate) mcp_json: Option<Vec<OsString>>,

    /// The directory in which the command is started, if `overt run` was told one
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    /// The command that starts a stdio server, with its arguments
    #[arg(last = true, value_name = "CMD", help_heading = None)]
    pub(crate) command: Vec<OsString>,
}

const DIFF_USAGE: &str = "\
overt pins diff [OPTIONS] [SERVER] [TOOL]...
       overt pins diff [OPTIONS] --mcp-json <FILE> <NAME> [TOOL]...
       overt pins diff [OPTIONS] [TOOL]... -- <CMD> [ARG]...";

const ACCEPT_USAGE: &str = "\
overt pins accept <SERVER> <TOOL|--all>...
       overt pins accept --mcp-json <FILE> <NAME> <TOOL|--all>...
       overt pins accept <TOOL|--all>... -- <CMD> [ARG]...";

const KEEP_USAGE: &str = "\
overt pins keep <SERVER> <TOOL|--all>...
       overt pins keep --mcp-json <FILE> <NAME> <TOOL|--all>...
       overt pins keep <TOOL|--all>... -- <CMD> [ARG]...";

const SERVER: &str = "SERVER is the id that `overt pins list` shows, or a URL.";

const EXAMPLES: &str = "\
Examples:
  overt pins list
  overt pins diff 5f0c2a91
  overt pins accept 5f0c2a91 search fetch
  overt pins accept --all -- npx -y @modelcontextprotocol/server-everything";
