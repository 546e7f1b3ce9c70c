//! Gives a name new content: everything is written beside it first, and then it is the new one at once. Whatever fails, the file is
//! old or new, and nothing is left lying about (FS-32, FS-37).
use std::fs::File;

use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

use super::super::error::{FileError, code};
use super::super::space::Slot;
use super::super::work::Stop;
use super::copy;
use super::disk::{CHUNK, Disk, Over};
use super::old::Old;
use super::temp::Temp;
use super::tree::hex;

/// What is to be there.
#[derive(Debug)]
pub(crate) struct Put {
    pub(crate) slot: Slot,
    /// What is there now: it keeps its mode, its owner and its attributes.
    pub(crate) old: Option<Old>,
    pub(crate) parts: Vec<Part>,
    /// The mode of a file that was not there, less what the process itself withholds.
    pub(crate) mode: u32,
    /// What the client called it.
    pub(crate) shown: String,
}

/// A piece of the new content.
#[derive(Debug)]
pub(crate) enum Part {
    Bytes(Vec<u8>),
    /// The old content from here on.
    Old {
        skip: u64,
    },
    /// Of another file, from where it stands to so many bytes.
    File {
        file: File,
        size: u64,
    },
}

/// Written, and not yet there.
#[derive(Debug)]
pub(super) struct Ready<'a> {
    put: &'a Put,
    temp: Temp<'a>,
    pub(super) size: u64,
    pub(super) sha256: String,
}

/// Why a change was not made, or not wholly.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) error: FileError,
    pub(crate) is_made: bool,
}

impl Put {
    /// Writes the new content beside the old one.
    pub(super) fn prepare<'a>(&'a self, disk: &'a Disk, stop: &Stop) -> Result<Ready<'a>, FileError> {
        let failed = |errno| FileError::system(errno, &self.shown);
        // What is to have the mode of an old file is for us alone until then (FS-42).
        let mode = if self.old.is_some() { 0o600 } else { self.mode };
        let temp = Temp::create(disk, &self.slot.folder, mode).map_err(failed)?;
        let mut writing = Writing { disk, file: &temp.file, size: 0, sha256: Sha256::new() };
        for part in &self.parts {
            match part {
                Part::Bytes(bytes) => writing.take(bytes).map_err(failed)?,
                Part::Old { skip } => {
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
        Ok(Ready { put: self, temp, size, sha256 })
    }

    fn skip(&self, disk: &Disk, file: &File, skip: u64) -> Result<(), Errno> {
        disk.rewind(file)?;
        rustix::fs::seek(file, rustix::fs::SeekFrom::Start(skip)).map(drop)
    }

    fn stream(
        &self,
        writing: &mut Writing<'_>,
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
                        "`{}` belongs to somebody else, and would belong to this server afterwards",
                        self.shown
                    ),
                    "Ask the user to make the change, or to change who owns the file.",
                ),
                errno => failed(errno),
            })?;
        }
        copy::attributes(disk, &old.open.file, file).map_err(failed)?;
        disk.set_mode(file, old.facts().mode).map_err(failed)
    }
}

/// Counts and digests what is written.
struct Writing<'a> {
    disk: &'a Disk,
    file: &'a File,
    size: u64,
    sha256: Sha256,
}

impl Writing<'_> {
    fn take(&mut self, bytes: &[u8]) -> Result<(), Errno> {
        self.disk.write(self.file, bytes)?;
        self.size += bytes.len() as u64;
        self.sha256.update(bytes);
        Ok(())
    }
}

impl Ready<'_> {
    /// The file is the new one, unless it is no longer what the plan saw.
    pub(super) fn perform(self, disk: &Disk) -> Result<(), Failed> {
        let (slot, shown) = (&self.put.slot, &self.put.shown);
        let not_made = |error| Failed { error, is_made: false };
        let failed = |errno| not_made(FileError::system(errno, shown));
        if !slot.folder.is_in_place() {
            return Err(not_made(FileError::conflict(shown)));
        }
        let now = slot.folder.look(&slot.name).map_err(not_made)?;
        let over = match &self.put.old {
            Some(old) if now.as_ref() != Some(old.facts()) => {
                return Err(not_made(FileError::conflict(shown)));
            }
            Some(_) => Over::Anything,
            None => Over::Nothing,
        };
        let renamed = disk.rename((&slot.folder, &self.temp.name), (&slot.folder, &slot.name), over);
        renamed.map_err(|errno| match errno {
            Errno::EXIST => not_made(FileError::exists(shown)),
            errno => failed(errno),
        })?;
        self.temp.done();
        disk.sync_folder(&slot.folder).map_err(|errno| unconfirmed(errno, shown))
    }
}

/// The change is made, and the disk has not confirmed it.
pub(super) fn unconfirmed(errno: Errno, shown: &str) -> Failed {
    let problem = format!("`{shown}` was changed, but the disk did not confirm it: `{errno}`");
    let next = "Read it again before going on, and tell the user that the disk may be failing.";
    Failed { error: FileError::new(code::IO, problem, next), is_made: true }
}
