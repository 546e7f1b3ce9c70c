//! Handles that were opened after a decision. Everything that is reached from one of these is
//! beneath it by construction.
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::super::error::{FileError, code};
use super::facts::{Facts, Kind};
use super::open;
use super::open_error::OpenError;
use super::path::AbsolutePath;

/// A regular file, open for reading.
#[derive(Debug)]
pub(crate) struct OpenFile {
    pub(crate) file: File,
    /// The real path, without links.
    pub(crate) path: AbsolutePath,
    pub(crate) facts: Facts,
}

/// A folder, open for listing.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(super) handle: OwnedFd,
    pub(crate) path: AbsolutePath,
    pub(crate) facts: Facts,
}

/// An entry that is inspected without opening it: no pipe blocks, and no device is activated.
#[derive(Debug)]
pub(crate) struct UnopenedEntry {
    pub(crate) path: AbsolutePath,
    pub(crate) facts: Facts,
}

/// A name in an open folder, at which something is created, replaced or removed. A link is not
/// followed.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) folder: Folder,
    pub(crate) name: String,
    /// The current entry at the name; `None` if there is nothing.
    pub(crate) now: Option<Facts>,
}

impl OpenFile {
    /// Accepts only a regular file. The decision is made on the handle, because the name may have
    /// meant another file a moment ago (FS-13, FS-14).
    pub(super) fn of(handle: OwnedFd, path: AbsolutePath, shown: &str) -> Result<Self, FileError> {
        let facts = open::facts(&handle).map_err(|errno| FileError::system(errno, shown))?;
        match facts.kind {
            Kind::File => Ok(Self { file: File::from(handle), path, facts }),
            kind => Err(not_a_file(kind, shown)),
        }
    }
}

fn not_a_file(kind: Kind, shown: &str) -> FileError {
    let (what, next) = match kind {
        Kind::Folder => ("a directory", "Name a file in it; `list_directory` shows them."),
        Kind::Link => ("a symbolic link", "Name the file that it leads to."),
        Kind::Other(what) => (what, "Name a regular file; this server reads and changes nothing else."),
        Kind::File => ("a file", ""),
    };
    FileError::new(code::NOT_A_FILE, format!("`{shown}` is not a regular file: it is {what}"), next)
}

impl Folder {
    pub(super) fn of(handle: OwnedFd, path: AbsolutePath, shown: &str) -> Result<Self, FileError> {
        let facts = open::facts(&handle).map_err(|errno| FileError::system(errno, shown))?;
        match facts.kind {
            Kind::Folder => Ok(Self { handle, path, facts }),
            _ => Err(FileError::system(Errno::NOTDIR, shown)),
        }
    }

    /// Opens a folder in this one. Links are refused. The caller has decided that the folder is
    /// visible.
    pub(crate) fn child_folder(&self, name: &str) -> Result<Self, FileError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let handle =
            open::child(self.as_fd(), name, flags).map_err(|errno| FileError::system(errno, name))?;
        Self::of(handle, self.path.child(name), name)
    }

    /// Opens a regular file in this folder. Links are refused. The caller has decided that the file
    /// is visible.
    pub(crate) fn child_file(&self, name: &str) -> Result<OpenFile, FileError> {
        self.child_file_shown(name, name)
    }

    /// Opens a regular file in this folder, like [`child_file`](Self::child_file). Errors name it
    /// as `shown`.
    pub(crate) fn child_file_shown(&self, name: &str, shown: &str) -> Result<OpenFile, FileError> {
        let handle = open::child(self.as_fd(), name, OFlags::RDONLY)
            .map_err(|errno| FileError::system(errno, shown))?;
        OpenFile::of(handle, self.path.child(name), shown)
    }

    /// Opens a folder in this one, if no other file system is mounted there. Links are refused.
    pub(crate) fn child_folder_here(&self, name: &str) -> Result<Self, FileError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let handle = open::child_here(self.as_fd(), name, flags);
        Self::of(handle.map_err(|errno| FileError::system(errno, name))?, self.path.child(name), name)
    }

    /// Opens a folder beneath this one, without following links. The caller has decided that the
    /// folder is visible.
    pub(crate) fn folder_beneath(&self, inner: &str) -> Result<Self, FileError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let handle = open::beneath(self.as_fd(), inner, flags, open::Links::Refuse, open::Mounts::Cross);
        let path = if inner.is_empty() { self.path.clone() } else { self.path.child(inner) };
        Self::of(handle.map_err(|errno| FileError::system(errno, inner))?, path, inner)
    }

    /// Opens a regular file beneath this folder. Links are followed if they stay in it. The caller
    /// has decided that the file is visible.
    pub(crate) fn file_beneath(&self, inner: &str) -> Result<OpenFile, FileError> {
        let links = open::Links::FollowBeneath;
        let handle = open::beneath(self.as_fd(), inner, OFlags::RDONLY, links, open::Mounts::Cross);
        let handle = handle.map_err(|errno| FileError::system(errno, inner))?;
        OpenFile::of(handle, self.path.child(inner), inner)
    }

    /// Whether the folder is still at the path at which it was opened. Nothing is written to a
    /// folder that was moved away.
    pub(crate) fn is_in_place(&self) -> bool {
        open::where_is(self).is_some_and(|now| now == self.path.as_str())
    }

    /// Opens a folder for the server's own use, which the operator chose. Creates it, for its owner
    /// alone, if it does not exist.
    pub(crate) fn open_private(path: &Path) -> Result<Self, OpenError> {
        let failed = |errno| OpenError::Open { path: path.to_owned(), errno };
        match rustix::fs::mkdir(path, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(failed(errno)),
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = rustix::fs::open(path, flags, Mode::empty()).map_err(failed)?;
        rustix::fs::fchmod(&handle, Mode::RWXU).map_err(failed)?;
        let real = open::where_is(&handle).and_then(|real| AbsolutePath::from_system(&real));
        let real = real.ok_or_else(|| OpenError::Name { path: path.to_owned() })?;
        let facts = open::facts(&handle).map_err(failed)?;
        Ok(Self { handle, path: real, facts })
    }

    /// Returns the facts of an entry of this folder, without following a link.
    pub(crate) fn entry_facts(&self, name: &str) -> Result<Option<Facts>, FileError> {
        open::facts_of(self.as_fd(), name).map_err(|errno| FileError::system(errno, name))
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

impl Slot {
    pub(crate) fn path(&self) -> AbsolutePath {
        self.folder.path.child(&self.name)
    }
}
