//! Finds the end of a log, also after a crash. A partial write is cut off; everything that was
//! known to be on disk must be there.
use std::path::Path;

use overt_layers::audit::Kind;
use overt_policy::word::StringEnum as _;

use super::chain::Hash;
use super::closing::ClosingMark;
use super::error::{AuditError, failed};
use super::files;
use super::line::Record;
use super::open_calls::OpenCalls;
use super::segment::{Line, Segment};

/// The end of a log.
#[derive(Debug)]
pub(super) struct End {
    pub(super) seq: u64,
    pub(super) head: Hash,
    /// The last segment, and the length of its valid part in bytes; `None` for a new log.
    pub(super) last: Option<(Segment, u64)>,
    /// The number of bytes that are cut off, and the reason.
    pub(super) cut: Option<(u64, String)>,
    /// Whether the last process closed the log, so that a checkpoint follows its stop.
    pub(super) closed: bool,
    /// Whether the last record is a stop.
    stopped: bool,
    /// Calls that began and did not end.
    pub(super) open: OpenCalls,
}

/// The most segments before the last one that are searched for the intents of open calls.
const MOST_SEARCHED: usize = 8;

/// A segment with this many bytes is not read from its beginning if that can be avoided; otherwise
/// each start would take longer than the one before.
const LONG: u64 = 32 << 10;

impl End {
    /// Reads the last segment, and the one before it if the last one has no header yet. Changes
    /// nothing.
    pub(super) fn find(dir: &Path) -> Result<Self, AuditError> {
        let mut segments = Segment::list(dir)?;
        let Some(last) = segments.pop() else { return Ok(Self { closed: true, ..Self::before(1) }) };
        if let Some(end) = Self::of_closed(&last)? {
            return Ok(end);
        }
        let mut end = Self::before(last.first);
        let previous = segments.last();
        let record_before = previous.map(|previous| previous.record_before(&last)).transpose()?;
        let good = end.read(&last, record_before.as_ref())?;
        if good == 0 {
            end.read_previous(&last, previous)?;
        }
        end.last = Some((last, good));
        for segment in segments.iter().rev().take(MOST_SEARCHED) {
            if end.open.are_all_known() {
                break;
            }
            end.open.look_up(segment)?;
        }
        Ok(end)
    }

    /// Fails if the log ends before the mark of a closed log. The mark is written when the log is
    /// on disk.
    pub(super) fn reaches(self, mark: Option<&ClosingMark>) -> Result<Self, AuditError> {
        match mark.filter(|mark| mark.seq > self.seq) {
            Some(mark) => Err(AuditError::Broken { seq: self.seq + 1, why: mark.missing_end_message() }),
            None => Ok(self),
        }
    }

    /// Returns the end of a log whose next record has this number, before anything is read.
    fn before(seq: u64) -> Self {
        Self {
            seq: seq.saturating_sub(1),
            head: Hash::NONE,
            last: None,
            cut: None,
            closed: false,
            stopped: false,
            open: OpenCalls::default(),
        }
    }

    /// Reads the open calls from the previous segment, if a crash came before the last segment got
    /// its header, which lists them. A segment is completely on disk before the next one is
    /// created.
    fn read_previous(&mut self, last: &Segment, previous: Option<&Segment>) -> Result<(), AuditError> {
        let broken = |why| Err(AuditError::Broken { seq: last.first, why });
        let Some(previous) = previous else {
            let is_new = last.first <= 1;
            return if is_new { Ok(()) } else { broken(format!("`{}` has no header", last.name())) };
        };
        let mut end = Self::before(previous.first);
        end.read(previous, None)?;
        if (end.seq, end.head) != (self.seq, self.head) {
            return broken(format!("`{}` does not lead to it", previous.name()));
        }
        (self.open, self.closed) = (end.open, end.closed);
        Ok(())
    }

    /// Returns the end of a long log that was closed without open calls. Nothing can be missing
    /// there, so the rest need not be read before the server starts. `verify` reads it.
    fn of_closed(last: &Segment) -> Result<Option<Self>, AuditError> {
        if file_length(last)? < LONG {
            return Ok(None);
        }
        let Some(([stop, checkpoint], length)) = last.last_two()? else { return Ok(None) };
        let is = |record: &Record, kind: Kind| Kind::parse(&record.text("kind")) == Some(kind);
        let follows = checkpoint.prev == stop.hash && checkpoint.seq == stop.seq + 1;
        let is_closed = is(&stop, Kind::Stop) && is(&checkpoint, Kind::Checkpoint) && follows;
        if !is_closed || OpenCalls::are_in(&stop) {
            return Ok(None);
        }
        let (seq, head) = (checkpoint.seq, checkpoint.hash);
        Ok(Some(Self { seq, head, last: Some((last.clone(), length)), closed: true, ..Self::before(1) }))
    }

    /// Returns the end of a broken log: a new segment continues after the highest number that can
    /// be read. The open calls come from the records that can be read.
    pub(super) fn after_damage(dir: &Path) -> Result<Self, AuditError> {
        let mut end = Self::before(1);
        let segments = Segment::list(dir)?;
        for segment in &segments[segments.len().saturating_sub(2)..] {
            end.seq = end.seq.max(segment.first.saturating_sub(1));
            let mut lines = segment.lines()?;
            while let Some(line) = lines.next()? {
                let Line::Whole(text) = line else { continue };
                let Ok(record) = Record::parse(&text) else { continue };
                end.open.read(Kind::parse(&record.text("kind")), &record);
                if record.seq > end.seq {
                    (end.seq, end.head) = (record.seq, record.hash);
                }
            }
        }
        Ok(end)
    }

    /// Reads the valid records, and checks whether the rest is torn. Returns the length of the
    /// valid part in bytes.
    fn read(&mut self, segment: &Segment, before: Option<&Record>) -> Result<u64, AuditError> {
        let mut lines = segment.lines()?;
        let mut good = 0;
        if let Some(before) = before {
            (self.seq, self.head) = (before.seq, before.hash);
        }
        let mut is_first = true;
        while let Some(line) = lines.next()? {
            let trusts_prev = is_first && before.is_none();
            match self.judge(line, trusts_prev) {
                Ok(record) => self.take(&record),
                Err(why) => {
                    let seq = self.seq + 1;
                    Self::must_be_torn(seq, &why, &mut lines)?;
                    let all = file_length(segment)?;
                    self.cut = Some((all - good, why));
                    break;
                }
            }
            is_first = false;
            good = lines.offset;
        }
        Ok(good)
    }

    /// Returns the record if it follows the last one. The record before the oldest segment's first
    /// one was removed, so that link can't be checked.
    fn judge(&self, line: Line, trusts_prev: bool) -> Result<Record, String> {
        let record = match line {
            Line::Whole(text) => Record::parse(&text)?,
            Line::Torn(_) => return Err("it is not complete".to_owned()),
            Line::Garbage => return Err("it is not text".to_owned()),
        };
        if record.seq != self.seq + 1 {
            return Err(format!("it has the number {}", record.seq));
        }
        if record.prev != self.head && !trusts_prev {
            return Err("it does not follow the record before it".to_owned());
        }
        Ok(record)
    }

    /// Checks that record `seq` may be missing. A crash of the machine may lose any part of what
    /// was not known to be on disk. If a later record says that this one was on disk, the log is
    /// broken.
    fn must_be_torn(seq: u64, why: &str, lines: &mut super::segment::Lines) -> Result<(), AuditError> {
        while let Some(line) = lines.next()? {
            let Line::Whole(text) = line else { continue };
            let Ok(record) = Record::parse(&text) else { continue };
            if record.number("synced").is_some_and(|synced| synced >= seq) {
                return Err(AuditError::Broken { seq, why: why.to_owned() });
            }
        }
        Ok(())
    }

    fn take(&mut self, record: &Record) {
        (self.seq, self.head) = (record.seq, record.hash);
        let kind = Kind::parse(&record.text("kind"));
        match kind {
            Some(Kind::Stop) => self.stopped = true,
            Some(Kind::Checkpoint) => self.closed = std::mem::take(&mut self.stopped),
            _ => (self.stopped, self.closed) = (false, false),
        }
        self.open.read(kind, record);
    }
}

fn file_length(segment: &Segment) -> Result<u64, AuditError> {
    let file = files::open_read(&segment.path)?;
    file.metadata().map(|meta| meta.len()).map_err(|source| failed("look at", &segment.path, source))
}
