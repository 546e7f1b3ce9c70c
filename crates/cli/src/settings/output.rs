//! What a command prints, and in which form.
use clap::ValueEnum as _;

use super::Env;
use crate::args::{Format, OutputArgs};
use crate::error::{CommandError, user_error};

/// Format and verbosity of a command's output.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OutputSettings {
    pub(crate) format: Format,
    pub(crate) verbosity: Verbosity,
}

/// The variable that sets the format if `--format` is absent.
const OVERT_FORMAT: &str = "OVERT_FORMAT";

/// How much is printed on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verbosity {
    /// Errors only.
    Quiet,
    /// Also warnings, and progress on a terminal.
    Normal,
    /// Also what the server reports besides its answers, and what Overt does.
    Verbose,
    /// Also how Overt does it.
    Debug,
}

impl OutputSettings {
    /// For a command without output options.
    const PLAIN: Self = Self { format: Format::Text, verbosity: Verbosity::Normal };

    /// The format of the option, or else of the variable, or else text. A variable that does not
    /// name a format is an error, whatever the command.
    pub(crate) fn resolve(asked: Option<OutputArgs>, env: &Env) -> Result<Self, CommandError> {
        let default = env_format(env)?.unwrap_or(Format::Text);
        Ok(asked.map_or(Self::PLAIN, |args| Self {
            format: args.format.unwrap_or(default),
            verbosity: Verbosity::resolve(args),
        }))
    }
}

/// The format that the variable names; `None` if it is unset or empty.
fn env_format(env: &Env) -> Result<Option<Format>, CommandError> {
    match env.variable(OVERT_FORMAT).filter(|word| !word.is_empty()) {
        None => Ok(None),
        Some(word) => match word.to_str().and_then(|word| Format::from_str(word, false).ok()) {
            Some(format) => Ok(Some(format)),
            None => {
                let word = word.to_string_lossy();
                Err(user_error(format!("`{OVERT_FORMAT}` is `{word}`, which is not a format"))
                    .hinted("set it to `text` or `json`, or unset it"))
            }
        },
    }
}

impl Verbosity {
    fn resolve(args: OutputArgs) -> Self {
        match (args.quiet, args.verbose) {
            (true, _) => Self::Quiet,
            (false, 0) => Self::Normal,
            (false, 1) => Self::Verbose,
            (false, _) => Self::Debug,
        }
    }
}
