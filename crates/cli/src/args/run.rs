//! `overt run`.
use std::path::PathBuf;

use clap::Args;

use super::{ClientsArgs, ControlArgs, PinArg, TargetArgs, TelemetryArgs};

/// Stand in front of a server: clients talk to it through Overt
///
/// Client and server may speak different versions of the protocol over different transports.
/// Clients are served over standard input and output, or over Streamable HTTP with --http.
#[derive(Debug, Args)]
#[command(override_usage = USAGE, after_help = EXAMPLES)]
pub(crate) struct RunArgs {
    /// Streamable HTTP endpoint of the server
    #[arg(value_name = "URL")]
    pub(crate) url: Option<String>,

    /// What the server is called in scopes, grants and the audit log; without it, after its program
    /// or host
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub(crate) name: Option<String>,

    /// The state folder, as `OVERT_STATE_DIR` names it: for clients that hide variables
    #[arg(long, value_name = "DIR")]
    pub(crate) state_dir: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) clients: ClientsArgs,

    /// Tell clients what this manifest declares about the server: metadata, `ai_help` and documents
    /// (see `overt describe`). What contradicts the server stops the start
    #[arg(long, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,

    /// What to do about tools that are new or not what they were (see `overt pins`)
    #[arg(long, value_enum, value_name = "MODE", default_value = "warn")]
    pub(crate) pin: PinArg,

    /// Let all clients share one session with the server, for a server of which only one process
    /// can run
    #[arg(long)]
    pub(crate) share: bool,

    /// Let the server ask the client also when no call of the client is in progress
    #[arg(long)]
    pub(crate) allow_unasked: bool,

    /// Let the server ask for passwords and keys in forms
    #[arg(long)]
    pub(crate) allow_secret_forms: bool,

    #[command(flatten)]
    pub(crate) control: ControlArgs,

    #[command(flatten)]
    pub(crate) telemetry: TelemetryArgs,

    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

const USAGE: &str = "\
overt run [OPTIONS] <URL>
       overt run [OPTIONS] --mcp-json <FILE> <NAME>
       overt run [OPTIONS] -- <CMD> [ARG]...";

const EXAMPLES: &str = "\
Examples:
  overt run -- npx -y @modelcontextprotocol/server-everything
  overt run https://mcp.example.com/mcp --token-env MCP_TOKEN
  overt run --http 127.0.0.1:8080 -- npx -y @modelcontextprotocol/server-filesystem .
  overt run --mcp-json .vscode/mcp.json files
  overt run --manifest overt.toml --http 127.0.0.1:8080 -- npx -y @modelcontextprotocol/server-everything

In the configuration of a client, the first two stand in the place of the server:
  \"command\": \"overt\", \"args\": [\"run\", \"--\", \"npx\", \"-y\", \"@modelcontextprotocol/server-everything\"]

At the end of standard input every request is answered before Overt ends, with exit code 0. Ctrl-C or SIGTERM lets
calls in flight end for as long as --drain says and answers the others with an error. Over stdio the exit code is
then 130. The server that was started ends with Overt.";
