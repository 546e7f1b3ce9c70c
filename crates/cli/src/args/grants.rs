//! `overt grants`.
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::value::lifetime;
use super::{AnswerArgs, TalkArgs};

/// See and answer the calls that wait for you, and take back what was allowed
///
/// A call that may change something needs your approval: in the client, if it can ask, or here. While `overt grants pending
/// --watch` runs, calls wait for your answer. Otherwise a call is refused at once; a yes within ten minutes counts when the same call
/// is made again. What is allowed for one call or a session ends with it; what is allowed always holds in its project until it is revoked.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct GrantsArgs {
    #[command(subcommand)]
    pub(crate) command: GrantsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum GrantsCommand {
    List(ListGrantsArgs),
    Pending(PendingArgs),
    Show(ShowArgs),
    Allow(AllowArgs),
    Deny(DenyArgs),
    Revoke(RevokeArgs),
}

/// List what is allowed beyond what is configured
#[derive(Debug, Args)]
pub(crate) struct ListGrantsArgs {
    #[command(flatten)]
    pub(crate) talk: TalkArgs,
}

/// Show the calls that wait for an answer
#[derive(Debug, Args)]
pub(crate) struct PendingArgs {
    /// Go on and show each call as it comes, until interrupted; meanwhile calls wait for your answer
    #[arg(long)]
    pub(crate) watch: bool,

    #[command(flatten)]
    pub(crate) talk: TalkArgs,
}

/// Show one question whole: all arguments, all that the call will change, and how to answer
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The question, as `overt grants pending` names it
    #[arg(value_name = "ID")]
    pub(crate) id: String,

    /// Write the changes as a page to a private file and open it in the browser
    #[arg(long)]
    pub(crate) open: bool,

    #[command(flatten)]
    pub(crate) talk: TalkArgs,
}

/// Say yes to a call that waits, or allow a tool something in advance
#[derive(Debug, Args)]
#[command(override_usage = ALLOW_USAGE)]
pub(crate) struct AllowArgs {
    /// The questions, as `overt grants pending` names them
    #[arg(value_name = "ID", required_unless_present = "scope", conflicts_with_all = ["scope", "tool", "server"])]
    pub(crate) ids: Vec<String>,

    /// For this call with these arguments, as without any of these
    #[arg(long, group = "lasts", conflicts_with = "scope")]
    pub(crate) once: bool,

    /// Until the session of the client ends
    #[arg(long, group = "lasts", conflicts_with = "scope")]
    pub(crate) session: bool,

    /// Until it is revoked, in the project that asks
    #[arg(long, group = "lasts")]
    pub(crate) always: bool,

    /// In every project and every directory, not only in the one that asks; a relative path in the server's command line may
    /// then mean another program
    #[arg(long, requires = "always")]
    pub(crate) everywhere: bool,

    /// Allow the wider scopes that the question offers
    #[arg(long, conflicts_with = "scope")]
    pub(crate) wider: bool,

    /// Allow it for this long at most: `30m`, `8h`, `7d`
    #[arg(long, value_name = "TIME", value_parser = lifetime)]
    pub(crate) expires: Option<Duration>,

    /// Also if it is very much: a whole action, a whole kind or every path, always
    #[arg(long)]
    pub(crate) dangerous: bool,

    /// The scope to allow, such as `write:file:/home/me/notes`; may be repeated
    #[arg(long, value_name = "SCOPE", requires_all = ["tool", "server", "always"], help_heading = ADVANCE)]
    pub(crate) scope: Vec<String>,

    /// The tool that is allowed it
    #[arg(long, value_name = "TOOL", requires = "scope", help_heading = ADVANCE)]
    pub(crate) tool: Option<String>,

    /// Its server, as `overt grants list` and `pending` name it: `files#1a2b3c4d`, or `files` if there is only one
    #[arg(long, value_name = "SERVER", requires = "scope", help_heading = ADVANCE)]
    pub(crate) server: Option<String>,

    /// The project that it is allowed in [default: the current folder]
    #[arg(long, value_name = "DIR", requires = "scope", conflicts_with = "everywhere", help_heading = ADVANCE)]
    pub(crate) project: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) answer: AnswerArgs,

    #[command(flatten)]
    pub(crate) talk: TalkArgs,
}

/// Say no to a call that waits
#[derive(Debug, Args)]
pub(crate) struct DenyArgs {
    /// The questions, as `overt grants pending` names them
    #[arg(value_name = "ID", required = true)]
    pub(crate) ids: Vec<String>,

    /// Also to everything else that its session asks from now on
    #[arg(long)]
    pub(crate) session: bool,

    #[command(flatten)]
    pub(crate) answer: AnswerArgs,

    #[command(flatten)]
    pub(crate) talk: TalkArgs,
}

/// Take back what was allowed. In force for the next call of every running server
#[derive(Debug, Args)]
pub(crate) struct RevokeArgs {
    /// The grants, as `overt grants list` names them
    #[arg(value_name = "ID", required_unless_present = "all")]
    pub(crate) ids: Vec<String>,

    /// Every grant
    #[arg(long, conflicts_with = "ids")]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) talk: TalkArgs,
}

const ADVANCE: &str = "In advance";

const ALLOW_USAGE: &str = "\
overt grants allow <ID>... [--once|--session|--always [--everywhere]] [--wider] [OPTIONS]
       overt grants allow --server <SERVER> --tool <TOOL> --scope <SCOPE>... --always [--project <DIR>|--everywhere] [OPTIONS]";

const EXAMPLES: &str = "\
Examples:
  overt grants pending --watch
  overt grants show q-3
  overt grants allow q-3 --session
  overt grants deny q-4
  overt grants allow --server files --tool write_file --scope write:file:/home/me/notes --always
  overt grants revoke g-7";
