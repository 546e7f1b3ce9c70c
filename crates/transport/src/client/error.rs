//! Errors of the client side, which side caused them, and what to do about them.
use std::error::Error;
use std::io;
use std::time::Duration;

use overt_wire::ErrorObject;
use overt_wire::era::Version;
use overt_wire::error::code;

use super::credentials::CredentialsError;

/// Why a server could not be reached, or why a request to it failed.
///
/// Texts from the server (`body`, `stderr`, the message of an error object) are unescaped and only
/// shortened. Escape them before they reach a terminal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    #[error("could not start `{program}`")]
    Start { program: String, source: io::Error },
    #[error("`{url}` is not an address of an MCP server: {reason}")]
    Address { url: String, reason: String },
    #[error("the header `{name}` can't be sent: a name is a token, a value is printable ASCII")]
    Header { name: String },
    #[error("could not set up TLS")]
    Tls { source: Box<dyn Error + Send + Sync> },
    #[error("could not connect to `{url}`")]
    Connect { url: String, source: Box<dyn Error + Send + Sync> },
    #[error("the connection to `{url}` broke during `{method}`")]
    Broken { url: String, method: String, source: Box<dyn Error + Send + Sync> },
    #[error("`{url}` answered with HTTP status {status}{}", excerpt(body))]
    Status { url: String, status: u16, body: String, retry_after: Option<Duration> },
    #[error("no authorization for `{url}`")]
    Unauthorized { url: String, source: CredentialsError },
    #[error("`{url}` redirects to `{location}`, and redirects are not followed")]
    Redirected { url: String, location: String },
    #[error("the server no longer knows our session")]
    SessionLost,
    #[error("no answer to `{method}` within {after:?}{}", dropped_note(dropped))]
    TimedOut { method: String, after: Duration, dropped: Option<String> },
    #[error("the connection was closed: {reason}{}", stderr_note(stderr))]
    Closed { reason: String, stderr: String, delivery: Delivery },
    #[error("the server refused: {0}")]
    Refused(ErrorObject),
    #[error("the server broke the protocol: {what}")]
    Protocol { what: String },
    #[error("the server speaks {offered}, which is not among the versions we speak: {}", versions(supported))]
    Version { offered: String, supported: Vec<Version> },
    #[error("{what} is over the limit of {limit} bytes")]
    TooLarge { what: String, limit: usize },
    #[error("{limit} requests to this server are waiting for their answers already")]
    Busy { limit: usize },
    #[error("the server does not read: {limit} bytes wait for it already")]
    QueueFull { limit: usize },
    #[error("the server asked `{method}` and got no answer: {error}")]
    Unanswered { method: String, error: ErrorObject },
    #[error("the server still wants input after {limit} rounds of questions")]
    TooManyRounds { limit: usize },
    #[error("the list `{method}` has more than {limit} pages")]
    TooManyPages { method: String, limit: usize },
    #[error("the list `{method}` comes back to a page that it has given already")]
    PageLoop { method: String },
    #[error("the params of `{method}` and their `_meta` must be JSON objects")]
    Params { method: String },
    #[error("version {version} of the protocol has no `{method}`")]
    NotInVersion { method: String, version: Version },
}

/// The side that caused an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Our side or the user: a wrong address, a program that does not exist, one of our limits.
    Client,
    /// The server.
    Server,
    /// Between both sides: the network, or a server that is not running.
    Between,
}

/// Whether a failed request may have reached the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// No byte of the request was written.
    NotSent,
    /// Some or all of the request was written.
    MaybeSent,
}

// === impl ClientError ===

impl ClientError {
    /// Returns the side that caused the error.
    pub fn side(&self) -> Side {
        match self {
            Self::Start { .. }
            | Self::Address { .. }
            | Self::Header { .. }
            | Self::Tls { .. }
            | Self::Busy { .. }
            | Self::QueueFull { .. }
            | Self::Unauthorized { .. }
            | Self::Params { .. }
            | Self::Unanswered { .. }
            | Self::NotInVersion { .. } => Side::Client,
            Self::Connect { .. } | Self::Broken { .. } => Side::Between,
            _ => Side::Server,
        }
    }

    /// Returns a hint about what to do next, if there is a useful one.
    pub fn hint(&self) -> Option<String> {
        let text = match self {
            Self::Start { program, source } if source.kind() == io::ErrorKind::NotFound => {
                format!("check that `{program}` is installed and in `PATH`, or give its full path")
            }
            Self::Start { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                "check that the file may be executed".into()
            }
            Self::Address { .. } => "an address looks like `https://example.com/mcp`".into(),
            Self::Connect { source, .. } if is_about_certificates(source.as_ref()) => {
                "the system does not trust the server's certificate; add its issuer to the trusted roots".into()
            }
            Self::Connect { .. } => "check that the server is running and that host and port are right".into(),
            Self::Status { status: 401 | 403, .. } => {
                "the server wants authorization: pass a token in an `Authorization` header".into()
            }
            Self::Status { status: 404 | 405, .. } => {
                "check the path of the address; it often ends in `/mcp`. Servers of the old HTTP+SSE transport \
                 are not supported"
                    .into()
            }
            Self::Status { status: 429 | 503, retry_after, .. } => match retry_after {
                Some(wait) => format!("the server is busy; try again in {} s", wait.as_secs()),
                None => "the server is busy; try again later".into(),
            },
            Self::Unauthorized { source, .. } => return source.hint().map(str::to_owned),
            Self::Redirected { location, .. } => {
                format!("if you trust that place, use it as the address: {location}")
            }
            Self::SessionLost => "connect again; the server has restarted or ended the session".into(),
            Self::TimedOut { .. } => "the server may be slow to start or stuck; a longer deadline may help".into(),
            Self::Closed { stderr, .. } if stderr.is_empty() => {
                "run the command by hand to see what it says".into()
            }
            Self::Version { .. } => "a newer release of the server, or of this program, may help".into(),
            Self::Refused(error) if error.code == code::MISSING_CLIENT_CAPABILITY => {
                "this call needs a client that can be asked questions".into()
            }
            _ => return None,
        };
        Some(text)
    }
}

fn is_about_certificates(error: &(dyn Error + Send + Sync + 'static)) -> bool {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if error.to_string().contains("certificate") {
            return true;
        }
        cause = error.source();
    }
    false
}

fn excerpt(body: &str) -> String {
    if body.is_empty() { String::new() } else { format!(": {body}") }
}

fn dropped_note(dropped: &Option<String>) -> String {
    dropped.as_ref().map_or_else(String::new, |what| format!(" (messages were dropped: {what})"))
}

fn stderr_note(stderr: &str) -> String {
    if stderr.is_empty() { String::new() } else { format!("; it said last:\n{stderr}") }
}

fn versions(supported: &[Version]) -> String {
    supported.iter().map(|version| version.as_str()).collect::<Vec<_>>().join(", ")
}
