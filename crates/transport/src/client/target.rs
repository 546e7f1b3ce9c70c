//! Servers to connect to. This module does not read the environment: the caller passes in the
//! variables that a child may see.
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};

use super::credentials::Credentials;
use super::http::{Connections, Proxies};
use super::shown_url::shown_url;
use crate::guardian::Guardian;

/// A server to connect to.
#[derive(Debug, Clone)]
pub enum Target {
    /// A program to start, which communicates over its standard input and output.
    Command(Command),
    /// A Streamable HTTP endpoint.
    Http(HttpTarget),
    /// A server in this process, or behind any other byte stream.
    Streams(Arc<dyn Connector>),
}

/// Opens streams to a server that reads and writes one message per line. Each session gets its own
/// stream, as it gets its own process from a [`Command`].
pub trait Connector: fmt::Debug + Send + Sync {
    /// The name of the server in errors and in stored records.
    fn name(&self) -> &str;

    /// Opens the stream of one session.
    fn connect(&self) -> io::Result<Box<dyn ByteStream>>;
}

/// A stream of bytes in both directions.
pub trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for S {}

/// A program to start. It is started without a shell, so the arguments reach it unchanged.
#[derive(Debug, Clone)]
pub struct Command {
    /// The program as the user wrote it.
    pub program: OsString,
    /// The file that `program` refers to, if it was looked up. It is started instead of `program`.
    pub found: Option<PathBuf>,
    pub args: Vec<OsString>,
    pub env: Environment,
    pub cwd: Option<PathBuf>,
    /// Kills the rest of the program's process group if we are killed. All clones of this command
    /// share it.
    pub guardian: Option<Guardian>,
}

/// The environment variables of a child. It sees no others (UP-11).
#[derive(Clone, Default)]
pub struct Environment {
    variables: Vec<(OsString, OsString)>,
    /// The names of the variables that this server's configuration sets, sorted.
    configured: BTreeSet<OsString>,
}

/// A Streamable HTTP endpoint, and the headers that every request to it carries.
#[derive(Clone)]
pub struct HttpTarget {
    pub url: String,
    pub headers: Vec<(String, String)>,
    /// The source of the `Authorization`, unless it is among the headers.
    pub credentials: Option<Arc<dyn Credentials>>,
    /// Shared by the conversations of all clones of this target.
    pub connections: Connections,
    /// The proxies through which the server is reached.
    pub proxies: Proxies,
}

/// The prefix of variables that configure Overt.
const OVERT_PREFIX: &[u8] = b"OVERT_";

/// Variables that a program needs to find its files, its user and its language. By convention none
/// of them holds a secret.
const HARMLESS: [&str; 17] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TERM",
    "TMPDIR",
    "TMP",
    "TEMP",
    "TZ",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
];

// === impl Command ===

impl Command {
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            found: None,
            args: Vec::new(),
            env: Environment::default(),
            cwd: None,
            guardian: None,
        }
    }
}

// === impl Environment ===

impl Environment {
    /// An environment without variables.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Our own variables without those that configure Overt. The program sees what it would see if
    /// it were started in our place.
    pub fn inherited_from(ours: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let is_ours = |name: &OsStr| name.as_encoded_bytes().starts_with(OVERT_PREFIX);
        let variables = ours.into_iter().filter(|(name, _)| !is_ours(name)).collect();
        Self { variables, configured: BTreeSet::new() }
    }

    /// Only the harmless variables among the inherited ones.
    pub fn harmless_of(inherited: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let variables = inherited.into_iter().filter(|(name, value)| is_harmless(name, value)).collect();
        Self { variables, configured: BTreeSet::new() }
    }

    /// Adds or replaces one variable.
    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        let name = name.into();
        self.variables.retain(|(existing, _)| *existing != name);
        self.variables.push((name, value.into()));
        self
    }

    /// Adds or replaces one variable that this server's own configuration sets.
    #[must_use]
    pub fn with_configured(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        let name = name.into();
        self.configured.insert(name.clone());
        self.with(name, value)
    }

    /// The names of the variables that this server's configuration sets, sorted.
    pub fn configured(&self) -> impl Iterator<Item = &OsStr> {
        self.configured.iter().map(OsString::as_os_str)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

fn is_harmless(name: &OsStr, value: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    // A value that begins like this is a shell function, which some shells would run.
    let is_function = value.as_encoded_bytes().starts_with(b"()");
    (HARMLESS.contains(&name) || name.starts_with("LC_")) && !is_function
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Values may be secrets.
        f.debug_list().entries(self.variables.iter().map(|(name, _)| name)).finish()
    }
}

// === impl HttpTarget ===

impl HttpTarget {
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            headers: Vec::new(),
            credentials: None,
            connections: Connections::default(),
            proxies: Proxies::default(),
        }
    }
}

impl fmt::Debug for HttpTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Header values are often tokens, and a URL may contain a password or a key.
        let names: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("HttpTarget")
            .field("url", &shown_url(&self.url))
            .field("headers", &names)
            .field("credentials", &self.credentials.is_some())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_11_only_harmless_variables_pass() {
        let inherited = [
            ("PATH", "/bin"),
            ("AWS_SECRET_ACCESS_KEY", "s3cret"),
            ("LC_ALL", "C"),
            ("HOME", "() { evil; }"),
            ("LD_PRELOAD", "x.so"),
        ];
        let environment =
            Environment::harmless_of(inherited.map(|(name, value)| (name.into(), value.into())))
                .with("KEY", "mine");
        let names: Vec<_> = environment.iter().map(|(name, _)| name.to_str().unwrap()).collect();
        assert_eq!(names, ["PATH", "LC_ALL", "KEY"]);
        assert!(!format!("{environment:?}").contains("mine"));
    }

    #[test]
    fn h_33_an_inherited_environment_lacks_only_our_own_settings() {
        let ours = [("PATH", "/bin"), ("GITHUB_TOKEN", "t"), ("OVERT_STATE_DIR", "/x"), ("OVERTURE", "1")];
        let environment = Environment::inherited_from(ours.map(|(name, value)| (name.into(), value.into())));
        let names: Vec<_> = environment.iter().map(|(name, _)| name.to_str().unwrap()).collect();
        assert_eq!(names, ["PATH", "GITHUB_TOKEN", "OVERTURE"]);
    }

    #[test]
    fn secrets_do_not_show() {
        let target = HttpTarget {
            headers: vec![("Authorization".into(), "Bearer t0ken".into())],
            ..HttpTarget::new("https://me:pw@example.com/mcp?key=abc")
        };
        let text = format!("{:?}", Target::Http(target));
        assert!(text.contains("https://example.com/mcp") && text.contains("Authorization"), "{text}");
        assert!(!text.contains("pw") && !text.contains("abc") && !text.contains("t0ken"), "{text}");
    }
}
