//! How a person proves that they answer; shared by all commands that answer.
use clap::{ArgAction, Args};

use super::value::flag;

#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    /// Read your passphrase from the first line of standard input, for scripts of yours without a
    /// terminal
    #[arg(long = "passphrase-stdin", action = ArgAction::SetTrue, value_parser = flag(PassphraseSource::Terminal, PassphraseSource::Stdin))]
    pub(crate) passphrase: PassphraseSource,
}

/// Where a passphrase comes from. Never from a variable or a file that is named in one: what an
/// agent starts has the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PassphraseSource {
    /// The program asks for it if it is needed.
    Terminal,
    /// The first line of standard input.
    Stdin,
}
