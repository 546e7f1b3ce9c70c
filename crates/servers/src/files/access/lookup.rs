//! Looks up a path that a client wrote: to open it for reading, to inspect it, or as a name to
//! create, replace or remove.
use std::os::fd::AsFd as _;

use rustix::fs::OFlags;

use super::super::error::{FileError, code};
use super::facts::Kind;
use super::handle::{Folder, OpenFile, Slot, UnopenedEntry};
use super::open::{self, MOST_TRIES, Mounts};
use super::path::AbsolutePath;
use super::rules::PathAccess;
use super::view::View;

/// What a path that ends in a link means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Follow {
    /// The target of the link, for contents.
    Yes,
    /// The link itself, for moving and deleting.
    No,
}

impl View {
    /// Opens a regular file for reading.
    pub(crate) fn file(&self, text: &str) -> Result<OpenFile, FileError> {
        let (handle, path) = self.open(text, OFlags::RDONLY, PathAccess::See)?;
        let opened = OpenFile::of(handle, path, text)?;
        self.check_links(&opened.facts, text)?;
        Ok(opened)
    }

    /// Opens a small regular file and reads all its bytes, if that needs no waiting, so that it can
    /// run on an async thread. Returns `None` in all other cases; then `file` opens the file or
    /// reports the error. Visibility is decided as in `file`.
    pub(crate) fn file_at_once(&self, text: &str, most: u64) -> Option<(OpenFile, Vec<u8>)> {
        let path = self.absolute(text).ok()?;
        self.decide(&path, PathAccess::See, text).ok()?;
        let (root_dir, inner) = self.roots.root_dir_of(&path)?;
        let handle = root_dir.open_at_once(inner)?;
        // The folder is local here, so this check needs no waiting either.
        root_dir.check().ok()?;
        let opened = OpenFile::of(handle, path, text).ok()?;
        self.check_links(&opened.facts, text).ok()?;
        let length = usize::try_from(opened.facts.size).ok().filter(|_| opened.facts.size <= most)?;
        let bytes = open::read_at_once(&opened.file, length)?;
        Some((opened, bytes))
    }

    /// Opens a folder for listing.
    pub(crate) fn folder(&self, text: &str) -> Result<Folder, FileError> {
        let (handle, path) = self.open(text, OFlags::RDONLY | OFlags::DIRECTORY, PathAccess::See)?;
        Folder::of(handle, path, text)
    }

    /// Inspects whatever is at a path, without opening it for reading.
    pub(crate) fn entry(&self, text: &str, follow: Follow) -> Result<UnopenedEntry, FileError> {
        let (handle, path) = match follow {
            Follow::Yes => self.open(text, OFlags::PATH, PathAccess::See)?,
            Follow::No => {
                let slot = self.slot_for(text, PathAccess::See, Mounts::Cross)?;
                let found = open::child(slot.folder.as_fd(), &slot.name, OFlags::PATH | OFlags::NOFOLLOW);
                // A link can be inspected, although nothing is opened through it.
                (found.map_err(|errno| FileError::system(errno, text))?, slot.path())
            }
        };
        let facts = open::facts(&handle).map_err(|errno| FileError::system(errno, text))?;
        Ok(UnopenedEntry { path, facts })
    }

    /// Returns a name that is to be created, replaced or removed. With `Follow::Yes`, a link to a
    /// place that may be changed means that place; a link that leads nowhere or elsewhere is
    /// refused (FS-04).
    pub(crate) fn slot(&self, text: &str, follow: Follow, mounts: Mounts) -> Result<Slot, FileError> {
        let slot = self.slot_for(text, PathAccess::Change, mounts)?;
        let is_link = slot.now.is_some_and(|facts| facts.kind == Kind::Link);
        if follow == Follow::No || !is_link {
            return Ok(slot);
        }
        let missing = |error: FileError| match error.code {
            code::NOT_FOUND => FileError::new(
                code::NOT_FOUND,
                format!("`{text}` is a symbolic link whose target does not exist"),
                "Write to the target of the link, or delete the link first.",
            ),
            _ => error,
        };
        for _ in 0..MOST_TRIES {
            let (_, path) = self.open(text, OFlags::PATH, PathAccess::Change).map_err(missing)?;
            let slot = self.slot_for(path.as_str(), PathAccess::Change, mounts)?;
            // The link is followed a second time: an editor may have moved the target away to put a
            // new file there. The entry at the slot must be the one that the link leads to now.
            let (handle, again) = self.open(text, OFlags::PATH, PathAccess::Change).map_err(missing)?;
            let led_to = open::facts(&handle).map_err(|errno| FileError::system(errno, text))?;
            match slot.now {
                Some(now) if again == path && now.is_same(&led_to) && now.kind != Kind::Link => {
                    return Ok(slot);
                }
                _ => {}
            }
        }
        Err(FileError::replaced(text))
    }

    /// Returns a name that is to be copied. A link is not followed.
    pub(crate) fn place(&self, text: &str) -> Result<Slot, FileError> {
        self.slot_for(text, PathAccess::See, Mounts::Cross)
    }

    fn slot_for(&self, text: &str, want: PathAccess, mounts: Mounts) -> Result<Slot, FileError> {
        self.slot_at(&self.absolute(text)?, text, want, mounts)
    }

    /// Returns the slot at a path, which errors name as `shown`. A link is not followed.
    fn slot_at(
        &self,
        path: &AbsolutePath,
        shown: &str,
        want: PathAccess,
        mounts: Mounts,
    ) -> Result<Slot, FileError> {
        self.decide(path, want, shown)?;
        if self.is_root(path) || path.split().is_none() {
            return Err(FileError::new(
                code::IS_ROOT,
                format!("`{shown}` is a root, which can't be moved, replaced or deleted"),
                "Name something inside the root.",
            ));
        }
        let Some((parent, name)) = path.split() else { return Err(self.outside(shown)) };
        let (handle, real) = self.open_whole(&parent, OFlags::PATH | OFlags::DIRECTORY, mounts, shown)?;
        let folder = Folder::of(handle, real, shown)?;
        self.decide(&folder.path.child(name), want, shown)?;
        let now = open::facts_of(folder.as_fd(), name).map_err(|errno| FileError::system(errno, shown))?;
        Ok(Slot { name: name.to_owned(), folder, now })
    }

    /// Returns the slot for a change on the way to the path that the client wrote as `shown`.
    pub(crate) fn outer_slot(&self, path: &AbsolutePath, shown: &str) -> Result<Slot, FileError> {
        self.slot_at(path, shown, PathAccess::Change, Mounts::Cross)
    }
}
