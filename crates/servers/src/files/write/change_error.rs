//! The error of a change that was not made, or not fully.
use rustix::io::Errno;

use super::super::error::{FileError, code};

/// The error of a change. `is_made` says whether the change may be on disk all the same.
#[derive(Debug)]
pub(crate) struct ChangeError {
    pub(crate) error: FileError,
    pub(crate) is_made: bool,
}

/// The change was made, but the disk has not confirmed it.
pub(super) fn unconfirmed(errno: Errno, shown: &str) -> ChangeError {
    let problem = format!("`{shown}` was changed, but the disk did not confirm it: `{errno}`");
    let next = "Read it again before going on, and tell the user that the disk may be failing.";
    ChangeError { error: FileError::new(code::IO, problem, next), is_made: true }
}
