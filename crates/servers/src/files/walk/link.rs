//! Links that are followed after everything else, and the folders that were walked already.
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use super::super::access::{AbsolutePath, Facts};

/// Folders that were walked, by what they are on the disk.
#[derive(Debug)]
pub(super) struct VisitedFolders(Mutex<HashSet<(u64, u64)>>);

impl VisitedFolders {
    pub(super) fn new() -> Self {
        Self(Mutex::new(HashSet::new()))
    }

    /// Whether it was not walked before; from now on it was.
    pub(super) fn is_first(&self, facts: &Facts) -> bool {
        let mut visited = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        visited.insert((facts.device, facts.inode))
    }
}

/// A link that is to be followed later.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PendingLink {
    pub(super) path: AbsolutePath,
    pub(super) depth: usize,
    /// Bytes of the path before the part within the folder that was walked.
    pub(super) base: usize,
}
