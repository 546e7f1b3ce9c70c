//! What `overt token` was told.
use super::{Env, StateDir, Talk};
use crate::args::{TokenArgs, TokenCommand};
use crate::failure::Failure;

#[derive(Debug)]
pub(crate) struct TokenSettings {
    pub(crate) state: StateDir,
    pub(crate) talk: Talk,
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
        let (talk, task) = match args.command {
            TokenCommand::Create(args) => (args.talk, TokenTask::Create(args.name)),
            TokenCommand::List(args) => (args.talk, TokenTask::List),
            TokenCommand::Revoke(args) => (args.talk, TokenTask::Revoke(args.tokens)),
        };
        Ok(Self { state: StateDir::resolve(env)?, talk: Talk::resolve(&talk, env), task })
    }
}
