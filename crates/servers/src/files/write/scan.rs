//! Reads a large file that gets other content. It is read in pieces and never held as a whole
//! (I-12).
use std::fs::File;
use std::io::{Error, ErrorKind};
use std::ops::Range;
use std::os::unix::fs::FileExt as _;

use overt_layers::content_digest::{ContentDigest, ContentDigester};
use rustix::io::Errno;

use super::super::error::FileError;
use super::super::work::Stop;
use super::disk::CHUNK;
use super::old_file::OldFile;
use super::text::{Encoding, Endings, EndingsFinder};

/// Files up to this many bytes are held in memory while they are overwritten.
pub(crate) const MOST_HELD: u64 = 1 << 20;

/// Findings about a file that is not held in memory.
#[derive(Debug)]
pub(crate) struct ScannedFile {
    pub(crate) digest: ContentDigest,
    pub(crate) endings: Endings,
}

/// How many bytes at the start and at the end two contents have in common. No byte counts twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SharedEnds {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl OldFile {
    /// Reads the whole file once.
    pub(crate) fn scan(
        &self,
        encoding: Encoding,
        stop: &Stop,
        shown: &str,
    ) -> Result<ScannedFile, FileError> {
        let (mut digester, mut endings) = (ContentDigester::default(), EndingsFinder::new(encoding));
        let mut buffer = vec![0; CHUNK];
        let (mut at, size) = (0, self.facts().size);
        while at < size {
            stop.check()?;
            let piece = read(&self.open.file, &mut buffer, at..size, shown)?;
            digester.bytes(piece);
            endings.push(piece);
            at += piece.len() as u64;
        }
        Ok(ScannedFile { digest: digester.finish(), endings: endings.finish() })
    }

    /// Returns what the file has in common with other content.
    pub(crate) fn shared(&self, other: &[u8], stop: &Stop, shown: &str) -> Result<SharedEnds, FileError> {
        let mut buffer = vec![0; CHUNK];
        let size = self.facts().size;
        let most = usize::try_from(size).unwrap_or(usize::MAX).min(other.len());
        let mut start = 0;
        while start < most {
            stop.check()?;
            let piece = read(&self.open.file, &mut buffer, start as u64..most as u64, shown)?;
            let same = same_at_start(piece, &other[start..]);
            start += same;
            if same < piece.len() {
                break;
            }
        }
        let mut end = 0;
        while end < most - start {
            stop.check()?;
            let length = CHUNK.min(most - start - end);
            let last = size - end as u64;
            let piece = read(&self.open.file, &mut buffer, last - length as u64..last, shown)?;
            let same = same_at_end(piece, &other[..other.len() - end]);
            end += same;
            if same < piece.len() {
                break;
            }
        }
        Ok(SharedEnds { start, end })
    }

    /// Reads a part of the file.
    pub(crate) fn piece(&self, range: Range<u64>, shown: &str) -> Result<Vec<u8>, FileError> {
        let mut bytes = vec![0; usize::try_from(range.end - range.start).unwrap_or(0)];
        let read = self.open.file.read_exact_at(&mut bytes, range.start);
        read.map_err(|error| failed(&error, shown))?;
        Ok(bytes)
    }
}

impl SharedEnds {
    pub(crate) fn of(before: &[u8], after: &[u8]) -> Self {
        let start = same_at_start(before, after);
        Self { start, end: same_at_end(&before[start..], &after[start..]) }
    }
}

/// Reads the first bytes of the range, at most a buffer full.
fn read<'a>(
    file: &File,
    buffer: &'a mut [u8],
    range: Range<u64>,
    shown: &str,
) -> Result<&'a [u8], FileError> {
    let length = usize::try_from(range.end - range.start).unwrap_or(usize::MAX).min(buffer.len());
    let piece = &mut buffer[..length];
    file.read_exact_at(piece, range.start).map_err(|error| failed(&error, shown))?;
    Ok(piece)
}

/// A file that has become shorter is being written to, which is a conflict.
fn failed(error: &Error, shown: &str) -> FileError {
    match error.kind() {
        ErrorKind::UnexpectedEof => FileError::conflict(shown),
        _ => FileError::system(Errno::from_io_error(error).unwrap_or(Errno::IO), shown),
    }
}

fn same_at_start(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

fn same_at_end(one: &[u8], other: &[u8]) -> usize {
    one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count()
}
