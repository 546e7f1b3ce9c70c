//! The new content of a name, written beside it first. What fails leaves nothing lying about.
use std::fs::File;
use std::sync::Arc;

use overt_toolbox::Irreversible;
use rustix::io::Errno;

use super::super::access::Slot;
use super::super::error::{FileError, code};
use super::super::file_digest::{FileDigest, FileDigester};
use super::super::work::Stop;
use super::attributes::{self, Attributes};
use super::disk::{CHUNK, Disk};
use super::old_file::OldFile;
use super::temp::Temp;

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
    pub(super) put: &'a Put,
    pub(super) temp: Temp<'a>,
    pub(super) size: u64,
    pub(super) digest: FileDigest,
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
        let mut writing = DigestWriter { disk, file: &temp.file, size: 0, digester: FileDigester::default() };
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
        let (size, digest) = (writing.size, writing.digester.finish());
        self.keep(disk, &temp.file)?;
        disk.sync(&temp.file).map_err(failed)?;
        Ok(PreparedFile { put: self, temp, size, digest })
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
    digester: FileDigester,
}

impl DigestWriter<'_> {
    fn take(&mut self, bytes: &[u8]) -> Result<(), Errno> {
        self.disk.write(self.file, bytes)?;
        self.size += bytes.len() as u64;
        self.digester.update(bytes);
        Ok(())
    }
}
