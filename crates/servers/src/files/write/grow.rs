//! Creates missing folders, and perhaps a file in them. Everything is prepared under a temporary
//! name and appears in one step.
use std::sync::Arc;

use rustix::io::Errno;

use super::super::access::{Folder, Slot};
use super::super::error::FileError;
use super::change_error::{ChangeError, unconfirmed};
use super::disk::{Disk, Overwrite};
use super::{is_ours, remove};

/// Folders to create, and perhaps a file in them.
#[derive(Debug)]
pub(crate) struct Grow {
    /// The outermost missing folder.
    pub(crate) slot: Slot,
    /// The names of the folders inside it.
    pub(crate) inner: Vec<String>,
    /// A file in the innermost folder.
    pub(crate) file: Option<NewFile>,
    /// The path as the client wrote it.
    pub(crate) shown: String,
}

#[derive(Debug)]
pub(crate) struct NewFile {
    pub(crate) name: String,
    pub(crate) content: Arc<String>,
    pub(crate) mode: u32,
}

/// Mode of new folders, before the umask of the process: readable for all, writable for the owner.
const FOLDER_MODE: u32 = 0o755;

impl Grow {
    /// Creates everything under the temporary name `name`. In any case, the caller then calls
    /// `perform` or `discard` with the same name.
    pub(super) fn prepare(&self, disk: &Disk, name: &str) -> Result<(), FileError> {
        let failed = |errno| FileError::system(errno, &self.shown);
        disk.create_folder(&self.slot.folder, name, FOLDER_MODE).map_err(failed)?;
        let mut folder = self.slot.folder.child_folder_here(name)?;
        disk.hold(&folder).map_err(failed)?;
        let mut all: Vec<Folder> = Vec::new();
        for name in &self.inner {
            disk.create_folder(&folder, name, FOLDER_MODE).map_err(failed)?;
            let next = folder.child_folder_here(name)?;
            all.push(std::mem::replace(&mut folder, next));
        }
        if let Some(new) = &self.file {
            let file = disk.create_for(&folder, &new.name, new.mode).map_err(failed)?;
            disk.write(&file, new.content.as_bytes()).map_err(failed)?;
            disk.sync(&file).map_err(failed)?;
        }
        all.push(folder);
        all.iter().try_for_each(|folder| disk.sync_folder(folder)).map_err(failed)
    }

    /// Moves what was prepared into place.
    pub(super) fn perform(&self, disk: &Disk, name: &str) -> Result<(), ChangeError> {
        let not_made = |error| ChangeError { error, is_made: false };
        if !self.slot.folder.is_in_place() {
            return Err(not_made(FileError::conflict(&self.shown)));
        }
        let (folder, own) = (&self.slot.folder, &self.slot.name);
        disk.rename((folder, name), (folder, own), Overwrite::Nothing).map_err(|errno| match errno {
            Errno::EXIST => not_made(FileError::conflict(&self.shown)),
            errno => not_made(FileError::system(errno, &self.shown)),
        })?;
        disk.sync_folder(folder).map_err(|errno| unconfirmed(errno, &self.shown))
    }

    pub(super) fn discard(&self, disk: &Disk, name: &str) {
        debug_assert!(is_ours(name));
        // If this fails, a later sweep removes it.
        let _ = remove::all(disk, &self.slot.folder, name);
    }

    /// Returns the paths of all new folders, the outermost first.
    pub(crate) fn folders(&self) -> Vec<String> {
        let mut path = self.slot.path();
        let mut folders = vec![path.to_string()];
        for name in &self.inner {
            path = path.child(name);
            folders.push(path.to_string());
        }
        folders
    }
}
