//! Turns a server in a client's file into a connection that can be opened from here.
use std::time::Duration;

use overt_clients::files::{Entry, Launch, Node};
use overt_transport::client::{Command, Environment, HttpTarget, Protocol, Proxies, Target};
use overt_transport::guardian::Guardian;
use overt_transport::limits::Limits;

use super::expand::Expander;
use super::project::working_directory;
use super::target::GUARDIAN_ARGUMENT;
use super::{Connection, Env, FoundFile, program};
use crate::error::{CommandError, outside_error};

/// Maximum time for a server to start, and to answer.
const DEADLINE: Duration = Duration::from_secs(30);

/// The connection to a server as its client would open it.
pub(crate) fn connection_of(
    entry: &Entry,
    launch: &Launch<'_>,
    file: &FoundFile,
    env: &Env,
) -> Result<Connection, CommandError> {
    let folder = file.project.clone().or_else(working_directory);
    let mut expander = Expander::new(env, folder.as_deref().and_then(|folder| folder.to_str()));
    let target = match launch {
        Launch::Program(program) | Launch::Wrapped(program) => {
            let words: Vec<String> = program.words.iter().map(|word| expander.expand(word)).collect();
            let (first, rest) = words.split_first().ok_or_else(unreadable)?;
            let mut environment = Environment::inherited_from(env.all());
            for (name, value) in variables(&entry.node, program.holder, &mut expander) {
                environment = environment.with_configured(name, value);
            }
            let cwd = program.holder.get("cwd").or_else(|| entry.node.get("cwd")).and_then(Node::string);
            let cwd = cwd.map(|cwd| expander.expand(cwd).into()).or_else(|| file.project.clone());
            let mut command = Command {
                args: rest.iter().map(Into::into).collect(),
                env: environment,
                cwd,
                ..Command::new(first)
            };
            let here = command.cwd.clone().or_else(working_directory);
            command.found = here.and_then(|here| program::find(&command, &here));
            command.guardian = Some(Guardian::new(Env::own_executable(), GUARDIAN_ARGUMENT));
            Target::Command(command)
        }
        Launch::Remote(remote) => {
            let mut http = HttpTarget::new(expander.expand(remote.url));
            let headers = remote.holder.get("headers").map(Node::members).unwrap_or_default();
            for header in headers {
                let value = header.node.string().ok_or_else(unreadable)?;
                http.headers.push((header.name.clone(), expander.expand(value)));
            }
            http.proxies = Proxies::from_variables(|name| env.get(name));
            Target::Http(http)
        }
        Launch::Own => return Err(unreadable()),
    };
    if !expander.missing.is_empty() {
        let names: Vec<String> = expander.missing.iter().map(|name| format!("`{name}`")).collect();
        return Err(outside_error(format!("only the client knows {}", names.join(", "))));
    }
    let name = entry.id.name.clone();
    let default = Limits::default();
    let limits = Limits { request_deadline: DEADLINE, handshake_deadline: DEADLINE, ..default };
    Ok(Connection { target, label: name.clone(), name, protocol: Protocol::Auto, limits, roots: Vec::new() })
}

fn unreadable() -> CommandError {
    outside_error("its entry can't be read from here")
}

/// The environment variables of an entry. opencode calls them `environment`, Goose `envs`.
fn variables(entry: &Node, holder: &Node, expander: &mut Expander<'_>) -> Vec<(String, String)> {
    let table =
        ["env", "environment", "envs"].iter().find_map(|name| holder.get(name).or_else(|| entry.get(name)));
    let members = table.map(Node::members).unwrap_or_default();
    let pair = |member: &overt_clients::files::Member| {
        Some((member.name.clone(), expander.expand(member.node.string()?)))
    };
    members.iter().filter_map(pair).collect()
}
