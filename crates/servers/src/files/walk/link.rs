//! Links to follow after everything else, and the folders that were already walked.
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use super::super::access::{AbsolutePath, Facts};

/// The walked folders, by device and inode.
#[derive(Debug)]
pub(super) struct VisitedFolders(Mutex<HashSet<(u64, u64)>>);

impl VisitedFolders {
    pub(super) fn new() -> Self {
        Self(Mutex::new(HashSet::new()))
    }

    /// Marks a folder as walked. Returns whether it was new.
    pub(super) fn is_first(&self, facts: &Facts) -> bool {
        let mut visited = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        visited.insert((facts.device, facts.inode))
    }
}

/// A link to follow later.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PendingLink {
    pub(super) path: AbsolutePath,
    pub(super) depth: usize,
    /// The offset in the path at which the part inside the walked folder begins.
    pub(super) base: usize,
}
