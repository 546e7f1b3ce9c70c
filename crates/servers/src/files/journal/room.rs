//! Room in the journal. A change reserves what it takes before anything is changed. The measure is
//! the one by which old changes are evicted later: bytes, and a block for each file and folder. The
//! oldest changes are evicted after the new one is made, never before (I-03).
use std::fs::File;
use std::time::{Duration, Instant};

use overt_toolbox::Irreversible;
use rustix::fs::FlockOperation;
use rustix::io::Errno;

use super::super::error::{FileError, code};
use super::super::write::{Disk, remove};
use super::index::Pending;
use super::record::Record;
use super::store::{BLOCK, Blob, Journal, MOST_RECORD, RECORD, failed};

/// A change in the journal that is being made. Its holder settles whether the change was made.
#[derive(Debug)]
pub(crate) struct UnsettledChange<'a> {
    journal: &'a Journal,
    id: String,
    /// The record, locked, so that no other server evicts it.
    record: Option<File>,
    is_settled: bool,
}

/// The reason why something can't be kept, so that changing it can't be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeepError {
    pub(crate) code: &'static str,
    /// A part of a sentence.
    pub(crate) why: String,
    /// What to do to get a change that can be undone.
    pub(crate) instead: &'static str,
}

/// Maximum age of the index while changes overlap. After that, it is read again, to count what
/// other processes added.
const LOOKED: Duration = Duration::from_secs(1);

impl From<KeepError> for FileError {
    fn from(KeepError { code, why, instead }: KeepError) -> Self {
        Self::new(code, format!("{why}, so the change could not be undone; nothing was done"), instead)
    }
}

impl From<KeepError> for Irreversible {
    fn from(KeepError { why, instead, .. }: KeepError) -> Self {
        Self { why, instead: instead.to_owned() }
    }
}

impl Journal {
    /// Returns the room that content takes in addition to its record, for so many bytes in so many
    /// files and folders.
    pub(crate) fn needed_room(bytes: u64, entries: u64) -> u64 {
        bytes.saturating_add(entries.saturating_sub(1).saturating_mul(BLOCK))
    }

    /// Fails if so many bytes can't be kept even in an empty journal.
    pub(crate) fn check_room(&self, takes: u64, shown: &str) -> Result<(), KeepError> {
        if takes.saturating_add(BLOCK) <= self.max_bytes {
            return Ok(());
        }
        Err(KeepError {
            code: code::TOO_LARGE,
            why: format!(
                "`{shown}` takes {takes} bytes in the journal, which keeps at most {}",
                self.max_bytes
            ),
            instead: "Change smaller parts, or ask the user to raise `journal_max_bytes` and call again.",
        })
    }

    /// Writes the record of a change that is about to be made, with the old content. Reserves room
    /// first; nothing is evicted before the change is made. `restored_from` is an earlier change,
    /// which is not evicted until then.
    pub(crate) fn add(
        &self,
        disk: &Disk,
        record: &Record,
        blob: Option<Blob<'_>>,
        restored_from: Option<&str>,
    ) -> Result<UnsettledChange<'_>, FileError> {
        let line = serde_json::to_string(record).map_err(|_| failed(Errno::INVAL))? + "\n";
        if line.len() as u64 > MOST_RECORD {
            return Err(FileError::new(
                code::TOO_LARGE,
                "the change has too many paths for the journal; nothing was done",
                "Make it in smaller parts.",
            ));
        }
        let mut entry = self.reserve(disk, &record.id, record.kept_bytes, restored_from)?;
        let name = format!("{}{RECORD}", record.id);
        match self.write(disk, &name, &line, blob) {
            Ok(file) => {
                entry.written(file);
                Ok(entry)
            }
            Err(error) => {
                entry.forget(disk);
                Err(error)
            }
        }
    }

    fn write(&self, disk: &Disk, name: &str, line: &str, blob: Option<Blob<'_>>) -> Result<File, FileError> {
        let file = disk.create(&self.folder, name).map_err(failed)?;
        // The lock keeps other servers from evicting the record until the change is made.
        disk.hold(&file).map_err(failed)?;
        disk.write(&file, line.as_bytes()).map_err(failed)?;
        if let Some(blob) = blob {
            // The journal keeps exactly the bytes that the plan saw.
            blob.read(disk, |bytes| disk.write(&file, bytes))?;
        }
        disk.sync(&file).map_err(failed)?;
        disk.sync_folder(&self.folder).map_err(failed)?;
        Ok(file)
    }

    /// Reserves room for a change, as long as the entry lives.
    fn reserve(
        &self,
        disk: &Disk,
        id: &str,
        kept_bytes: u64,
        restored_from: Option<&str>,
    ) -> Result<UnsettledChange<'_>, FileError> {
        self.check_room(kept_bytes, "what was there")?;
        let bytes = kept_bytes.saturating_add(BLOCK);
        let mut index = self.lock();
        let reserved = index.pending.values().fold(0_u64, |sum, pending| sum.saturating_add(pending.bytes));
        if reserved.saturating_add(bytes) > self.max_bytes {
            return Err(FileError::new(
                code::BUSY,
                "the changes that are being made take all the room of the journal; nothing was done",
                "Call again when they are done.",
            ));
        }
        index
            .pending
            .insert(id.to_owned(), Pending { bytes, restored_from: restored_from.map(str::to_owned) });
        index.is_mixed |= index.pending.len() > 1;
        let is_fresh =
            index.is_mixed && index.checked_at.is_some_and(|checked_at| checked_at.elapsed() < LOOKED);
        if index.changes.is_none() || !(is_fresh || index.modified == self.modified()) {
            index.checked_at = Some(Instant::now());
            index.is_mixed = index.pending.len() > 1;
            index.modified = self.modified();
            let known = index.changes.take().unwrap_or_default();
            let mut changes = self.sizes(disk, &known);
            changes.retain(|id, _| !index.pending.contains_key(id));
            index.total = changes.values().fold(0, |sum, bytes| sum.saturating_add(*bytes));
            index.changes = Some(changes);
        }
        Ok(UnsettledChange { journal: self, id: id.to_owned(), record: None, is_settled: false })
    }

    /// Removes the record of an earlier process's change that never happened.
    pub(crate) fn forget(&self, disk: &Disk, id: &str) {
        let _ = disk.remove(&self.folder, &format!("{id}{RECORD}"));
        self.lock().set(id, None);
    }

    /// Notes that the content which a change removed was moved out of the journal.
    pub(crate) fn released(&self, id: &str) {
        self.lock().set(id, Some(BLOCK));
    }

    /// Evicts the oldest changes until the rest fits.
    fn evict(&self, disk: &Disk) {
        let mut held = Vec::new();
        loop {
            let victim = self.lock().oldest_beyond(self.max_bytes, &held);
            let Some(id) = victim else { return };
            let name = format!("{id}{RECORD}");
            if self.is_held(&name) {
                held.push(id);
                continue;
            }
            self.lock().set(&id, None);
            let _ = disk.remove(&self.folder, &name);
            let _ = remove::all(disk, &self.folder, &Self::kept_name(&id));
        }
    }

    /// Whether another server is still making the change.
    fn is_held(&self, name: &str) -> bool {
        let Ok(record) = self.folder.child_file(name) else { return false };
        let lock = rustix::fs::flock(&record.file, FlockOperation::NonBlockingLockExclusive);
        matches!(lock, Err(Errno::WOULDBLOCK))
    }
}

impl UnsettledChange<'_> {
    /// Notes that the record is written.
    fn written(&mut self, record: File) {
        self.record = Some(record);
        self.journal.lock().modified = self.journal.modified();
    }

    /// Settles a change that was made, and evicts old changes if necessary.
    pub(crate) fn keep(mut self, disk: &Disk) {
        self.settle(true);
        self.journal.evict(disk);
    }

    /// Settles a change that was not made, and removes its record.
    pub(crate) fn forget(mut self, disk: &Disk) {
        let _ = disk.remove(&self.journal.folder, &format!("{}{RECORD}", self.id));
        self.settle(false);
    }

    fn settle(&mut self, is_made: bool) {
        self.is_settled = true;
        self.record = None;
        let mut index = self.journal.lock();
        let pending = index.pending.remove(&self.id);
        if let Some(pending) = pending.filter(|_| is_made) {
            index.set(&self.id, Some(pending.bytes));
        }
        index.modified = self.journal.modified();
    }
}

impl Drop for UnsettledChange<'_> {
    fn drop(&mut self) {
        if !self.is_settled {
            // It is not known whether the change was made. The record stays, and undoing finds out.
            self.settle(true);
        }
    }
}
