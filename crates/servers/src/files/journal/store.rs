//! The folder of the journal. Each change has a file with the record in its first line and the old
//! content after it. Removed entries are kept beside it. The oldest changes are evicted when there
//! is no more room.
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use overt_layers::content_digest::ContentDigester;
use overt_wire::hex::hex;
use rustix::io::Errno;

use super::super::access::{Folder, Kind, OpenError};
use super::super::error::{FileError, code};
use super::super::write::{CHUNK, Disk, SeenContent, remove};
use super::index::Index;
use super::record::Record;

/// The journal of a server. Several processes may share it.
#[derive(Debug)]
pub(crate) struct Journal {
    pub(crate) folder: Folder,
    pub(super) max_bytes: u64,
    pub(super) index: Mutex<Index>,
    /// The timestamp of the latest id, in milliseconds.
    last: AtomicU64,
}

/// Old content to write into the journal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Blob<'a> {
    pub(crate) file: &'a File,
    pub(crate) size: u64,
    /// What the plan saw of the content, if it read it.
    pub(crate) planned_content: Option<SeenContent<'a>>,
}

/// Maximum bytes of a record.
pub(super) const MOST_RECORD: u64 = 1 << 20;
/// The least that a record takes on disk, in bytes.
pub(super) const BLOCK: u64 = 4096;
pub(super) const RECORD: &str = ".change";
pub(super) const KEPT: &str = ".kept";

impl Journal {
    /// Opens the folder, and creates it if necessary.
    pub(crate) fn open(path: &Path, max_bytes: u64) -> Result<Self, OpenError> {
        Ok(Self {
            folder: Folder::open_private(path)?,
            max_bytes,
            index: Mutex::default(),
            last: AtomicU64::default(),
        })
    }

    /// Returns the id of the next change. Ids sort by time, also across processes.
    pub(crate) fn next_id(&self) -> Result<String, FileError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis());
        let now = u64::try_from(now).unwrap_or(u64::MAX);
        let next = |last: u64| last.saturating_add(1).max(now);
        let last = self.last.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(next(last)));
        let at = last.map_or(now, next);
        let mut bits = [0_u8; 3];
        getrandom::fill(&mut bits).map_err(|_| failed(Errno::IO))?;
        Ok(format!("c-{at:013}-{}", hex(&bits)))
    }

    /// Returns the name under which the journal keeps what a change removes.
    pub(crate) fn kept_name(id: &str) -> String {
        format!("{id}{KEPT}")
    }

    /// Returns the record of a change, and its file, positioned at the old content.
    pub(crate) fn find(&self, id: &str) -> Result<(Record, File), FileError> {
        if !is_id(id) {
            return Err(Self::unknown(id));
        }
        self.read(id).ok_or_else(|| Self::unknown(id))
    }

    pub(crate) fn unknown(id: &str) -> FileError {
        FileError::new(
            code::UNKNOWN_CHANGE,
            format!("there is no change `{id}`, or it is too old and no longer kept"),
            "Give the `change` of an entry of `list_changes`, or the `path` of a file whose last change is to be undone.",
        )
    }

    /// Returns the latest change that `is_wanted` accepts. It is asked about the latest change
    /// first.
    pub(crate) fn last(&self, mut is_wanted: impl FnMut(&Record) -> bool) -> Option<Record> {
        let ids = self.ids();
        ids.into_iter()
            .rev()
            .find_map(|id| self.read(&id).map(|(record, _)| record).filter(|record| is_wanted(record)))
    }

    /// Returns all changes in the journal, the latest first.
    pub(crate) fn all(&self) -> impl Iterator<Item = Record> {
        self.ids().into_iter().rev().filter_map(|id| self.read(&id).map(|(record, _)| record))
    }

    fn read(&self, id: &str) -> Option<(Record, File)> {
        let mut file = self.folder.child_file(&format!("{id}{RECORD}")).ok()?.file;
        let mut line = Vec::new();
        // Reading byte by byte would be slow. Reads blocks, then seeks back to the end of the line.
        let mut part = [0; 4096];
        let end = loop {
            let count = file.read(&mut part).ok().filter(|count| *count > 0)?;
            line.extend_from_slice(&part[..count]);
            if let Some(end) = memchr::memchr(b'\n', &line) {
                break end;
            }
            if line.len() as u64 > MOST_RECORD {
                return None;
            }
        };
        let record: Record = serde_json::from_str(std::str::from_utf8(&line[..end]).ok()?).ok()?;
        rustix::fs::seek(&file, rustix::fs::SeekFrom::Start(end as u64 + 1)).ok()?;
        (record.id == id && record.version == super::VERSION).then_some((record, file))
    }

    /// The folder's modification time, which changes whenever an entry is added or removed.
    pub(super) fn modified(&self) -> (i64, i64) {
        let about = rustix::fs::fstat(&self.folder);
        about.map_or((0, 0), |about| (about.st_mtime, i64::try_from(about.st_mtime_nsec).unwrap_or(0)))
    }

    /// Reads the sizes of all changes from disk, except those already in `known`. Removes old
    /// leftovers that belong to no readable record.
    pub(super) fn sizes(&self, disk: &Disk, known: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
        let mut sizes: BTreeMap<String, u64> = BTreeMap::new();
        for id in self.ids() {
            if let Some(size) = known.get(&id) {
                sizes.insert(id, *size);
            } else if let Some((record, _)) = self.read(&id) {
                sizes.insert(id, record.kept_bytes.saturating_add(BLOCK));
            } else if self.is_old(&format!("{id}{RECORD}")) {
                let _ = disk.remove(&self.folder, &format!("{id}{RECORD}"));
            }
        }
        for id in self.names(KEPT).into_iter().filter(|id| !sizes.contains_key(id)) {
            if self.is_old(&Self::kept_name(&id)) {
                let _ = remove::all(disk, &self.folder, &Self::kept_name(&id));
            }
        }
        sizes
    }

    /// Whether the file is older than ten minutes, so that no process can still be writing it.
    fn is_old(&self, name: &str) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos());
        let changed = self.folder.entry_facts(name).ok().flatten().map(|facts| facts.changed);
        changed.is_some_and(|changed| i128::try_from(now).unwrap_or(0) - changed > 600_000_000_000)
    }

    fn ids(&self) -> Vec<String> {
        self.names(RECORD)
    }

    /// Returns the ids of the files that end with `end`, the oldest first.
    pub(crate) fn names(&self, end: &str) -> Vec<String> {
        let Ok(listing) = rustix::fs::Dir::read_from(&self.folder) else { return Vec::new() };
        let name = |entry: rustix::fs::DirEntry| {
            Some(entry.file_name().to_str().ok()?.strip_suffix(end)?.to_owned())
        };
        let mut ids: Vec<_> = listing.flatten().filter_map(name).filter(|id| is_id(id)).collect();
        ids.sort_unstable();
        ids
    }

    /// Opens the old content of the file with this index, in a change of several files. `None` if
    /// the journal does not have it.
    pub(crate) fn kept_file(&self, id: &str, index: usize) -> Option<File> {
        let folder = self.folder.child_folder(&Self::kept_name(id)).ok()?;
        folder.child_file(&index.to_string()).ok().map(|open| open.file)
    }

    /// The error that stops a change whose old content can't be kept.
    pub(crate) fn not_kept(errno: Errno) -> FileError {
        failed(errno)
    }

    /// Returns the kind of the entry that a change removed, if the journal still has it.
    pub(crate) fn kept_kind(&self, id: &str) -> Option<Kind> {
        Some(self.folder.entry_facts(&Self::kept_name(id)).ok()??.kind)
    }

    pub(super) fn lock(&self) -> std::sync::MutexGuard<'_, Index> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Blob<'_> {
    /// Fails if the content is no longer what the plan saw.
    pub(crate) fn check(&self, disk: &Disk) -> Result<(), FileError> {
        self.read(disk, |_| Ok(()))
    }

    pub(super) fn read(
        &self,
        disk: &Disk,
        mut take: impl FnMut(&[u8]) -> Result<(), Errno>,
    ) -> Result<(), FileError> {
        disk.rewind(self.file).map_err(failed)?;
        let (mut rest, wanted) = match self.planned_content {
            Some(SeenContent::Content(content)) => (Some(content), None),
            Some(SeenContent::Digest(digest)) => (None, Some(digest)),
            None => (None, None),
        };
        let mut digest = wanted.map(|_| ContentDigester::default());
        let mut left = self.size;
        let mut buffer = vec![0; usize::try_from(left).unwrap_or(CHUNK).min(CHUNK)];
        while left > 0 {
            let most = usize::try_from(left).unwrap_or(CHUNK).min(CHUNK);
            let count = disk.read(self.file, &mut buffer[..most]).map_err(failed)?;
            if count == 0 {
                break;
            }
            left -= count as u64;
            let read = &buffer[..count];
            rest = match rest.map(|rest| rest.strip_prefix(read)) {
                Some(None) => return Err(FileError::conflict("the file")),
                rest => rest.flatten(),
            };
            digest.iter_mut().for_each(|digest| digest.bytes(read));
            take(read).map_err(failed)?;
        }
        let is_seen = digest.map(|digest| digest.finish().into()) == wanted;
        let is_same = left == 0 && rest.is_none_or(<[u8]>::is_empty) && is_seen;
        if is_same { Ok(()) } else { Err(FileError::conflict("the file")) }
    }
}

/// Whether the text is an id such as `c-1794757265123-3fa9c1`.
pub(super) fn is_id(text: &str) -> bool {
    let mut parts = text.split('-');
    let is = |part: Option<&str>, least: usize, of: fn(&u8) -> bool| {
        part.is_some_and(|part| part.len() >= least && part.len() <= 20 && part.bytes().all(|byte| of(&byte)))
    };
    parts.next() == Some("c")
        && is(parts.next(), 13, u8::is_ascii_digit)
        && is(parts.next(), 6, u8::is_ascii_hexdigit)
        && parts.next().is_none()
}

pub(super) fn failed(errno: Errno) -> FileError {
    FileError::new(
        if matches!(errno, Errno::NOSPC | Errno::DQUOT) { code::NO_SPACE } else { code::IO },
        format!("the previous content could not be kept in the journal ({errno}), so nothing was changed"),
        "Ask the user to check the disk of the journal, then call again.",
    )
}
