//! Work that is shared between threads.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Returns the number of processors.
pub(crate) fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// Works on each item, on up to `threads` of them at the same time. Returns the results in the
/// order of the items.
pub(crate) fn each<'a, T: Sync, R: Send>(
    items: &'a [T],
    threads: usize,
    work: impl Fn(&'a T) -> R + Sync,
) -> Vec<R> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(items.len())));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    let result = work(item);
                    results.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
