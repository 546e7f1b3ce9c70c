//! Errors of opening and reading a log.
use std::io;
use std::path::{Path, PathBuf};

/// A log can't be opened or read.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    #[error("failed to {doing} `{}`", path.display())]
    File {
        doing: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("another process writes the audit log in `{}`", .0.display())]
    Locked(PathBuf),
    #[error("`{}` is not a regular file", .0.display())]
    NotAFile(PathBuf),
    #[error("`{}` can be read or written by others, mode {mode:o}", path.display())]
    Exposed { path: PathBuf, mode: u32 },
    #[error("`{}` holds no key", .0.display())]
    BadKey(PathBuf),
    #[error("there are no records in `{}`", .0.display())]
    Empty(PathBuf),
    #[error("the audit log is broken at record {seq}: {why}")]
    Broken { seq: u64, why: String },
}

impl AuditError {
    pub(super) fn is_not_found(&self) -> bool {
        matches!(self, Self::File { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

pub(super) fn failed(doing: &'static str, path: &Path, source: io::Error) -> AuditError {
    AuditError::File { doing, path: path.to_owned(), source }
}
