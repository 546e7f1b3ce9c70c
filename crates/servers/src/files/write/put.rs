//! New content for a file, written under a temporary name first. A failure leaves no temporary file
//! behind.
use std::fs::File;
use std::sync::Arc;

use overt_layers::content_digest::ContentDigester;
use overt_toolbox::Irreversible;
use rustix::io::Errno;

use super::super::access::Slot;
use super::super::error::{FileError, code};
use super::super::file_digest::FileDigest;
use super::super::work::Stop;
use super::attributes::{self, Attributes};
use super::disk::{CHUNK, Disk};
use super::old_file::OldFile;
use super::temp::Temp;

/// Content to write to a name.
#[derive(Debug)]
pub(crate) struct Put {
    pub(crate) slot: Slot,
    /// The file that is replaced. The new file keeps its mode, owner and attributes.
    pub(crate) old: Option<OldFile>,
    pub(crate) parts: Vec<Part>,
    /// The mode of a file that did not exist, before the umask of the process.
    pub(crate) mode: u32,
    /// The path as the client wrote it.
    pub(crate) shown: String,
    /// The reason why the old content is not kept, if a person agreed to that.
    pub(crate) lost: Option<Irreversible>,
}

/// A piece of the new content.
#[derive(Debug)]
pub(crate) enum Part {
    Bytes(Vec<u8>),
    /// Text of the call, which may be large.
    Text(Arc<String>),
    /// The old content from this offset on.
    OldFile {
        skip: u64,
    },
    /// Content of another file: `size` bytes from its current position.
    File {
        file: File,
        size: u64,
    },
}

/// A new file under its temporary name.
#[derive(Debug)]
pub(super) struct PreparedFile<'a> {
    pub(super) put: &'a Put,
    pub(super) temp: Temp<'a>,
    pub(super) size: u64,
    pub(super) digest: FileDigest,
}

impl Part {
    /// Returns its size in bytes, when a file of `old` bytes is changed.
    pub(crate) fn size(&self, old: u64) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Text(text) => text.len() as u64,
            Self::OldFile { skip } => old.saturating_sub(*skip),
            Self::File { size, .. } => *size,
        }
    }

    /// Returns its bytes, unless they are in a file.
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::Text(text) => Some(text.as_bytes()),
            Self::OldFile { .. } | Self::File { .. } => None,
        }
    }
}

impl Put {
    /// Writes the new content to a temporary file.
    pub(super) fn prepare<'a>(&'a self, disk: &'a Disk, stop: &Stop) -> Result<PreparedFile<'a>, FileError> {
        let failed = |errno| FileError::system(errno, &self.shown);
        // A file that gets the mode of an old file is accessible to us alone until then (FS-42).
        let mode = if self.old.is_some() { 0o600 } else { self.mode };
        let temp = Temp::create(disk, &self.slot.folder, mode).map_err(failed)?;
        let mut writing =
            DigestWriter { disk, file: &temp.file, size: 0, digester: ContentDigester::default() };
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
        let (size, digest) = (writing.size, writing.digester.finish().into());
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

    /// Copies mode, owner and attributes of the old file. A file that did not exist got its mode
    /// when it was created.
    fn keep(&self, disk: &Disk, file: &File) -> Result<(), FileError> {
        let failed = |errno| FileError::system(errno, &self.shown);
        let Some(old) = &self.old else { return Ok(()) };
        let (uid, gid) = (old.facts().uid, old.facts().gid);
        let is_other =
            rustix::fs::fstat(file).map_err(failed).map(|own| (own.st_uid, own.st_gid) != (uid, gid))?;
        if is_other {
            disk.set_owner(file, uid, gid).map_err(|errno| match errno {
                Errno::PERM => FileError::new(
                    code::SYSTEM_DENIED,
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

/// Counts and digests the bytes that it writes.
struct DigestWriter<'a> {
    disk: &'a Disk,
    file: &'a File,
    size: u64,
    digester: ContentDigester,
}

impl DigestWriter<'_> {
    fn take(&mut self, bytes: &[u8]) -> Result<(), Errno> {
        self.disk.write(self.file, bytes)?;
        self.size += bytes.len() as u64;
        self.digester.bytes(bytes);
        Ok(())
    }
}
