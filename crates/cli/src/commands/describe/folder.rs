//! A directory of documents. Writing begins only after every file has been checked, no file is ever
//! half written, and nothing is written outside the directory, whatever the documents' names are.
use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};

use crate::args::ExistingFile;
use crate::error::Diagnostic;

/// What writing did to a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DocumentOutcome {
    Written,
    Replaced,
    Unchanged,
}

/// A document could not be written or read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FolderError {
    #[error("failed to {what} `{}`", path.display())]
    Io { what: &'static str, path: PathBuf, source: io::Error },
    #[error("`{}` is there and is not what would be written", .0.display())]
    Exists(PathBuf),
    #[error("`{}` is there already", .0.display())]
    Taken(PathBuf),
    #[error("`{}` is a symbolic link, and may lead anywhere", .0.display())]
    Link(PathBuf),
    #[error("`{}` is neither a file nor a directory", .0.display())]
    Odd(PathBuf),
    #[error("`{0}` is not a name for a file in a directory")]
    Name(String),
}

/// The most bytes of a file that are read. No document is larger.
const MAX_BYTES: u64 = 16 << 20;

impl Diagnostic for FolderError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Exists(_) => Some("`--force` replaces it; `--check` shows what differs".to_owned()),
            Self::Taken(_) => {
                Some("choose another file, or leave `--out` away to see the manifest".to_owned())
            }
            Self::Link(_) | Self::Odd(_) => Some("remove it, or choose another directory".to_owned()),
            Self::Io { .. } | Self::Name(_) => None,
        }
    }
}

impl DocumentOutcome {
    fn as_str(self) -> &'static str {
        match self {
            Self::Written => "wrote",
            Self::Replaced => "replaced",
            Self::Unchanged => "unchanged",
        }
    }
}

/// Writes every text to its path below `directory`, which is created if necessary. Returns each
/// path with a word that says what happened to it.
pub(crate) fn write(
    directory: &Path,
    files: &[(String, String)],
    existing: ExistingFile,
) -> Result<Vec<(String, &'static str)>, FolderError> {
    let mut fates = Vec::with_capacity(files.len());
    for (path, text) in files {
        fates.push(fate(&place(directory, path)?, text, existing)?);
    }
    for ((path, text), fate) in files.iter().zip(&fates) {
        if *fate != DocumentOutcome::Unchanged {
            put(&place(directory, path)?, text)?;
        }
    }
    let paths = files.iter().map(|(path, _)| path.clone());
    Ok(paths.zip(fates.into_iter().map(DocumentOutcome::as_str)).collect())
}

/// Creates a new file with this text. An existing file is an error.
pub(super) fn create(path: &Path, text: &str) -> Result<(), FolderError> {
    let created = OpenOptions::new().write(true).create_new(true).open(path);
    let written = created.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => FolderError::Taken(path.to_owned()),
        _ => FolderError::Io { what: "write", path: path.to_owned(), source },
    })
}

/// Returns the text of a file, or `None` if it does not exist.
pub(super) fn read(path: &Path) -> Result<Option<String>, FolderError> {
    let failed = |source| FolderError::Io { what: "read", path: path.to_owned(), source };
    let file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Returns where a document belongs. Every part of its path must be a plain name, and no existing
/// part may be a symbolic link.
pub(super) fn place(directory: &Path, path: &str) -> Result<PathBuf, FolderError> {
    let mut place = directory.to_owned();
    let plain =
        !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    if !plain || path.contains('\\') {
        return Err(FolderError::Name(path.to_owned()));
    }
    for part in Path::new(path) {
        place.push(part);
        match fs::symlink_metadata(&place) {
            Ok(there) if there.is_symlink() => return Err(FolderError::Link(place)),
            // Reading a pipe would block forever.
            Ok(there) if !there.is_dir() && !there.is_file() => return Err(FolderError::Odd(place)),
            _ => {}
        }
    }
    Ok(place)
}

fn fate(place: &Path, text: &str, existing: ExistingFile) -> Result<DocumentOutcome, FolderError> {
    match (read(place)?, existing) {
        (None, _) => Ok(DocumentOutcome::Written),
        (Some(there), _) if there == text => Ok(DocumentOutcome::Unchanged),
        (Some(_), ExistingFile::Replace) => Ok(DocumentOutcome::Replaced),
        (Some(_), ExistingFile::Keep) => Err(FolderError::Exists(place.to_owned())),
    }
}

/// Writes a temporary file beside the place, then renames it.
fn put(place: &Path, text: &str) -> Result<(), FolderError> {
    let failed = |what, source| FolderError::Io { what, path: place.to_owned(), source };
    let (Some(parent), Some(name)) = (place.parent(), place.file_name()) else {
        return Err(FolderError::Name(place.display().to_string()));
    };
    fs::create_dir_all(parent).map_err(|source| failed("make the directory of", source))?;
    let part = parent.join(format!(".{}.{}", name.to_string_lossy(), std::process::id()));
    let written = OpenOptions::new().write(true).create_new(true).open(&part).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&part, place)).map_err(|source| {
        let _ = fs::remove_file(&part);
        failed("write", source)
    })
}
