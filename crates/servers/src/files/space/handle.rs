//! What was opened and decided. Everything that is reached from one of these is beneath it by construction.
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::OFlags;

use super::super::error::{FileError, code};
use super::facts::{Facts, Kind};
use super::open;
use super::path::Whole;

/// A regular file, open for reading.
#[derive(Debug)]
pub(crate) struct OpenFile {
    pub(crate) file: File,
    /// Where it really is.
    pub(crate) path: Whole,
    pub(crate) facts: Facts,
}

/// A folder, open for listing.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(super) handle: OwnedFd,
    pub(crate) path: Whole,
    pub(crate) facts: Facts,
}

/// Anything, looked at and not opened: no pipe is waited for, and no device is woken.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) handle: OwnedFd,
    pub(crate) path: Whole,
    pub(crate) facts: Facts,
}

/// A name in an open folder, where something is to be created, replaced or removed. The name itself: a link is not followed.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) folder: Folder,
    pub(crate) name: String,
    /// What stands there now.
    pub(crate) now: Option<Facts>,
}

impl OpenFile {
    /// Only a regular file passes, decided on the handle: what a name stood for a moment ago means nothing (FS-13, FS-14).
    pub(super) fn of(handle: OwnedFd, path: Whole, shown: &str) -> Result<Self, FileError> {
        let facts = open::facts(&handle).map_err(|errno| FileError::system(errno, shown))?;
        match facts.kind {
            Kind::File => Ok(Self { file: File::from(handle), path, facts }),
            kind => Err(not_a_file(kind, shown)),
        }
    }
}

fn not_a_file(kind: Kind, shown: &str) -> FileError {
    let (what, next) = match kind {
        Kind::Folder => ("a directory", "Name a file in it; `list_directory` shows what is there."),
        Kind::Link => ("a symbolic link", "Name the file that it leads to."),
        Kind::Other(what) => (what, "Only regular files can be used."),
        Kind::File => ("a file", ""),
    };
    FileError::new(code::NOT_A_FILE, format!("`{shown}` is not a regular file: it is {what}"), next)
}

impl Folder {
    pub(super) fn of(handle: OwnedFd, path: Whole, shown: &str) -> Result<Self, FileError> {
        let facts = open::facts(&handle).map_err(|errno| FileError::system(errno, shown))?;
        match facts.kind {
            Kind::Folder => Ok(Self { handle, path, facts }),
            _ => Err(FileError::system(rustix::io::Errno::NOTDIR, shown)),
        }
    }

    /// A folder in this one; a link is none. Whoever calls has decided that it can be seen.
    pub(crate) fn child_folder(&self, name: &str) -> Result<Self, FileError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let handle =
            open::child(self.as_fd(), name, flags).map_err(|errno| FileError::system(errno, name))?;
        Self::of(handle, self.path.child(name), name)
    }

    /// A regular file in this folder; a link is none. Whoever calls has decided that it can be seen.
    pub(crate) fn child_file(&self, name: &str) -> Result<OpenFile, FileError> {
        let handle = open::child(self.as_fd(), name, OFlags::RDONLY)
            .map_err(|errno| FileError::system(errno, name))?;
        OpenFile::of(handle, self.path.child(name), name)
    }

    /// What a name in this folder stands for, itself and not what it links to.
    pub(crate) fn look(&self, name: &str) -> Result<Option<Facts>, FileError> {
        open::facts_of(self.as_fd(), name).map_err(|errno| FileError::system(errno, name))
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

impl Slot {
    pub(crate) fn path(&self) -> Whole {
        self.folder.path.child(&self.name)
    }
}
