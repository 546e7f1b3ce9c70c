//! `overt card`.
use std::path::PathBuf;

use clap::{ArgAction, Args, Subcommand};
use jiff::civil::Date;
use overt_documents::card::{Level, Mode};
use overt_documents::document::Kind;
use overt_wire::rfc3339;

use super::value::{ExistingFile, flag, word};
use super::{DescribeArgs, DescribeKind, OutputArgs, TargetArgs};

/// Check Tool Cards, make them, and compare them
///
/// A Tool Card says what one tool of a server does: its schema, what a call can change, what it may
/// give away, when it refuses, and where calls are recorded.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct CardArgs {
    #[command(subcommand)]
    pub(crate) command: CardCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CardCommand {
    Check(Box<CheckCardArgs>),
    Build(Box<BuildCardArgs>),
    Diff(DiffCardArgs),
}

/// Check cards in files, in directories, or of a running server; exit code 1 if one is not valid or
/// below --level
///
/// Level 1: the card is valid. Level 2: it also says when the tool refuses. Level 3: it was also
/// tested with a model in the last 90 days. A running server is asked for the resource
/// `overt://cards/TOOL` of each of its tools.
#[derive(Debug, Args)]
#[command(override_usage = CHECK_USAGE)]
pub(crate) struct CheckCardArgs {
    /// Files with a card each, directories of such files, `-` for standard input; or the URL of a
    /// server
    #[arg(value_name = "FILE|DIR|URL")]
    pub(crate) words: Vec<PathBuf>,

    /// The level that every card must have
    #[arg(long, value_name = "LEVEL", default_value = "1", value_parser = word::<Level>())]
    pub(crate) level: Level,

    /// `strict`: a card needs an `audit`, as its schema says; `seed`: it may lack one, as the
    /// specification's text says
    #[arg(long, value_name = "MODE", default_value = "strict", value_parser = word::<Mode>())]
    pub(crate) mode: Mode,

    /// The day for which the age of tests is counted, such as `2026-05-08` [default: today]
    #[arg(long, value_name = "DATE", value_parser = day)]
    pub(crate) today: Option<Date>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// Make the cards of a server's tools from a manifest and the running server
///
/// The same as `overt describe --as card`: what is declared comes from the manifest, schemas and
/// versions come from the server. Tests and performance are not in it unless they were measured.
#[derive(Debug, Args)]
#[command(override_usage = BUILD_USAGE)]
pub(crate) struct BuildCardArgs {
    /// Streamable HTTP endpoint of the server
    #[arg(value_name = "URL")]
    pub(crate) url: Option<String>,

    /// What is declared about the server [default: overt.toml, if it is there]
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,

    /// Only the card of this tool
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,

    /// Take the latencies from the audit log in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) audit: Option<PathBuf>,

    /// Write the cards into this directory, as `cards/NAME.json`
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Replace files that are not what would be written
    #[arg(long = "force", requires = "out", action = ArgAction::SetTrue, value_parser = flag(ExistingFile::Keep, ExistingFile::Replace))]
    pub(crate) existing: ExistingFile,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// Compare two cards, or two directories of cards by their file names; exit code 1 if a change is
/// breaking
///
/// A change is breaking if people who agreed to the old card have not agreed to it: a graver class
/// of side effects, more exposure, no more approval, undoing, rate limit or audit log, a new
/// external system, a refusal that is gone, another input schema, a tested provider that is gone or
/// fails. Another class without a newer version is an error.
#[derive(Debug, Args)]
pub(crate) struct DiffCardArgs {
    /// The card, or the directory of cards, as it was
    #[arg(value_name = "OLD")]
    pub(crate) old: PathBuf,

    /// The same as it is now
    #[arg(value_name = "NEW")]
    pub(crate) new: PathBuf,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl BuildCardArgs {
    /// As if `overt describe` had been asked.
    pub(crate) fn describe(self) -> DescribeArgs {
        let Self { url, manifest, tool, audit, out, existing, output, target } = self;
        let kind = DescribeKind::Document(Kind::Card);
        let (section, init, check) = (None, false, Vec::new());
        DescribeArgs { url, kind, manifest, section, tool, audit, out, existing, init, check, output, target }
    }
}

fn day(text: &str) -> Result<Date, String> {
    rfc3339::parse_date(text).ok_or_else(|| "not a date; write one such as `2026-05-08`".to_owned())
}

const CHECK_USAGE: &str = "\
overt card check [OPTIONS] <FILE|DIR>...
       overt card check [OPTIONS] <URL>
       overt card check [OPTIONS] --mcp-json <FILE> <NAME>
       overt card check [OPTIONS] -- <CMD> [ARG]...";

const BUILD_USAGE: &str = "\
overt card build [OPTIONS] <URL>
       overt card build [OPTIONS] --mcp-json <FILE> <NAME>
       overt card build [OPTIONS] -- <CMD> [ARG]...";

const EXAMPLES: &str = "\
Examples:
  overt card check cards/ --level 2
  overt card check http://localhost:8080/mcp
  curl -s https://mcp.example.com/.well-known/mcp-tools/search.json | overt card check -
  overt card build --manifest overt.toml --out . -- ./server
  overt card diff released/cards cards";
