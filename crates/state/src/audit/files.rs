//! Opens and creates files and folders that are private to the user. Links are not followed,
//! opening never blocks, and only regular files are opened.
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use rustix::fs::{FlockOperation, OFlags, flock};

use super::error::{AuditError, failed};

/// The most bytes of a key file.
const MAX_KEY: u64 = 4 << 10;

/// Creates a folder with mode 0700, or restricts an existing one. A created folder survives a power
/// cut.
pub(super) fn make_dir(path: &Path) -> Result<(), AuditError> {
    let missing = path.ancestors().take_while(|folder| fs::symlink_metadata(folder).is_err()).count();
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    let parents = path.ancestors().skip(1).take(missing).filter(|parent| !parent.as_os_str().is_empty());
    // We can't sync a folder that we may not read.
    parents.for_each(|parent| drop(sync_dir(parent)));
    let closed = made.and_then(|()| match fs::symlink_metadata(path)? {
        link if !link.is_dir() => Err(io::ErrorKind::NotADirectory.into()),
        folder if folder.mode() & 0o077 == 0 => Ok(()),
        _ => fs::set_permissions(path, Permissions::from_mode(0o700)),
    });
    closed.map_err(|source| failed("make the folder", path, source))
}

/// Makes changes of a folder's entries durable.
pub(super) fn sync_dir(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Opens a regular file for reading.
pub(super) fn open_read(path: &Path) -> Result<File, AuditError> {
    open(path, OpenOptions::new().read(true))
}

/// Opens an existing regular file for reading and writing.
pub(super) fn open_write(path: &Path) -> Result<File, AuditError> {
    open(path, OpenOptions::new().read(true).write(true))
}

/// Creates a file that must not exist yet.
pub(super) fn create(path: &Path) -> Result<File, AuditError> {
    open(path, OpenOptions::new().read(true).write(true).create_new(true).mode(0o600))
}

/// Opens a file for appending, and creates it if it does not exist.
pub(super) fn open_append(path: &Path) -> Result<File, AuditError> {
    open(path, OpenOptions::new().append(true).create(true).mode(0o600))
}

fn open(path: &Path, options: &mut OpenOptions) -> Result<File, AuditError> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let opened = options.custom_flags(flags.bits().cast_signed()).open(path);
    let file = match opened {
        // The errors for a link, and for a pipe without a reader.
        Err(error) if matches!(error.raw_os_error(), Some(code) if code == LOOP || code == NO_READER) => {
            return Err(AuditError::NotAFile(path.to_owned()));
        }
        opened => opened.map_err(|source| failed("open", path, source))?,
    };
    let meta = file.metadata().map_err(|source| failed("look at", path, source))?;
    if meta.is_file() { Ok(file) } else { Err(AuditError::NotAFile(path.to_owned())) }
}

const LOOP: i32 = rustix::io::Errno::LOOP.raw_os_error();
const NO_READER: i32 = rustix::io::Errno::NXIO.raw_os_error();

/// Returns whether `path` still leads to the open file.
pub(super) fn is_in_place(file: &File, path: &Path) -> io::Result<bool> {
    let (open, there) = (file.metadata()?, fs::symlink_metadata(path)?);
    Ok((open.dev(), open.ino()) == (there.dev(), there.ino()))
}

/// Locks the log. The kernel releases the lock when the process ends, however it ends.
pub(super) fn lock(dir: &Path) -> Result<File, AuditError> {
    let path = dir.join("lock");
    let file = open_append(&path)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(file),
        Err(rustix::io::Errno::WOULDBLOCK) => Err(AuditError::Locked(dir.to_owned())),
        Err(error) => Err(failed("lock", &path, error.into())),
    }
}

/// Releases the lock. Closing the file would not release it while a child process that was just
/// started still shares it.
pub(super) fn unlock(lock: &File) {
    let _ = flock(lock, FlockOperation::Unlock);
}

/// Reads a small file that must be private to the user. Returns `None` if it does not exist.
pub(super) fn read_private(path: &Path) -> Result<Option<String>, AuditError> {
    let file = match open_read(path) {
        Err(AuditError::File { source, .. }) if source.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other?,
    };
    let unreadable = |source| failed("read", path, source);
    let mode = file.metadata().map_err(unreadable)?.mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(AuditError::Exposed { path: path.to_owned(), mode });
    }
    let mut text = String::new();
    file.take(MAX_KEY).read_to_string(&mut text).map_err(unreadable)?;
    Ok(Some(text))
}

/// Writes a small private file, unless it exists already.
pub(super) fn write_private_once(path: &Path, text: &str) -> Result<(), AuditError> {
    let part = path.with_extension(format!("{}.new", std::process::id()));
    let _ = fs::remove_file(&part);
    let written = create(&part).and_then(|mut file| {
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        written.map_err(|source| failed("write", &part, source))
    });
    // A link, unlike a rename, never replaces an existing file.
    let linked = written.and_then(|()| match fs::hard_link(&part, path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(failed("write", path, error)),
        _ => Ok(()),
    });
    let _ = fs::remove_file(&part);
    // If a power cut lost the key, no key would fit the existing checkpoints.
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    linked.and_then(|()| match parent {
        Some(parent) => sync_dir(parent).map_err(|source| failed("make durable", parent, source)),
        None => Ok(()),
    })
}
