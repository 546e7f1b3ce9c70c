//! How a tool says no: the reader is a model that must recover, so it is told what is wrong, what
//! is valid and what to do.
use std::fmt;

use overt_wire::ErrorObject;

/// An error of a tool, resource or prompt. Any error type becomes one with `?`.
#[derive(Debug)]
pub struct ToolError {
    pub(super) kind: Kind,
    /// What is in force does not allow it.
    pub(super) is_refusal: bool,
}

#[derive(Debug)]
pub(super) enum Kind {
    /// A result with `isError`: the model reads it.
    Said { text: String, code: Option<String> },
    /// A JSON-RPC error: the client's program reads it.
    Protocol(ErrorObject),
}

impl ToolError {
    /// What went wrong. Add what is valid and what to do with [`valid`](Self::valid) and
    /// [`next`](Self::next).
    pub fn new(problem: impl Into<String>) -> Self {
        Self { kind: Kind::Said { text: sentence(problem.into()), code: None }, is_refusal: false }
    }

    /// What would have been valid.
    #[must_use]
    pub fn valid(self, valid: impl Into<String>) -> Self {
        self.and(valid.into())
    }

    /// What to do next.
    #[must_use]
    pub fn next(self, next: impl Into<String>) -> Self {
        self.and(next.into())
    }

    /// A word for programs, such as `NOT_FOUND`; goes into `_meta["dev.overt/error"]`.
    #[must_use]
    pub fn code(mut self, word: &str) -> Self {
        if let Kind::Said { code, .. } = &mut self.kind {
            *code = Some(word.into());
        }
        self
    }

    /// Says that the settings or the policy don't allow the call, and nothing is wrong with it
    /// otherwise: the audit log has it as refused, not as failed.
    #[must_use]
    pub fn refusal(self) -> Self {
        Self { is_refusal: true, ..self }
    }

    /// The word for programs, if there is one.
    pub fn word(&self) -> Option<&str> {
        match &self.kind {
            Kind::Said { code, .. } => code.as_deref(),
            Kind::Protocol(_) => None,
        }
    }

    /// This error in other words, for a tool that calls another.
    #[must_use]
    pub fn reworded(mut self, words: impl FnOnce(String) -> String) -> Self {
        if let Kind::Said { text, .. } = &mut self.kind {
            *text = words(std::mem::take(text));
        }
        self
    }

    /// Fails the request itself instead of answering it with an error text. For what a model can't
    /// mend.
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

/// Not itself an `Error`, so that every error can become one.
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

/// Ends a piece of text as a sentence, so that pieces can follow one another.
fn sentence(mut text: String) -> String {
    if !text.ends_with(['.', '!', '?', ':', '\n']) {
        text.push('.');
    }
    text
}
