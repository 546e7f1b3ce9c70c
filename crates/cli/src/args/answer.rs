//! How a person shows that they answer, shared by the commands that answer.
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    /// Read your passphrase from the first line of standard input, for scripts of yours without a
    /// terminal
    #[arg(long)]
    pub(crate) passphrase_stdin: bool,
}
