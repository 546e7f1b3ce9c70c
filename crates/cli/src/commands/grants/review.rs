//! The page of a question, in a file that only its owner can read. Pages of closed questions are
//! removed.
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use overt_layers::grants::QuestionId;

use crate::error::{Diagnostic, ErrorKind};

/// The page can't be written.
#[derive(Debug, thiserror::Error)]
#[error("failed to write the page `{}`", path.display())]
pub(super) struct ReviewError {
    path: PathBuf,
    source: io::Error,
}

impl Diagnostic for ReviewError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Outside
    }

    fn hint(&self) -> Option<String> {
        Some("leave out `--open` to see the changes here".to_owned())
    }
}

/// The extension of every page's file.
const ENDING: &str = ".html";

/// Writes the page of a question below the state folder, and removes the pages of questions that
/// are no longer open.
pub(super) fn write(
    state: &Path,
    id: &QuestionId,
    page: &str,
    still_open: &[QuestionId],
) -> Result<PathBuf, ReviewError> {
    let folder = state.join("reviews");
    let path = folder.join(format!("{id}{ENDING}"));
    let written = DirBuilder::new().recursive(true).mode(0o700).create(&folder).and_then(|()| {
        remove_old(&folder, id, still_open)?;
        // Create a new file each time: then no other program has it open, and a symbolic link in
        // its place is not followed.
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        file.write_all(page.as_bytes())
    });
    match written {
        Ok(()) => Ok(path),
        Err(source) => Err(ReviewError { path, source }),
    }
}

/// Removes the page that is about to be written again, and pages of questions that are not open.
fn remove_old(folder: &Path, id: &QuestionId, still_open: &[QuestionId]) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(ENDING));
        let stays = |name: &str| name != id.0 && still_open.iter().any(|open| open.0 == name);
        if name.is_some_and(|name| !stays(name)) {
            match fs::remove_file(&path) {
                // Another `overt grants show` removed it first.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                removed => removed?,
            }
        }
    }
    Ok(())
}
