//! The segment that is being written: how far it is written, how much of that is on the disk, and
//! how the next one begins.
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::disk::{Disk, LogFile};
use super::error::{AuditError, failed};
use super::files;
use super::recover::End;
use super::segment::Segment;
use super::tip::Tip;

#[derive(Debug)]
pub(super) struct ActiveSegment {
    dir: PathBuf,
    disk: Disk,
    lock: File,
    /// `None` after a failure, until it could be opened again.
    file: Option<LogFile>,
    segment: Segment,
    /// When the segment was begun, or found at the start.
    born: Instant,
    written: Tip,
    /// What of it is known to be on the disk.
    synced: Tip,
    unsynced_since: Option<Instant>,
}

/// What is known about the records that were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SegmentCondition {
    /// They are on the disk.
    Durable,
    /// The process that wrote them may have ended before they were on the disk.
    Unsure,
    /// They are damaged: they stay as they are, and the next segment follows them.
    Damaged,
}

impl ActiveSegment {
    /// Opens the last segment where it ends, or begins one. Everything that was found is on the
    /// disk afterwards.
    pub(super) fn open(
        dir: PathBuf,
        disk: Disk,
        lock: File,
        end: &End,
        found: SegmentCondition,
    ) -> Result<Self, AuditError> {
        let last =
            end.last.as_ref().filter(|(last, _)| found != SegmentCondition::Damaged && is_writable(last));
        let (segment, length) = last.cloned().unwrap_or_else(|| (Segment::new(&dir, end.seq + 1), 0));
        let tip = Tip { seq: end.seq, head: end.head, length };
        let mut file = match disk.open(&segment.path) {
            Err(error) if error.is_not_found() => disk.create(&segment.path)?,
            file => file?,
        };
        file.cut_to(length).map_err(|source| failed("cut", &segment.path, source))?;
        if found != SegmentCondition::Durable {
            file.sync().map_err(|source| failed("make durable", &segment.path, source))?;
            // A segment that is for reading only may have been written by a process that crashed.
            let read_only = end.last.iter().filter(|(last, _)| last.path != segment.path);
            for (last, _) in read_only {
                let synced = files::open_read(&last.path)?.sync_data();
                synced.map_err(|source| failed("make durable", &last.path, source))?;
            }
        }
        if found != SegmentCondition::Durable || length == 0 {
            disk.sync_dir(&dir)?;
        }
        let born = Instant::now();
        let file = Some(file);
        Ok(Self { dir, disk, lock, file, segment, born, written: tip, synced: tip, unsynced_since: None })
    }

    pub(super) fn segment(&self) -> &Segment {
        &self.segment
    }

    pub(super) fn disk(&self) -> &Disk {
        &self.disk
    }

    pub(super) fn written(&self) -> Tip {
        self.written
    }

    pub(super) fn synced(&self) -> Tip {
        self.synced
    }

    /// Since when there is something that may not be on the disk.
    pub(super) fn unsynced_since(&self) -> Option<Instant> {
        self.unsynced_since
    }

    pub(super) fn is_open(&self) -> bool {
        self.file.is_some()
    }

    pub(super) fn is_complete(&self, bytes: u64, age: Duration) -> bool {
        self.written.length >= bytes || self.born.elapsed() >= age
    }

    pub(super) fn write(&mut self, text: &str, tip: Tip) -> Result<(), AuditError> {
        let file = self.file.as_mut().ok_or(io::ErrorKind::NotFound.into());
        file.and_then(|file| file.append(text)).map_err(|source| self.failed(source))?;
        self.written = tip;
        self.unsynced_since.get_or_insert_with(Instant::now);
        Ok(())
    }

    /// Makes what was written durable, and makes sure that it is where a reader looks for it.
    pub(super) fn sync(&mut self) -> Result<(), AuditError> {
        let file = self.file.as_ref().ok_or(io::ErrorKind::NotFound.into());
        let synced = file.and_then(|file| {
            file.sync()?;
            match file.is_in_place()? {
                true => Ok(()),
                false => Err(io::Error::other("another file is in its place")),
            }
        });
        synced.map_err(|source| self.failed(source))?;
        self.synced = self.written;
        self.unsynced_since = None;
        Ok(())
    }

    /// After a failure: goes back to what is certain.
    pub(super) fn forget_unsynced(&mut self) {
        self.written = self.synced;
        self.unsynced_since = None;
        self.file = None;
    }

    /// Opens the segment again after a failure, with what is certain. Says whether it is there; if
    /// it is not, the next one has to be begun.
    pub(super) fn reopen(&mut self) -> Result<bool, AuditError> {
        if self.file.is_some() {
            return Ok(true);
        }
        let lock_is_ours = files::is_in_place(&self.lock, &self.dir.join("lock")).unwrap_or(false);
        if !lock_is_ours {
            self.lock = files::lock(&self.dir)?;
        }
        self.remove_half_begun()?;
        let mut file = match self.disk.open(&self.segment.path) {
            Err(error) if error.is_not_found() => return Ok(false),
            file => file?,
        };
        if file.length().map_err(|source| self.failed(source))? < self.synced.length {
            let why = format!("`{}` has become shorter", self.segment.name());
            return Err(AuditError::Broken { seq: self.synced.seq, why });
        }
        file.cut_to(self.synced.length).map_err(|source| self.failed(source))?;
        self.file = Some(file);
        Ok(true)
    }

    /// Removes what is left of a segment that could not be begun: nothing in it was acknowledged,
    /// and this segment goes on in its place.
    fn remove_half_begun(&self) -> Result<(), AuditError> {
        let mut later = Segment::list(&self.dir)?;
        later.retain(|segment| segment.first > self.segment.first);
        for segment in &later {
            let mut lines = segment.lines()?;
            // A header at most. Anything more was written by another process.
            if lines.next()?.is_some() && lines.next()?.is_some() {
                let why = format!("another process wrote `{}`", segment.name());
                return Err(AuditError::Broken { seq: segment.first, why });
            }
            self.disk.remove(&segment.path)?;
        }
        if later.is_empty() { Ok(()) } else { self.disk.sync_dir(&self.dir) }
    }

    /// Begins the next segment with its header, durably. What was written before must be on the
    /// disk. If that fails, this segment stays the active one.
    pub(super) fn begin_next(
        &mut self,
        header: impl FnOnce(&Segment, Tip) -> (String, Tip),
    ) -> Result<(), AuditError> {
        let next = Segment::new(&self.dir, self.written.seq + 1);
        let (text, tip) = header(&next, Tip { length: 0, ..self.written });
        let mut file = self.disk.create(&next.path)?;
        self.disk.sync_dir(&self.dir)?;
        let begun = file.append(&text).and_then(|()| file.sync());
        begun.map_err(|source| failed("write", &next.path, source))?;
        self.file = Some(file);
        self.segment = next;
        self.born = Instant::now();
        (self.written, self.synced, self.unsynced_since) = (tip, tip, None);
        Ok(())
    }

    /// The segments before this one. Closed segments are made read-only.
    pub(super) fn seal_older(&self) -> Result<Vec<Segment>, AuditError> {
        let mut older = Segment::list(&self.dir)?;
        older.retain(|segment| segment.first < self.segment.first);
        for segment in older.iter().rev().take_while(|segment| is_writable(segment)) {
            self.disk.seal(&segment.path)?;
        }
        Ok(older)
    }

    /// Releases the log for the next writer.
    pub(super) fn unlock(&self) {
        files::unlock(&self.lock);
    }

    fn failed(&self, source: io::Error) -> AuditError {
        failed("write", &self.segment.path, source)
    }
}

/// Whether a segment is still open for writing.
fn is_writable(segment: &Segment) -> bool {
    fs::symlink_metadata(&segment.path).map_or(true, |meta| meta.permissions().mode() & 0o200 != 0)
}
