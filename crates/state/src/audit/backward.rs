//! Reads the lines of a log backward from its end. Unwanted lines are not parsed, and lines before
//! the last wanted one are not read.
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::blocks::Blocks;
use super::error::{AuditError, failed};
use super::files;
use super::line::MAX_LINE;
use super::record_key::RecordKey;
use super::segment::Segment;

/// The number of bytes read at a time.
const CHUNK: u64 = 256 << 10;

/// The lines of a log, last line first.
#[derive(Debug)]
pub(super) struct BackwardLines {
    /// The segments that were not begun yet.
    segments: Vec<Segment>,
    /// The number of the segment that may still be written.
    last: Option<u64>,
    /// Only blocks that may contain all of these keys are read. If it is empty, all blocks are
    /// read.
    keys: Vec<u64>,
    /// The blocks of the current segment that were not begun yet.
    blocks: Vec<(Segment, Range<u64>)>,
    current: Option<Tail>,
    /// The number of lines that are too long or not UTF-8.
    pub(super) garbage: u64,
}

/// The part of a segment that was not returned yet.
#[derive(Debug)]
struct Tail {
    file: File,
    path: PathBuf,
    /// Offset in the file where the wanted lines begin.
    floor: u64,
    /// Offset in the file where `bytes` begins.
    start: u64,
    bytes: Vec<u8>,
    /// The bytes before this index were not returned yet. They end with a line break, or there are
    /// none.
    end: usize,
}

impl BackwardLines {
    pub(super) fn open(dir: &Path) -> Result<Self, AuditError> {
        let segments = Segment::list_to_read(dir)?;
        let last = segments.last().map(|segment| segment.first);
        Ok(Self { segments, last, keys: Vec::new(), blocks: Vec::new(), current: None, garbage: 0 })
    }

    /// Skips blocks in which no record has all of these keys.
    pub(super) fn only_with(&mut self, keys: &[RecordKey]) {
        self.keys = keys.iter().map(RecordKey::hash).collect();
    }

    /// Skips segments that begin with this number or later.
    pub(super) fn skip_numbers_from(&mut self, seq: u64) {
        while self.segments.len() > 1 && self.segments.last().is_some_and(|last| last.first >= seq) {
            self.segments.pop();
        }
    }

    /// Skips segments that begin at this time or later. `ts` has the form that records use.
    pub(super) fn skip_times_from(&mut self, ts: &str) -> Result<(), AuditError> {
        while self.segments.len() > 1
            && let Some(last) = self.segments.last()
        {
            match first_moment(last)? {
                Some(first) if *first >= *ts => drop(self.segments.pop()),
                _ => break,
            }
        }
        Ok(())
    }

    /// Returns the next wanted line before the last one that was returned, without its line break,
    /// as converted by `take`. `take` answers `Skipped` for an unwanted line.
    pub(super) fn next<T>(
        &mut self,
        mut take: impl FnMut(&str) -> LineResult<T>,
    ) -> Result<Option<T>, AuditError> {
        loop {
            let Some(tail) = &mut self.current else {
                if !self.begin_next()? {
                    return Ok(None);
                }
                continue;
            };
            let Some(line) = tail.next_line()? else {
                self.current = None;
                continue;
            };
            match line.and_then(|line| std::str::from_utf8(line).ok()) {
                None => self.garbage += 1,
                Some(line) => match take(line) {
                    LineResult::Taken(taken) => return Ok(Some(taken)),
                    LineResult::Skipped => {}
                    LineResult::Garbage => self.garbage += 1,
                    LineResult::NothingBefore => {
                        self.segments.clear();
                        self.blocks.clear();
                        self.current = None;
                        return Ok(None);
                    }
                },
            }
        }
    }
}

impl BackwardLines {
    /// Continues with the preceding block or segment. Returns false if there is none.
    fn begin_next(&mut self) -> Result<bool, AuditError> {
        if let Some((segment, range)) = self.blocks.pop() {
            self.current = Tail::open(&segment, Some(range))?;
            return Ok(true);
        }
        let Some(segment) = self.segments.pop() else { return Ok(false) };
        let is_searched = !self.keys.is_empty() && self.last != Some(segment.first);
        match is_searched.then(|| Blocks::of(&segment)).flatten() {
            Some(blocks) => {
                let ranges = blocks.with_all(&self.keys);
                self.blocks = ranges.into_iter().map(|range| (segment.clone(), range)).collect();
            }
            None => self.current = Tail::open(&segment, None)?,
        }
        Ok(true)
    }
}

/// The result of `take` for one line.
#[derive(Debug)]
pub(super) enum LineResult<T> {
    Taken(T),
    Skipped,
    /// The line is not a record.
    Garbage,
    /// Neither this line nor any line before it is wanted.
    NothingBefore,
}

impl Tail {
    /// Returns `None` if retention has removed the file meanwhile.
    fn open(segment: &Segment, range: Option<Range<u64>>) -> Result<Option<Self>, AuditError> {
        let file = match files::open_read(&segment.path) {
            Err(error) if error.is_not_found() => return Ok(None),
            file => file?,
        };
        let length = file.metadata().map_err(|source| failed("read", &segment.path, source))?.len();
        let Range { start: floor, end } = range.unwrap_or(0..length);
        let path = segment.path.clone();
        let mut tail = Self { file, path, floor, start: end.min(length), bytes: Vec::new(), end: 0 };
        // The writer may be writing the last line, so text after the last line break is not a line
        // yet.
        while tail.read_more()? {
            if let Some(last) = memchr::memrchr(b'\n', &tail.bytes) {
                tail.end = last + 1;
                return Ok(Some(tail));
            }
            if tail.bytes.len() > MAX_LINE {
                (tail.bytes, tail.end) = (Vec::new(), 0);
            }
        }
        (tail.bytes, tail.end) = (Vec::new(), 0);
        Ok(Some(tail))
    }

    /// Returns the last line that was not returned yet. The inner `None` is a line that is too
    /// long.
    fn next_line(&mut self) -> Result<Option<Option<&[u8]>>, AuditError> {
        if self.end == 0 && self.start <= self.floor {
            return Ok(None);
        }
        loop {
            let inner = &self.bytes[..self.end.saturating_sub(1)];
            if let Some(before) = memchr::memrchr(b'\n', inner) {
                let line = before + 1..self.end - 1;
                self.end = before + 1;
                return Ok(Some(Some(&self.bytes[line])));
            }
            if self.start <= self.floor {
                let line = 0..self.end.saturating_sub(1);
                self.end = 0;
                return Ok(Some(Some(&self.bytes[line])));
            }
            if self.end > MAX_LINE {
                // The text before this point belongs to the same line, which is counted once more
                // when its beginning is found.
                self.end = 0;
                self.bytes.clear();
                self.read_more()?;
                self.end = self.bytes.len();
                return Ok(Some(None));
            }
            self.bytes.truncate(self.end);
            self.read_more()?;
        }
    }

    /// Reads the preceding chunk and puts it in front of `bytes`. Returns false at the beginning of
    /// the file.
    fn read_more(&mut self) -> Result<bool, AuditError> {
        let count = CHUNK.min(self.start.saturating_sub(self.floor));
        if count == 0 {
            return Ok(false);
        }
        let unreadable = |source| failed("read", &self.path, source);
        self.start -= count;
        self.file.seek(SeekFrom::Start(self.start)).map_err(unreadable)?;
        let mut bytes = Vec::with_capacity(usize::try_from(count).unwrap_or(0) + self.bytes.len());
        (&self.file).take(count).read_to_end(&mut bytes).map_err(unreadable)?;
        self.end += bytes.len();
        bytes.append(&mut self.bytes);
        self.bytes = bytes;
        Ok(true)
    }
}

/// Returns the time of a segment's first record, if it has one.
fn first_moment(segment: &Segment) -> Result<Option<String>, AuditError> {
    let Some(line) = segment.lines()?.next()? else { return Ok(None) };
    Ok(match line {
        super::segment::Line::Whole(line) => member(&line, TS).map(str::to_owned),
        _ => None,
    })
}

/// Members that are looked up before a line is parsed, as they appear in a line.
pub(super) const TS: &str = "\"ts\":\"";
pub(super) const KIND: &str = "\"kind\":\"";
pub(super) const AGENT: &str = "\"agent\":\"";
pub(super) const SEQ: &str = "\"seq\":";

/// Returns the raw text of a member without parsing the line. No string in a line that we wrote can
/// contain `"name":"`, because quotes in strings are escaped.
pub(super) fn member<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let place = memchr::memmem::find(line.as_bytes(), name.as_bytes())?;
    line[place + name.len()..].split('"').next()
}

/// Returns the value of a number without parsing the line. A checkpoint has a `seq` too, before
/// that of its record.
pub(super) fn number(line: &str, name: &str) -> Option<u64> {
    let place = memchr::memmem::rfind(line.as_bytes(), name.as_bytes())?;
    line[place + name.len()..].split([',', '}']).next()?.parse().ok()
}
