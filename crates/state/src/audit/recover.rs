//! Finds out where a log ends, also after a crash: what was being written then is cut away, what was known to be on the disk must
//! be there.
use std::collections::HashMap;
use std::path::Path;

use overt_layers::audit::Kind;
use overt_policy::word::Word as _;

use super::chain::Hash;
use super::draft::Draft;
use super::error::{AuditError, failed};
use super::files;
use super::line::Record;
use super::segment::{Line, Segment};

/// Where a log ends.
#[derive(Debug)]
pub(super) struct End {
    pub(super) seq: u64,
    pub(super) head: Hash,
    /// The last segment, and how much of it is good; `None` for a new log.
    pub(super) last: Option<(Segment, u64)>,
    /// Bytes that were cut away, with the reason.
    pub(super) cut: Option<(u64, String)>,
    /// Whether the last process closed the log.
    pub(super) closed: bool,
    /// Calls that began and did not end.
    pub(super) open: OpenCalls,
}

/// The calls that have an intent and no outcome yet, each with what its intent says about it as far as that was read.
#[derive(Debug, Default, Clone)]
pub(super) struct OpenCalls(HashMap<String, About>);

/// What the records of a call have in common.
pub(super) type About = Vec<(&'static str, String)>;

const ABOUT: [&str; 9] =
    ["agent", "method", "principal", "project", "server", "server_id", "session", "target", "trace"];
/// Segments before the last one that are searched for the intents of calls that began there, at most.
const MOST_SEARCHED: usize = 8;

/// A segment of so many bytes is not read to its end if that need not be.
const LONG: u64 = 1 << 20;

/// Calls at once that are followed, at most.
const MOST_OPEN: usize = 4096;

impl End {
    /// Reads the last segment. Nothing is changed.
    pub(super) fn find(dir: &Path) -> Result<Self, AuditError> {
        let mut segments = Segment::list(dir)?;
        let Some(last) = segments.pop() else {
            let open = OpenCalls::default();
            return Ok(Self { seq: 0, head: Hash::NONE, last: None, cut: None, closed: true, open });
        };
        if let Some(end) = Self::of_closed(&last)? {
            return Ok(end);
        }
        let mut end = Self {
            seq: last.first.saturating_sub(1),
            head: Hash::NONE,
            last: None,
            cut: None,
            closed: false,
            open: OpenCalls::default(),
        };
        let before = match segments.last() {
            Some(before) => Some(before.last_record()?.ok_or_else(|| AuditError::Broken {
                seq: end.seq,
                why: format!("`{}` does not end with a record", before.name()),
            })?),
            None => None,
        };
        let good = end.read(&last, before.as_ref())?;
        end.last = Some((last, good));
        for segment in segments.iter().rev().take(MOST_SEARCHED) {
            if end.open.are_all_known() {
                break;
            }
            end.open.look_up(segment)?;
        }
        Ok(end)
    }

    /// The end of a long log that was closed with no call under way: nothing can be missing there, so the rest need not be read before
    /// the server starts. `verify` reads it.
    fn of_closed(last: &Segment) -> Result<Option<Self>, AuditError> {
        if file_length(last)? < LONG {
            return Ok(None);
        }
        let Some(([stop, checkpoint], length)) = last.last_two()? else { return Ok(None) };
        let is = |record: &Record, kind: Kind| Kind::parse(&record.text("kind")) == Some(kind);
        let follows = checkpoint.prev == stop.hash && checkpoint.seq == stop.seq + 1;
        let is_closed = is(&stop, Kind::Stop) && is(&checkpoint, Kind::Checkpoint) && follows;
        if !is_closed || !stop.list("open").is_empty() {
            return Ok(None);
        }
        Ok(Some(Self {
            seq: checkpoint.seq,
            head: checkpoint.hash,
            last: Some((last.clone(), length)),
            cut: None,
            closed: true,
            open: OpenCalls::default(),
        }))
    }

    /// The end of a log that is broken: a new segment goes on after the highest number that can be read.
    pub(super) fn after_damage(dir: &Path) -> Result<Self, AuditError> {
        let open = OpenCalls::default();
        let mut end = Self { seq: 0, head: Hash::NONE, last: None, cut: None, closed: false, open };
        for segment in Segment::list(dir)?.iter().rev().take(2) {
            end.seq = end.seq.max(segment.first.saturating_sub(1));
            let mut lines = segment.lines()?;
            while let Some(line) = lines.next()? {
                let Line::Whole(text) = line else { continue };
                let record = Record::parse(&text).ok().filter(|record| record.seq > end.seq);
                record.iter().for_each(|record| (end.seq, end.head) = (record.seq, record.hash));
            }
        }
        Ok(end)
    }

    /// Reads the records that hold together, and judges the rest. Returns the bytes that are good.
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

    /// The record, if it follows the last one. The first record of the oldest segment follows one that is gone.
    fn judge(&self, line: Line, trusts_prev: bool) -> Result<Record, String> {
        let record = match line {
            Line::Whole(text) => Record::parse(&text)?,
            Line::Torn(_) => return Err("it is not complete".to_owned()),
            Line::Garbage => return Err("it is no text".to_owned()),
        };
        if record.seq != self.seq + 1 {
            return Err(format!("it has the number {}", record.seq));
        }
        if record.prev != self.head && !trusts_prev {
            return Err("it does not follow the record before it".to_owned());
        }
        Ok(record)
    }

    /// A crash of the machine may leave any part of what was not known to be on the disk. A later record that says that this one
    /// was there speaks against that.
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
        match Kind::parse(&record.text("kind")) {
            Some(Kind::Stop) => self.closed = true,
            Some(Kind::Checkpoint) => {}
            Some(Kind::Segment) => {
                record.list("open").into_iter().for_each(|call| self.open.begin(call, About::new()));
            }
            kind => {
                self.closed = false;
                self.open.read(kind, record);
            }
        }
    }
}

fn file_length(segment: &Segment) -> Result<u64, AuditError> {
    let file = files::open_read(&segment.path)?;
    file.metadata().map(|meta| meta.len()).map_err(|source| failed("look at", &segment.path, source))
}

// === impl OpenCalls ===

impl OpenCalls {
    /// Takes note of what is written. Only the names are needed for that.
    pub(super) fn follow(&mut self, draft: &Draft) {
        match draft.kind {
            Kind::Intent => self.begin(draft.call.clone(), About::new()),
            Kind::Outcome => self.end(&draft.call),
            _ => {}
        }
    }

    fn read(&mut self, kind: Option<Kind>, record: &Record) {
        match kind {
            Some(Kind::Intent) => self.begin(record.text("call"), about(record)),
            Some(Kind::Outcome) => self.end(&record.text("call")),
            _ => {}
        }
    }

    fn begin(&mut self, call: String, about: About) {
        if !call.is_empty() && self.0.len() < MOST_OPEN {
            self.0.insert(call, about);
        }
    }

    fn end(&mut self, call: &str) {
        self.0.remove(call);
    }

    fn are_all_known(&self) -> bool {
        self.0.values().all(|about| !about.is_empty())
    }

    /// Reads the intents of calls that are known by name alone.
    fn look_up(&mut self, segment: &Segment) -> Result<(), AuditError> {
        let mut lines = segment.lines()?;
        while let Some(line) = lines.next()? {
            let Line::Whole(text) = line else { continue };
            let Ok(record) = Record::parse(&text) else { continue };
            let known = self.0.get_mut(&record.text("call")).filter(|about| about.is_empty());
            if let Some(unknown) = known.filter(|_| record.text("kind") == Kind::Intent.to_string()) {
                *unknown = about(&record);
            }
        }
        Ok(())
    }

    /// In order, so that the same calls make the same record.
    pub(super) fn sorted(&self) -> Vec<String> {
        let mut calls: Vec<String> = self.0.keys().cloned().collect();
        calls.sort_unstable();
        calls
    }

    pub(super) fn about(&self, call: &str) -> &[(&'static str, String)] {
        self.0.get(call).map_or(&[], Vec::as_slice)
    }
}

fn about(record: &Record) -> About {
    ABOUT.into_iter().map(|name| (name, record.text(name))).filter(|(_, text)| !text.is_empty()).collect()
}
