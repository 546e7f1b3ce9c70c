//! The files of a log, in sequence: `seg-<number of the first record>.jsonl`.
use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use super::error::{AuditError, failed};
use super::files;
use super::line::{MAX_LINE, Record};

/// A file of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) first: u64,
    pub(super) path: PathBuf,
}

/// The most files that a log may have.
const MAX_SEGMENTS: usize = 1_000_000;

impl Segment {
    pub(super) fn new(dir: &Path, first: u64) -> Self {
        Self { first, path: dir.join(format!("seg-{first:020}.jsonl")) }
    }

    pub(super) fn name(&self) -> String {
        self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Lists all segments of a log, in order.
    pub(super) fn list(dir: &Path) -> Result<Vec<Self>, AuditError> {
        let unreadable = |source| failed("read", dir, source);
        let mut segments = Vec::new();
        for entry in fs::read_dir(dir).map_err(unreadable)? {
            let name = entry.map_err(unreadable)?.file_name();
            let number = name.to_str().and_then(|name| name.strip_prefix("seg-")?.strip_suffix(".jsonl"));
            let number = number.filter(|number| number.len() == 20).and_then(|number| number.parse().ok());
            segments.extend(number.map(|first| Self::new(dir, first)));
            if segments.len() > MAX_SEGMENTS {
                return Err(unreadable(io::Error::other("it has too many segments")));
            }
        }
        segments.sort_unstable_by_key(|segment| segment.first);
        Ok(segments)
    }

    /// Lists the segments of a log for reading. A folder without segments is not a log.
    pub(super) fn list_to_read(dir: &Path) -> Result<Vec<Self>, AuditError> {
        match Self::list(dir)? {
            none if none.is_empty() => Err(AuditError::Empty(dir.to_owned())),
            segments => Ok(segments),
        }
    }

    pub(super) fn lines(&self) -> Result<Lines, AuditError> {
        Lines::open(&self.path)
    }

    /// Returns the last record, if the file ends with one.
    pub(super) fn last_record(&self) -> Result<Option<Record>, AuditError> {
        let unreadable = |source| failed("read", &self.path, source);
        let mut file = files::open_read(&self.path)?;
        let length = file.metadata().map_err(unreadable)?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(MAX_LINE as u64))).map_err(unreadable)?;
        let mut end = Vec::new();
        file.take(MAX_LINE as u64).read_to_end(&mut end).map_err(unreadable)?;
        Ok(last_line(&end).map(|(_, record)| record))
    }

    /// Returns the last record of this segment, which must precede the first record of `next`. A
    /// segment is on disk before the next one is created.
    pub(super) fn record_before(&self, next: &Self) -> Result<Record, AuditError> {
        let broken = |why| AuditError::Broken { seq: next.first.saturating_sub(1), why };
        let last = self.last_record()?;
        let last = last.ok_or_else(|| broken(format!("`{}` does not end with a record", self.name())))?;
        if last.seq + 1 != next.first {
            return Err(broken(format!("`{}` ends with record {}", self.name(), last.seq)));
        }
        Ok(last)
    }

    /// Returns the last two records and the length of the segment, without reading the rest.
    /// Returns `None` if the end does not hold two short records.
    pub(super) fn last_two(&self) -> Result<Option<([Record; 2], u64)>, AuditError> {
        let unreadable = |source| failed("read", &self.path, source);
        let mut file = files::open_read(&self.path)?;
        let length = file.metadata().map_err(unreadable)?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL))).map_err(unreadable)?;
        let mut end = Vec::new();
        file.take(TAIL).read_to_end(&mut end).map_err(unreadable)?;
        let two = last_line(&end).and_then(|(before, last)| Some([last_line(before)?.1, last]));
        Ok(two.map(|two| (two, length)))
    }
}

/// The number of bytes that are read at the end of a segment.
const TAIL: u64 = 16 << 10;

/// Returns the record in the last line of a text, and the text before it.
fn last_line(text: &[u8]) -> Option<(&[u8], Record)> {
    let line = text.strip_suffix(b"\n")?;
    let start = line.iter().rposition(|byte| *byte == b'\n').map_or(0, |place| place + 1);
    let record = std::str::from_utf8(&line[start..]).ok().and_then(|line| Record::parse(line).ok())?;
    Some((&text[..start], record))
}

/// The lines of a file, read one at a time.
#[derive(Debug)]
pub(super) struct Lines {
    reader: BufReader<fs::File>,
    path: PathBuf,
    /// Offset of the next line.
    pub(super) offset: u64,
}

/// A line, as far as it is complete.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Whole(String),
    /// The file ends before the line does.
    Torn(Vec<u8>),
    /// The line is too long or not UTF-8.
    Garbage,
}

impl Lines {
    pub(super) fn open(path: &Path) -> Result<Self, AuditError> {
        let file = files::open_read(path)?;
        Ok(Self { reader: BufReader::with_capacity(256 << 10, file), path: path.to_owned(), offset: 0 })
    }

    pub(super) fn next(&mut self) -> Result<Option<Line>, AuditError> {
        let mut bytes = Vec::new();
        let mut limited = self.reader.by_ref().take(MAX_LINE as u64 + 1);
        let read =
            limited.read_until(b'\n', &mut bytes).map_err(|source| failed("read", &self.path, source))?;
        self.offset += read as u64;
        if read == 0 {
            return Ok(None);
        }
        if bytes.last() != Some(&b'\n') {
            return Ok(Some(if read > MAX_LINE { Line::Garbage } else { Line::Torn(bytes) }));
        }
        bytes.pop();
        Ok(Some(String::from_utf8(bytes).map_or(Line::Garbage, Line::Whole)))
    }
}
