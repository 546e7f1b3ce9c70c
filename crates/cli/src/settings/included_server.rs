//! Servers that are part of this program, by the name of their command: `overt call fs ...` needs
//! no configuration.
use std::ffi::{OsStr, OsString};

use overt_transport::client::{Command, Environment};

use super::Env;

/// The commands that can serve without arguments.
const NAMES: [&str; 1] = ["fs"];

pub(super) fn is_own(word: &str) -> bool {
    NAMES.contains(&word)
}

/// The command that starts the server as if it were typed here, with all of our own settings.
pub(super) fn command(word: &str, mut environment: Environment, env: &Env) -> Command {
    let is_ours = |name: &OsStr| {
        name.to_str().is_some_and(|name| name.starts_with("OVERT_") || name == "XDG_STATE_HOME")
    };
    for (name, value) in env.all().filter(|(name, _)| is_ours(name)) {
        environment = environment.with(name, value);
    }
    Command { args: vec![OsString::from(word)], env: environment, ..Command::new(Env::program()) }
}
