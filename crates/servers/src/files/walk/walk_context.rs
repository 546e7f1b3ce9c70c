//! The settings of a walk, the state that its threads share, and its totals.
use std::sync::atomic::AtomicU64;

use super::super::access::View;
use super::super::work::Stop;
use super::counted_folder::Count;
use super::link::VisitedFolders;
use super::watch::Tally;

/// The settings of a walk.
#[derive(Debug)]
pub(crate) struct Walk<'a> {
    pub(crate) view: &'a View,
    pub(crate) stop: &'a Stop,
    pub(crate) tally: &'a Tally,
    /// Whether names that begin with a dot are shown.
    pub(crate) hidden: bool,
    /// Whether `.gitignore` and similar files apply.
    pub(crate) ignore: bool,
    /// Whether links are followed: their targets are shown and walked into.
    pub(crate) follow: bool,
    pub(crate) max_depth: usize,
}

/// What a walk counted, beside the entries that it showed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct WalkTotals {
    pub(crate) entries: u64,
    /// Names that begin with a dot and were not requested.
    pub(crate) hidden: u64,
    /// Entries left out because of `.gitignore` and similar files.
    pub(crate) ignored: u64,
    /// Names that are not UTF-8.
    pub(crate) unreadable_names: u64,
    /// Folders that could not be opened or read.
    pub(crate) unreadable_folders: u64,
    /// Entries whose path is longer than the maximum.
    pub(crate) too_deep: u64,
    /// Links that lead nowhere, or to a place that the call may not see.
    pub(crate) dead_links: u64,
    /// Whether the tree had more than a walk visits.
    pub(crate) is_cut: bool,
}

/// The state that all threads and all parts of a walk share.
pub(super) struct Shared {
    pub(super) count: Count,
    pub(super) entries: AtomicU64,
    pub(super) visited: VisitedFolders,
}

impl Shared {
    pub(super) fn new() -> Self {
        Self { count: Count::default(), entries: AtomicU64::new(0), visited: VisitedFolders::new() }
    }
}

impl WalkTotals {
    pub(super) fn add(&mut self, other: &Self) {
        self.entries += other.entries;
        self.hidden += other.hidden;
        self.ignored += other.ignored;
        self.unreadable_names += other.unreadable_names;
        self.unreadable_folders += other.unreadable_folders;
        self.too_deep += other.too_deep;
        self.dead_links += other.dead_links;
        self.is_cut |= other.is_cut;
    }

    /// Whether some entries were not visited.
    pub(crate) fn is_partial(&self) -> bool {
        self.is_cut || self.too_deep > 0
    }
}
