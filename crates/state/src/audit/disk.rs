//! All changes that the log makes to its files go through here. Tests record the changes and
//! rebuild the files as a crash or a power cut after any change would leave them.
use std::fmt;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(target_os = "linux")]
use rustix::io::{Errno, ReadWriteFlags, pwritev2};

use super::error::{AuditError, failed};
use super::files;

/// The file system as the writer uses it.
#[derive(Debug, Clone, Default)]
pub(super) struct Disk {
    observer: Option<Arc<dyn DiskObserver>>,
}

/// Receives each change before it is made, and may make it fail.
pub(super) trait DiskObserver: fmt::Debug + Send + Sync {
    fn before(&self, operation: Operation<'_>) -> io::Result<()>;
}

/// A change of a file or of a folder's entries.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(test), expect(dead_code, reason = "the observers of tests read them"))]
pub(super) enum Operation<'a> {
    Create(&'a Path),
    Append(&'a Path, &'a str),
    /// Also makes the text durable, but not what was appended before.
    AppendDurably(&'a Path, &'a str),
    Cut(&'a Path, u64),
    Sync(&'a Path),
    SyncDir,
    Remove(&'a Path),
    Seal(&'a Path),
}

/// An open file of the log.
#[derive(Debug)]
pub(super) struct LogFile {
    file: File,
    path: PathBuf,
    /// Device and inode, which tell whether the path still leads to this file.
    identity: (u64, u64),
    disk: Disk,
    /// Where the next text is appended.
    end: u64,
    /// Whether one call of the system can write and sync.
    writes_durably: bool,
}

impl Disk {
    #[cfg(test)]
    pub(super) fn observed_by(observer: Arc<dyn DiskObserver>) -> Self {
        Self { observer: Some(observer) }
    }

    /// Creates a file that must not exist yet.
    pub(super) fn create(&self, path: &Path) -> Result<LogFile, AuditError> {
        self.before(Operation::Create(path)).map_err(|source| failed("make", path, source))?;
        self.opened(path, files::create(path))
    }

    /// Opens an existing file.
    pub(super) fn open(&self, path: &Path) -> Result<LogFile, AuditError> {
        self.opened(path, files::open_write(path))
    }

    /// Opens a file, or creates it if it does not exist.
    pub(super) fn open_or_create(&self, path: &Path) -> Result<LogFile, AuditError> {
        match self.open(path) {
            Err(error) if error.is_not_found() => self.create(path),
            opened => opened,
        }
    }

    /// Makes changes of a folder's entries durable.
    pub(super) fn sync_dir(&self, dir: &Path) -> Result<(), AuditError> {
        let synced = self.before(Operation::SyncDir).and_then(|()| files::sync_dir(dir));
        synced.map_err(|source| failed("make durable", dir, source))
    }

    pub(super) fn remove(&self, path: &Path) -> Result<(), AuditError> {
        let removed = self.before(Operation::Remove(path)).and_then(|()| fs::remove_file(path));
        removed.map_err(|source| failed("remove", path, source))
    }

    /// Makes the file read-only.
    pub(super) fn seal(&self, path: &Path) -> Result<(), AuditError> {
        let sealed = self
            .before(Operation::Seal(path))
            .and_then(|()| fs::set_permissions(path, Permissions::from_mode(0o400)));
        sealed.map_err(|source| failed("seal", path, source))
    }

    fn opened(&self, path: &Path, file: Result<File, AuditError>) -> Result<LogFile, AuditError> {
        let file = file?;
        let meta = file.metadata().map_err(|source| failed("look at", path, source))?;
        let identity = (meta.dev(), meta.ino());
        let disk = self.clone();
        Ok(LogFile { file, path: path.to_owned(), identity, disk, end: meta.len(), writes_durably: true })
    }

    fn before(&self, operation: Operation<'_>) -> io::Result<()> {
        self.observer.as_ref().map_or(Ok(()), |observer| observer.before(operation))
    }
}

impl LogFile {
    pub(super) fn append(&mut self, text: &str) -> io::Result<()> {
        self.disk.before(Operation::Append(&self.path, text))?;
        self.write(text.as_bytes())
    }

    /// Appends the text and makes it durable, but not what was appended before.
    pub(super) fn append_durably(&mut self, text: &str) -> io::Result<()> {
        self.disk.before(Operation::AppendDurably(&self.path, text))?;
        let mut rest = text.as_bytes();
        while self.writes_durably && !rest.is_empty() {
            match write_durably(&self.file, rest, self.end) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => {
                    self.end += count as u64;
                    rest = &rest[count..];
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::Unsupported => self.writes_durably = false,
                Err(error) => return Err(error),
            }
        }
        if rest.is_empty() {
            return Ok(());
        }
        self.write(rest)?;
        self.file.sync_data()
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all_at(bytes, self.end)?;
        self.end += bytes.len() as u64;
        Ok(())
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        self.disk.before(Operation::Sync(&self.path))?;
        self.file.sync_data()
    }

    /// Cuts the file to this length durably, and continues writing there.
    pub(super) fn cut_to(&mut self, length: u64) -> io::Result<()> {
        if self.length()? != length {
            self.disk.before(Operation::Cut(&self.path, length))?;
            self.file.set_len(length)?;
            self.sync()?;
        }
        self.end = length;
        Ok(())
    }

    /// Empties the file, without syncing it.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        self.disk.before(Operation::Cut(&self.path, 0))?;
        self.file.set_len(0)?;
        self.end = 0;
        Ok(())
    }

    pub(super) fn length(&self) -> io::Result<u64> {
        self.file.metadata().map(|meta| meta.len())
    }

    /// Returns whether its path still leads to this file.
    pub(super) fn is_in_place(&self) -> io::Result<bool> {
        let there = fs::symlink_metadata(&self.path)?;
        Ok(self.identity == (there.dev(), there.ino()))
    }
}

/// Writes and syncs in one call of the system. Returns how many bytes were written.
#[cfg(target_os = "linux")]
fn write_durably(file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
    let written = pwritev2(file, &[io::IoSlice::new(bytes)], offset, ReadWriteFlags::DSYNC);
    written.map_err(|error| match error {
        // An old kernel, or a file system that can't.
        Errno::NOSYS | Errno::OPNOTSUPP | Errno::INVAL => io::ErrorKind::Unsupported.into(),
        error => error.into(),
    })
}

#[cfg(not(target_os = "linux"))]
fn write_durably(_: &File, _: &[u8], _: u64) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}
