//! Keeps the last lines of a server's error output, where a failing program usually says why it
//! fails.
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// The end of a child's error output, to explain a failure.
#[derive(Debug, Default)]
pub(crate) struct StderrTail(Mutex<VecDeque<String>>);

/// Maximum number of lines kept.
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
