//! `overt completions` and `overt man`.
use clap::Args;
use clap_complete::Shell;

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  overt completions bash > ~/.local/share/bash-completion/completions/overt"
)]
pub(crate) struct CompletionsArgs {
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

/// Print the manual page of the program or of one of its commands
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  overt man call | man -l -\n  overt man grants allow | man -l -")]
pub(crate) struct ManArgs {
    /// The command, such as `call` or `grants allow`; the program itself when left out
    pub(crate) command: Vec<String>,
}
