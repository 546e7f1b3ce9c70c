//! The segment that is being written: how far it is written, how much of that is on disk, and how
//! the next segment begins.
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
    /// `None` after a failure, until the file is opened again.
    file: Option<LogFile>,
    segment: Segment,
    /// When the segment was begun, or found at startup.
    born: Instant,
    written: Tip,
    /// The part that is known to be on disk.
    synced: Tip,
    unsynced_since: Option<Instant>,
}

/// The condition of the records that were found at startup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SegmentCondition {
    /// They are on disk.
    Durable,
    /// The process that wrote them may have ended before they were on disk.
    Unsure,
    /// They are damaged. They stay unchanged, and the next segment follows them.
    Damaged,
}

impl ActiveSegment {
    /// Opens the last segment at its end, or begins a new one. Afterwards all records that were
    /// found are on disk.
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
            // A process that crashed may have written the read-only segment without syncing it.
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

    /// The time since which some written text may not be on disk.
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

    /// Writes the text, and makes it and everything before it durable.
    pub(super) fn write_durably(&mut self, text: &str, tip: Tip) -> Result<(), AuditError> {
        if self.unsynced_since.is_some() {
            self.write(text, tip)?;
            return self.sync();
        }
        let file = self.file.as_mut().ok_or(io::ErrorKind::NotFound.into());
        file.and_then(|file| file.append_durably(text)).map_err(|source| self.failed(source))?;
        self.written = tip;
        self.note_synced()
    }

    /// Makes the written text durable.
    pub(super) fn sync(&mut self) -> Result<(), AuditError> {
        let file = self.file.as_ref().ok_or(io::ErrorKind::NotFound.into());
        file.and_then(LogFile::sync).map_err(|source| self.failed(source))?;
        self.note_synced()
    }

    /// Notes that the written text is durable, if readers find this file at its path.
    fn note_synced(&mut self) -> Result<(), AuditError> {
        let file = self.file.as_ref().ok_or(io::ErrorKind::NotFound.into());
        let is_found = file.and_then(|file| match file.is_in_place()? {
            true => Ok(()),
            false => Err(io::Error::other("another file is in its place")),
        });
        is_found.map_err(|source| self.failed(source))?;
        self.synced = self.written;
        self.unsynced_since = None;
        Ok(())
    }

    /// Goes back, after a failure, to what is known to be on disk.
    pub(super) fn forget_unsynced(&mut self) {
        self.written = self.synced;
        self.unsynced_since = None;
        self.file = None;
    }

    /// Reopens the segment after a failure, at the end of what is known to be on disk. Returns
    /// false if the file no longer exists; then the next segment has to be begun.
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

    /// Removes the remains of a segment that could not be begun. Nothing in it was acknowledged,
    /// and this segment continues instead.
    fn remove_half_begun(&self) -> Result<(), AuditError> {
        let mut later = Segment::list(&self.dir)?;
        later.retain(|segment| segment.first > self.segment.first);
        for segment in &later {
            let mut lines = segment.lines()?;
            // We wrote a header at most. Another process wrote anything more.
            if lines.next()?.is_some() && lines.next()?.is_some() {
                let why = format!("another process wrote `{}`", segment.name());
                return Err(AuditError::Broken { seq: segment.first, why });
            }
            self.disk.remove(&segment.path)?;
        }
        if later.is_empty() { Ok(()) } else { self.disk.sync_dir(&self.dir) }
    }

    /// Begins the next segment durably, with its header. The caller must have synced the earlier
    /// text. If this fails, the current segment stays active.
    pub(super) fn begin_next(
        &mut self,
        header: impl FnOnce(&Segment, Tip) -> (String, Tip),
    ) -> Result<(), AuditError> {
        let next = Segment::new(&self.dir, self.written.seq + 1);
        let (text, tip) = header(&next, Tip { length: 0, ..self.written });
        let mut file = self.disk.create(&next.path)?;
        self.disk.sync_dir(&self.dir)?;
        file.append_durably(&text).map_err(|source| failed("write", &next.path, source))?;
        self.file = Some(file);
        self.segment = next;
        self.born = Instant::now();
        (self.written, self.synced, self.unsynced_since) = (tip, tip, None);
        Ok(())
    }

    /// Lists the segments before this one, and makes closed ones read-only.
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

/// Returns whether a segment is still open for writing.
fn is_writable(segment: &Segment) -> bool {
    fs::symlink_metadata(&segment.path).map_or(true, |meta| meta.permissions().mode() & 0o200 != 0)
}
