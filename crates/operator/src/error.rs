//! Why a person's change was not made: whose fault it is, the chain of causes, and what to do next.
use std::error::Error;
use std::fmt;

/// The party at fault, which decides the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// What the user typed, or a file that it names, is wrong.
    User,
    /// What the command found is wrong.
    Findings,
    /// Something outside the command failed, or only a person may do this.
    Outside,
    /// Ctrl-C, or another signal that asks the process to end.
    Interrupted,
}

/// Why a change was not made. Messages may quote text from others; callers escape it where they
/// print it.
#[derive(Debug)]
pub struct OperatorError {
    pub kind: ErrorKind,
    /// The sentence, with its chain of causes.
    pub error: Box<dyn Error + Send + Sync>,
    /// What to do next.
    pub hint: Option<String>,
}

/// A sentence, which may have a cause.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
struct Message {
    text: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// An error of another crate, or one that somebody matches on, as a change reports it.
pub trait Explain: Error + Send + Sync + Sized + 'static {
    fn kind(&self) -> ErrorKind {
        ErrorKind::User
    }

    fn hint(&self) -> Option<String> {
        None
    }
}

/// The user's mistake.
pub fn user_error(message: impl Into<String>) -> OperatorError {
    OperatorError::new(ErrorKind::User, message)
}

/// The failure of something outside.
pub fn outside_error(message: impl Into<String>) -> OperatorError {
    OperatorError::new(ErrorKind::Outside, message)
}

impl OperatorError {
    fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, error: Box::new(Message { text: message.into(), source: None }), hint: None }
    }

    /// Adds what to do next.
    pub fn hinted(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Adds the cause.
    pub fn caused_by(self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let message = Message { text: self.error.to_string(), source: Some(source.into()) };
        Self { error: Box::new(message), ..self }
    }
}

impl<E: Explain> From<E> for OperatorError {
    fn from(error: E) -> Self {
        Self { kind: error.kind(), hint: error.hint(), error: Box::new(error) }
    }
}

impl fmt::Display for OperatorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl Error for OperatorError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.error.source()
    }
}
