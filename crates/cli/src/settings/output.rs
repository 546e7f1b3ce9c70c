//! What a command prints, and in which form.
use clap::ValueEnum as _;

use super::Env;
use crate::args::{Format, OutputArgs};
use crate::failure::{Complaint, Failure};

/// Format and verbosity of a command's output.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OutputSettings {
    pub(crate) format: Format,
    pub(crate) verbosity: Verbosity,
}

/// The environment variable does not name a format.
#[derive(Debug, thiserror::Error)]
#[error("`{OVERT_FORMAT}` is `{0}`, which is not a format")]
pub(crate) struct FormatError(String);

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
    pub(crate) const PLAIN: Self = Self { format: Format::Text, verbosity: Verbosity::Normal };

    pub(crate) fn resolve(args: &OutputArgs, env: &Env) -> Self {
        Self::with_default(args, Self::format(None, env))
    }

    /// The format of the option, or else of the variable, or else text.
    pub(crate) fn format(asked: Option<Format>, env: &Env) -> Format {
        asked.or_else(|| env_format(env).ok().flatten()).unwrap_or(Format::Text)
    }

    /// Rejects a variable that does not name a format.
    pub(crate) fn check_env(env: &Env) -> Result<(), Failure> {
        env_format(env).map(drop).map_err(Failure::from)
    }

    /// For a command whose other options decide the default format.
    pub(crate) fn with_default(args: &OutputArgs, default: Format) -> Self {
        Self { format: args.format.unwrap_or(default), verbosity: Verbosity::resolve(args) }
    }
}

/// The format that the variable names; `None` if it is unset or empty.
fn env_format(env: &Env) -> Result<Option<Format>, FormatError> {
    match env.variable(OVERT_FORMAT).filter(|word| !word.is_empty()) {
        None => Ok(None),
        Some(word) => match word.to_str().and_then(|word| Format::from_str(word, false).ok()) {
            Some(format) => Ok(Some(format)),
            None => Err(FormatError(word.to_string_lossy().into_owned())),
        },
    }
}

impl Complaint for FormatError {
    fn hint(&self) -> Option<String> {
        Some("set it to `text` or `json`, or unset it".to_owned())
    }
}

impl Verbosity {
    fn resolve(args: &OutputArgs) -> Self {
        match (args.quiet, args.verbose) {
            (true, _) => Self::Quiet,
            (false, 0) => Self::Normal,
            (false, 1) => Self::Verbose,
            (false, _) => Self::Debug,
        }
    }
}
