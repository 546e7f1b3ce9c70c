//! Walks everything beneath one folder, with a shared stack of folders and up to one thread per
//! core, but at most `MOST_THREADS`. The order of entries is not defined; the caller sorts its
//! results.
use std::num::NonZero;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::super::access::{Folder, SubtreeVisibility};
use super::super::error::FileError;
use super::batch::Batch;
use super::link::PendingLink;
use super::queue::Queue;
use super::rules::Rules;
use super::walk_context::{Shared, Walk, WalkTotals};
use super::walk_entry::Visitor;
use super::worker::{Job, Worker};

const MOST_THREADS: usize = 8;
/// Queued folders that make starting further threads worthwhile.
const WORTH_A_THREAD: usize = 4;

/// The starting point of a walk, or of a part of one.
pub(super) struct Start {
    pub(super) folder: Folder,
    pub(super) depth: usize,
    pub(super) rules: Rules,
}

/// What the finished parts of a walk leave: visitors, totals and links.
pub(super) struct FinishedWalk<V> {
    pub(super) visitors: Vec<V>,
    pub(super) totals: WalkTotals,
    /// Links that remain to be followed.
    pub(super) links: Vec<PendingLink>,
}

/// Walks everything beneath one folder.
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
        totals: WalkTotals::default(),
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
        (worker.visitor, worker.totals, worker.links)
    };
    let workers = thread::scope(|scope| {
        let mut first = worker();
        // A small tree is done before a further thread would have started.
        let alone = first.run_until(|| queue.len() >= WORTH_A_THREAD);
        let more = match &alone {
            Ok(true) => threads() - 1,
            Ok(false) | Err(_) => 0,
        };
        let others: Vec<_> = (0..more).map(|_| scope.spawn(|| run(worker()))).collect();
        let first = match alone {
            Ok(true) => run(first),
            Ok(false) => (first.visitor, first.totals, first.links),
            Err(error) => {
                failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                (first.visitor, first.totals, first.links)
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
    for (visitor, totals, links) in workers {
        done.visitors.push(visitor);
        done.totals.add(&totals);
        done.links.extend(links);
    }
    Ok(())
}

fn threads() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS)
}
