//! What to print and in which form.
use super::Env;
use crate::args::{Format, TalkArgs};

/// How a command prints.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Talk {
    pub(crate) format: Format,
    pub(crate) verbosity: Verbosity,
}

/// How much is said on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verbosity {
    /// Errors only.
    Quiet,
    /// Also progress on a terminal, and warnings.
    Normal,
    /// Also what the server says on the side, and what we do.
    Verbose,
    /// Also how we do it.
    Debug,
}

impl Talk {
    pub(super) fn resolve(args: &TalkArgs, env: &Env) -> Self {
        Self::with_default(args, Self::format(None, env))
    }

    /// The format that was asked for, or the one for a terminal or a program.
    pub(crate) fn format(asked: Option<Format>, env: &Env) -> Format {
        asked.unwrap_or(if env.stdout_is_terminal { Format::Text } else { Format::Json })
    }

    /// For a command whose other options decide the default format.
    pub(super) fn with_default(args: &TalkArgs, default: Format) -> Self {
        Self { format: args.format.unwrap_or(default), verbosity: Verbosity::resolve(args) }
    }
}

impl Verbosity {
    fn resolve(args: &TalkArgs) -> Self {
        match (args.quiet, args.verbose) {
            (true, _) => Self::Quiet,
            (false, 0) => Self::Normal,
            (false, 1) => Self::Verbose,
            (false, _) => Self::Debug,
        }
    }
}
