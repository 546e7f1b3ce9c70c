//! `overt fs`.
use clap::Args;

use super::{ClientsArgs, ControlArgs, TelemetryArgs};
use crate::settings::OfFiles;

/// Serve files: an MCP server that shows changes and can undo them
///
/// Serves the folders ROOT, the current directory without any, over standard input and output, or
/// over Streamable HTTP with --http. The first is where relative paths begin. Outside of them,
/// nothing is read or written unless a person allows it when asked. Everything inside may be read
/// and changed without asking, but for deleting, which a person is asked about; every change can be
/// shown first and undone.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct FsArgs {
    #[command(flatten)]
    pub(crate) clients: ClientsArgs,

    #[command(flatten)]
    pub(crate) control: ControlArgs<OfFiles>,

    #[command(flatten)]
    pub(crate) telemetry: TelemetryArgs,
}

const EXAMPLES: &str = "\
Examples:
  overt fs
  overt fs ~/notes ~/projects/site --read-only
  overt fs . --hidden '**/.env' --immutable 'vendor/**'
  overt fs . --grantable ~/Downloads
  overt fs . --no-grants
  overt fs . --http 127.0.0.1:8080

In the configuration of a client:
  \"command\": \"overt\", \"args\": [\"fs\", \"/home/me/notes\"]

From the shell, with nothing configured:
  overt call fs edit_file path=notes.md edits:='[{\"find\":\"teh\",\"replace\":\"the\"}]' --preview

docs/fs.md has the tools, the rules of paths, and how to move over from the official server.";
