//! Applies a function to many skills in parallel and shows the progress.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::output::{Printer, ProgressReport};

/// The most threads. More bring no gain.
const MOST_THREADS: usize = 16;
/// The least number of skills for which progress is shown.
const LEAST_SHOWN: usize = 200;

/// Returns the results in the order of the items.
pub(super) fn each<T: Sync, R: Send>(
    items: &[T],
    what: &str,
    printer: &Printer,
    act: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let threads =
        thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS).min(items.len().max(1));
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
    if items.len() >= LEAST_SHOWN {
        printer.progress_start(what);
    }
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return };
            let result = act(item);
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.push((at, result));
            if items.len() >= LEAST_SHOWN && done.len().is_multiple_of(100) {
                #[expect(clippy::cast_precision_loss, reason = "there are far fewer skills than 2^52")]
                let (progress, total) = (done.len() as f64, Some(items.len() as f64));
                printer.progress(&ProgressReport { progress, total, message: Some(what.to_owned()) });
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    printer.progress_stop();
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
