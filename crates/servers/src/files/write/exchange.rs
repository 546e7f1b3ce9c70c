//! Moves a prepared file into place in one step, unless another program has changed the old file
//! meanwhile. Whatever fails, the file is old or new (FS-32, FS-37).
use std::fs::File;
use std::time::Duration;

use rustix::io::Errno;

use super::super::access::Facts;
use super::super::error::{FileError, code};
use super::change_error::{ChangeError, unconfirmed};
use super::disk::{Disk, Overwrite};
use super::put::PreparedFile;

/// Most tries, for locking a file that another server changes and for putting content back.
const MOST_TRIES: u32 = 100;
const BETWEEN_TRIES: Duration = Duration::from_millis(2);

/// Most tries to give an old file its name back.
const MOST_RETURNS: usize = 3;

/// A file that has its new content. The old content has the temporary name.
#[derive(Debug)]
pub(super) struct ExchangedFile<'a> {
    ready: PreparedFile<'a>,
    /// The new file, as it was when it got its name.
    now: Facts,
}

impl PreparedFile<'_> {
    /// Puts the new file in place, unless the old one differs from what the plan saw.
    pub(super) fn perform(mut self, disk: &Disk) -> Result<(), ChangeError> {
        let (slot, shown) = (&self.put.slot, &self.put.shown);
        let not_made = |error| ChangeError { error, is_made: false };
        let failed = |errno| not_made(FileError::system(errno, shown));
        if !slot.folder.is_in_place() {
            return Err(not_made(FileError::conflict(shown)));
        }
        if let Some(old) = &self.put.old {
            keep_others_out(disk, &old.open.file);
            let now = slot.folder.entry_facts(&slot.name).map_err(not_made)?;
            if now.as_ref() != Some(old.facts()) {
                return Err(not_made(FileError::conflict(shown)));
            }
            let new = self.temp.prepare_swap(old.facts()).map_err(failed)?;
            let exchanged = self.rename(disk, Overwrite::Exchanged);
            return match exchanged {
                Ok(()) => self.displaced(disk, new, old.facts()),
                // Not every file system can exchange names.
                Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                    self.rename(disk, Overwrite::Anything).map_err(failed)?;
                    self.made(disk)
                }
                Err(Errno::NOENT) => Err(not_made(FileError::conflict(shown))),
                Err(errno) => Err(failed(errno)),
            };
        }
        self.rename(disk, Overwrite::Nothing).map_err(|errno| match errno {
            Errno::EXIST => not_made(FileError::exists(shown)),
            errno => failed(errno),
        })?;
        self.made(disk)
    }

    fn rename(&self, disk: &Disk, over: Overwrite) -> Result<(), Errno> {
        let slot = &self.put.slot;
        disk.rename((&slot.folder, &self.temp.name), (&slot.folder, &slot.name), over)
    }

    /// Finishes once the new file has its name.
    fn made(self, disk: &Disk) -> Result<(), ChangeError> {
        let Self { put, temp, .. } = self;
        temp.done();
        disk.sync_folder(&put.slot.folder).map_err(|errno| unconfirmed(errno, &put.shown))
    }

    /// Finishes after the exchange. If another program wrote between our check and the exchange,
    /// its content is put back; otherwise the old file, which the plan saw, is removed.
    fn displaced(self, disk: &Disk, new: Facts, old: &Facts) -> Result<(), ChangeError> {
        let (slot, shown) = (&self.put.slot, &self.put.shown);
        match slot.folder.entry_facts(&self.temp.name) {
            Ok(displaced) if displaced.is_none_or(|displaced| displaced.is_unchanged(old)) => {
                match disk.remove(&slot.folder, &self.temp.name) {
                    Ok(()) => self.made(disk),
                    // Dropping the temporary file tries again.
                    Err(_) => disk.sync_folder(&slot.folder).map_err(|errno| unconfirmed(errno, shown)),
                }
            }
            Ok(displaced) => self.put_back(disk, Some(new), displaced),
            Err(_) => self.put_back(disk, Some(new), None),
        }
    }

    /// Gives another program's content its name back. If the program writes again meanwhile, the
    /// exchange brings out something newer than what went in, so the two are exchanged once more.
    /// `at_name` is what we put at the name, `aside` is what it displaced.
    fn put_back(
        self,
        disk: &Disk,
        mut at_name: Option<Facts>,
        mut aside: Option<Facts>,
    ) -> Result<(), ChangeError> {
        let (slot, shown) = (&self.put.slot, &self.put.shown);
        let conflict = || ChangeError { error: FileError::conflict(shown), is_made: false };
        for _ in 0..MOST_TRIES {
            if let Err(errno) = self.rename(disk, Overwrite::Exchanged) {
                // This loses only our new content, or content that its own writer has replaced.
                let done = self.rename(disk, Overwrite::Anything);
                self.temp.done();
                return Err(done.map_or_else(|_| unconfirmed(errno, shown), |()| conflict()));
            }
            let Ok(came_out) = slot.folder.entry_facts(&self.temp.name) else { break };
            let is_expected = match (&came_out, &at_name) {
                (Some(came_out), Some(at_name)) => came_out.is_unchanged(at_name),
                (None, _) => true,
                (Some(_), None) => false,
            };
            if is_expected {
                return Err(conflict());
            }
            (at_name, aside) = (aside, came_out);
        }
        // What came out last stays under the temporary name.
        self.temp.done();
        Err(conflict())
    }
}

impl<'a> PreparedFile<'a> {
    /// Exchanges names like [`perform`](Self::perform), but keeps the old file, so that the
    /// exchange can be reversed.
    pub(super) fn exchange(self, disk: &Disk) -> Result<ExchangedFile<'a>, FileError> {
        let (slot, shown) = (&self.put.slot, &self.put.shown);
        let Some(old) = &self.put.old else { return Err(FileError::conflict(shown)) };
        if !slot.folder.is_in_place() {
            return Err(FileError::conflict(shown));
        }
        keep_others_out(disk, &old.open.file);
        if slot.folder.entry_facts(&slot.name)?.as_ref() != Some(old.facts()) {
            return Err(FileError::conflict(shown));
        }
        self.rename(disk, Overwrite::Exchanged).map_err(|errno| match errno {
            Errno::NOENT => FileError::conflict(shown),
            Errno::INVAL | Errno::NOSYS | Errno::NOTSUP => FileError::new(
                code::OTHER_FILE_SYSTEM,
                format!("the file system of `{shown}` can't exchange files, so several can't be changed as one; nothing was changed"),
                "Edit the files one by one.",
            ),
            errno => FileError::system(errno, shown),
        })?;
        let displaced = slot.folder.entry_facts(&self.temp.name).ok().flatten();
        let now = slot.folder.entry_facts(&slot.name).ok().flatten();
        match now {
            Some(now) if displaced.is_some_and(|displaced| displaced.is_unchanged(old.facts())) => {
                Ok(ExchangedFile { ready: self, now })
            }
            // Another program wrote between our check and the exchange. Its content is put back.
            _ => {
                if self.rename(disk, Overwrite::Exchanged).is_err() {
                    // The other program's content stays under the temporary name rather than being
                    // lost.
                    self.temp.done();
                }
                Err(FileError::conflict(shown))
            }
        }
    }
}

impl ExchangedFile<'_> {
    /// Gives the old file its name back. Fails with the path if another program has changed the new
    /// file meanwhile.
    pub(super) fn undo(self, disk: &Disk) -> Result<(), String> {
        let (slot, shown) = (&self.ready.put.slot, self.ready.put.shown.clone());
        for _ in 0..MOST_RETURNS {
            let now = slot.folder.entry_facts(&slot.name).ok().flatten();
            if now.is_none_or(|now| !now.is_unchanged(&self.now)) {
                break;
            }
            if self.ready.rename(disk, Overwrite::Exchanged).is_ok() {
                let _ = disk.sync_folder(&slot.folder);
                return Ok(());
            }
        }
        // The old content stays under the temporary name until it is swept. The journal has it too.
        self.ready.temp.done();
        Err(shown)
    }

    /// Removes the old content.
    pub(super) fn finish(self, disk: &Disk) -> Result<(), ChangeError> {
        let Self { ready: PreparedFile { put, temp, .. }, .. } = self;
        // The temporary name belongs to the old file now. If removing it fails, dropping `temp`
        // tries again.
        match disk.remove(&put.slot.folder, &temp.name) {
            Ok(()) => temp.done(),
            Err(_) => drop(temp),
        }
        disk.sync_folder(&put.slot.folder).map_err(|errno| unconfirmed(errno, &put.shown))
    }
}

/// Locks the file, so that servers which share a root compare and exchange one after the other.
/// Does not wait long for another program's lock: its writes are noticed anyway.
fn keep_others_out(disk: &Disk, file: &File) {
    for _ in 0..MOST_TRIES {
        match disk.hold(file) {
            Err(Errno::WOULDBLOCK) => std::thread::sleep(BETWEEN_TRIES),
            _ => return,
        }
    }
}
