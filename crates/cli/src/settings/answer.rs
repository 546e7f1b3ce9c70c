//! How a person shows that they answer, and what `overt passphrase` was told.
use super::{Env, OutputSettings, StateDir};
use crate::args::{AnswerArgs, PassphraseArgs, PassphraseCommand};
use crate::failure::Failure;

/// Where a passphrase comes from. Never from a variable or a file that is named in one: what an
/// agent starts has the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PassphraseSource {
    /// The program asks for it if it is needed.
    Terminal,
    /// The first line of standard input.
    Stdin,
}

#[derive(Debug)]
pub(crate) struct PassphraseSettings {
    pub(crate) state: StateDir,
    pub(crate) output: OutputSettings,
    pub(crate) task: PassphraseTask,
    pub(crate) passphrase: PassphraseSource,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PassphraseTask {
    Set,
    Remove,
    Show,
}

impl PassphraseSource {
    pub(crate) fn resolve(args: &AnswerArgs) -> Self {
        if args.passphrase_stdin { Self::Stdin } else { Self::Terminal }
    }
}

impl PassphraseSettings {
    pub(crate) fn resolve(args: &PassphraseArgs, env: &Env) -> Result<Self, Failure> {
        let (output, task, passphrase) = match &args.command {
            PassphraseCommand::Set(args) => (&args.output, PassphraseTask::Set, PassphraseSource::Terminal),
            PassphraseCommand::Remove(args) => {
                (&args.output, PassphraseTask::Remove, PassphraseSource::resolve(&args.answer))
            }
            PassphraseCommand::Show(args) => (&args.output, PassphraseTask::Show, PassphraseSource::Terminal),
        };
        Ok(Self {
            state: StateDir::resolve(env)?,
            output: OutputSettings::resolve(output, env),
            task,
            passphrase,
        })
    }
}
