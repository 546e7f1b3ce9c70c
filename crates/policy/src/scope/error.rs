//! The error of a scope and its byte position.

/// Why a text is not a scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", place(*at))]
pub struct ScopeError {
    /// The byte of the text at which the error is.
    pub at: usize,
    /// What is wrong there and what is valid.
    pub message: String,
}

impl ScopeError {
    pub(super) fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }
}

/// An error at the first byte needs no position.
fn place(at: usize) -> String {
    if at == 0 { String::new() } else { format!(" (at byte {at})") }
}
