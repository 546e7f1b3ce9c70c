//! What links lead to, after everything else and one after the other in the order of their paths, so that two walks over the same tree
//! show the same. No folder is walked twice, whatever links say, so that loops end and nothing multiplies.
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use super::super::error::FileError;
use super::super::space::{Facts, Follow, Kind, Whole};
use super::found::{Found, Next, Source, Visit};
use super::rules::Rules;
use super::walker::{Done, Shared, Start, Walk, beneath};

/// Folders that were walked, by what they are on the disk.
#[derive(Debug)]
pub(super) struct Visited(Mutex<HashSet<(u64, u64)>>);

impl Visited {
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
pub(super) struct Aside {
    pub(super) path: Whole,
    pub(super) depth: usize,
    /// Bytes of the path before the part within the folder that was walked.
    pub(super) base: usize,
}

/// Follows links that were put aside, one after the other.
pub(super) struct Following<'a, V, F> {
    pub(super) walk: &'a Walk<'a>,
    pub(super) shared: &'a Shared,
    pub(super) visitor: &'a F,
    pub(super) done: &'a mut Done<V>,
}

impl<V: Visit, F: Fn() -> V + Sync> Following<'_, V, F> {
    pub(super) fn all(&mut self) -> Result<(), FileError> {
        let mut own = (self.visitor)();
        // What is walked behind a link may hold further ones.
        while !self.done.links.is_empty() {
            let mut links = std::mem::take(&mut self.done.links);
            links.sort_unstable();
            for link in links {
                self.walk.stop.check()?;
                self.one(&link, &mut own)?;
            }
        }
        self.done.visitors.push(own);
        Ok(())
    }

    /// The link is shown as what it leads to. The contents of a folder are shown under the folder's own path.
    fn one(&mut self, link: &Aside, own: &mut V) -> Result<(), FileError> {
        let Aside { path, depth, base } = link;
        let (depth, base) = (*depth, *base);
        let view = self.walk.view;
        let target = view.entry(path.as_str(), Follow::Yes).ok();
        let facts = match &target {
            Some(target) => Some(target.facts),
            None => {
                self.done.seen.dead_links += 1;
                view.entry(path.as_str(), Follow::No).ok().map(|link| link.facts)
            }
        };
        let Some(kind) = facts.map(|facts| facts.kind) else { return Ok(()) };
        let source = Source::Link { view, path, facts };
        let next = own.visit(&Found { source, kind, base })?;
        let Some(target) = target.filter(|_| kind == Kind::Folder) else { return Ok(()) };
        if next == Next::Beside || depth >= self.walk.max_depth {
            return Ok(());
        }
        match view.folder(target.path.as_str()) {
            Ok(folder) if folder.path == target.path => {
                let start = Start { folder, depth: depth + 1, rules: Rules::default() };
                beneath(self.walk, self.shared, start, self.visitor, self.done)
            }
            _ => {
                self.done.seen.unreadable_folders += 1;
                Ok(())
            }
        }
    }
}
