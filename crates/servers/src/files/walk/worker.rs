//! One thread of a walk. It reads folders, shows their entries to the visitor, and queues further
//! folders.
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::super::access::{Kind, SubtreeVisibility, is_ours};
use super::super::error::FileError;
use super::batch::Batch;
use super::counted_folder::{CountedFolder, Parent};
use super::link::PendingLink;
use super::queue::Queue;
use super::rules::Rules;
use super::walk_context::{Shared, Walk, WalkTotals};
use super::walk_entry::{Source, Visitor, WalkEntry, WalkStep};

/// Most entries that one walk reads.
const MOST_ENTRIES: u64 = 10_000_000;
/// Most links that one walk sets aside to follow.
const MOST_LINKS: usize = 100_000;
/// Longest path, in bytes, that a client can pass back to us (FS-25).
const MOST_PATH: usize = 4_096;

/// A unit of work: opening a folder, or reading more of an open one.
pub(super) enum Job {
    Open { parent: Parent, name: Box<str>, depth: usize, rules: Rules, visibility: SubtreeVisibility },
    Read { held: Arc<CountedFolder>, depth: usize, rules: Rules, visibility: SubtreeVisibility },
}

/// One thread of a walk.
pub(super) struct Worker<'a, V> {
    pub(super) walk: &'a Walk<'a>,
    pub(super) shared: &'a Shared,
    pub(super) queue: &'a Queue<Job>,
    pub(super) base: usize,
    pub(super) visitor: V,
    pub(super) totals: WalkTotals,
    pub(super) links: Vec<PendingLink>,
    pub(super) batch: Batch,
    /// The path of the current entry, in a buffer that is reused.
    pub(super) path: String,
    pub(super) jobs: Vec<Job>,
}

/// The folder that is being read.
struct CurrentFolder<'a> {
    held: &'a Arc<CountedFolder>,
    depth: usize,
    rules: &'a Rules,
    visibility: SubtreeVisibility,
    parent: Parent,
}

impl<V: Visitor> Worker<'_, V> {
    pub(super) fn run(&mut self) -> Result<(), FileError> {
        self.run_until(|| false).map(|_| ())
    }

    /// Works until there are no jobs, or until `is_enough` says that other threads can share the
    /// work. Returns `true` in the second case.
    pub(super) fn run_until(&mut self, is_enough: impl Fn() -> bool) -> Result<bool, FileError> {
        while let Some(job) = self.queue.take() {
            let worked = self.walk.stop.check().and_then(|()| self.work(job));
            self.queue.done();
            worked?;
            if is_enough() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn work(&mut self, job: Job) -> Result<(), FileError> {
        match job {
            Job::Read { held, depth, rules, visibility } => self.read(&held, depth, &rules, visibility),
            Job::Open { parent, name, depth, rules, visibility } => {
                let Some(folder) = parent.open(self.walk.view, &name) else {
                    self.totals.unreadable_folders += 1;
                    return Ok(());
                };
                drop(parent);
                if self.walk.follow && !self.shared.visited.is_first(&folder.facts) {
                    return Ok(());
                }
                let visibility = self.walk.view.visibility(&folder.path, visibility);
                let rules = match self.walk.ignore {
                    true => rules.within(&folder, self.walk.view, visibility),
                    false => rules,
                };
                self.read(&self.shared.count.hold(folder), depth, &rules, visibility)
            }
        }
    }

    /// Reads one buffer of a folder. The rest of the folder is a new job, which another thread may
    /// take.
    fn read(
        &mut self,
        held: &Arc<CountedFolder>,
        depth: usize,
        rules: &Rules,
        visibility: SubtreeVisibility,
    ) -> Result<(), FileError> {
        let mut batch = std::mem::take(&mut self.batch);
        let Ok(read) = batch.fill(&held.folder) else {
            self.totals.unreadable_folders += 1;
            self.batch = batch;
            return Ok(());
        };
        self.totals.unreadable_names += read.unreadable;
        let count = batch.entries().count() as u64;
        self.totals.entries += count;
        self.walk.tally.add(count);
        if self.shared.entries.fetch_add(count, Ordering::Relaxed) > MOST_ENTRIES {
            self.totals.is_cut = true;
            self.batch = batch;
            return Ok(());
        }
        if !read.is_end {
            let (held, rules) = (Arc::clone(held), rules.clone());
            self.jobs.push(Job::Read { held, depth, rules, visibility });
        }
        let place = CurrentFolder { held, depth, rules, visibility, parent: self.shared.count.parent(held) };
        let shown = self.show(&batch, &place);
        self.batch = batch;
        shown
    }

    /// Shows the entries of a buffer. Folders come first, so that other threads have work while
    /// this one visits files.
    fn show(&mut self, batch: &Batch, place: &CurrentFolder<'_>) -> Result<(), FileError> {
        let mut files: Vec<(&str, Kind)> = Vec::new();
        for (name, kind) in batch.entries() {
            let Some(kind) = self.shown_kind(name, kind, place) else { continue };
            match kind {
                Kind::Folder => {
                    let found = self.found(name, kind, place);
                    if self.visitor.visit(&found)? == WalkStep::Into && place.depth < self.walk.max_depth {
                        self.jobs.push(Job::Open {
                            parent: place.parent.clone(),
                            name: name.into(),
                            depth: place.depth + 1,
                            rules: place.rules.clone(),
                            visibility: place.visibility,
                        });
                    }
                }
                Kind::Link if self.walk.follow => {
                    if self.links.len() < MOST_LINKS {
                        let path = place.held.folder.path.child(name);
                        self.links.push(PendingLink { path, depth: place.depth, base: self.base });
                    } else {
                        self.totals.is_cut = true;
                    }
                }
                kind => files.push((name, kind)),
            }
        }
        self.queue.add(&mut self.jobs);
        for (name, kind) in files {
            self.walk.stop.check()?;
            let found = self.found(name, kind, place);
            self.visitor.visit(&found)?;
        }
        Ok(())
    }

    /// Returns the kind of an entry, or `None` if the entry is not shown.
    fn shown_kind(&mut self, name: &str, kind: Option<Kind>, place: &CurrentFolder<'_>) -> Option<Kind> {
        let folder = &place.held.folder;
        // The rules can't judge a path that is too long, so it is counted, hidden or not.
        if folder.path.as_str().len() + 1 + name.len() >= MOST_PATH {
            self.totals.too_deep += 1;
            return None;
        }
        // Other entries that the call may not see are not counted.
        if is_ours(name) {
            return None;
        }
        if !place.visibility.is_clear() && !self.walk.view.sees_in(place.visibility, &folder.path.child(name))
        {
            return None;
        }
        if !self.walk.hidden && name.starts_with('.') {
            self.totals.hidden += 1;
            return None;
        }
        let kind = match kind {
            Some(kind) => kind,
            None => folder.entry_facts(name).ok().flatten()?.kind,
        };
        if !place.rules.is_empty() {
            self.path.clear();
            self.path.push_str(folder.path.as_str());
            if !self.path.ends_with('/') {
                self.path.push('/');
            }
            self.path.push_str(name);
            if place.rules.leave_out(&self.path, kind) {
                self.totals.ignored += 1;
                return None;
            }
        }
        Some(kind)
    }

    fn found<'a>(&self, name: &'a str, kind: Kind, place: &CurrentFolder<'a>) -> WalkEntry<'a> {
        let source = Source::Child { parent: place.held, name };
        WalkEntry { source, kind, base: self.base }
    }
}
