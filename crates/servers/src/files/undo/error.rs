//! The reasons why a change can't be undone.
use std::time::SystemTime;

use super::super::error::FileError;

/// The reason why nothing was undone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UndoError {
    /// The change is not in the journal.
    #[error("there is no change `{0}`, or it is too old and no longer kept")]
    Unknown(String),
    /// The files are no longer what the change left. `by` is a later change of ours, if that is the
    /// reason.
    #[error("`{path}` is no longer what the change `{change}` left")]
    Changed { change: String, path: String, at: Option<SystemTime>, by: Option<String> },
    /// The current state is already the one before the change.
    #[error("there is nothing to undo: what was there before the change `{0}` is there now")]
    Nothing(String),
    /// A folder of the change is no longer at its path.
    #[error("the folder `{folder}` of the change `{change}` was moved, deleted or replaced by a link")]
    Gone { change: String, folder: String },
    /// Another reason.
    #[error("the change `{change}` can't be undone: {problem}")]
    Refused { change: String, problem: String, next: String },
}

impl UndoError {
    pub(super) fn refused(change: &str, error: &FileError) -> Self {
        Self::Refused { change: change.to_owned(), problem: error.problem.clone(), next: error.next.clone() }
    }
}
