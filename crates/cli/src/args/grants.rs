//! `overt grants`.
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use overt_layers::grants::Breadth;

use super::value::{explained_word, lifetime};
use super::{AnswerArgs, OutputArgs};

/// Answer calls that wait for you, and take back what was allowed
///
/// A call that may change something needs your approval: in the client, if it can ask, or here.
/// While `overt grants pending --watch` runs, calls wait for your answer. Otherwise a call is
/// refused at once; a yes within ten minutes counts when the same call is made again. What is
/// allowed for one call or a session ends with it; what is allowed always holds in its project
/// until it is revoked.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct GrantsArgs {
    #[command(subcommand)]
    pub(crate) command: GrantsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum GrantsCommand {
    /// List what is allowed beyond what is configured, and what is refused for good
    List(OutputArgs),
    Pending(PendingArgs),
    Show(ShowArgs),
    Allow(AllowArgs),
    Deny(DenyArgs),
    Revoke(RevokeArgs),
}

/// Show the calls that wait for an answer
#[derive(Debug, Args)]
pub(crate) struct PendingArgs {
    /// Keep running and show each call as it arrives; meanwhile calls wait for your answer
    #[arg(long)]
    pub(crate) watch: bool,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Show everything about one question: all arguments, all changes that the call will make, and how
/// to answer
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The question, as `overt grants pending` names it
    #[arg(value_name = "ID")]
    pub(crate) id: String,

    /// Write the changes as a page to a private file and open it in the browser
    #[arg(long)]
    pub(crate) open: bool,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Allow a call that waits, or allow a tool in advance
#[derive(Debug, Args)]
#[command(override_usage = ALLOW_USAGE)]
pub(crate) struct AllowArgs {
    /// The questions, as `overt grants pending` names them; or a tool, to allow it in advance
    #[arg(value_name = "ID|TOOL", required_unless_present = "tool")]
    pub(crate) what: Vec<String>,

    /// For this call with these arguments (the default)
    #[arg(long, group = "lasts", conflicts_with = "breadth")]
    pub(crate) once: bool,

    /// Until the session of the client ends
    #[arg(long, group = "lasts")]
    pub(crate) session: bool,

    /// Until it is revoked, in the project that asks
    #[arg(long, group = "lasts")]
    pub(crate) always: bool,

    /// For this long, in the project that asks: `30m`, `8h`, `7d`; with `--session`, for this long
    /// at most
    #[arg(long = "for", visible_alias = "expires", value_name = "TIME", value_parser = lifetime)]
    pub(crate) time: Option<Duration>,

    /// In every project and every directory, not only in the one that asks; a relative path in the
    /// server's command line may then mean another program
    #[arg(long, conflicts_with_all = ["once", "session"])]
    pub(crate) everywhere: bool,

    /// Allow more than the call needs, if the question offers it: `overt grants show` says what
    #[arg(long, value_name = "BREADTH", conflicts_with = "wider", value_parser = explained_word(meaning))]
    pub(crate) breadth: Option<Breadth>,

    /// Short for `--breadth folder`
    #[arg(long)]
    pub(crate) wider: bool,

    /// Confirm a very wide grant: a whole action, a whole kind, every path, or every tool of a
    /// server, for good
    #[arg(long)]
    pub(crate) dangerous: bool,

    #[command(flatten)]
    pub(crate) advance: AdvanceArgs,

    #[command(flatten)]
    pub(crate) answer: AnswerArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// What is decided before anybody asks.
#[derive(Debug, Args)]
#[command(next_help_heading = ADVANCE)]
pub(crate) struct AdvanceArgs {
    /// The tool
    #[arg(long, value_name = "TOOL", conflicts_with = "what")]
    pub(crate) tool: Option<String>,

    /// Its server, as `overt grants list` and `pending` name it: `files#1a2b3c4d`, or `files` if
    /// there is only one [default: the one server that has such a tool]
    #[arg(long, value_name = "SERVER")]
    pub(crate) server: Option<String>,

    /// Only in this folder, for a server whose calls name files; may be repeated
    #[arg(long, value_name = "DIR", conflicts_with = "scope")]
    pub(crate) folder: Vec<PathBuf>,

    /// Only this scope, such as `write:file:/home/me/notes`; may be repeated
    #[arg(long, value_name = "SCOPE")]
    pub(crate) scope: Vec<String>,

    /// The project that it holds in [default: the current folder]
    #[arg(long, value_name = "DIR", conflicts_with = "everywhere")]
    pub(crate) project: Option<PathBuf>,
}

fn meaning(breadth: Breadth) -> &'static str {
    match breadth {
        Breadth::Call => "What the call needs",
        Breadth::Folder => "The folder around it",
        Breadth::Tool => "This tool, whatever its arguments are",
        Breadth::Server => "Every tool of the server",
        Breadth::Reads => "Every tool of the server that only reads",
    }
}

/// Deny a call that waits, or refuse a tool for good
#[derive(Debug, Args)]
#[command(override_usage = DENY_USAGE)]
pub(crate) struct DenyArgs {
    /// The questions, as `overt grants pending` names them; or a tool, to refuse it in advance
    #[arg(value_name = "ID|TOOL", required_unless_present = "tool")]
    pub(crate) what: Vec<String>,

    /// Deny everything else that its session asks from now on too
    #[arg(long)]
    pub(crate) session: bool,

    /// Deny the same tool in this project from now on without asking, until you revoke it
    #[arg(long, conflicts_with = "session")]
    pub(crate) never: bool,

    /// In every project, not only in one
    #[arg(long, conflicts_with_all = ["session", "never"])]
    pub(crate) everywhere: bool,

    #[command(flatten)]
    pub(crate) advance: AdvanceArgs,

    #[command(flatten)]
    pub(crate) answer: AnswerArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Take back what was allowed, from the next call of every running server on
#[derive(Debug, Args)]
pub(crate) struct RevokeArgs {
    /// The grants, as `overt grants list` names them
    #[arg(value_name = "ID", required_unless_present = "all")]
    pub(crate) ids: Vec<String>,

    /// Every grant
    #[arg(long, conflicts_with = "ids")]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) answer: AnswerArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

const ADVANCE: &str = "In advance";

const ALLOW_USAGE: &str = "\
overt grants allow <ID>... [--once|--session|--always] [OPTIONS]
       overt grants allow <TOOL> [--server <SERVER>] [--for <TIME>] [OPTIONS]";

const DENY_USAGE: &str = "\
overt grants deny <ID>... [--session|--never] [OPTIONS]
       overt grants deny <TOOL> [--server <SERVER>] [OPTIONS]";

const EXAMPLES: &str = "\
Examples:
  overt grants pending --watch
  overt grants show q-3
  overt grants allow q-3 --session
  overt grants allow q-3 q-5 --for 8h
  overt grants deny q-4 --never
  overt grants allow create_entities --server memory --project .
  overt grants allow write_file --folder ~/notes --for 8h
  overt grants revoke g-7";
