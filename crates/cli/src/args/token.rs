//! `overt token`.
use clap::{Args, Subcommand};

use super::OutputArgs;

/// Make tokens with which other users reach your server over HTTP
///
/// `overt run --http` and `overt fs --http` serve your own programs without a token. Every other
/// client sends one: `Authorization: Bearer TOKEN`. A token lets its holder do what you can do
/// through the server, so give each client one of its own.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct TokenArgs {
    #[command(subcommand)]
    pub(crate) command: TokenCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    Create(CreateTokenArgs),
    /// List the valid tokens
    List(OutputArgs),
    Revoke(RevokeTokenArgs),
}

/// Make a token and print it; it can't be shown again
#[derive(Debug, Args)]
pub(crate) struct CreateTokenArgs {
    /// Whose token it is, for the list
    #[arg(long, value_name = "NAME", default_value = "")]
    pub(crate) name: String,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Take tokens back. In force for the next request to every running server
#[derive(Debug, Args)]
pub(crate) struct RevokeTokenArgs {
    /// The tokens, by id or by name, as `overt token list` shows them
    #[arg(value_name = "TOKEN", required = true)]
    pub(crate) tokens: Vec<String>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

const EXAMPLES: &str = "\
Examples:
  overt token create --name build-server
  overt token list
  overt token revoke build-server";
