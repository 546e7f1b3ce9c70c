//! The lines of a log from its end: what was written last is read first, and unwanted lines are
//! neither parsed nor, beyond the last wanted line, read.
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

/// Bytes that are read at a time.
const CHUNK: u64 = 256 << 10;

/// The lines of a log, the last one first.
#[derive(Debug)]
pub(super) struct BackwardLines {
    /// Those that were not begun yet.
    segments: Vec<Segment>,
    /// The number of the segment that may still be written.
    last: Option<u64>,
    /// Only blocks that may have all of these are read; all if there are none.
    keys: Vec<u64>,
    /// Blocks of the current segment that were not begun yet.
    blocks: Vec<(Segment, Range<u64>)>,
    current: Option<Tail>,
    /// Lines that are too long or no text.
    pub(super) garbage: u64,
}

/// The end of a segment, as far as it was not returned yet.
#[derive(Debug)]
struct Tail {
    file: File,
    path: PathBuf,
    /// Where the lines begin that are wanted.
    floor: u64,
    /// Where `bytes` begins in the file.
    start: u64,
    bytes: Vec<u8>,
    /// What is before this place in `bytes` was not returned yet. It ends with a line break, or is
    /// empty.
    end: usize,
}

impl BackwardLines {
    pub(super) fn open(dir: &Path) -> Result<Self, AuditError> {
        let segments = Segment::list_to_read(dir)?;
        let last = segments.last().map(|segment| segment.first);
        Ok(Self { segments, last, keys: Vec::new(), blocks: Vec::new(), current: None, garbage: 0 })
    }

    /// Passes over blocks in which no record has all of these keys.
    pub(super) fn only_with(&mut self, keys: &[RecordKey]) {
        self.keys = keys.iter().map(RecordKey::hash).collect();
    }

    /// Passes over the segments that begin at this moment or later. `ts` is written as records
    /// write it.
    pub(super) fn skip_from(&mut self, ts: &str) -> Result<(), AuditError> {
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

    /// The line before the last one that was returned, without its end, if `take` makes something
    /// of it. `take` answers none for a line that is not wanted, and then the line before that is
    /// tried.
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
    /// Goes on with what is before. False if nothing is.
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

/// The outcome of reading a line.
#[derive(Debug)]
pub(super) enum LineResult<T> {
    Taken(T),
    Skipped,
    /// It is not a record.
    Garbage,
    /// Neither this line nor any before it is wanted.
    NothingBefore,
}

impl Tail {
    /// None if retention has taken the file meanwhile.
    fn open(segment: &Segment, range: Option<Range<u64>>) -> Result<Option<Self>, AuditError> {
        let file = match files::open_read(&segment.path) {
            Err(AuditError::File { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                return Ok(None);
            }
            file => file?,
        };
        let length = file.metadata().map_err(|source| failed("read", &segment.path, source))?.len();
        let Range { start: floor, end } = range.unwrap_or(0..length);
        let path = segment.path.clone();
        let mut tail = Self { file, path, floor, start: end.min(length), bytes: Vec::new(), end: 0 };
        // The last line may be being written: it is not a line yet.
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

    /// The last line that was not returned; an inner none for one that is too long.
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
                // What is before this place belongs to the same line, which is counted once more
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

    /// Reads what is before, in front of what is there. False at the beginning of the file.
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

/// When the first record of a segment was written, if it has one.
fn first_moment(segment: &Segment) -> Result<Option<String>, AuditError> {
    let Some(line) = segment.lines()?.next()? else { return Ok(None) };
    Ok(match line {
        super::segment::Line::Whole(line) => member(&line, TS).map(str::to_owned),
        _ => None,
    })
}

/// The members that are looked at before a line is parsed, as a line has them.
pub(super) const TS: &str = "\"ts\":\"";
pub(super) const KIND: &str = "\"kind\":\"";
pub(super) const AGENT: &str = "\"agent\":\"";

/// The text of a member of a record, as it is in the line, without parsing the line. In a line of
/// ours no string can hold `"name":"`, because quotes in strings are escaped.
pub(super) fn member<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let place = memchr::memmem::find(line.as_bytes(), name.as_bytes())?;
    line[place + name.len()..].split('"').next()
}
