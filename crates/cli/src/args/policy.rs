//! `overt policy`.
use std::path::PathBuf;

use clap::{ArgAction, Args, Subcommand};
use overt_settings::suggest::Paths;

use super::value::flag;
use super::{AnswerArgs, OutputArgs, SettingFlags, TargetArgs, WhichActionsArgs};

/// Check policies and rules, and explain what they decide
///
/// A policy says which tools, resources, prompts and scopes are allowed, how strong an effect may
/// be, what arguments must be like, and how much a call may use. A policy can only restrict. Rules
/// ask a person or refuse, depending on the tool. docs/control.md has the format of both.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct PolicyArgs {
    #[command(subcommand)]
    pub(crate) command: PolicyCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    Show(ShowPolicyArgs),
    Check(CheckPolicyArgs),
    Explain(Box<ExplainArgs>),
    Suggest(Box<SuggestArgs>),
}

/// Show what is in force: your rules and settings, your trust in servers, and grants
///
/// Reads your own `overt.toml`, the file that `--config` or `OVERT_CONFIG` names, and what you
/// decided about servers and calls. Options that one server is started with come on top; `overt run
/// --show-settings` shows those. `overt policy explain` says what all of it means for one call.
#[derive(Debug, Args)]
pub(crate) struct ShowPolicyArgs {
    /// Also this file, as `overt run --config` reads it [env: OVERT_CONFIG]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Check files of policies and rules; exit code 1 if one can't be used
///
/// In a TOML file the tables `[settings]`, `[policy]` and `[[rules]]` are checked, in a JSON file a
/// policy or a list of policies as calls bring them. All problems are reported together. Valid
/// entries that can't be intended are warnings: lists that allow nothing, entries that are denied
/// anyway, rules that another rule makes pointless.
#[derive(Debug, Args)]
pub(crate) struct CheckPolicyArgs {
    /// TOML and JSON files; `-` for JSON from standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Say what would be decided about a call, without making it; exit code 1 if it would not simply be
/// allowed
///
/// The server is asked for its tools and for nothing else. What each layer says is shown, which one
/// decides, and what would have to change. Arguments are written as for `overt call`; options as
/// for `overt run`. Lasting grants count, and so does your trust in the server in the current
/// folder; `--grant` shows what one more grant would change.
#[derive(Debug, Args)]
#[command(override_usage = EXPLAIN_USAGE)]
pub(crate) struct ExplainArgs {
    /// The server's URL unless another target is given, then the tool, then its arguments
    #[arg(value_name = "[URL] TOOL [NAME=VALUE]", hide = true)]
    pub(crate) words: Vec<String>,

    /// The whole arguments object: JSON text, `@FILE`, or `-` for standard input
    #[arg(long, value_name = "JSON")]
    pub(crate) json: Option<String>,

    /// The name of the server in scopes and rules, as `overt run --name` sets it
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub(crate) name: Option<String>,

    /// Settings, the operator's policy and rules, as `overt run --config` reads them [env:
    /// OVERT_CONFIG]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// A policy that the call would bring, or a list of them: JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,

    /// As if a person had granted this (repeatable)
    #[arg(long, value_name = "SCOPE")]
    pub(crate) grant: Vec<String>,

    /// What is declared about the server, as `overt run --manifest` reads it
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    #[command(flatten)]
    pub(crate) target: TargetArgs,

    #[command(flatten)]
    pub(crate) flags: SettingFlags,
}

/// Propose what to allow, from what agents did: a diff of the settings file, and grants
///
/// Reads the log, for example after a week with `overt trust SERVER nothing`. Proposes each scope
/// that a call needed for the list `allow`, with the number of calls; and for what you were asked
/// about, a grant for that tool of that server in that project. Proposes exactly what happened,
/// nothing that was refused the last time, and writes nothing without `--write`.
#[derive(Debug, Args)]
pub(crate) struct SuggestArgs {
    #[command(flatten)]
    pub(crate) which: WhichActionsArgs,

    /// The settings file [env: OVERT_CONFIG] [default: your own, ~/.config/overt/overt.toml]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Propose a folder instead of its files, inside the project, where at least three of its files
    /// were used and none was refused; this allows more than what happened
    #[arg(long = "folders", action = ArgAction::SetTrue, value_parser = flag(Paths::Exact, Paths::Folders))]
    pub(crate) paths: Paths,

    /// Write the file and give the grants after showing them
    #[arg(long)]
    pub(crate) write: bool,

    #[command(flatten)]
    pub(crate) answer: AnswerArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

const EXPLAIN_USAGE: &str = "\
overt policy explain [OPTIONS] <URL> <TOOL> [NAME=VALUE]...
       overt policy explain --mcp-json <FILE> <NAME> <TOOL> [NAME=VALUE]...
       overt policy explain [OPTIONS] <TOOL> [NAME=VALUE]... -- <CMD> [ARG]...";

const EXAMPLES: &str = "\
Examples:
  overt policy show
  overt policy check overt.toml policies/*.json
  overt policy explain write_file path=/srv/a.txt content=x -- npx -y @modelcontextprotocol/server-filesystem /srv
  overt policy suggest --since monday --server memory
  overt policy explain https://mcp.example.com/mcp search query=x --config overt.toml --policy narrow.json";
