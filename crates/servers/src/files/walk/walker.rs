//! The walk itself: a shared stack of folders, read by as many threads as there are cores. The
//! order in which entries are shown is not defined; the caller sorts its results.
use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::super::access::{Folder, Kind, SubtreeVisibility, View, is_ours};
use super::super::error::FileError;
use super::super::work::Stop;
use super::batch::Batch;
use super::counted_folder::{Count, CountedFolder, Parent};
use super::link::{PendingLink, VisitedFolders};
use super::queue::Queue;
use super::rules::Rules;
use super::walk_entry::{Source, Visitor, WalkEntry, WalkStep};
use super::watch::Tally;

/// Entries that one walk looks at.
const MOST_ENTRIES: u64 = 10_000_000;
/// Links that one walk puts aside to follow them.
const MOST_LINKS: usize = 100_000;
/// Bytes of a path that can be given back to us (FS-25).
const MOST_PATH: usize = 4_096;
const MOST_THREADS: usize = 8;
/// Folders that wait before another thread is worth its start.
const WORTH_A_THREAD: usize = 4;

/// How to walk.
#[derive(Debug)]
pub(crate) struct Walk<'a> {
    pub(crate) view: &'a View,
    pub(crate) stop: &'a Stop,
    pub(crate) tally: &'a Tally,
    /// Names that begin with a dot are shown.
    pub(crate) hidden: bool,
    /// `.gitignore` and its kin hold.
    pub(crate) ignore: bool,
    /// What links lead to is shown, and walked into.
    pub(crate) follow: bool,
    pub(crate) max_depth: usize,
}

/// What a walk counted beside the entries that it showed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct WalkTotals {
    pub(crate) entries: u64,
    /// Names that begin with a dot and were not asked for.
    pub(crate) hidden: u64,
    /// Left out because of `.gitignore` and its kin.
    pub(crate) ignored: u64,
    /// Names that are not text.
    pub(crate) unreadable_names: u64,
    /// Folders that could not be opened or read.
    pub(crate) unreadable_folders: u64,
    /// Entries whose path is longer than any path can be.
    pub(crate) too_deep: u64,
    /// Links that lead nowhere, or to where the call may not look.
    pub(crate) dead_links: u64,
    /// There was more than a walk looks at.
    pub(crate) is_cut: bool,
}

/// Where a walk, or a part of one, begins.
pub(super) struct Start {
    pub(super) folder: Folder,
    pub(super) depth: usize,
    pub(super) rules: Rules,
}

/// What all threads and all parts of a walk share.
pub(super) struct Shared {
    count: Count,
    entries: AtomicU64,
    pub(super) visited: VisitedFolders,
}

impl Shared {
    pub(super) fn new() -> Self {
        Self { count: Count::default(), entries: AtomicU64::new(0), visited: VisitedFolders::new() }
    }
}

/// What the finished parts of a walk leave: visitors, totals and links.
pub(super) struct FinishedWalk<V> {
    pub(super) visitors: Vec<V>,
    pub(super) seen: WalkTotals,
    /// Links that are still to be followed.
    pub(super) links: Vec<PendingLink>,
}

enum Job {
    Open { parent: Parent, name: Box<str>, depth: usize, rules: Rules, visibility: SubtreeVisibility },
    Read { held: Arc<CountedFolder>, depth: usize, rules: Rules, visibility: SubtreeVisibility },
}

/// Everything beneath one folder.
pub(super) fn beneath<V: Visitor>(
    walk: &Walk<'_>,
    shared: &Shared,
    start: Start,
    visitor: &(impl Fn() -> V + Sync),
    done: &mut FinishedWalk<V>,
) -> Result<(), FileError> {
    let base = start.folder.path.inner_at();
    if walk.follow && !shared.visited.is_first(&start.folder.facts) {
        return Ok(());
    }
    let visibility = walk.view.visibility(&start.folder.path, SubtreeVisibility::default());
    let rules = match walk.ignore {
        true => start.rules.within(&start.folder, walk.view, visibility),
        false => Rules::default(),
    };
    let held = shared.count.hold(start.folder);
    let queue = Queue::new(Job::Read { held, depth: start.depth, rules, visibility });
    let failed = Mutex::new(None);
    let worker = || Worker {
        walk,
        shared,
        queue: &queue,
        base,
        visitor: visitor(),
        seen: WalkTotals::default(),
        links: Vec::new(),
        batch: Batch::default(),
        path: String::new(),
        jobs: Vec::new(),
    };
    let run = |mut worker: Worker<'_, V>| {
        if let Err(error) = worker.run() {
            failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            queue.end();
        }
        (worker.visitor, worker.seen, worker.links)
    };
    let workers = thread::scope(|scope| {
        let mut first = worker();
        // A small tree is walked before another thread would have begun.
        let alone = first.run_until(|| queue.len() >= WORTH_A_THREAD);
        let more = match &alone {
            Ok(true) => threads() - 1,
            Ok(false) | Err(_) => 0,
        };
        let others: Vec<_> = (0..more).map(|_| scope.spawn(|| run(worker()))).collect();
        let first = match alone {
            Ok(true) => run(first),
            Ok(false) => (first.visitor, first.seen, first.links),
            Err(error) => {
                failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                (first.visitor, first.seen, first.links)
            }
        };
        let mut all = vec![first];
        for other in others {
            all.push(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        all
    });
    if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    for (visitor, seen, links) in workers {
        done.visitors.push(visitor);
        done.seen.add(&seen);
        done.links.extend(links);
    }
    Ok(())
}

fn threads() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS)
}

struct Worker<'a, V> {
    walk: &'a Walk<'a>,
    shared: &'a Shared,
    queue: &'a Queue<Job>,
    base: usize,
    visitor: V,
    seen: WalkTotals,
    links: Vec<PendingLink>,
    batch: Batch,
    /// The path of the entry that is looked at, in memory that is used again.
    path: String,
    jobs: Vec<Job>,
}

impl<V: Visitor> Worker<'_, V> {
    fn run(&mut self) -> Result<(), FileError> {
        self.run_until(|| false).map(|_| ())
    }

    /// Works until there is nothing to do, or until there is enough for others. Says whether there
    /// is.
    fn run_until(&mut self, is_enough: impl Fn() -> bool) -> Result<bool, FileError> {
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
                    self.seen.unreadable_folders += 1;
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

    /// One buffer full of a folder; the rest of it is another job, which another thread may take.
    fn read(
        &mut self,
        held: &Arc<CountedFolder>,
        depth: usize,
        rules: &Rules,
        visibility: SubtreeVisibility,
    ) -> Result<(), FileError> {
        let mut batch = std::mem::take(&mut self.batch);
        let Ok(read) = batch.fill(&held.folder) else {
            self.seen.unreadable_folders += 1;
            self.batch = batch;
            return Ok(());
        };
        self.seen.unreadable_names += read.unreadable;
        let count = batch.entries().count() as u64;
        self.seen.entries += count;
        self.walk.tally.add(count);
        if self.shared.entries.fetch_add(count, Ordering::Relaxed) > MOST_ENTRIES {
            self.seen.is_cut = true;
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

    /// Folders first, so that other threads have something to do while this one looks at files.
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
                        self.seen.is_cut = true;
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

    /// What an entry is, if it is to be shown at all.
    fn shown_kind(&mut self, name: &str, kind: Option<Kind>, place: &CurrentFolder<'_>) -> Option<Kind> {
        let folder = &place.held.folder;
        if folder.path.as_str().len() + 1 + name.len() >= MOST_PATH {
            self.seen.too_deep += 1;
            return None;
        }
        // What may not be seen is not counted either.
        if is_ours(name) {
            return None;
        }
        if !place.visibility.is_clear() && !self.walk.view.sees_in(place.visibility, &folder.path.child(name))
        {
            return None;
        }
        if !self.walk.hidden && name.starts_with('.') {
            self.seen.hidden += 1;
            return None;
        }
        let kind = match kind {
            Some(kind) => kind,
            None => folder.look(name).ok().flatten()?.kind,
        };
        if !place.rules.is_empty() {
            self.path.clear();
            self.path.push_str(folder.path.as_str());
            if !self.path.ends_with('/') {
                self.path.push('/');
            }
            self.path.push_str(name);
            if place.rules.leave_out(&self.path, kind) {
                self.seen.ignored += 1;
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

/// The folder that is read.
struct CurrentFolder<'a> {
    held: &'a Arc<CountedFolder>,
    depth: usize,
    rules: &'a Rules,
    visibility: SubtreeVisibility,
    parent: Parent,
}

impl WalkTotals {
    fn add(&mut self, other: &Self) {
        self.entries += other.entries;
        self.hidden += other.hidden;
        self.ignored += other.ignored;
        self.unreadable_names += other.unreadable_names;
        self.unreadable_folders += other.unreadable_folders;
        self.too_deep += other.too_deep;
        self.dead_links += other.dead_links;
        self.is_cut |= other.is_cut;
    }

    /// There was more than was looked at.
    pub(crate) fn is_partial(&self) -> bool {
        self.is_cut || self.too_deep > 0
    }
}
