//! Searches one open file, in memory for a few lines of it.
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

/// Files up to this size are read at once.
const SMALL: u64 = 64 << 10;
/// Bytes that are searched of one file (FS-15).
const MOST_SEARCHED: u64 = 1 << 30;

/// Searches one file after the other; one for each thread.
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
    /// It holds NUL bytes and is not text.
    Binary,
    /// Only a part of it was searched, with what was found there.
    Part(Option<Hits>),
    Unreadable,
}

impl<'a> FileSearch<'a> {
    pub(crate) fn new(pattern: &Pattern, budget: &'a Budget) -> Self {
        Self { searcher: pattern.searcher(), pattern: pattern.clone(), budget, buffer: Vec::new() }
    }

    /// Whether it matches, and no more than that.
    pub(crate) fn first(&mut self, file: OpenFile) -> Result<Verdict, FileError> {
        self.search(file, MatchDetail::First, 0)
    }

    /// How many matches it has.
    pub(crate) fn count(&mut self, file: OpenFile) -> Result<Verdict, FileError> {
        self.search(file, MatchDetail::Count, 0)
    }

    /// As many of its lines as there may be room for.
    pub(crate) fn lines(&mut self, file: OpenFile, room: &Room) -> Result<Verdict, FileError> {
        self.search(file, MatchDetail::Lines(room.stage()), room.most())
    }

    fn search(&mut self, file: OpenFile, keep: MatchDetail, room: usize) -> Result<Verdict, FileError> {
        self.budget.stopped()?;
        if self.budget.look().is_err() {
            return Ok(Verdict::Part(None));
        }
        let size = file.facts.size;
        let mut lines = Lines::new(&self.pattern.matcher, self.budget, keep, room);
        let searched = if size <= SMALL {
            self.buffer.resize(usize::try_from(SMALL).unwrap_or_default(), 0);
            // What is added while we read is not waited for (FS-16).
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
            // A line that does not fit into memory, a file that is too large, or a time that is
            // over.
            (false, hits, _) => Verdict::Part(hits),
        })
    }
}

/// A text in an older encoding as UTF-8, where the pattern has letters that it writes otherwise.
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

/// Reads so much and no more, and ends when its time is up.
struct Bounded<'a> {
    file: File,
    left: u64,
    budget: &'a Budget,
}

impl Read for Bounded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.budget.look()?;
        let most = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let read = self.file.read(&mut buffer[..most])?;
        self.left -= read as u64;
        Ok(read)
    }
}
