//! `overt audit`.
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::OutputArgs;

/// Check, search and export what was written down about calls
///
/// `overt run` writes a record of every call before it is made and after it ended. The records are
/// in a chain: one that is changed, missing or in another place is found. `docs/audit.md` explains
/// what that proves and what not.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct AuditArgs {
    #[command(subcommand)]
    pub(crate) command: AuditCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    Verify(VerifyArgs),
    Query(QueryArgs),
    Export(ExportArgs),
    Key(KeyArgs),
}

/// Check that no record is changed, missing or moved; exit code 1 if one is
///
/// Exit code 4 means that the log holds but was not closed, and no process is writing it. A crash
/// leaves a log like this until the next start. So does somebody who cuts off its end.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    pub(crate) log: LogArgs,

    /// Checkpoints that were kept elsewhere: also shows records that were cut off at the end
    /// (repeatable)
    #[arg(long, value_name = "FILE")]
    pub(crate) anchor: Vec<PathBuf>,

    /// The key that must have signed the checkpoints, as `overt audit key` prints it [default: the
    /// one of this machine]
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<String>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Find records
#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    #[command(flatten)]
    pub(crate) log: LogArgs,

    #[command(flatten)]
    pub(crate) filter: FilterArgs,

    /// Before the record with this number; with several logs, a number for each: `files=12,mail=40`
    #[arg(long, value_name = "PLACE", value_delimiter = ',', conflicts_with_all = ["after", "oldest"])]
    pub(crate) before: Vec<String>,

    /// Also the log's own records: segments, checkpoints, starts, stops and recoveries
    #[arg(long)]
    pub(crate) all: bool,

    /// The oldest records instead of the newest
    #[arg(long)]
    pub(crate) oldest: bool,

    /// At most so many records, the newest ones
    #[arg(long, value_name = "COUNT", default_value = "100", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) limit: u32,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Print records for other programs
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) log: LogArgs,

    #[command(flatten)]
    pub(crate) filter: FilterArgs,

    /// How to print a record
    #[arg(long = "as", value_enum, value_name = "FORM", default_value = "jsonl")]
    pub(crate) form: ExportForm,
}

/// Print the public key that signs checkpoints
#[derive(Debug, Args)]
pub(crate) struct KeyArgs {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportForm {
    /// A record on each line, exactly as it is in the log
    Jsonl,
    /// A row for each record, with a header; no text can become a formula
    Csv,
}

/// Which log.
#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// The server, as its log is called [default: all logs]
    #[arg(value_name = "SERVER", conflicts_with = "dir")]
    pub(crate) server: Option<String>,

    /// The folder of a log somewhere else
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}

/// Which records.
#[derive(Debug, Args)]
#[command(next_help_heading = "Records")]
pub(crate) struct FilterArgs {
    /// From this time on: `today`, `yesterday`, `2026-11-15`, `2026-11-15T12:00:00Z`, or how long
    /// ago, such as `90m` or `7d`
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,

    /// Before this time
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,

    /// After the record with this number; with several logs, a number for each: `files=12,mail=40`
    #[arg(long, value_name = "PLACE", value_delimiter = ',')]
    pub(crate) after: Vec<String>,

    /// Of this kind, such as `intent`, `outcome` or `deny`
    #[arg(long)]
    pub(crate) kind: Option<String>,

    /// Of this call
    #[arg(long, value_name = "ID")]
    pub(crate) call: Option<String>,

    /// By the principal with this name
    #[arg(long, value_name = "NAME")]
    pub(crate) principal: Option<String>,

    /// About this tool, prompt or resource
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,

    /// About this path, or something under it, where the tool's scopes are declared
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,

    /// With this decision: `allow`, `deny` or `needs_approval`
    #[arg(long)]
    pub(crate) decision: Option<String>,

    /// Decided by this rule
    #[arg(long, value_name = "ID")]
    pub(crate) rule: Option<String>,

    /// Under this grant
    #[arg(long, value_name = "ID")]
    pub(crate) grant: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  overt audit verify
  overt audit verify files --anchor /mnt/other/anchors.jsonl
  overt audit query files --path /home/me/notes --since yesterday
  overt audit query files --decision deny --format json
  overt audit export files --as csv --since 2026-11-01";
