//! A whole walk: everything beneath a folder, then the targets of links, one after the other in
//! path order. So two walks over the same tree show the same. No folder is walked twice, whatever
//! links say, so loops end and nothing multiplies.
use super::super::access::{AbsolutePath, Folder, Follow, Kind, SubtreeVisibility, View};
use super::super::error::FileError;
use super::link::PendingLink;
use super::rules::Rules;
use super::walk_context::{Shared, Walk, WalkTotals};
use super::walk_entry::{Source, Visitor, WalkEntry, WalkStep};
use super::walker::{FinishedWalk, Start, beneath};

/// Walks beneath a folder. Calls `visitor` to create a visitor for each thread, and returns all of
/// them.
pub(crate) fn walk<V: Visitor>(
    walk: &Walk<'_>,
    folder: Folder,
    visitor: impl Fn() -> V + Sync,
) -> Result<(Vec<V>, WalkTotals), FileError> {
    let rules = if walk.ignore { rules_around(walk.view, &folder.path) } else { Rules::default() };
    let shared = Shared::new();
    let mut done = FinishedWalk { visitors: Vec::new(), totals: WalkTotals::default(), links: Vec::new() };
    let start = Start { folder, depth: 1, rules };
    beneath(walk, &shared, start, &visitor, &mut done)?;
    if walk.follow {
        LinkFollower { walk, shared: &shared, visitor: &visitor, done: &mut done }.all()?;
    }
    Ok((done.visitors, done.totals))
}

/// Returns the rules of the folders above the start of a walk, from the root down.
fn rules_around(view: &View, path: &AbsolutePath) -> Rules {
    let mut around = Vec::new();
    let mut inner = path.clone();
    while let Some((outer, _)) = inner.split() {
        if !view.is_reached(&outer) {
            break;
        }
        around.push(outer.clone());
        inner = outer;
    }
    around.iter().rev().fold(Rules::default(), |rules, outer| match view.folder(outer.as_str()) {
        Ok(folder) if folder.path == *outer => rules.within(&folder, view, SubtreeVisibility::default()),
        _ => rules,
    })
}

/// Follows the links that were set aside, one after the other.
struct LinkFollower<'a, V, F> {
    walk: &'a Walk<'a>,
    shared: &'a Shared,
    visitor: &'a F,
    done: &'a mut FinishedWalk<V>,
}

impl<V: Visitor, F: Fn() -> V + Sync> LinkFollower<'_, V, F> {
    fn all(&mut self) -> Result<(), FileError> {
        let mut own = (self.visitor)();
        // The target of a link may contain further links.
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

    /// Shows the link as its target. The contents of a target folder are shown under that folder's
    /// own path.
    fn one(&mut self, link: &PendingLink, own: &mut V) -> Result<(), FileError> {
        let PendingLink { path, depth, base } = link;
        let (depth, base) = (*depth, *base);
        let view = self.walk.view;
        let target = view.entry(path.as_str(), Follow::Yes).ok();
        let facts = match &target {
            Some(target) => Some(target.facts),
            None => {
                self.done.totals.dead_links += 1;
                view.entry(path.as_str(), Follow::No).ok().map(|link| link.facts)
            }
        };
        let Some(kind) = facts.map(|facts| facts.kind) else { return Ok(()) };
        let source = Source::Link { view, path, facts };
        let next = own.visit(&WalkEntry { source, kind, base })?;
        let Some(target) = target.filter(|_| kind == Kind::Folder) else { return Ok(()) };
        if next == WalkStep::Beside || depth >= self.walk.max_depth {
            return Ok(());
        }
        match view.folder(target.path.as_str()) {
            Ok(folder) if folder.path == target.path => {
                let start = Start { folder, depth: depth + 1, rules: Rules::default() };
                beneath(self.walk, self.shared, start, self.visitor, self.done)
            }
            _ => {
                self.done.totals.unreadable_folders += 1;
                Ok(())
            }
        }
    }
}
