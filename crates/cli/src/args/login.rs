//! `overt login` and `overt logout`.
use clap::Args;

use super::TargetArgs;

/// Log in to a server that wants authorization, and keep the tokens
///
/// Opens the page of the server's authorization server in a browser. Later commands use the tokens
/// and renew them.
#[derive(Debug, Args)]
#[command(override_usage = LOGIN_USAGE, after_help = LOGIN_EXAMPLES)]
pub(crate) struct LoginArgs {
    /// Streamable HTTP endpoint of the server
    #[arg(value_name = "URL")]
    pub(crate) url: Option<String>,

    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// Forget the tokens for a server
///
/// The tokens are removed from this machine. They stay valid until they expire, or until you revoke
/// them at the authorization server.
#[derive(Debug, Args)]
#[command(override_usage = LOGOUT_USAGE)]
pub(crate) struct LogoutArgs {
    /// Streamable HTTP endpoint of the server
    #[arg(value_name = "URL")]
    pub(crate) url: Option<String>,

    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

const LOGIN_USAGE: &str = "\
overt login [OPTIONS] <URL>
       overt login [OPTIONS] --mcp-json <FILE> <NAME>";

const LOGOUT_USAGE: &str = "\
overt logout <URL>
       overt logout --mcp-json <FILE> <NAME>";

const LOGIN_EXAMPLES: &str = "\
Examples:
  overt login https://mcp.example.com/mcp
  overt login https://mcp.example.com/mcp --oauth-scope files.read --no-browser
  overt login https://mcp.example.com/mcp --oauth-client-id overt --oauth-port 8123";
