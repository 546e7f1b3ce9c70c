//! What all files give together, as much as fits: every line, or the first ones of each file, or
//! the number of matches in the files that have most. Which of the three depends only on what is
//! there, never on which thread was first.
use std::cmp::Reverse;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::walk::{PathOrder, Smallest};
use super::line::Line;

/// Lines of each file where not all of them fit.
pub(crate) const REDUCED_LINES: usize = 3;
/// What a file takes in an answer beside its path and its lines.
const PER_FILE: usize = 64;

/// How much of what is found an answer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    Full,
    Reduced,
    Summary,
}

/// What one file gave.
#[derive(Debug)]
pub(crate) struct Hits {
    /// Matches, not lines.
    pub(crate) count: u64,
    /// About how long an answer with all of its lines would be.
    pub(crate) weight: usize,
    pub(crate) lines: Vec<Line>,
}

/// How much room there is, and how much of it would be taken. Shared by all threads.
#[derive(Debug)]
pub(crate) struct Room {
    most: u64,
    full: AtomicU64,
    reduced: AtomicU64,
}

/// What one thread has found.
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
    /// What an answer would take that has only the first lines.
    fn reduced_weight(&self) -> usize {
        let first = self.lines.iter().filter(|line| line.is_match()).take(REDUCED_LINES);
        first.map(Line::weight).sum()
    }

    /// Leaves only the first lines.
    pub(crate) fn reduce(&mut self) {
        self.lines.retain(Line::is_match);
        self.lines.truncate(REDUCED_LINES);
    }
}

impl Room {
    pub(crate) fn new(most: u64) -> Self {
        Self { most, full: AtomicU64::new(0), reduced: AtomicU64::new(0) }
    }

    /// As far as it is known. It only ever goes on to the next.
    pub(crate) fn stage(&self) -> Stage {
        Stage::of(self.full.load(Ordering::Relaxed), self.reduced.load(Ordering::Relaxed), self.most)
    }

    pub(super) fn most(&self) -> usize {
        usize::try_from(self.most).unwrap_or(usize::MAX)
    }
}

impl<'a> Gather<'a> {
    /// `top` is how many files a summary names.
    pub(crate) fn new(room: &'a Room, top: usize) -> Self {
        Self { room, hits: Vec::new(), top: Smallest::new(top) }
    }

    pub(crate) fn add(&mut self, path: &str, hits: Hits) {
        let path = PathOrder::new(path);
        let around = path.len() + PER_FILE;
        // What is counted is the same whichever thread comes first: a file that was cut short had
        // too much already.
        self.room.full.fetch_add((hits.weight + around) as u64, Ordering::Relaxed);
        self.room.reduced.fetch_add((hits.reduced_weight() + around) as u64, Ordering::Relaxed);
        self.top.add((Reverse(hits.count), path.clone()));
        if self.room.stage() == Stage::Summary {
            self.hits = Vec::new();
        } else {
            self.hits.push((path, hits));
        }
    }

    /// How many files.
    pub(crate) fn files(&self) -> u64 {
        self.top.count
    }

    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.hits.extend(other.hits);
        Self { top: self.top.merge(other.top), ..self }
    }

    /// All files in the order of their paths.
    pub(crate) fn into_files(mut self) -> Vec<(PathOrder, Hits)> {
        self.hits.sort_by(|(one, _), (two, _)| one.cmp(two));
        self.hits
    }

    /// The files with most matches, and how many they have.
    pub(crate) fn into_top(self) -> Vec<(String, u64)> {
        self.top.into_sorted().into_iter().map(|(count, path)| (path.path(), count.0)).collect()
    }
}
