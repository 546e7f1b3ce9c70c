//! `overt passphrase`.
use clap::{Args, Subcommand};

use super::{AnswerArgs, OutputArgs};

/// Set a passphrase with which you can answer without a terminal
///
/// Only a person answers questions: in a terminal that no agent opened. In other places, such as
/// the terminal of an editor that runs an agent, or a script of yours, Overt wants this passphrase.
/// Only a hash of it is kept.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct PassphraseArgs {
    #[command(subcommand)]
    pub(crate) command: PassphraseCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PassphraseCommand {
    /// Set or change the passphrase; it is typed at the terminal
    Set(OutputArgs),
    Remove(RemovePassphraseArgs),
    /// Say whether a passphrase is set
    Show(OutputArgs),
}

/// Remove the passphrase
#[derive(Debug, Args)]
pub(crate) struct RemovePassphraseArgs {
    #[command(flatten)]
    pub(crate) answer: AnswerArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
