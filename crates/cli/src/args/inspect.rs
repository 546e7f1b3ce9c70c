//! `overt inspect`.
use clap::Args;

use super::{PageArgs, TargetArgs};

/// Try a server in the browser: its tools, resources and prompts
///
/// Connects to a server and opens a page on this machine: a form for the arguments of every tool
/// with its JSON beside it, a preview of what a call changes, its result, the questions that the
/// server asks, and everything that both sides sent. Calls are made as you click them, with
/// whatever effect they have.
#[derive(Debug, Args)]
#[command(override_usage = USAGE, after_help = EXAMPLES)]
pub(crate) struct InspectArgs {
    /// Streamable HTTP endpoint of the server, or `fs` for the files here
    #[arg(value_name = "URL")]
    pub(crate) url: Option<String>,

    #[command(flatten)]
    pub(crate) page: PageArgs,

    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

const USAGE: &str = "\
overt inspect [OPTIONS] <URL>
       overt inspect [OPTIONS] --mcp-json <FILE> <NAME>
       overt inspect [OPTIONS] -- <CMD> [ARG]...
       overt inspect [OPTIONS] fs";

const EXAMPLES: &str = "\
Examples:
  overt inspect --open -- npx -y @modelcontextprotocol/server-everything
  overt inspect --open https://mcp.example.com/mcp --token-env MCP_TOKEN
  overt inspect --open fs";
