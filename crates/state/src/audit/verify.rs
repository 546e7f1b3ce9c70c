//! Checks a log from its first record to its last, and reports how far it is valid. Reads one line
//! at a time.
use std::fs;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

use super::cadence::Cadence;
use super::chain::Hash;
use super::checkpoint::Checkpoint;
use super::closing::ClosingMark;
use super::error::AuditError;
use super::files;
use super::line::Record;
use super::report::{Break, Report, TrustAnchors};
use super::retain::Head;
use super::segment::{Line, Segment};

/// Checks a log. Calls `progress` with the number of bytes done and the total.
pub fn verify(
    dir: &Path,
    against: &TrustAnchors,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Report, AuditError> {
    // This is checked twice, because the writer may end meanwhile.
    let was_being_written = is_being_written(dir);
    let mark = ClosingMark::read(dir)?;
    let segments = Segment::list_to_read(dir)?;
    let mut check = Check {
        against,
        report: Report::default(),
        anchors: against.sorted(),
        next_anchor: 0,
        mark,
        cadence: Cadence::default(),
    };
    let done = match check.heads(dir, &segments)? {
        Ok(()) => check.segments(&segments, progress)?,
        broken => broken,
    };
    let done = done.and_then(|()| check.nothing_is_cut());
    check.report.closed = done.is_ok() && check.is_closed();
    check.report.key_known = against.key.is_some();
    check.report.broken = done.err();
    check.report.being_written = was_being_written || is_being_written(dir);
    check.report.blind = check.blind();
    Ok(check.report)
}

/// Returns whether some process has the log open for writing.
pub fn is_being_written(dir: &Path) -> bool {
    let Ok(file) = files::open_read(&dir.join("lock")) else { return false };
    matches!(flock(&file, FlockOperation::NonBlockingLockShared), Err(rustix::io::Errno::WOULDBLOCK))
}

struct Check<'a> {
    against: &'a TrustAnchors,
    report: Report,
    anchors: Vec<&'a Checkpoint>,
    next_anchor: usize,
    mark: Option<ClosingMark>,
    cadence: Cadence,
}

type CheckResult = Result<(), Break>;

impl Check<'_> {
    /// Checks that the segments that were removed on purpose end where the log begins.
    fn heads(&mut self, dir: &Path, segments: &[Segment]) -> Result<CheckResult, AuditError> {
        let mut heads = Head::all(dir)?;
        heads.dedup_by_key(|head| (head.first, head.last, head.head));
        let mut last = (0, Hash::NONE);
        for head in &heads {
            // A crash between writing a head and removing its segment leaves both, so a repeated
            // head is accepted.
            if head.first != last.0 + 1 && head.last != last.0 {
                return Ok(broken(
                    last.0 + 1,
                    format!("the next segment that was removed begins with {}", head.first),
                ));
            }
            if self.against.key.as_ref().is_some_and(|key| !head.is_signed_by(key)) {
                return Ok(broken(head.first, "what says that it was removed is not signed with the key"));
            }
            last = (head.last, head.head);
            let held = self.anchor(head.last, head.head);
            if held.is_err() {
                return Ok(held);
            }
        }
        let first = segments.first().map_or(last.0 + 1, |segment| segment.first);
        let still_there = heads.last().is_some_and(|head| head.first == first);
        if still_there {
            last = match heads.len() {
                1 => (0, Hash::NONE),
                more => (heads[more - 2].last, heads[more - 2].head),
            };
        }
        if first != last.0 + 1 {
            return Ok(broken(
                last.0 + 1,
                format!("the log begins with {first}, and nothing says that the rest was removed"),
            ));
        }
        self.report.removed_to = Some(last.0).filter(|last| *last > 0);
        (self.report.first, self.report.last, self.report.head) = (last.0 + 1, last.0, last.1);
        Ok(Ok(()))
    }

    fn segments(
        &mut self,
        segments: &[Segment],
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<CheckResult, AuditError> {
        let length = |segment: &Segment| fs::symlink_metadata(&segment.path).map_or(0, |meta| meta.len());
        let total = segments.iter().map(length).sum();
        let mut done = 0;
        for (index, segment) in segments.iter().enumerate() {
            let is_last = index + 1 == segments.len();
            let mut lines = match segment.lines() {
                Ok(lines) => lines,
                Err(AuditError::NotAFile(path)) => {
                    let why = format!("`{}` is not a regular file", path.display());
                    return Ok(broken(self.report.last + 1, why));
                }
                Err(error) => return Err(error),
            };
            let mut is_first = true;
            while let Some(line) = lines.next()? {
                if is_last && matches!(&line, Line::Torn(bytes) if is_cut_short(bytes)) {
                    self.report.unfinished = true;
                    break;
                }
                let held = self.line(line, segment, is_first);
                if held.is_err() {
                    return Ok(held);
                }
                is_first = false;
                progress(done + lines.offset, total);
            }
            // A crash may come between creating a file and writing to it.
            if is_first && !is_last {
                return Ok(broken(self.report.last + 1, format!("`{}` is empty", segment.name())));
            }
            done += lines.offset;
            self.report.segments += 1;
        }
        Ok(Ok(()))
    }

    fn line(&mut self, line: Line, segment: &Segment, is_first: bool) -> CheckResult {
        let seq = self.report.last + 1;
        let record = match line {
            Line::Whole(text) => Record::parse(&text).map_err(|why| Break { seq, why })?,
            Line::Torn(_) => return broken(seq, "its line has no end"),
            Line::Garbage => return broken(seq, "its line is not text"),
        };
        if record.seq != seq {
            return broken(seq, format!("a record with the number {} is in its place", record.seq));
        }
        if record.prev != self.report.head {
            return broken(seq, "it does not follow the record before it");
        }
        if is_first && (record.text("kind") != "segment" || record.text("segment") != segment.name()) {
            return broken(seq, format!("`{}` does not begin with its header", segment.name()));
        }
        let is_signed = self.content(&record)?;
        self.cadence.take(&record, is_signed).map_err(|why| Break { seq, why })?;
        self.report.records += 1;
        (self.report.last, self.report.head) = (record.seq, record.hash);
        self.anchor(record.seq, record.hash)
    }

    /// Returns whether the record holds a valid checkpoint.
    fn content(&mut self, record: &Record) -> Result<bool, Break> {
        match record.text("kind").as_str() {
            "gap" => self.report.missing += record.number("count").unwrap_or_default(),
            "recovery" => self.report.recoveries += 1,
            // A start is signed too.
            "checkpoint" | "start" => return self.checkpoint(record).map(|()| true),
            _ => {}
        }
        Ok(false)
    }

    fn checkpoint(&mut self, record: &Record) -> CheckResult {
        let checkpoint = record.json().get("checkpoint").value().and_then(Checkpoint::read);
        let fits = |checkpoint: &Checkpoint| {
            (checkpoint.seq, checkpoint.head) == (self.report.last, self.report.head)
        };
        let Some(checkpoint) = checkpoint.filter(fits) else {
            return broken(record.seq, "it is a checkpoint of something else");
        };
        match &self.against.key {
            Some(key) if !checkpoint.is_signed_by(key) => {
                broken(record.seq, "it is a checkpoint that the key did not sign")
            }
            Some(_) => {
                self.report.signed_to = Some(checkpoint.seq);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Compares a record with the checkpoints from outside and with the closing mark.
    fn anchor(&mut self, seq: u64, hash: Hash) -> CheckResult {
        while let Some(anchor) = self.anchors.get(self.next_anchor).filter(|anchor| anchor.seq <= seq) {
            self.next_anchor += 1;
            if anchor.seq < seq {
                // The anchor covers a record that was removed.
                continue;
            }
            if anchor.head != hash {
                return broken(
                    seq,
                    format!("an anchor of {} knows another record with this number", anchor.ts),
                );
            }
            self.report.anchored_to = Some(seq);
        }
        match self.mark.as_ref().filter(|mark| mark.seq == seq && mark.head != hash) {
            Some(mark) => {
                broken(seq, format!("`closed.json` of {} knows another record with this number", mark.ts))
            }
            None => Ok(()),
        }
    }

    /// Returns whether the log ends with a stop and its checkpoint, and the mark names that end.
    fn is_closed(&self) -> bool {
        let is_marked = self.mark.as_ref().is_some_and(|mark| mark.seq == self.report.last);
        self.cadence.is_stopped && is_marked && !self.report.unfinished
    }

    fn nothing_is_cut(&self) -> CheckResult {
        if let Some(mark) = &self.mark {
            if self.against.key.as_ref().is_some_and(|key| !mark.is_signed_by(key)) {
                return broken(self.report.last + 1, "`closed.json` is not signed with the key");
            }
            if mark.seq > self.report.last {
                return broken(self.report.last + 1, mark.missing_end_message());
            }
        }
        match self.anchors.last() {
            Some(anchor) if anchor.seq > self.report.last => {
                let why = format!(
                    "the log ends before it, but an anchor of {} covers records up to {}",
                    anchor.ts, anchor.seq
                );
                broken(self.report.last + 1, why)
            }
            _ => Ok(()),
        }
    }

    fn blind(&self) -> Vec<String> {
        let mut blind = Vec::new();
        let unsigned = self.against.anchors.len() - self.anchors.len();
        if unsigned > 0 {
            blind.push(format!("{unsigned} anchors are not signed with the key and were not used"));
        }
        match self.report.anchored_to {
            None if !self.anchors.is_empty() => {
                blind.push("no anchor is about a record that is here".to_owned());
            }
            None if self.report.closed && self.against.key.is_some() => blind.push(
                "without an anchor, a log that was written anew with the key, or put back to an earlier state, can't be seen".to_owned(),
            ),
            None => blind.push(
                "without an anchor, records that were cut off at the end, or a log that was written anew, can't be seen".to_owned(),
            ),
            Some(seq) if seq < self.report.last => {
                blind.push(format!("whether records were cut off or changed after {seq}, the last anchor, can't be seen"));
            }
            Some(_) => blind.push("whether records were cut off after the last anchor can't be seen".to_owned()),
        }
        if self.against.key.is_none() {
            blind.push("without a key, signatures of checkpoints were not checked".to_owned());
        }
        blind.push("whether the process that wrote the log told the truth can't be seen".to_owned());
        blind
    }
}

/// Returns whether a crash may have left this text. A line that was not written to its end holds no
/// complete record.
fn is_cut_short(bytes: &[u8]) -> bool {
    let text = bytes.split_last().and_then(|(_, before)| std::str::from_utf8(before).ok());
    text.is_none_or(|text| Record::parse(text).is_err())
}

fn broken(seq: u64, why: impl Into<String>) -> CheckResult {
    Err(Break { seq, why: why.into() })
}
