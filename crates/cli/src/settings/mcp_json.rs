//! Reads servers as targets from the files in which Claude, Cursor and VS Code keep them.
use std::path::{Path, PathBuf};

use overt_clients::files::without_comments;
use overt_transport::client::{Command, Environment, HttpTarget, Target};
use overt_wire::json::{Fault, Json, JsonBuf, Member};

use super::env_file::{self, EnvFileError};
use super::expand::Expander;
use super::{Env, source};
use crate::error::Diagnostic;
use overt_operator::near::valid_names;

/// A server could not be read from a file.
#[derive(Debug, thiserror::Error)]
#[error("failed to take server `{name}` from `{}`", path.display())]
pub(crate) struct McpJsonError {
    path: PathBuf,
    name: String,
    #[source]
    kind: McpJsonErrorKind,
}

/// The problem of the file or the entry.
#[derive(Debug, thiserror::Error)]
pub(crate) enum McpJsonErrorKind {
    #[error(transparent)]
    Read(source::ReadError),
    #[error("the file is not valid JSON")]
    Json(#[source] Fault),
    #[error("the file has neither `mcpServers` nor `servers`")]
    NoServers,
    #[error("the file names no server at all")]
    Empty,
    #[error("no server has this name; {0}")]
    Unknown(String),
    #[error("`{member}` must be {expected}")]
    Shape { member: String, expected: &'static str },
    #[error("the entry has neither `command` nor `url`")]
    NoTarget,
    #[error("the entry has both `command` and `url`")]
    TwoTargets,
    #[error("the transport `{0}` is not supported")]
    Transport(String),
    #[error("its `envFile` can't be used")]
    EnvFile(#[source] EnvFileError),
    #[error("not set in the environment: {}", quoted(.0))]
    Unset(Vec<String>),
}

impl Diagnostic for McpJsonError {
    fn hint(&self) -> Option<String> {
        Some(match &self.kind {
            McpJsonErrorKind::NoServers => {
                "Claude and Cursor write `{\"mcpServers\": {\"NAME\": {\"command\": …}}}`, VS Code `{\"servers\": …}`"
                    .to_owned()
            }
            McpJsonErrorKind::Transport(_) => {
                "supported are `stdio` and `http`; most servers with `sse` also have a Streamable HTTP endpoint".to_owned()
            }
            McpJsonErrorKind::Unset(names) if names.iter().any(|name| name.starts_with("input:")) => {
                "VS Code asks for `${input:…}` itself; here, pass the server as a command or URL instead".to_owned()
            }
            McpJsonErrorKind::Unset(names) => {
                let assignments: Vec<String> = names.iter().map(|name| format!("{name}=…")).collect();
                format!("set what the file refers to: `export {}`", assignments.join(" "))
            }
            McpJsonErrorKind::EnvFile(error) => return error.hint(),
            _ => return None,
        })
    }
}

/// Reads the entry called `name`. A child process gets `base` as its environment, overlaid with the
/// variables of the entry.
pub(super) fn target(path: &Path, name: &str, base: Environment, env: &Env) -> Result<Target, McpJsonError> {
    entry_target(path, name, base, env).map_err(|kind| McpJsonError {
        path: path.to_owned(),
        name: name.to_owned(),
        kind,
    })
}

fn entry_target(path: &Path, name: &str, base: Environment, env: &Env) -> Result<Target, McpJsonErrorKind> {
    let text = source::read(path).map_err(McpJsonErrorKind::Read)?;
    let file = JsonBuf::parse(&without_comments(&text)).map_err(McpJsonErrorKind::Json)?;
    let servers = servers_of(file.as_json()).ok_or(McpJsonErrorKind::NoServers)?;
    let Some((_, entry)) = servers.members().find(|(key, _)| key.is(name)) else {
        let names: Vec<_> = servers.members().map(|(key, _)| key.name().into_owned()).collect();
        return Err(match names.is_empty() {
            true => McpJsonErrorKind::Empty,
            false => McpJsonErrorKind::Unknown(valid_names(name, names.iter().map(String::as_str))),
        });
    };
    let folder = workspace_of(path);
    let mut expander = Expander::new(env, folder.to_str());
    let target = read_entry(entry, base, &folder, &mut expander)?;
    if expander.missing.is_empty() { Ok(target) } else { Err(McpJsonErrorKind::Unset(expander.missing)) }
}

/// The servers of a file: Claude's and Cursor's form, VS Code's own file, VS Code's settings.
fn servers_of(file: Json<'_>) -> Option<Json<'_>> {
    [&["mcpServers"][..], &["servers"], &["mcp", "servers"]]
        .into_iter()
        .find_map(|way| file.at(way).value().filter(|servers| servers.is_object()))
}

/// The project folder of a file: its own folder, or the parent if that is an editor's folder.
fn workspace_of(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().unwrap_or(Path::new("/"));
    let is_editors = folder.file_name().is_some_and(|name| name == ".vscode" || name == ".cursor");
    match folder.parent() {
        Some(parent) if is_editors => parent.to_owned(),
        _ => folder.to_owned(),
    }
}

fn read_entry(
    entry: Json<'_>,
    base: Environment,
    folder: &Path,
    expander: &mut Expander<'_>,
) -> Result<Target, McpJsonErrorKind> {
    let kind = string(entry, "type", expander)?;
    match kind.as_deref() {
        None | Some("stdio" | "http" | "streamable-http" | "streamableHttp") => {}
        Some(other) => return Err(McpJsonErrorKind::Transport(other.to_owned())),
    }
    match (string(entry, "command", expander)?, string(entry, "url", expander)?) {
        (Some(_), Some(_)) => Err(McpJsonErrorKind::TwoTargets),
        (None, None) => Err(McpJsonErrorKind::NoTarget),
        (None, Some(url)) => {
            let headers = pairs(entry, "headers", expander)?;
            Ok(Target::Http(HttpTarget { headers, ..HttpTarget::new(url) }))
        }
        (Some(program), None) => {
            let mut environment = base;
            // As in VS Code, `env` takes precedence over the file.
            if let Some(path) = string(entry, "envFile", expander)?.filter(|_| expander.missing.is_empty()) {
                for (name, value) in env_file::read(&folder.join(path)).map_err(McpJsonErrorKind::EnvFile)? {
                    environment = environment.with_configured(name, value);
                }
            }
            for (name, value) in pairs(entry, "env", expander)? {
                environment = environment.with_configured(name, value);
            }
            Ok(Target::Command(Command {
                args: strings(entry, "args", expander)?.into_iter().map(Into::into).collect(),
                env: environment,
                cwd: string(entry, "cwd", expander)?.map(PathBuf::from),
                ..Command::new(program)
            }))
        }
    }
}

fn string(
    entry: Json<'_>,
    member: &str,
    expander: &mut Expander<'_>,
) -> Result<Option<String>, McpJsonErrorKind> {
    match entry.get(member) {
        Member::Absent | Member::Null => Ok(None),
        Member::Value(value) => match value.string() {
            Some(text) => Ok(Some(expander.expand(&text))),
            None => Err(shape(member, "a string")),
        },
    }
}

fn strings(
    entry: Json<'_>,
    member: &str,
    expander: &mut Expander<'_>,
) -> Result<Vec<String>, McpJsonErrorKind> {
    let Member::Value(list) = entry.get(member) else { return Ok(Vec::new()) };
    if !list.is_array() {
        return Err(shape(member, "an array of strings"));
    }
    list.elements()
        .map(|item| {
            item.string()
                .map(|text| expander.expand(&text))
                .ok_or_else(|| shape(member, "an array of strings"))
        })
        .collect()
}

/// Reads an object of names and values. Numbers and booleans are taken as text, because existing
/// files contain `"PORT": 3000`.
fn pairs(
    entry: Json<'_>,
    member: &str,
    expander: &mut Expander<'_>,
) -> Result<Vec<(String, String)>, McpJsonErrorKind> {
    let Member::Value(object) = entry.get(member) else { return Ok(Vec::new()) };
    if !object.is_object() {
        return Err(shape(member, "an object of strings"));
    }
    let mut found = Vec::new();
    for (key, value) in object.members() {
        let text = match value.string() {
            Some(text) => expander.expand(&text),
            None if value.is_null() => continue,
            None if value.is_object() || value.is_array() => {
                return Err(shape(member, "an object of strings"));
            }
            None => value.as_str().to_owned(),
        };
        found.push((key.name().into_owned(), text));
    }
    Ok(found)
}

fn shape(member: &str, expected: &'static str) -> McpJsonErrorKind {
    McpJsonErrorKind::Shape { member: member.to_owned(), expected }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
