//! The server behind Overt, for entries that `overt wrap` changed. Overt lists only the tools that
//! it lets through; a person who asks why a call is refused means the server itself.
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use overt_transport::client::{Command, Environment, Target};

use overt_policy::scope;

use super::connection::Connection;
use super::project::working_directory;
use super::target::find_program;
use super::{Env, ServerLaunch, StateDir};

/// A server, and the settings of the `overt run` in front of it.
#[derive(Debug)]
pub(super) struct BehindWrap {
    pub(super) connection: Connection,
    pub(super) state_dir: Option<PathBuf>,
    /// The name and the command by which the user's file decides about the server; `None` if it is
    /// not wrapped.
    pub(super) known_as: Option<(String, ServerLaunch)>,
}

/// The options that `overt wrap` writes between `overt run` and the words of the server.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wrapping {
    name: Option<String>,
    state_dir: Option<PathBuf>,
}

impl BehindWrap {
    /// Returns the server behind the connection if the connection starts a wrapped server, and
    /// otherwise the connection itself. `name` is the user's name for the server and replaces the
    /// derived one.
    pub(super) fn new(connection: Connection, name: Option<&str>) -> Self {
        let behind = Self::of(connection);
        let Some(name) = name else { return behind };
        let started = match &behind.connection.target {
            Target::Command(command) => {
                let words = std::iter::once(command.program.clone()).chain(command.args.iter().cloned());
                ServerLaunch::of_words(&words.collect::<Vec<_>>())
            }
            Target::Http(target) => Some(ServerLaunch::Url(target.url.clone())),
            Target::Streams(_) => None,
        };
        let known_as = started.map(|started| (name.to_owned(), started));
        let connection = Connection { name: scope::kind_of(name), ..behind.connection };
        Self { connection, known_as, ..behind }
    }

    fn of(connection: Connection) -> Self {
        let Target::Command(command) = &connection.target else {
            return Self::unwrapped(connection);
        };
        let Some((Wrapping { name, state_dir }, words)) = unwrapped(command) else {
            return Self::unwrapped(connection);
        };
        let [program, args @ ..] = words else { return Self::unwrapped(connection) };
        // Overt passes its own variables on to the server, so they do not count as configured for
        // it.
        let variables = command.env.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        let mut behind = Command {
            args: args.to_vec(),
            env: Environment::inherited_from(variables),
            cwd: command.cwd.clone(),
            guardian: command.guardian.clone(),
            ..Command::new(program)
        };
        behind.found = find_program(&behind);
        let known_as = name.clone().zip(ServerLaunch::of_words(words));
        let name = name.map_or_else(|| connection.name.clone(), |name| scope::kind_of(&name));
        let connection = Connection { target: Target::Command(behind), name, ..connection };
        Self { connection, state_dir, known_as }
    }

    fn unwrapped(connection: Connection) -> Self {
        Self { connection, state_dir: None, known_as: None }
    }
}

/// Returns the words of the server behind `overt run`. `None` if `overt run` has other options:
/// they take part in decisions and must not be dropped.
fn unwrapped(command: &Command) -> Option<(Wrapping, &[OsString])> {
    if Path::new(&command.program).file_stem()? != "overt" {
        return None;
    }
    let [run, rest @ ..] = command.args.as_slice() else { return None };
    let end = rest.iter().position(|word| word == "--").filter(|_| run == "run")?;
    let mut wrapping = Wrapping::default();
    for option in rest[..end].chunks(2) {
        match option {
            [name, value] if name == "--name" => wrapping.name = Some(value.to_str()?.to_owned()),
            [name, value] if name == "--state-dir" => wrapping.state_dir = Some(value.into()),
            _ => return None,
        }
    }
    Some((wrapping, &rest[end + 1..]))
}

/// Returns the server behind an `overt run` that the connection starts, whatever its options: the
/// state folder of the `overt run`, the command that it starts, and the folder of that command.
pub(crate) fn behind_run(connection: &Connection, env: &Env) -> Option<(StateDir, Target, Option<PathBuf>)> {
    let Target::Command(command) = &connection.target else { return None };
    let [run, rest @ ..] = command.args.as_slice() else { return None };
    let is_run = Path::new(&command.program).file_stem()? == "overt" && run == "run";
    let end = rest.iter().position(|word| word == "--").filter(|_| is_run)?;
    let [program, args @ ..] = &rest[end + 1..] else { return None };
    let state_dir = rest[..end].windows(2).find(|pair| pair[0] == "--state-dir");
    let state_dir = state_dir.map(|pair| PathBuf::from(&pair[1]));
    let state = StateDir::named_or_resolved(state_dir, env).ok()?;
    let mut behind = Command { args: args.to_vec(), env: command.env.clone(), ..Command::new(program) };
    behind.found = find_program(&Command { cwd: command.cwd.clone(), ..behind.clone() });
    let here = working_directory();
    let directory = match &command.cwd {
        Some(cwd) => Some(here.map_or_else(|| cwd.clone(), |here| here.join(cwd))),
        None => here,
    };
    Some((state, Target::Command(behind), directory))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Option<(Wrapping, String)> {
        let (program, args) = line.split_once(' ').unwrap();
        let command =
            Command { args: args.split(' ').map(OsString::from).collect(), ..Command::new(program) };
        let found = unwrapped(&command)?;
        let words: Vec<_> = found.1.iter().map(|word| word.to_string_lossy()).collect();
        Some((found.0, words.join(" ")))
    }

    #[test]
    fn what_wrap_wrote_is_taken_away_and_nothing_else() {
        let (wrapping, rest) = words("/usr/bin/overt run --name a --state-dir /s -- npx -y x -- y").unwrap();
        assert_eq!(rest, "npx -y x -- y");
        assert_eq!((wrapping.name.as_deref(), wrapping.state_dir), (Some("a"), Some(PathBuf::from("/s"))));
        assert!(words("overt run -- sh x").is_some());
        for other in [
            "npx run --name a -- sh x",
            "overt fs --name a -- sh x",
            "overt run --name a https://example.com/mcp",
            "overt run --name a --config overt.toml -- sh x",
            "overt run --read-only -- sh x",
        ] {
            assert_eq!(words(other), None, "{other}");
        }
    }
}
