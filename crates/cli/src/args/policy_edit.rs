//! `overt forbid` and `overt permit`.
use clap::{Args, ValueEnum};

use super::{AnswerArgs, OutputArgs};

/// Forbid a tool, a server or a path, whatever else allows it
///
/// Writes a rule or a scope into your own `overt.toml` (`~/.config/overt/overt.toml`), which
/// applies to every server behind Overt, including servers that are running. Shows the change first
/// and asks before it writes.
#[derive(Debug, Args)]
#[command(after_help = FORBID_EXAMPLES)]
pub(crate) struct ForbidArgs {
    #[command(flatten)]
    pub(crate) what: WhatArgs,

    /// For a path: forbid changes only, and leave reading as it is
    #[arg(long)]
    pub(crate) changes: bool,
}

/// Permit a tool, a server or a path without asking you
///
/// Writes scopes into your own `overt.toml` (`~/.config/overt/overt.toml`). What is forbidden stays
/// forbidden, and rules that ask you still ask. Shows the change first and asks before it writes.
#[derive(Debug, Args)]
#[command(after_help = PERMIT_EXAMPLES)]
pub(crate) struct PermitArgs {
    #[command(flatten)]
    pub(crate) what: WhatArgs,

    /// For a path: permit reading only
    #[arg(long)]
    pub(crate) read: bool,
}

#[derive(Debug, Args)]
pub(crate) struct WhatArgs {
    /// A tool such as `delete_repo` or `delete_*`, a server, or a path
    #[arg(value_name = "TOOL|SERVER|PATH")]
    pub(crate) what: String,

    /// What the name is, if it could be more than one of these
    #[arg(long = "as", value_name = "KIND", value_enum)]
    pub(crate) kind: Option<SubjectKind>,

    /// For a tool: only the tool of this server
    #[arg(long, value_name = "SERVER")]
    pub(crate) server: Option<String>,

    /// Remove what `overt forbid` or `overt permit` wrote
    #[arg(long)]
    pub(crate) remove: bool,

    /// Write without asking
    #[arg(long, short)]
    pub(crate) yes: bool,

    #[command(flatten)]
    pub(crate) answer: AnswerArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// What is forbidden or permitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SubjectKind {
    Tool,
    Server,
    Path,
}

const FORBID_EXAMPLES: &str = "\
Examples:
  overt forbid delete_repo
  overt forbid 'delete_*' --server github
  overt forbid ~/.ssh
  overt forbid ~/.ssh --remove";

const PERMIT_EXAMPLES: &str = "\
Examples:
  overt permit search_issues --server github
  overt permit search_issues --server github --remove";

impl From<SubjectKind> for overt_operator::policy_edit::SubjectKind {
    fn from(kind: SubjectKind) -> Self {
        match kind {
            SubjectKind::Tool => Self::Tool,
            SubjectKind::Server => Self::Server,
            SubjectKind::Path => Self::Path,
        }
    }
}
