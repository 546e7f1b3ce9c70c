//! Small files that only their owner can read. They have mode 0600, are never opened through a
//! link, and are replaced atomically.
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use overt_layers::seal::random_name;
use rustix::fs::OFlags;

/// A file in the state folder can't be used.
#[derive(Debug, thiserror::Error)]
#[error("failed to {doing} `{}`", path.display())]
pub struct PrivateFileError {
    doing: &'static str,
    path: PathBuf,
    source: io::Error,
}

impl PrivateFileError {
    pub(crate) fn new(doing: &'static str, path: &Path, source: io::Error) -> Self {
        Self { doing, path: path.to_owned(), source }
    }
}

/// Returns the text of the file, or `None` if it does not exist. Fails if other users can access
/// the file.
pub(crate) fn read(path: &Path, most_bytes: usize) -> Result<Option<String>, PrivateFileError> {
    let failed = |source| PrivateFileError::new("read", path, source);
    let file = match open(OpenOptions::new().read(true), path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(failed)?,
    };
    let mode = file.metadata().map_err(failed)?.mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(failed(io::Error::other(format!("others may use it (mode {mode:o}); make it 600"))));
    }
    let mut bytes = Vec::new();
    file.take(most_bytes as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() > most_bytes {
        return Err(failed(io::Error::other(format!("it has more than {most_bytes} bytes"))));
    }
    String::from_utf8(bytes).map(Some).map_err(|error| failed(io::Error::other(error)))
}

/// Replaces the content of the file atomically, or creates the file.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), PrivateFileError> {
    let failed = |source| PrivateFileError::new("write", path, source);
    let folder = path.parent().unwrap_or(Path::new("/"));
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    let new = folder.join(format!(".{}", random_name()));
    let mut file = open(OpenOptions::new().write(true).create_new(true), &new).map_err(failed)?;
    let placed = file.write_all(bytes).and_then(|()| file.sync_all()).and_then(|()| fs::rename(&new, path));
    if placed.is_err() {
        let _ = fs::remove_file(&new);
    }
    placed.map_err(failed)
}

/// Removes the file. Returns false if it did not exist.
pub(crate) fn remove(path: &Path) -> Result<bool, PrivateFileError> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(source) => Err(PrivateFileError::new("remove", path, source)),
    }
}

fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    options.mode(0o600).custom_flags(OFlags::NOFOLLOW.bits().cast_signed()).open(path)
}
