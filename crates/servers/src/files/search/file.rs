//! Searches one open file, holding only a few lines of it in memory.
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};

use grep_searcher::Searcher;

use super::super::access::OpenFile;
use super::super::error::FileError;
use super::super::read::is_windows_1252;
use super::budget::Budget;
use super::gather::{Hits, Room};
use super::lines::{Lines, MatchDetail};
use super::pattern::Pattern;

/// Files up to this size are read in one go.
const SMALL: u64 = 64 << 10;
/// Most bytes that are searched of one file (FS-15).
const MOST_SEARCHED: u64 = 1 << 30;

/// Searches files one after the other. Each thread has its own.
pub(crate) struct FileSearch<'a> {
    pattern: Pattern,
    searcher: Searcher,
    budget: &'a Budget,
    buffer: Vec<u8>,
}

/// The outcome of searching one file.
#[derive(Debug)]
pub(crate) enum Verdict {
    Nothing,
    Found(Hits),
    /// The file contains NUL bytes, so it is binary.
    Binary,
    /// Only a part of the file was searched; with the matches in that part.
    Part(Option<Hits>),
    Unreadable,
}

impl<'a> FileSearch<'a> {
    pub(crate) fn new(pattern: &Pattern, budget: &'a Budget) -> Self {
        Self { searcher: pattern.searcher(), pattern: pattern.clone(), budget, buffer: Vec::new() }
    }

    /// Finds whether the file matches, and nothing more.
    pub(crate) fn first(&mut self, file: OpenFile) -> Result<Verdict, FileError> {
        self.search(file, MatchDetail::First, 0)
    }

    /// Counts the matches in the file.
    pub(crate) fn count(&mut self, file: OpenFile) -> Result<Verdict, FileError> {
        self.search(file, MatchDetail::Count, 0)
    }

    /// Finds matching lines, as many as there may be room for.
    pub(crate) fn lines(&mut self, file: OpenFile, room: &Room) -> Result<Verdict, FileError> {
        self.search(file, MatchDetail::Lines(room.stage()), room.most())
    }

    fn search(&mut self, file: OpenFile, keep: MatchDetail, room: usize) -> Result<Verdict, FileError> {
        self.budget.stopped()?;
        if self.budget.check_clock().is_err() {
            return Ok(Verdict::Part(None));
        }
        let size = file.facts.size;
        let mut lines = Lines::new(&self.pattern.matcher, self.budget, keep, room);
        let searched = if size <= SMALL {
            self.buffer.resize(usize::try_from(SMALL).unwrap_or_default(), 0);
            // Bytes that another program appends meanwhile are not read (FS-16).
            fill(file.file, &mut self.buffer[..usize::try_from(size).unwrap_or_default()]).and_then(|read| {
                let text = as_text(&self.buffer[..read], self.pattern.is_beyond_ascii);
                self.searcher.search_slice(&self.pattern.matcher, &text, &mut lines)
            })
        } else {
            let reader = Bounded { file: file.file, left: size.min(MOST_SEARCHED), budget: self.budget };
            self.searcher.search_reader(&self.pattern.matcher, reader, &mut lines)
        };
        self.budget.stopped()?;
        if lines.is_binary {
            return Ok(Verdict::Binary);
        }
        let hits =
            (lines.count > 0).then_some(Hits { count: lines.count, weight: lines.weight, lines: lines.kept });
        let is_whole = searched.is_ok() && size <= MOST_SEARCHED;
        Ok(match (is_whole, hits, searched) {
            (true, None, _) => Verdict::Nothing,
            (true, Some(hits), _) => Verdict::Found(hits),
            (false, None, Err(error)) if error.raw_os_error().is_some() => Verdict::Unreadable,
            // A line does not fit into memory, the file is too large, or the time is over.
            (false, hits, _) => Verdict::Part(hits),
        })
    }
}

/// Converts a windows-1252 text to UTF-8, if the pattern has characters beyond ASCII: their bytes
/// differ between the two encodings.
fn as_text(bytes: &[u8], is_beyond_ascii: bool) -> Cow<'_, [u8]> {
    if !is_beyond_ascii || std::str::from_utf8(bytes).is_ok() || !is_windows_1252(bytes) {
        return bytes.into();
    }
    encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned().into_bytes().into()
}

fn fill(mut file: File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// A reader with a size limit that fails when the time is over.
struct Bounded<'a> {
    file: File,
    left: u64,
    budget: &'a Budget,
}

impl Read for Bounded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.budget.check_clock()?;
        let most = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let read = self.file.read(&mut buffer[..most])?;
        self.left -= read as u64;
        Ok(read)
    }
}
