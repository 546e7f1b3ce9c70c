//! Servers that Overt wraps in a client's file, or that the user's own file names. They are known
//! before they run for the first time.
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::Parser as _;
use overt_clients::files::{Entry, Launch, launch};
use overt_policy::scope;
use overt_transport::client::{Environment, Target};

use super::client_config::find;
use super::{Env, FoundFile, RunSettings, ServerLaunch, StateDir, TrustFile, connection_of};
use crate::args::{Cli, Command};

/// Finds the configured servers.
#[derive(Debug, Clone)]
pub(crate) struct ConfiguredServers {
    env: Env,
    state: StateDir,
}

/// The servers by name, each with its identities (`name#id`). The set is empty if only the client
/// knows how to start the server.
pub(crate) type ServerIdentities = BTreeMap<String, BTreeSet<String>>;

impl ConfiguredServers {
    /// Finds the servers whose decisions are kept in this state folder.
    pub(crate) fn new(env: &Env, state: &StateDir) -> Self {
        Self { env: env.clone(), state: state.clone() }
    }

    /// Reads the files. A file that cannot be read contributes no server; `overt doctor` reports
    /// why.
    pub(crate) fn read(&self) -> ServerIdentities {
        let mut servers = ServerIdentities::new();
        for file in find(&[], &self.env).unwrap_or_default() {
            let Ok(document) = file.document() else { continue };
            document.entries().iter().for_each(|entry| self.add_entry(&mut servers, entry, &file));
        }
        for decision in TrustFile::resolve(&self.env).decisions().unwrap_or_default() {
            let begin = ["run", "--name", &decision.name].map(OsString::from);
            let words = match decision.started {
                ServerLaunch::Command(words) => std::iter::once("--".to_owned()).chain(words).collect(),
                ServerLaunch::Url(url) => vec![url],
            };
            let words: Vec<OsString> = begin.into_iter().chain(words.into_iter().map(Into::into)).collect();
            let identities = servers.entry(scope::kind_of(&decision.name)).or_default();
            identities.extend(identity(&words, &self.env));
        }
        servers
    }

    fn add_entry(&self, servers: &mut ServerIdentities, entry: &Entry, file: &FoundFile) {
        let Ok(launch) = launch(&entry.node, file.bare_url) else { return };
        let Launch::Wrapped(program) = &launch else { return };
        let is_elsewhere =
            program.option("--state-dir").is_some_and(|theirs| Path::new(theirs) != self.state.path());
        if is_elsewhere {
            return;
        }
        let name = program.option("--name").unwrap_or(&entry.id.name);
        let identities = servers.entry(scope::kind_of(name)).or_default();
        let Ok(connection) = connection_of(entry, &launch, file, &self.env) else { return };
        if let Target::Command(command) = &connection.target {
            identities.extend(identity(&command.args, &started_env(&self.env, &command.env)));
        }
    }
}

/// The identity that `overt run` would give to the server, for these arguments.
fn identity(words: &[OsString], env: &Env) -> Option<String> {
    let words = std::iter::once(OsStr::new("overt")).chain(words.iter().map(OsString::as_os_str));
    let Command::Run(args) = Cli::try_parse_from(words).ok()?.command else { return None };
    RunSettings::connection(&args, env).ok().map(|connection| connection.identity())
}

/// The environment in which the client starts Overt.
fn started_env(env: &Env, entry: &Environment) -> Env {
    let configured: BTreeSet<&OsStr> = entry.configured().collect();
    let variables = entry.iter().filter(|(name, _)| configured.contains(name));
    variables.fold(env.clone(), |env, (name, value)| match name.to_str() {
        Some(name) => env.with(name, value),
        None => env,
    })
}
