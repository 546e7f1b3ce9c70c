//! Finds out what to forbid or permit: a tool, a server or a path. An unknown name is an error,
//! because it is most likely misspelt, and the rule would protect nothing.
use std::collections::{BTreeMap, BTreeSet};

use std::path::Path;

use overt_gateway::pins::PinStore;

use crate::environment::ServerIdentities;
use crate::error::{Explain, OperatorError};
use crate::near::valid_names;
use crate::server_name::remembered_identity;
use crate::text::{one_line, shell_word};

/// The arguments that name a subject.
#[derive(Debug, Clone, Copy)]
pub struct NamedSubject<'a> {
    pub what: &'a str,
    /// `None` if it must be inferred from the name.
    pub kind: Option<SubjectKind>,
    /// For a tool: its server, or `None` for every server.
    pub server: Option<&'a str>,
    pub is_removal: bool,
}

/// What is forbidden or permitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SubjectKind {
    Tool,
    Server,
    Path,
}

/// The thing that is forbidden or permitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// A name or a pattern; without a server, a tool of every server.
    Tool {
        name: String,
        server: Option<String>,
    },
    Server(String),
    /// Absolute, without `.` and `..`.
    Path(String),
}

/// The known servers, each with its known tools.
pub type ToolsByServer = BTreeMap<String, BTreeSet<String>>;

/// The reason why the subject is unclear.
#[derive(Debug, thiserror::Error)]
enum UnclearSubject {
    #[error("`{0}` is a tool and a server")]
    Both(String),
    #[error("no server has a tool `{name}`, and no server is called so; {there}")]
    Unknown {
        name: String,
        there: String,
        /// Servers that have not run behind Overt yet, so that their tools are not known.
        unseen: Vec<String>,
    },
    #[error("no server `{name}` is known; {there}")]
    NoServer { name: String, there: String },
    #[error("several servers have a tool `{name}`: {servers}")]
    Several { name: String, servers: String },
    #[error("it is not known which server has a tool `{0}`")]
    WhichServer(String),
    #[error("a tool of `overt fs` can't be permitted by its name: what it may do depends on the path")]
    OwnTool(String),
    #[error("the path `{0}` can't be found")]
    Path(String, #[source] std::io::Error),
    #[error("the path `{0}` is not UTF-8")]
    NotText(String),
}

impl Explain for UnclearSubject {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Both(_) => "say `--as tool` or `--as server`".to_owned(),
            Self::Unknown { name, unseen, .. } => match &unseen[..] {
                [] => "say `--as tool`, `--as server` or `--as path` if you mean a name that was never seen"
                    .to_owned(),
                [server, more @ ..] => format!(
                    "the tools of {} are known after the first use; if `{}` is one of them, add `--server {}`",
                    quoted_list(server, more),
                    one_line(name),
                    shell_word(server)
                ),
            },
            Self::NoServer { .. } => "`overt pins list` shows the servers that were seen".to_owned(),
            Self::Several { .. } | Self::WhichServer(_) => "say which one with `--server NAME`".to_owned(),
            Self::OwnTool(tool) => format!(
                "`overt grants allow {} --for 8h` allows the tool for a time; `overt permit PATH` allows a folder",
                shell_word(tool)
            ),
            Self::Path(..) | Self::NotText(_) => return None,
        })
    }
}

/// Returns the servers with remembered tools, the configured servers, and our own file server.
pub fn known_tools(state: &Path, configured: ServerIdentities) -> Result<ToolsByServer, OperatorError> {
    let ours = overt_servers::files::TOOL_NAMES.into_iter().map(str::to_owned).collect();
    let mut known = ToolsByServer::from([(FILES.to_owned(), ours)]);
    for record in PinStore::new(state).all()?.into_iter().filter_map(|entry| entry.record.ok()) {
        let identity = remembered_identity(&record.identity);
        let name = identity.split('#').next().unwrap_or_default().to_owned();
        known.entry(name).or_default().extend(record.tools.into_keys());
    }
    for name in configured.into_keys() {
        known.entry(name).or_default();
    }
    Ok(known)
}

/// Returns a warning if the tool's server has not run yet.
pub fn unseen_tool(subject: &Subject, known: &ToolsByServer) -> Option<String> {
    let Subject::Tool { name, server: Some(server) } = subject else { return None };
    let is_unseen = known.get(server).is_none_or(BTreeSet::is_empty) && !name.contains('*');
    is_unseen.then(|| unseen_words(name, server))
}

/// Says that the server's tools are not known yet.
pub fn unseen_words(tool: &str, server: &str) -> String {
    format!(
        "server `{}` has not run behind Overt yet, so its tools are not known: make sure that `{}` is spelt right",
        one_line(server),
        one_line(tool)
    )
}

pub fn subject(
    named: NamedSubject<'_>,
    known: &ToolsByServer,
    needs_server: bool,
) -> Result<Subject, OperatorError> {
    let what = named.what;
    let is_server = known.contains_key(what);
    let is_tool =
        known.values().any(|tools| tools.contains(what)) || what.contains('*') || named.server.is_some();
    let kind = match named.kind {
        Some(kind) => kind,
        None if looks_like_path(what) => SubjectKind::Path,
        None => match (is_tool, is_server) {
            (true, true) => return Err(UnclearSubject::Both(what.to_owned()).into()),
            (true, false) => SubjectKind::Tool,
            (false, true) => SubjectKind::Server,
            // A removal may name a tool of a server that was forgotten.
            (false, false) if named.is_removal => SubjectKind::Tool,
            (false, false) => return Err(unknown(what, known).into()),
        },
    };
    match kind {
        SubjectKind::Path => Ok(Subject::Path(path(what)?)),
        SubjectKind::Server => Ok(Subject::Server(what.to_owned())),
        SubjectKind::Tool => {
            Ok(Subject::Tool { name: what.to_owned(), server: server_of_tool(named, known, needs_server)? })
        }
    }
}

fn server_of_tool(
    named: NamedSubject<'_>,
    known: &ToolsByServer,
    needs_server: bool,
) -> Result<Option<String>, UnclearSubject> {
    let what = named.what;
    if let Some(server) = named.server {
        let name = server.split('#').next().unwrap_or_default();
        let has_seen_servers = known.keys().any(|known| known != FILES);
        if has_seen_servers && !known.contains_key(name) && !named.is_removal {
            let there = valid_names(name, known.keys().map(String::as_str));
            return Err(UnclearSubject::NoServer { name: name.to_owned(), there });
        }
        if needs_server && name == FILES && !named.is_removal {
            return Err(UnclearSubject::OwnTool(what.to_owned()));
        }
        return Ok(Some(name.to_owned()));
    }
    if !needs_server {
        return Ok(None);
    }
    // Our own file server is not considered, because permissions for it depend on paths.
    let others = known.iter().filter(|(name, _)| *name != FILES);
    let having: Vec<&String> =
        others.filter(|(_, tools)| tools.contains(what)).map(|(name, _)| name).collect();
    match having[..] {
        [] if known.get(FILES).is_some_and(|tools| tools.contains(what)) => {
            Err(UnclearSubject::OwnTool(what.to_owned()))
        }
        [] => Err(UnclearSubject::WhichServer(what.to_owned())),
        [server] => Ok(Some(server.clone())),
        [..] => {
            let servers: Vec<String> = having.iter().map(|name| format!("`{name}`")).collect();
            Err(UnclearSubject::Several { name: what.to_owned(), servers: servers.join(", ") })
        }
    }
}

/// The name of our own file server, whose tools are known without pins.
const FILES: &str = overt_servers::files::NAME;

fn unknown(what: &str, known: &ToolsByServer) -> UnclearSubject {
    let names: BTreeSet<&str> =
        known.iter().flat_map(|(server, tools)| tools.iter().chain([server])).map(String::as_str).collect();
    let unseen = known.iter().filter(|(_, tools)| tools.is_empty()).map(|(server, _)| server.clone());
    UnclearSubject::Unknown {
        name: what.to_owned(),
        there: valid_names(what, names),
        unseen: unseen.collect(),
    }
}

/// Returns "`a`", "`a` and `b`", or "`a` and 2 other servers".
fn quoted_list(server: &str, more: &[String]) -> String {
    let server = one_line(server);
    match more {
        [] => format!("`{server}`"),
        [other] => format!("`{server}` and `{}`", one_line(other)),
        [_, _, ..] => format!("`{server}` and {} other servers", more.len()),
    }
}

fn looks_like_path(what: &str) -> bool {
    what.starts_with(['/', '~', '.']) || what.contains('/')
}

/// Returns the real path, which need not exist. The shell has already expanded `~`.
fn path(what: &str) -> Result<String, UnclearSubject> {
    let failed = |error| UnclearSubject::Path(what.to_owned(), error);
    let absolute = std::path::absolute(what).map_err(failed)?;
    // The folder may not exist yet. Resolve links in the part that exists.
    let (mut there, mut rest) = (absolute.as_path(), Vec::new());
    let real = loop {
        match there.canonicalize() {
            Ok(real) => break real,
            Err(error) => match (there.parent(), there.file_name()) {
                (Some(parent), Some(name)) => {
                    rest.push(name);
                    there = parent;
                }
                _ => return Err(failed(error)),
            },
        }
    };
    let real = rest.iter().rev().fold(real, |path, name| path.join(name));
    real.to_str().map(str::to_owned).ok_or_else(|| UnclearSubject::NotText(what.to_owned()))
}
