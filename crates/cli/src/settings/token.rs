//! What `overt token` was told.
use super::{Env, OutputSettings, StateDir};
use crate::args::{TokenArgs, TokenCommand};
use crate::failure::Failure;

#[derive(Debug)]
pub(crate) struct TokenSettings {
    pub(crate) state: StateDir,
    pub(crate) output: OutputSettings,
    pub(crate) task: TokenTask,
}

#[derive(Debug)]
pub(crate) enum TokenTask {
    /// With this name, which may be empty.
    Create(String),
    List,
    /// By ids or names.
    Revoke(Vec<String>),
}

impl TokenSettings {
    pub(crate) fn resolve(args: TokenArgs, env: &Env) -> Result<Self, Failure> {
        let (output, task) = match args.command {
            TokenCommand::Create(args) => (args.output, TokenTask::Create(args.name)),
            TokenCommand::List(args) => (args.output, TokenTask::List),
            TokenCommand::Revoke(args) => (args.output, TokenTask::Revoke(args.tokens)),
        };
        Ok(Self { state: StateDir::resolve(env)?, output: OutputSettings::resolve(&output, env), task })
    }
}
