//! `overt describe`.
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args};
use overt_documents::document::Kind;
use overt_policy::word::StringEnum as _;

use super::value::{ExistingFile, flag};
use super::{OutputArgs, TargetArgs};

/// Print documents about a server: help, skill, cards, registry
///
/// Documents are made from a manifest and from what the running server says. Without --manifest,
/// `overt.toml` in the current directory is used if it is there; else what the server itself
/// declares.
#[derive(Debug, Args)]
#[command(override_usage = USAGE, after_help = EXAMPLES)]
pub(crate) struct DescribeArgs {
    /// Streamable HTTP endpoint of the server, or `fs` for the files here
    #[arg(value_name = "URL")]
    pub(crate) url: Option<String>,

    /// Which document; `all` of them go to --out DIR. `cost` counts the tokens that the definitions
    /// take in a model's context
    #[arg(long = "as", value_name = "KIND", default_value = "ai-help", value_parser = DescribeKind::parser())]
    pub(crate) kind: DescribeKind,

    /// What is declared about the server [default: overt.toml, if it is there]
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,

    /// Only this section of `ai-help` or `json`, such as `quick-reference`
    #[arg(long, value_name = "NAME")]
    pub(crate) section: Option<String>,

    /// Only this tool, for `card` and `dashdash`
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,

    /// Take the latencies in cards from the audit log in this folder
    #[arg(long, value_name = "DIR", conflicts_with = "init")]
    pub(crate) audit: Option<PathBuf>,

    /// Write the documents into this directory; with --init, the manifest to this file
    #[arg(long, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,

    /// Replace files that are not what would be written
    #[arg(long = "force", requires = "out", conflicts_with = "init", action = ArgAction::SetTrue, value_parser = flag(ExistingFile::Keep, ExistingFile::Replace))]
    pub(crate) existing: ExistingFile,

    /// Write a first manifest from what the server says about itself, with every guess marked
    #[arg(long, conflicts_with_all = ["kind", "manifest", "section", "tool", "check"])]
    pub(crate) init: bool,

    /// Compare a directory of documents, or one document, with what would be written now; exit code
    /// 1 if anything differs (repeatable)
    #[arg(long, value_name = "PATH", conflicts_with_all = ["kind", "section", "tool", "out"])]
    pub(crate) check: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// What `--as` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DescribeKind {
    Document(Kind),
    /// No document: what the definitions cost.
    Cost,
    All,
}

impl DescribeKind {
    fn parser() -> impl TypedValueParser<Value = Self> {
        let names = Kind::ALL.iter().map(|kind| kind.as_str()).chain([COST, ALL]);
        PossibleValuesParser::new(names).map(|name| match (Kind::parse(&name), name.as_str()) {
            (Some(kind), _) => Self::Document(kind),
            (None, COST) => Self::Cost,
            (None, _) => Self::All,
        })
    }
}

const COST: &str = "cost";
const ALL: &str = "all";

const USAGE: &str = "\
overt describe [OPTIONS] <URL>
       overt describe [OPTIONS] --mcp-json <FILE> <NAME>
       overt describe [OPTIONS] -- <CMD> [ARG]...
       overt describe [OPTIONS] fs";

const EXAMPLES: &str = "\
Examples:
  overt describe --init --out overt.toml -- npx -y @modelcontextprotocol/server-filesystem .
  overt describe -- npx -y @modelcontextprotocol/server-filesystem .
  overt describe https://mcp.example.com/mcp --as skill > SKILL.md
  overt describe http://localhost:3001/mcp --manifest overt.toml --as all --out docs/mcp
  overt describe http://localhost:3001/mcp --check docs/mcp
  overt describe http://localhost:3001/mcp --as card --tool read_file --format json
  overt describe --as cost -- npx -y @modelcontextprotocol/server-filesystem .";
