//! `overt list`.
use clap::{Args, ValueEnum};

use super::{OutputArgs, TargetArgs};

/// List what a server offers: tools, resources, prompts, skills
#[derive(Debug, Args)]
#[command(override_usage = USAGE, after_help = EXAMPLES)]
pub(crate) struct ListArgs {
    /// Streamable HTTP endpoint of the server, or `fs` for the files here
    #[arg(value_name = "URL")]
    pub(crate) url: Option<String>,

    /// What to list (repeatable) [default: all that the server declares]
    #[arg(long = "kind", value_enum, value_name = "KIND")]
    pub(crate) kinds: Vec<Kind>,

    /// Show every entry in full as text: whole descriptions, each argument with its type, all
    /// annotations
    #[arg(long, short)]
    pub(crate) long: bool,

    #[command(flatten)]
    pub(crate) output: OutputArgs,

    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    Tools,
    Resources,
    Templates,
    Prompts,
    Skills,
    All,
}

const USAGE: &str = "\
overt list [OPTIONS] <URL>
       overt list [OPTIONS] --mcp-json <FILE> <NAME>
       overt list [OPTIONS] -- <CMD> [ARG]...
       overt list [OPTIONS] fs";

const EXAMPLES: &str = "\
Examples:
  overt list -- npx -y @modelcontextprotocol/server-everything
  overt list https://mcp.example.com/mcp --token-env MCP_TOKEN
  overt list --mcp-json ~/.cursor/mcp.json github --kind tools --long
  overt list http://localhost:3001/mcp --format json | jq -r '.tools[].name'";
