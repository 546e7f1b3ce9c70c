//! Which servers and tools `overt pins` selects, and the pins of `overt run`.
use std::ffi::OsString;

use overt_gateway::pins::{Identity, PinMode};

use super::project::working_directory;
use super::state::StateError;
use super::{Env, StateDir, target};
use crate::args::{PinArg, PinsServerArgs};
use crate::error::{CommandError, user_error};

/// How `overt run` treats definitions that no person accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pins {
    Off,
    On(PinMode, StateDir),
}

/// Selects among the remembered servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Server {
    /// No server is named.
    Any,
    /// By its id, or by a name that `overt pins list` shows.
    Called(String),
    /// By how it is started or reached.
    At(Identity),
}

/// The tools that a decision covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tools {
    All,
    Named(Vec<String>),
}

impl Tools {
    pub(crate) fn resolve(all: bool, words: &[String]) -> Result<Self, CommandError> {
        match words.first() {
            Some(first) if all => {
                Err(user_error(format!("`--all` and the tool `{first}` can't be used together")))
            }
            Some(_) => Ok(Self::Named(words.to_vec())),
            None if all => Ok(Self::All),
            None => {
                Err(user_error("no tool is named").hinted("name the tools after the server, or say `--all`"))
            }
        }
    }
}

impl Server {
    /// Splits the words into a server and tools. The first word is the server, unless an option or
    /// a command names it.
    pub(crate) fn split<'a>(
        words: &'a [String],
        at: &PinsServerArgs,
        env: &Env,
    ) -> Result<(Self, &'a [String]), CommandError> {
        let (server, tools) = match words.split_first() {
            Some((first, rest)) if !at.is_given() || target::is_url(first) => (Some(first.as_str()), rest),
            _ => (None, words),
        };
        Ok((Self::resolve(server, at, env)?, tools))
    }

    pub(crate) fn resolve(word: Option<&str>, at: &PinsServerArgs, env: &Env) -> Result<Self, CommandError> {
        match word {
            Some(word) if at.is_given() => Err(user_error(format!("`{word}` and another server are given"))),
            Some(word) if target::is_url(word) => Ok(Self::At(Identity::url(word))),
            Some(word) => Ok(Self::Called(word.to_owned())),
            None if at.is_given() => {
                let mcp_json: Option<&[OsString]> = at.mcp_json.as_deref();
                let target = target::resolve_for_start(mcp_json, &at.command, at.cwd.as_deref(), env)?;
                Ok(Self::At(Identity::of(&target, working_directory().as_deref())))
            }
            None => Ok(Self::Any),
        }
    }
}

impl PinsServerArgs {
    fn is_given(&self) -> bool {
        self.mcp_json.is_some() || !self.command.is_empty()
    }
}

impl Pins {
    /// Without a state folder, warnings are turned off because nothing can be remembered; the
    /// strict mode is an error.
    pub(super) fn resolve(pin: PinArg, env: &Env) -> Result<Self, StateError> {
        let mode = match pin {
            PinArg::Off => return Ok(Self::Off),
            PinArg::Warn => PinMode::Warn,
            PinArg::Strict => PinMode::Strict,
        };
        match StateDir::resolve(env) {
            Ok(state) => Ok(Self::On(mode, state)),
            Err(StateError::Nowhere) if mode == PinMode::Warn => Ok(Self::Off),
            Err(error) => Err(error),
        }
    }
}
