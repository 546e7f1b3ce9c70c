//! Replaces the user's file atomically, and only if no other program changed it in the meantime.
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use overt_settings::toml_edit::EditError;
use overt_settings::toml_file::FileError;

use crate::error::Diagnostic;
use crate::replace_file::{ReplaceError, read_if_any, replace_file};

/// The user's `overt.toml` can't be found.
#[derive(Debug, thiserror::Error)]
#[error("can't find your `overt.toml`: `HOME` is not set")]
pub(super) struct NoHome;

impl Diagnostic for NoHome {
    fn hint(&self) -> Option<String> {
        Some("set `HOME` to your home folder".to_owned())
    }
}

/// The reason why nothing was written.
#[derive(Debug, thiserror::Error)]
pub(in crate::commands) enum PolicyEditError {
    #[error("`{}` can't be read", .0.display())]
    Read(PathBuf, #[source] io::Error),
    #[error("`{}` can't be written", .0.display())]
    Write(PathBuf, #[source] io::Error),
    #[error("`{}` can't be changed", .0.display())]
    Edit(PathBuf, #[source] EditError),
    #[error("`{}` can't be used with the change", .0.display())]
    Unusable(PathBuf, #[source] FileError),
    #[error("`{}` was changed meanwhile", .0.display())]
    ChangedMeanwhile(PathBuf),
    #[error("there is nothing to take back")]
    NothingThere,
    #[error("nothing was written, because nobody could be asked")]
    NobodyAsked,
}

impl Diagnostic for PolicyEditError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Edit(..) => "change it by hand; docs/control.md has the format".to_owned(),
            Self::Unusable(path, _) => {
                format!("`overt policy check {}` says what is wrong with it", path.display())
            }
            Self::ChangedMeanwhile(_) => "try again".to_owned(),
            Self::NobodyAsked => "`--yes` writes without asking".to_owned(),
            Self::Read(..) | Self::Write(..) | Self::NothingThere => return None,
        })
    }
}

/// Returns the text of the user's file, or `None` if there is no file.
pub(in crate::commands) fn read(path: &Path) -> Result<Option<String>, PolicyEditError> {
    read_if_any(path).map_err(|error| PolicyEditError::Read(path.to_owned(), error))
}

/// Writes the file if it has not changed since `before`. A file that would be empty is removed.
pub(in crate::commands) fn write(
    path: &Path,
    before: Option<&str>,
    text: &str,
) -> Result<(), PolicyEditError> {
    let failed = |source| PolicyEditError::Write(path.to_owned(), source);
    if text.trim().is_empty() {
        return fs::remove_file(path).map_err(failed);
    }
    replace_file(path, before, text).map_err(|error| match error {
        ReplaceError::Changed(path) => PolicyEditError::ChangedMeanwhile(path),
        error @ ReplaceError::Io { .. } => failed(error.into_cause()),
    })
}
