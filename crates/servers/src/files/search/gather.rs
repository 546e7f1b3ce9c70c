//! Gathers the hits of all files, as far as they fit: every line, or the first lines of each file,
//! or the number of matches in the files that have most. The choice depends only on what was found,
//! never on which thread came first.
use std::cmp::Reverse;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::walk::{PathOrder, Smallest};
use super::line::Line;

/// Lines per file if not all lines fit.
pub(crate) const REDUCED_LINES: usize = 3;
/// Bytes that a file takes in an answer, in addition to its path and lines.
const PER_FILE: usize = 64;

/// How much detail an answer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    Full,
    Reduced,
    Summary,
}

/// The hits in one file.
#[derive(Debug)]
pub(crate) struct Hits {
    /// The number of matches, not of lines.
    pub(crate) count: u64,
    /// The approximate size of an answer with all of its lines.
    pub(crate) weight: usize,
    pub(crate) lines: Vec<Line>,
}

/// The room in the answer, and how much of it the hits would take. Shared by all threads.
#[derive(Debug)]
pub(crate) struct Room {
    most: u64,
    full: AtomicU64,
    reduced: AtomicU64,
}

/// The hits that one thread has found.
#[derive(Debug)]
pub(crate) struct Gather<'a> {
    room: &'a Room,
    hits: Vec<(PathOrder, Hits)>,
    top: Smallest<(Reverse<u64>, PathOrder)>,
}

impl Stage {
    fn of(full: u64, reduced: u64, most: u64) -> Self {
        if reduced > most {
            Self::Summary
        } else if full > most {
            Self::Reduced
        } else {
            Self::Full
        }
    }
}

impl Hits {
    /// The size of the answer with only the first lines.
    fn reduced_weight(&self) -> usize {
        let first = self.lines.iter().filter(|line| line.is_match()).take(REDUCED_LINES);
        first.map(Line::weight).sum()
    }

    /// Drops all but the first lines.
    pub(crate) fn reduce(&mut self) {
        self.lines.retain(Line::is_match);
        self.lines.truncate(REDUCED_LINES);
    }
}

impl Room {
    pub(crate) fn new(most: u64) -> Self {
        Self { most, full: AtomicU64::new(0), reduced: AtomicU64::new(0) }
    }

    /// The stage according to the hits so far. It only ever moves on to a later stage.
    pub(crate) fn stage(&self) -> Stage {
        Stage::of(self.full.load(Ordering::Relaxed), self.reduced.load(Ordering::Relaxed), self.most)
    }

    pub(super) fn most(&self) -> usize {
        usize::try_from(self.most).unwrap_or(usize::MAX)
    }
}

impl<'a> Gather<'a> {
    /// `top` is the number of files that a summary names.
    pub(crate) fn new(room: &'a Room, top: usize) -> Self {
        Self { room, hits: Vec::new(), top: Smallest::new(top) }
    }

    pub(crate) fn add(&mut self, path: &str, hits: Hits) {
        let path = PathOrder::new(path);
        let around = path.len() + PER_FILE;
        // The totals don't depend on the order of the threads: a file whose lines were cut short
        // already exceeded the room alone.
        self.room.full.fetch_add((hits.weight + around) as u64, Ordering::Relaxed);
        self.room.reduced.fetch_add((hits.reduced_weight() + around) as u64, Ordering::Relaxed);
        self.top.add((Reverse(hits.count), path.clone()));
        if self.room.stage() == Stage::Summary {
            self.hits = Vec::new();
        } else {
            self.hits.push((path, hits));
        }
    }

    /// The number of files with hits.
    pub(crate) fn files(&self) -> u64 {
        self.top.count
    }

    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.hits.extend(other.hits);
        Self { top: self.top.merge(other.top), ..self }
    }

    /// Returns all files in path order.
    pub(crate) fn into_files(mut self) -> Vec<(PathOrder, Hits)> {
        self.hits.sort_by(|(one, _), (two, _)| one.cmp(two));
        self.hits
    }

    /// Returns the files with most matches, and their number of matches.
    pub(crate) fn into_top(self) -> Vec<(String, u64)> {
        self.top.into_sorted().into_iter().map(|(count, path)| (path.path(), count.0)).collect()
    }
}
