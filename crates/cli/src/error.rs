//! How a command fails: whose fault it is, which gives the exit code, the chain of causes, and
//! what to do next.
use std::error::Error;
use std::fmt;
use std::process::ExitCode;

pub(crate) use overt_operator::ErrorKind;
use overt_operator::decisions::DecisionError;
use overt_operator::policy_edit::PolicyEditError;
use overt_operator::replace_file::ReplaceError;
use overt_operator::undo::UndoProblem;
use overt_operator::{Explain, NotAnswerer, OperatorError};

/// Every exit code of the program. `overt --help` and `docs/cli.md` show the same table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything went well.
    Ok = 0,
    /// The tool reported a failure, or a check or comparison found something.
    Findings = 1,
    /// The command line, or a file that it names, is wrong.
    Usage = 2,
    /// Something outside the command failed: a server cannot be reached, broke the protocol,
    /// refused the request or took too long, or a file cannot be written. Or only a person may do
    /// this, and nothing shows that a person does.
    Outside = 3,
    /// An audit log is intact but has no end, and no process is writing it. A crash leaves a log
    /// like this, and so does cutting it off.
    Unfinished = 4,
    /// Ctrl-C, or another signal that asks the process to end.
    Interrupted = 130,
}

/// Why a command failed. Messages may quote text from others, which is escaped when it is printed.
#[derive(Debug)]
pub(crate) struct CommandError {
    pub(crate) kind: ErrorKind,
    /// The sentence, with its chain of causes.
    pub(crate) error: Box<dyn Error + Send + Sync>,
    /// What to do next.
    pub(crate) hint: Option<String>,
    /// The end of the server's standard error output, if it may explain the failure.
    pub(crate) server_said: Option<String>,
}

/// A sentence, which may have a cause.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
struct Message {
    text: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// An error of another crate, or one that somebody matches on, as a command reports it.
pub(crate) trait Diagnostic: Error + Send + Sync + Sized + 'static {
    fn kind(&self) -> ErrorKind {
        ErrorKind::User
    }

    fn hint(&self) -> Option<String> {
        None
    }
}

/// The user's mistake.
pub(crate) fn user_error(message: impl Into<String>) -> CommandError {
    CommandError::new(ErrorKind::User, message)
}

/// What a check found.
pub(crate) fn findings_error(message: impl Into<String>) -> CommandError {
    CommandError::new(ErrorKind::Findings, message)
}

/// The failure of something outside.
pub(crate) fn outside_error(message: impl Into<String>) -> CommandError {
    CommandError::new(ErrorKind::Outside, message)
}

// === impl CommandError ===

impl CommandError {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let message = Message { text: message.into(), source: None };
        Self { kind, error: Box::new(message), hint: None, server_said: None }
    }

    /// The user's mistake, as another crate describes it.
    pub(crate) fn user(error: impl Error + Send + Sync + 'static) -> Self {
        Self { kind: ErrorKind::User, error: Box::new(error), hint: None, server_said: None }
    }

    /// Returns the sentence and its causes, with colons between them.
    pub(crate) fn chain(&self) -> String {
        let mut text = self.error.to_string();
        let mut next = self.error.source();
        while let Some(cause) = next {
            text.push_str(&format!(": {cause}"));
            next = cause.source();
        }
        text
    }

    /// Adds what to do next.
    pub(crate) fn hinted(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Adds the cause.
    pub(crate) fn caused_by(self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let message = Message { text: self.error.to_string(), source: Some(source.into()) };
        Self { error: Box::new(message), ..self }
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<D: Diagnostic> From<D> for CommandError {
    fn from(error: D) -> Self {
        Self { kind: error.kind(), hint: error.hint(), error: Box::new(error), server_said: None }
    }
}

impl From<OperatorError> for CommandError {
    fn from(OperatorError { kind, error, hint }: OperatorError) -> Self {
        Self { kind, error, hint, server_said: None }
    }
}

impl Diagnostic for NotAnswerer {
    fn kind(&self) -> ErrorKind {
        Explain::kind(self)
    }

    fn hint(&self) -> Option<String> {
        Explain::hint(self)
    }
}

impl Diagnostic for DecisionError {
    fn hint(&self) -> Option<String> {
        Explain::hint(self)
    }
}

impl Diagnostic for UndoProblem {
    fn kind(&self) -> ErrorKind {
        Explain::kind(self)
    }

    fn hint(&self) -> Option<String> {
        Explain::hint(self)
    }
}

impl Diagnostic for PolicyEditError {
    fn hint(&self) -> Option<String> {
        Explain::hint(self)
    }
}

impl Diagnostic for ReplaceError {
    fn kind(&self) -> ErrorKind {
        Explain::kind(self)
    }

    fn hint(&self) -> Option<String> {
        Explain::hint(self)
    }
}

impl From<ErrorKind> for Exit {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::User => Self::Usage,
            ErrorKind::Findings => Self::Findings,
            ErrorKind::Outside => Self::Outside,
            ErrorKind::Interrupted => Self::Interrupted,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::EXIT_CODES;

    #[test]
    fn the_help_lists_every_exit_code() {
        let all = [Exit::Ok, Exit::Findings, Exit::Usage, Exit::Outside, Exit::Unfinished, Exit::Interrupted];
        let listed: Vec<u8> =
            EXIT_CODES.lines().filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect();
        assert_eq!(listed, all.map(|exit| exit as u8));
    }
}
