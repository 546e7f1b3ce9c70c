//! Gives a name new content: everything is written beside it first, and then it is the new one at
//! once. Whatever fails, the file is old or new, and nothing is left lying about (FS-32, FS-37).
use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

use overt_toolbox::Irreversible;
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

use super::super::access::{Facts, Slot};
use super::super::error::{FileError, code};
use super::super::work::Stop;
use super::attributes::{self, Attributes};
use super::disk::{CHUNK, Disk, Overwrite};
use super::old_file::OldFile;
use super::temp::Temp;
use super::tree::hex;

/// How often to wait for another server that changes the same file.
const MOST_TRIES: u32 = 100;
const BETWEEN_TRIES: Duration = Duration::from_millis(2);

/// A file to write.
#[derive(Debug)]
pub(crate) struct Put {
    pub(crate) slot: Slot,
    /// What is there now: it keeps its mode, its owner and its attributes.
    pub(crate) old: Option<OldFile>,
    pub(crate) parts: Vec<Part>,
    /// The mode of a file that was not there, less what the process itself withholds.
    pub(crate) mode: u32,
    /// What the client called it.
    pub(crate) shown: String,
    /// Why what is there now is not kept, where a person agreed to that.
    pub(crate) lost: Option<Irreversible>,
}

/// A piece of the new content.
#[derive(Debug)]
pub(crate) enum Part {
    Bytes(Vec<u8>),
    /// As the call has it, which may be large.
    Text(Arc<String>),
    /// The old content from here on.
    OldFile {
        skip: u64,
    },
    /// Of another file, from where it stands to so many bytes.
    File {
        file: File,
        size: u64,
    },
}

/// A new file, written under a temporary name.
#[derive(Debug)]
pub(super) struct PreparedFile<'a> {
    put: &'a Put,
    temp: Temp<'a>,
    pub(super) size: u64,
    pub(super) sha256: String,
}

/// Why a change was not made, or not wholly.
#[derive(Debug)]
pub(crate) struct ChangeError {
    pub(crate) error: FileError,
    pub(crate) is_made: bool,
}

impl Part {
    /// Its bytes in a change of a file of so many bytes.
    pub(crate) fn size(&self, old: u64) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Text(text) => text.len() as u64,
            Self::OldFile { skip } => old.saturating_sub(*skip),
            Self::File { size, .. } => *size,
        }
    }

    /// Its bytes, where they are not those of a file.
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::Text(text) => Some(text.as_bytes()),
            Self::OldFile { .. } | Self::File { .. } => None,
        }
    }
}

impl Put {
    /// Writes the new content beside the old one.
    pub(super) fn prepare<'a>(&'a self, disk: &'a Disk, stop: &Stop) -> Result<PreparedFile<'a>, FileError> {
        let failed = |errno| FileError::system(errno, &self.shown);
        // What is to have the mode of an old file is for us alone until then (FS-42).
        let mode = if self.old.is_some() { 0o600 } else { self.mode };
        let temp = Temp::create(disk, &self.slot.folder, mode).map_err(failed)?;
        let mut writing = DigestWriter { disk, file: &temp.file, size: 0, sha256: Sha256::new() };
        for part in &self.parts {
            match part {
                Part::Bytes(bytes) => writing.take(bytes).map_err(failed)?,
                Part::Text(text) => writing.take(text.as_bytes()).map_err(failed)?,
                Part::OldFile { skip } => {
                    let old = self.old.as_ref().ok_or_else(|| failed(Errno::NOENT))?;
                    let size = old.facts().size;
                    self.skip(disk, &old.open.file, *skip).map_err(failed)?;
                    self.stream(&mut writing, &old.open.file, size.saturating_sub(*skip), stop)?;
                }
                Part::File { file, size } => self.stream(&mut writing, file, *size, stop)?,
            }
        }
        let (size, sha256) = (writing.size, hex(writing.sha256));
        self.keep(disk, &temp.file)?;
        disk.sync(&temp.file).map_err(failed)?;
        Ok(PreparedFile { put: self, temp, size, sha256 })
    }

    fn skip(&self, disk: &Disk, file: &File, skip: u64) -> Result<(), Errno> {
        disk.rewind(file)?;
        rustix::fs::seek(file, rustix::fs::SeekFrom::Start(skip)).map(drop)
    }

    fn stream(
        &self,
        writing: &mut DigestWriter<'_>,
        file: &File,
        size: u64,
        stop: &Stop,
    ) -> Result<(), FileError> {
        let failed = |errno| FileError::system(errno, &self.shown);
        let mut buffer = vec![0; CHUNK];
        let mut left = size;
        while left > 0 {
            stop.check()?;
            let most = usize::try_from(left).unwrap_or(CHUNK).min(CHUNK);
            let count = writing.disk.read(file, &mut buffer[..most]).map_err(failed)?;
            if count == 0 {
                return Err(FileError::conflict(&self.shown));
            }
            left -= count as u64;
            writing.take(&buffer[..count]).map_err(failed)?;
        }
        Ok(())
    }

    /// Mode, owner and attributes of the old file; a new one has its own since it was made.
    fn keep(&self, disk: &Disk, file: &File) -> Result<(), FileError> {
        let failed = |errno| FileError::system(errno, &self.shown);
        let Some(old) = &self.old else { return Ok(()) };
        let (uid, gid) = (old.facts().uid, old.facts().gid);
        let is_other =
            rustix::fs::fstat(file).map_err(failed).map(|own| (own.st_uid, own.st_gid) != (uid, gid))?;
        if is_other {
            disk.set_owner(file, uid, gid).map_err(|errno| match errno {
                Errno::PERM => FileError::new(
                    code::PERMISSION_DENIED,
                    format!(
                        "`{}` belongs to another user, and after the change it would belong to this server",
                        self.shown
                    ),
                    "Ask the user to make the change, or to change the owner of the file.",
                ),
                errno => failed(errno),
            })?;
        }
        attributes::copy(disk, &old.open.file, file, Attributes::Unprivileged).map_err(failed)?;
        disk.set_mode(file, attributes::unprivileged(old.facts().mode)).map_err(failed)
    }
}

/// Counts and digests what is written.
struct DigestWriter<'a> {
    disk: &'a Disk,
    file: &'a File,
    size: u64,
    sha256: Sha256,
}

impl DigestWriter<'_> {
    fn take(&mut self, bytes: &[u8]) -> Result<(), Errno> {
        self.disk.write(self.file, bytes)?;
        self.size += bytes.len() as u64;
        self.sha256.update(bytes);
        Ok(())
    }
}

impl PreparedFile<'_> {
    /// The file is the new one, unless it is no longer what the plan saw.
    pub(super) fn perform(mut self, disk: &Disk) -> Result<(), ChangeError> {
        let (slot, shown) = (&self.put.slot, &self.put.shown);
        let not_made = |error| ChangeError { error, is_made: false };
        let failed = |errno| not_made(FileError::system(errno, shown));
        if !slot.folder.is_in_place() {
            return Err(not_made(FileError::conflict(shown)));
        }
        if let Some(old) = &self.put.old {
            keep_others_out(disk, &old.open.file);
            let now = slot.folder.look(&slot.name).map_err(not_made)?;
            if now.as_ref() != Some(old.facts()) {
                return Err(not_made(FileError::conflict(shown)));
            }
            let new = self.temp.prepare_swap(old.facts()).map_err(failed)?;
            let exchanged = self.rename(disk, Overwrite::Exchanged);
            return match exchanged {
                Ok(()) => self.displaced(disk, new, old.facts()),
                // Not every file system can.
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

    /// The new file has its name.
    fn made(self, disk: &Disk) -> Result<(), ChangeError> {
        let Self { put, temp, .. } = self;
        temp.done();
        disk.sync_folder(&put.slot.folder).map_err(|errno| unconfirmed(errno, &put.shown))
    }

    /// Both have changed their names. What another program wrote between our look and the exchange
    /// is put back; what the plan saw goes.
    fn displaced(self, disk: &Disk, new: Facts, old: &Facts) -> Result<(), ChangeError> {
        let (slot, shown) = (&self.put.slot, &self.put.shown);
        match slot.folder.look(&self.temp.name) {
            Ok(displaced) if displaced.is_none_or(|displaced| displaced.is_unchanged(old)) => {
                match disk.remove(&slot.folder, &self.temp.name) {
                    Ok(()) => self.made(disk),
                    // It is tried once more when the temporary file is given up.
                    Err(_) => disk.sync_folder(&slot.folder).map_err(|errno| unconfirmed(errno, shown)),
                }
            }
            Ok(displaced) => self.put_back(disk, Some(new), displaced),
            Err(_) => self.put_back(disk, Some(new), None),
        }
    }

    /// What another program wrote gets its name back. The program may write again meanwhile: then
    /// what comes out of the exchange is newer than what went in, and changes places with it once
    /// more. `at_name` is what we have put at the name, `aside` what it has displaced.
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
                // Only the new content is lost so, or what its own writer has replaced.
                let done = self.rename(disk, Overwrite::Anything);
                self.temp.done();
                return Err(done.map_or_else(|_| unconfirmed(errno, shown), |()| conflict()));
            }
            let Ok(came_out) = slot.folder.look(&self.temp.name) else { break };
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
        // What came out last is kept under the name of the temporary file.
        self.temp.done();
        Err(conflict())
    }
}

/// How often an old file is given its name back.
const MOST_RETURNS: usize = 3;

/// A file that has its new content, while what was there before has the temporary name.
#[derive(Debug)]
pub(super) struct ExchangedFile<'a> {
    ready: PreparedFile<'a>,
    /// The new file, as it got its name.
    now: Facts,
}

impl<'a> PreparedFile<'a> {
    /// The first half of [`perform`](Self::perform), which can be taken back.
    pub(super) fn exchange(self, disk: &Disk) -> Result<ExchangedFile<'a>, FileError> {
        let (slot, shown) = (&self.put.slot, &self.put.shown);
        let Some(old) = &self.put.old else { return Err(FileError::conflict(shown)) };
        if !slot.folder.is_in_place() {
            return Err(FileError::conflict(shown));
        }
        keep_others_out(disk, &old.open.file);
        if slot.folder.look(&slot.name)?.as_ref() != Some(old.facts()) {
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
        let displaced = slot.folder.look(&self.temp.name).ok().flatten();
        let now = slot.folder.look(&slot.name).ok().flatten();
        match now {
            Some(now) if displaced.is_some_and(|displaced| displaced.is_unchanged(old.facts())) => {
                Ok(ExchangedFile { ready: self, now })
            }
            // Another program wrote between our look and the exchange: that is put back.
            _ => {
                if self.rename(disk, Overwrite::Exchanged).is_err() {
                    // What they wrote stays under the temporary name, rather than being lost.
                    self.temp.done();
                }
                Err(FileError::conflict(shown))
            }
        }
    }
}

impl ExchangedFile<'_> {
    /// The old file has its name again; the path, if another program has changed the new one
    /// meanwhile.
    pub(super) fn back(self, disk: &Disk) -> Result<(), String> {
        let (slot, shown) = (&self.ready.put.slot, self.ready.put.shown.clone());
        for _ in 0..MOST_RETURNS {
            let now = slot.folder.look(&slot.name).ok().flatten();
            if now.is_none_or(|now| !now.is_unchanged(&self.now)) {
                break;
            }
            if self.ready.rename(disk, Overwrite::Exchanged).is_ok() {
                let _ = disk.sync_folder(&slot.folder);
                return Ok(());
            }
        }
        // What was there before stays under the temporary name until it is swept; the journal has
        // it too.
        self.ready.temp.done();
        Err(shown)
    }

    /// What was there before goes.
    pub(super) fn finish(self, disk: &Disk) -> Result<(), ChangeError> {
        let Self { ready: PreparedFile { put, temp, .. }, .. } = self;
        // The temporary name is that of the old file now. What can't be removed is tried once more.
        match disk.remove(&put.slot.folder, &temp.name) {
            Ok(()) => temp.done(),
            Err(_) => drop(temp),
        }
        disk.sync_folder(&put.slot.folder).map_err(|errno| unconfirmed(errno, &put.shown))
    }
}

/// Servers that share a root compare and exchange one after the other. Another program that holds
/// the file is not waited for long: what it writes is noticed anyway.
fn keep_others_out(disk: &Disk, file: &File) {
    for _ in 0..MOST_TRIES {
        match disk.hold(file) {
            Err(Errno::WOULDBLOCK) => std::thread::sleep(BETWEEN_TRIES),
            _ => return,
        }
    }
}

/// The change is made, and the disk has not confirmed it.
pub(super) fn unconfirmed(errno: Errno, shown: &str) -> ChangeError {
    let problem = format!("`{shown}` was changed, but the disk did not confirm it: `{errno}`");
    let next = "Read it again before going on, and tell the user that the disk may be failing.";
    ChangeError { error: FileError::new(code::IO, problem, next), is_made: true }
}
