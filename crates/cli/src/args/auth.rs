//! Credentials for a server that requires a token; shared by all commands that talk to a server.
use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Where the token of a URL target comes from. Without any of these, tokens of an earlier
/// `overt login` are used.
#[derive(Debug, Args)]
#[command(next_help_heading = "Authorization options (URL targets)")]
pub(crate) struct AuthArgs {
    /// Send the bearer token in the environment variable VAR
    #[arg(long, value_name = "VAR", conflicts_with_all = ["token_file", "oauth", "oauth_flow"])]
    pub(crate) token_env: Option<String>,

    /// Send the first line of FILE as a bearer token; the file may be replaced while we run
    #[arg(long, value_name = "FILE", conflicts_with_all = ["oauth", "oauth_flow"])]
    pub(crate) token_file: Option<PathBuf>,

    /// Ask for authorization in a browser when the server wants it, instead of failing
    #[arg(long)]
    pub(crate) oauth: bool,

    /// How to get tokens: a person agrees in a browser, or we show a secret of our own
    #[arg(long, value_enum, value_name = "FLOW")]
    pub(crate) oauth_flow: Option<OAuthFlow>,

    /// The client that is registered with the authorization server [default: register one]
    #[arg(long, value_name = "ID")]
    pub(crate) oauth_client_id: Option<String>,

    /// The environment variable with the secret of that client
    #[arg(long, value_name = "VAR", requires = "oauth_client_id")]
    pub(crate) oauth_client_secret_env: Option<String>,

    /// Ask for this scope (repeatable) [default: what the server says it needs]
    #[arg(long = "oauth-scope", value_name = "SCOPE")]
    pub(crate) oauth_scopes: Vec<String>,

    /// The port of this machine to which the browser comes back [default: any]
    #[arg(long, value_name = "PORT")]
    pub(crate) oauth_port: Option<u16>,

    /// Print the address of the authorization page and open no browser
    #[arg(long)]
    pub(crate) no_browser: bool,

    /// Let the server name an authorization server on a private network
    #[arg(long)]
    pub(crate) allow_private_auth: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OAuthFlow {
    Code,
    ClientCredentials,
}

impl AuthArgs {
    /// The first option that was given, if any.
    pub(crate) fn first_option(&self) -> Option<&'static str> {
        let options = [
            ("--token-env", self.token_env.is_some()),
            ("--token-file", self.token_file.is_some()),
            ("--oauth", self.oauth),
            ("--oauth-flow", self.oauth_flow.is_some()),
            ("--oauth-client-id", self.oauth_client_id.is_some()),
            ("--oauth-client-secret-env", self.oauth_client_secret_env.is_some()),
            ("--oauth-scope", !self.oauth_scopes.is_empty()),
            ("--oauth-port", self.oauth_port.is_some()),
            ("--no-browser", self.no_browser),
            ("--allow-private-auth", self.allow_private_auth),
        ];
        options.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }
}
