//! Errors of tools. The reader is a model that must recover, so an error says what is wrong, what
//! is valid and what to do.
use std::fmt;

use overt_wire::ErrorObject;

/// An error of a tool, resource or prompt. `?` converts any error type to it.
#[derive(Debug)]
pub struct ToolError {
    pub(super) kind: Kind,
    /// The settings or the policy do not allow the call.
    pub(super) is_refusal: bool,
}

#[derive(Debug)]
pub(super) enum Kind {
    /// A result with `isError`, which the model reads.
    Said { text: String, code: Option<String> },
    /// A JSON-RPC error, which the client program reads.
    Protocol(ErrorObject),
}

impl ToolError {
    /// Makes an error that says what went wrong. Add what is valid and what to do with
    /// [`valid`](Self::valid) and [`next`](Self::next).
    pub fn new(problem: impl Into<String>) -> Self {
        Self { kind: Kind::Said { text: sentence(problem.into()), code: None }, is_refusal: false }
    }

    /// Adds what would have been valid.
    #[must_use]
    pub fn valid(self, valid: impl Into<String>) -> Self {
        self.and(valid.into())
    }

    /// Adds what to do next.
    #[must_use]
    pub fn next(self, next: impl Into<String>) -> Self {
        self.and(next.into())
    }

    /// Sets a code for programs, such as `NOT_FOUND`. It is sent in `_meta["dev.overt/error"]`.
    #[must_use]
    pub fn code(mut self, word: &str) -> Self {
        if let Kind::Said { code, .. } = &mut self.kind {
            *code = Some(word.into());
        }
        self
    }

    /// Marks the error as a refusal: the settings or the policy don't allow a call that is
    /// otherwise correct. The audit log records it as refused, not as failed.
    #[must_use]
    pub fn refusal(self) -> Self {
        Self { is_refusal: true, ..self }
    }

    /// Returns the code for programs, if there is one.
    pub fn word(&self) -> Option<&str> {
        match &self.kind {
            Kind::Said { code, .. } => code.as_deref(),
            Kind::Protocol(_) => None,
        }
    }

    /// Returns this error with another text, for a tool that calls another tool.
    #[must_use]
    pub fn reworded(mut self, words: impl FnOnce(String) -> String) -> Self {
        if let Kind::Said { text, .. } = &mut self.kind {
            *text = words(std::mem::take(text));
        }
        self
    }

    /// Makes an error that fails the request itself, without a result that the model reads. For
    /// problems that a model can't correct.
    pub fn protocol(error: ErrorObject) -> Self {
        Self { kind: Kind::Protocol(error), is_refusal: false }
    }

    fn and(mut self, more: String) -> Self {
        if let Kind::Said { text, .. } = &mut self.kind {
            if !text.ends_with('\n') {
                text.push(' ');
            }
            text.push_str(&sentence(more));
        }
        self
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Said { text, .. } => f.write_str(text),
            Kind::Protocol(error) => error.fmt(f),
        }
    }
}

/// `ToolError` itself does not implement `Error`, so that every error type can be converted to it.
impl<E: std::error::Error> From<E> for ToolError {
    fn from(error: E) -> Self {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(inner) = cause {
            text.push_str(": ");
            text.push_str(&inner.to_string());
            cause = inner.source();
        }
        Self::new(text)
    }
}

/// Adds a full stop if needed, so that texts can be joined as sentences.
fn sentence(mut text: String) -> String {
    if !text.ends_with(['.', '!', '?', ':', '\n']) {
        text.push('.');
    }
    text
}
