//! A file that is to be changed, as the plan saw it.
use std::fs::File;
use std::io::Read as _;

use overt_layers::content_digest::ContentDigester;
use rustix::fs::{Access, AtFlags};
use rustix::io::Errno;

use super::super::access::{Facts, Kind, OpenFile, Slot, View};
use super::super::error::{FileError, code};
use super::super::file_digest::FileDigest;
use super::super::work::Stop;
use super::disk::{CHUNK, Disk};

/// What is allowed for a file with a second hard link, which may be outside of every root (FS-12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HardLinks {
    Deny,
    Read,
    Allow,
}

/// The open file, with its content if that is small enough to be shown.
#[derive(Debug)]
pub(crate) struct OldFile {
    pub(crate) open: OpenFile,
    pub(crate) content: Option<Content>,
    /// The digest, if the content was read but is not held in memory.
    pub(crate) digest: Option<FileDigest>,
}

/// What a plan saw of a file's content: all of it, or its digest.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SeenContent<'a> {
    Content(&'a [u8]),
    Digest(FileDigest),
}

#[derive(Debug)]
pub(crate) struct Content {
    pub(crate) bytes: Vec<u8>,
    pub(crate) digest: FileDigest,
}

impl HardLinks {
    /// Reads the setting. An unknown word means the strictest.
    pub(crate) fn of(word: &str) -> Self {
        match word {
            "allow" => Self::Allow,
            "read" => Self::Read,
            _ => Self::Deny,
        }
    }

    /// Fails if a file with these facts must not be changed.
    pub(crate) fn check_change(self, facts: &Facts, shown: &str) -> Result<(), FileError> {
        if self == Self::Allow || facts.kind != Kind::File || facts.links < 2 {
            return Ok(());
        }
        Err(FileError::new(
            code::HARD_LINK,
            format!(
                "`{shown}` has {} names (hard links), and the others may be outside of every root; nothing was changed",
                facts.links
            ),
            "Copy it with `copy_file` and change the copy, or ask the user to set `hardlinks` to `allow`; its other names then keep the old content.",
        ))
    }
}

impl OldFile {
    /// Opens the file at the slot, and reads it if it has at most `most` bytes.
    pub(crate) fn open(slot: &Slot, hardlinks: HardLinks, most: u64, shown: &str) -> Result<Self, FileError> {
        let failed = |errno| FileError::system(errno, shown);
        let open = slot.folder.child_file_shown(&slot.name, shown)?;
        hardlinks.check_change(&open.facts, shown)?;
        // The rename would replace even a file that we may not write to.
        rustix::fs::accessat(&slot.folder, &*slot.name, Access::WRITE_OK, AtFlags::EACCESS)
            .map_err(failed)?;
        let content = if open.facts.size > most { None } else { Some(Content::read(&open, most, shown)?) };
        Ok(Self { open, content, digest: None })
    }

    /// What the plan saw of the content, if it was read.
    pub(crate) fn seen_content(&self) -> Option<SeenContent<'_>> {
        let whole = self.content.as_ref().map(|content| SeenContent::Content(&content.bytes));
        whole.or_else(|| self.digest.map(SeenContent::Digest))
    }

    /// The digest of the content, if it was read.
    pub(crate) fn seen_digest(&self) -> Option<FileDigest> {
        self.content.as_ref().map(|content| content.digest).or(self.digest)
    }

    /// Digests the whole content without holding it in memory.
    pub(crate) fn digest(&self, disk: &Disk, stop: &Stop, shown: &str) -> Result<FileDigest, FileError> {
        match self.seen_digest() {
            Some(known) => Ok(known),
            None => digest_of_file(&self.open.file, self.facts().size, (disk, stop, shown)),
        }
    }

    /// Reads the file so that people can look at it. `None` if it can't be read. No decision
    /// depends on the result.
    pub(crate) fn peek(slot: &Slot, view: &View, most: u64, shown: &str) -> Option<Self> {
        let open = slot.folder.child_file(&slot.name).ok()?;
        view.check_links(&open.facts, shown).ok()?;
        let content = if open.facts.size > most { None } else { Content::read(&open, most, shown).ok() };
        Some(Self { open, content, digest: None })
    }

    pub(crate) fn facts(&self) -> &Facts {
        &self.open.facts
    }

    /// Identifies the file as the plan saw it. A plan is bound to this text.
    pub(crate) fn identity(&self) -> String {
        let facts = self.facts();
        let digest = self.seen_digest().map(|digest| digest.to_string()).unwrap_or_default();
        let Facts { device, inode, size, modified, mode, uid, gid, .. } = facts;
        format!("{device}:{inode}:{size}:{modified}:{mode}:{uid}:{gid}:{digest}")
    }
}

impl Content {
    pub(crate) fn of(bytes: Vec<u8>) -> Self {
        Self { digest: FileDigest::of(&bytes), bytes }
    }

    fn read(open: &OpenFile, most: u64, shown: &str) -> Result<Self, FileError> {
        let mut bytes = Vec::with_capacity(usize::try_from(open.facts.size).unwrap_or(0));
        let read = (&open.file).take(most.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| FileError::system(Errno::from_io_error(&error).unwrap_or(Errno::IO), shown))?;
        // Another program is writing to the file.
        if bytes.len() as u64 != open.facts.size {
            return Err(FileError::conflict(shown));
        }
        Ok(Self::of(bytes))
    }
}

/// Digests the first `size` bytes of a file.
pub(super) fn digest_of_file(
    file: &File,
    size: u64,
    (disk, stop, shown): (&Disk, &Stop, &str),
) -> Result<FileDigest, FileError> {
    let failed = |errno| FileError::system(errno, shown);
    disk.rewind(file).map_err(failed)?;
    let (mut digester, mut buffer) = (ContentDigester::default(), vec![0; CHUNK]);
    let mut left = size;
    while left > 0 {
        stop.check()?;
        let most = usize::try_from(left).unwrap_or(CHUNK).min(CHUNK);
        let count = disk.read(file, &mut buffer[..most]).map_err(failed)?;
        if count == 0 {
            return Err(FileError::conflict(shown));
        }
        left -= count as u64;
        digester.bytes(&buffer[..count]);
    }
    Ok(digester.finish().into())
}
