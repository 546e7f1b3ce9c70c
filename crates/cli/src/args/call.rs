//! `overt call`.
use std::path::PathBuf;

use clap::{ArgAction, ArgGroup, Args};

use super::value::{ExistingFile, flag};
use super::{OutputArgs, TargetArgs};

/// Call one tool of a server
///
/// Arguments are read by the tool's input schema:
///
///   name=text       text as it is where a string is wanted, otherwise JSON (5, true, {"a":1})
///   name:=json      always JSON
///   name=@file      the contents of a file; `@-` is standard input
///   name:=@file     JSON from a file
///   name=@@text     text that begins with an `@`
///
/// Names, types and required arguments are checked before the call.
/// With --json the arguments are sent as they are.
#[derive(Debug, Args)]
#[command(override_usage = USAGE, after_help = EXAMPLES, verbatim_doc_comment)]
#[command(group = ArgGroup::new("file").multiple(true))]
pub(crate) struct CallArgs {
    /// The server's URL, or `fs`, unless another target is given; then the tool, then its arguments
    #[arg(value_name = "[URL] TOOL [NAME=VALUE]", hide = true)]
    pub(crate) words: Vec<String>,

    /// The whole arguments object: JSON text, `@FILE`, or `-` for standard input
    #[arg(long, value_name = "JSON")]
    pub(crate) json: Option<String>,

    /// Make the requests in FILE once more, as the history of `overt inspect` exports them, and say
    /// what is different; no tool is named
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "preview", "plan", "review", "out", "raw", "policy", "grants", "config", "manifest"])]
    pub(crate) replay: Option<PathBuf>,

    /// Only show what the call would change, as a diff; nothing is changed
    #[arg(long)]
    pub(crate) preview: bool,

    /// Run the call only if it does what a preview has shown: the plan that `--preview` told
    #[arg(long, value_name = "PLAN", conflicts_with = "preview")]
    pub(crate) plan: Option<String>,

    /// Write the page that shows what the call changes, side by side, to FILE (HTML); with or
    /// without `--preview`
    #[arg(long, value_name = "FILE", group = "file")]
    pub(crate) review: Option<PathBuf>,

    /// Save images, audio and other binary content to PATH: a file for one item, a directory for
    /// several
    #[arg(long, value_name = "PATH", group = "file")]
    pub(crate) out: Option<PathBuf>,

    /// Let --out and --review replace files that exist
    #[arg(long = "force", requires = "file", action = ArgAction::SetTrue, value_parser = flag(ExistingFile::Keep, ExistingFile::Replace))]
    pub(crate) existing: ExistingFile,

    /// Write the text of the result exactly as it came, nothing escaped or added; not to a terminal
    #[arg(long, conflicts_with = "format")]
    pub(crate) raw: bool,

    /// Let the call do no more than the policy in FILE allows (JSON, `-` for standard input; a list
    /// is a chain of delegation)
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,

    /// Grant this for the call, such as `write:files:/notes` (repeatable)
    #[arg(long = "grant", value_name = "SCOPE")]
    pub(crate) grants: Vec<String>,

    /// Decide by the settings, policy and rules in FILE, as `overt run` does; what needs a person
    /// is asked on the terminal
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Go by what this manifest declares about the tools
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

const USAGE: &str = "\
overt call [OPTIONS] <URL> <TOOL> [NAME=VALUE]...
       overt call [OPTIONS] --mcp-json <FILE> <NAME> <TOOL> [NAME=VALUE]...
       overt call [OPTIONS] <TOOL> [NAME=VALUE]... -- <CMD> [ARG]...
       overt call [OPTIONS] fs <TOOL> [NAME=VALUE]...
       overt call --replay <FILE> <URL>";

const EXAMPLES: &str = "\
Examples:
  overt call fs write_file path=notes.txt content=hello --preview
  overt call fs edit_file path=README.md edits:='[{\"find\":\"teh\",\"replace\":\"the\"}]' --preview
  overt call get-sum a=2 b=3 -- npx -y @modelcontextprotocol/server-everything
  overt call https://mcp.example.com/mcp search query='rust mcp' limit=5
  overt call --mcp-json .vscode/mcp.json files write_file path=notes.md content=@draft.md
  echo '{\"query\":\"x\"}' | overt call http://localhost:3001/mcp search --json -
  overt call http://localhost:3001/mcp write_note name=todo text=@todo.txt --preview
  overt call http://localhost:3001/mcp write_note name=todo text=@todo.txt --preview --review todo.html
  overt call get-tiny-image --out logo.png -- npx -y @modelcontextprotocol/server-everything

  overt call write_file path=notes.md content=@draft.md --config overt.toml -- npx -y @modelcontextprotocol/server-filesystem .

Ctrl-C cancels the call and ends a server that was started for it.";
