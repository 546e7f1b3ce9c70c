//! What `overt pins` was told, and `overt run` about pins.
use std::ffi::OsString;

use overt_gateway::pins::{Decision, Identity, PinMode};

use super::project::working_directory;
use super::state::StateError;
use super::{Env, OutputSettings, PassphraseSource, StateDir, Verbosity, target};
use crate::args::{DecisionArgs, Format, OutputArgs, PinArg, PinsArgs, PinsCommand, PinsServerArgs};
use crate::failure::{Complaint, Failure};

#[derive(Debug)]
pub(crate) struct PinsSettings {
    pub(crate) state: StateDir,
    pub(crate) output: OutputSettings,
    pub(crate) server: Server,
    pub(crate) task: Task,
    /// How the answerer proves to be a person.
    pub(crate) passphrase: PassphraseSource,
}

/// What `overt run` does about definitions that no person accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pins {
    Off,
    On(PinMode, StateDir),
}

/// Which of the servers that are remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Server {
    /// None is named.
    Any,
    /// By its id, or by what `overt pins list` shows.
    Called(String),
    /// By how it is started or reached.
    At(Identity),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Task {
    List,
    /// These tools, or all if none is named.
    Diff(Vec<String>),
    Decide(Decision, Tools),
    Forget,
}

/// Which tools a decision is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tools {
    All,
    Named(Vec<String>),
}

/// The words of the command line don't say what to do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PinsError {
    #[error("no tool is named")]
    NoTool,
    #[error("`--all` and the tool `{0}` can't be used together")]
    AllAndSome(String),
    #[error("`{0}` and another server are given")]
    TwoServers(String),
}

impl Complaint for PinsError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::NoTool => Some("name the tools after the server, or say `--all`".to_owned()),
            Self::AllAndSome(_) | Self::TwoServers(_) => None,
        }
    }
}

impl PinsSettings {
    pub(crate) fn resolve(args: &PinsArgs, env: &Env) -> Result<Self, Failure> {
        let state = StateDir::resolve(env)?;
        let quiet = OutputSettings { format: Format::Text, verbosity: Verbosity::Normal };
        let output = |args: &OutputArgs| OutputSettings::resolve(args, env);
        let decide = |decision: Decision, args: &DecisionArgs| -> Result<_, Failure> {
            let (server, words) = split(&args.words, &args.at);
            let task = Task::Decide(decision, Tools::resolve(args.all, words)?);
            Ok((quiet, Server::resolve(server, &args.at, env)?, task))
        };
        let passphrase = match &args.command {
            PinsCommand::Accept(args) => PassphraseSource::resolve(&args.answer),
            PinsCommand::Forget(args) => PassphraseSource::resolve(&args.answer),
            PinsCommand::List(_) | PinsCommand::Diff(_) | PinsCommand::Keep(_) => PassphraseSource::Terminal,
        };
        let (output, server, task) = match &args.command {
            PinsCommand::List(args) => {
                (output(&args.output), Server::resolve(args.server.as_deref(), &args.at, env)?, Task::List)
            }
            PinsCommand::Diff(args) => {
                let (server, words) = split(&args.words, &args.at);
                (output(&args.output), Server::resolve(server, &args.at, env)?, Task::Diff(words.to_vec()))
            }
            PinsCommand::Accept(args) => decide(Decision::Accept, &args.decision)?,
            PinsCommand::Keep(args) => decide(Decision::Keep, &args.decision)?,
            PinsCommand::Forget(args) => {
                (quiet, Server::resolve(args.server.as_deref(), &args.at, env)?, Task::Forget)
            }
        };
        Ok(Self { state, output, server, task, passphrase })
    }
}

/// The server comes first, unless an option or a command names it.
fn split<'a>(words: &'a [String], at: &PinsServerArgs) -> (Option<&'a str>, &'a [String]) {
    match words.split_first() {
        Some((first, rest)) if !at.is_given() || target::is_url(first) => (Some(first), rest),
        _ => (None, words),
    }
}

impl Tools {
    fn resolve(all: bool, words: &[String]) -> Result<Self, PinsError> {
        match words.first() {
            Some(first) if all => Err(PinsError::AllAndSome(first.clone())),
            Some(_) => Ok(Self::Named(words.to_vec())),
            None if all => Ok(Self::All),
            None => Err(PinsError::NoTool),
        }
    }
}

impl Server {
    fn resolve(word: Option<&str>, at: &PinsServerArgs, env: &Env) -> Result<Self, Failure> {
        match word {
            Some(word) if at.is_given() => Err(PinsError::TwoServers(word.to_owned()).into()),
            Some(word) if target::is_url(word) => Ok(Self::At(Identity::url(word))),
            Some(word) => Ok(Self::Called(word.to_owned())),
            None if at.is_given() => {
                let mcp_json: Option<&[OsString]> = at.mcp_json.as_deref();
                let target = target::plain(mcp_json, &at.command, at.cwd.as_deref(), env)?;
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
    /// Without a place to remember anything there is nothing to warn of; a stricter mode is
    /// refused.
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
