//! Why a change was not made, or not wholly.
use rustix::io::Errno;

use super::super::error::{FileError, code};

/// Why a change was not made, or not wholly.
#[derive(Debug)]
pub(crate) struct ChangeError {
    pub(crate) error: FileError,
    pub(crate) is_made: bool,
}

/// The change is made, and the disk has not confirmed it.
pub(super) fn unconfirmed(errno: Errno, shown: &str) -> ChangeError {
    let problem = format!("`{shown}` was changed, but the disk did not confirm it: `{errno}`");
    let next = "Read it again before going on, and tell the user that the disk may be failing.";
    ChangeError { error: FileError::new(code::IO, problem, next), is_made: true }
}
