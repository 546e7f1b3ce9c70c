//! The settings of `overt describe`.
use std::path::PathBuf;

use overt_documents::ServerLocation;
use overt_documents::document::Kind;
use overt_transport::client::Target;

use super::{Connection, DescriptionSource};
use crate::args::{DescribeArgs, DescribeKind, ExistingFile, Format};
use crate::context::CommandContext;
use crate::error::{CommandError, user_error};

/// Everything that is needed to describe a server.
#[derive(Debug)]
pub(crate) struct DescribeSettings {
    pub(crate) connection: Connection,
    /// Where others reach the server, as far as it is known.
    pub(crate) place: ServerLocation,
    /// The folder of an audit log from which latencies are taken.
    pub(crate) audit: Option<PathBuf>,
    pub(crate) task: Describe,
}

/// The task of `overt describe`.
#[derive(Debug)]
pub(crate) enum Describe {
    /// Write a first manifest, to a file or to standard output.
    Init(Option<PathBuf>),
    /// Count the tokens that the definitions take.
    Cost,
    /// Print documents to standard output.
    Print(DescriptionSource, Choice),
    /// Write documents to files in a directory.
    Write(DescriptionSource, Choice, PathBuf, ExistingFile),
    /// Compare documents with those in these files and directories.
    Check(DescriptionSource, Vec<PathBuf>),
}

/// Which documents, and which parts of them.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    pub(crate) what: DocumentSelection,
    pub(crate) section: Option<String>,
    pub(crate) tool: Option<String>,
}

/// Which documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocumentSelection {
    One(Kind),
    All,
}

/// The error for an option that the kind of document has no use for.
fn meaningless(option: &str, kind: &str) -> CommandError {
    user_error(format!("`{option}` has no meaning for `--as {kind}`")).hinted(match option {
        "--section" => "`ai-help` and `json` have sections",
        "--out" | "--manifest" | "--audit" => {
            "it measures what the server says; redirect standard output to keep it"
        }
        _ => "`card` and `dashdash` have a document for each tool",
    })
}

impl DescribeSettings {
    pub(crate) fn resolve(args: &DescribeArgs, context: &CommandContext) -> Result<Self, CommandError> {
        let connection = Connection::resolve(&args.target, args.url.as_deref(), &context.env)?;
        let format = context.output.format;
        let place = match &connection.target {
            Target::Http(http) => ServerLocation::reached(&http.url),
            Target::Command(_) | Target::Streams(_) => ServerLocation::default(),
        };
        let task = if args.init {
            Describe::Init(args.out.clone())
        } else if !args.check.is_empty() {
            Describe::Check(DescriptionSource::find(args.manifest.as_deref())?, args.check.clone())
        } else {
            match args.kind {
                DescribeKind::Document(kind) => documents(args, DocumentSelection::One(kind), format)?,
                DescribeKind::All => documents(args, DocumentSelection::All, format)?,
                DescribeKind::Cost => cost(args)?,
            }
        };
        Ok(Self { connection, place, audit: args.audit.clone(), task })
    }
}

fn documents(args: &DescribeArgs, what: DocumentSelection, format: Format) -> Result<Describe, CommandError> {
    let choice = Choice::resolve(args, what)?;
    Ok(match &args.out {
        Some(out) => {
            let declared = DescriptionSource::find(args.manifest.as_deref())?;
            Describe::Write(declared, choice, out.clone(), args.existing)
        }
        None if what == DocumentSelection::All && format == Format::Text => {
            return Err(user_error("`--as all` makes many documents").hinted(
                "`--out DIR` writes them into a directory, `--format json` prints them as one object",
            ));
        }
        None => Describe::Print(DescriptionSource::find(args.manifest.as_deref())?, choice),
    })
}

/// Counts what the server itself says, so options about declarations are refused.
fn cost(args: &DescribeArgs) -> Result<Describe, CommandError> {
    let options = [
        ("--section", args.section.is_some()),
        ("--tool", args.tool.is_some()),
        ("--out", args.out.is_some()),
        ("--manifest", args.manifest.is_some()),
        ("--audit", args.audit.is_some()),
    ];
    match options.into_iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(meaningless(option, "cost")),
        None => Ok(Describe::Cost),
    }
}

impl Choice {
    fn resolve(args: &DescribeArgs, what: DocumentSelection) -> Result<Self, CommandError> {
        let options = [
            ("--section", args.section.is_some(), [Kind::AiHelp, Kind::Json]),
            ("--tool", args.tool.is_some(), [Kind::Card, Kind::Dashdash]),
        ];
        for (option, given, kinds) in options {
            if given && !kinds.iter().any(|kind| what == DocumentSelection::One(*kind)) {
                let kind = match what {
                    DocumentSelection::One(kind) => kind.to_string(),
                    DocumentSelection::All => "all".to_owned(),
                };
                return Err(meaningless(option, &kind));
            }
        }
        Ok(Self { what, section: args.section.clone(), tool: args.tool.clone() })
    }
}
