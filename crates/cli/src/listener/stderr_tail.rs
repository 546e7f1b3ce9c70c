//! The last lines of a server's error output. A program that fails usually says why there.
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// The end of what a child wrote to its error output, to explain a failure with.
#[derive(Debug, Default)]
pub(crate) struct StderrTail(Mutex<VecDeque<String>>);

/// Lines that are kept of it.
const MOST_WORDS: usize = 20;

impl StderrTail {
    pub(super) fn push(&self, line: &str) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == MOST_WORDS {
            lines.pop_front();
        }
        lines.push_back(line.to_owned());
    }

    /// The lines, if there are any.
    pub(crate) fn text(&self) -> Option<String> {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = lines.iter().map(String::as_str).collect::<Vec<_>>().join("\n");
        Some(text).filter(|text| !text.trim().is_empty())
    }
}
