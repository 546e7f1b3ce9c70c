//! Reads all records of a log in order. Skips lines that are not records; `verify` reports those.
use std::path::Path;

use super::error::AuditError;
use super::line::Record;
use super::segment::{Line, Lines, Segment};

/// An iterator over the records from some position on.
#[derive(Debug)]
pub(super) struct Scan {
    segments: std::vec::IntoIter<Segment>,
    lines: Option<(Segment, Lines)>,
}

/// A record and its position.
#[derive(Debug)]
pub(super) struct LocatedRecord {
    pub(super) record: Record,
    /// The number in the name of its segment, and its byte offset there.
    pub(super) segment: u64,
    pub(super) offset: u64,
}

impl Scan {
    /// Returns a scan of the records after number `seq`. Segments that end before it are not read.
    pub(super) fn after(dir: &Path, seq: u64) -> Result<Self, AuditError> {
        let mut segments = Segment::list_to_read(dir)?;
        let skipped = segments.iter().skip(1).take_while(|next| next.first <= seq + 1).count();
        segments.drain(..skipped);
        Ok(Self { segments: segments.into_iter(), lines: None })
    }

    pub(super) fn next(&mut self) -> Result<Option<LocatedRecord>, AuditError> {
        loop {
            let Some((segment, lines)) = &mut self.lines else {
                let Some(segment) = self.segments.next() else { return Ok(None) };
                let lines = match segment.lines() {
                    // Retention may have removed it meanwhile.
                    Err(AuditError::File { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                        continue;
                    }
                    lines => lines?,
                };
                self.lines = Some((segment, lines));
                continue;
            };
            let offset = lines.offset;
            match lines.next()? {
                None => self.lines = None,
                Some(Line::Whole(text)) => {
                    if let Ok(record) = Record::parse(&text) {
                        return Ok(Some(LocatedRecord { record, segment: segment.first, offset }));
                    }
                }
                Some(Line::Torn(_) | Line::Garbage) => {}
            }
        }
    }
}
