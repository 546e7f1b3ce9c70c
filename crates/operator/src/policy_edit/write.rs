//! Replaces the user's file atomically, and only if no other program changed it in the meantime.
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use overt_layers::audit::Entry;
use overt_layers::person::{Authorised, PersonAction, Reach};
use overt_settings::toml_edit::EditError;
use overt_settings::toml_file::FileError;

use crate::error::Explain;
use crate::replace_file::{ReplaceError, read_if_any, replace_file};

/// The user's `overt.toml` can't be found.
#[derive(Debug, thiserror::Error)]
#[error("can't find your `overt.toml`: `HOME` is not set")]
pub struct NoHome;

impl Explain for NoHome {
    fn hint(&self) -> Option<String> {
        Some("set `HOME` to your home folder".to_owned())
    }
}

/// The reason why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum PolicyEditError {
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

impl Explain for PolicyEditError {
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
pub fn read(path: &Path) -> Result<Option<String>, PolicyEditError> {
    read_if_any(path).map_err(|error| PolicyEditError::Read(path.to_owned(), error))
}

/// A change of the person's own `overt.toml`.
#[derive(Debug)]
pub struct EditPolicy {
    pub path: PathBuf,
    /// The text that the change was made from; `None` if there was no file.
    pub before: Option<String>,
    /// The new text. A file that would be empty is removed.
    pub after: String,
    pub records: Vec<Entry>,
    /// Whether more is allowed after the change than before.
    pub allows_more: bool,
}

impl PersonAction for EditPolicy {
    type Effect = ();

    fn intent(&self) -> Vec<Entry> {
        self.records.clone()
    }

    fn outcome(&self, (): &()) -> Vec<Entry> {
        Vec::new()
    }

    fn reach(&self) -> Reach {
        match self.allows_more {
            true => Reach::Everywhere,
            false => Reach::Call,
        }
    }

    fn allows_more(&self) -> bool {
        self.allows_more
    }
}

/// Writes the file if it has not changed since the change was made. A change that no person was
/// authorised to make is not written:
///
/// ```compile_fail,E0308
/// use overt_operator::policy_edit::{EditPolicy, write};
/// fn change(edit: &EditPolicy) {
///     let _ = write(edit);
/// }
/// ```
pub fn write(edit: &Authorised<EditPolicy>) -> Result<(), PolicyEditError> {
    let EditPolicy { path, before, after, .. } = &**edit;
    let failed = |source| PolicyEditError::Write(path.clone(), source);
    if after.trim().is_empty() {
        return match read(path)? == *before {
            true => fs::remove_file(path).map_err(failed),
            false => Err(PolicyEditError::ChangedMeanwhile(path.clone())),
        };
    }
    replace_file(path, before.as_deref(), after).map_err(|error| match error {
        ReplaceError::Changed(path) => PolicyEditError::ChangedMeanwhile(path),
        error @ ReplaceError::Io { .. } => failed(error.into_cause()),
    })
}
