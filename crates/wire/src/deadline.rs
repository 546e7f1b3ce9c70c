//! Pauses the deadline of a request while a person decides, and extends it when the request reports
//! progress. This module has no clock; the transport measures the time.
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};

/// Lets the code that answers a request pause and extend its deadline. All clones control the same
/// deadline.
///
/// It has no effect where no deadline is measured, as in tests and internal requests.
#[derive(Clone, Default)]
pub struct DeadlineControl {
    state: Arc<Mutex<State>>,
}

/// A guard that pauses a deadline. The deadline runs again when the last guard is dropped.
#[must_use = "the pause ends when this is dropped"]
#[derive(Debug)]
pub struct DeadlinePause {
    control: DeadlineControl,
}

/// Tells the code that measures a deadline when the deadline is paused, resumed or extended.
#[derive(Debug)]
pub struct DeadlineWatch {
    control: DeadlineControl,
    /// Identifies the waker of this watch.
    key: Option<u64>,
}

/// The state that the code that measures a deadline needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeadlineState {
    pub is_paused: bool,
    /// How often progress has been reported so far.
    pub progress_reports: u64,
}

#[derive(Default)]
struct State {
    /// Number of guards that pause the deadline.
    open: usize,
    progress_reports: u64,
    next_key: u64,
    wakers: Vec<(u64, Waker)>,
}

// === impl DeadlineControl ===

impl DeadlineControl {
    /// Pauses the deadline until the guard is dropped. Overlapping guards count as one pause.
    pub fn pause(&self) -> DeadlinePause {
        self.change(|open| open + 1);
        DeadlinePause { control: self.clone() }
    }

    pub fn is_paused(&self) -> bool {
        self.lock().open > 0
    }

    /// Reports that the request made progress, so that its deadline may be extended.
    pub fn report_progress(&self) {
        let woken = {
            let mut state = self.lock();
            state.progress_reports += 1;
            std::mem::take(&mut state.wakers)
        };
        woken.into_iter().for_each(|(_, waker)| waker.wake());
    }

    /// Whether progress was reported at least once.
    pub fn has_progress(&self) -> bool {
        self.lock().progress_reports > 0
    }

    pub fn watch(&self) -> DeadlineWatch {
        DeadlineWatch { control: self.clone(), key: None }
    }

    /// Changes the number of guards, and wakes every watch if this begins or ends a pause.
    fn change(&self, change: impl FnOnce(usize) -> usize) {
        let woken = {
            let mut state = self.lock();
            let was_paused = state.open > 0;
            state.open = change(state.open);
            let is_paused = state.open > 0;
            if was_paused == is_paused { Vec::new() } else { std::mem::take(&mut state.wakers) }
        };
        woken.into_iter().for_each(|(_, waker)| waker.wake());
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for DeadlineControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeadlineControl").field("is_paused", &self.is_paused()).finish()
    }
}

// === impl DeadlinePause ===

impl Drop for DeadlinePause {
    fn drop(&mut self) {
        self.control.change(|open| open.saturating_sub(1));
    }
}

// === impl DeadlineWatch ===

impl DeadlineWatch {
    /// Returns the current state of the deadline. The task is woken when the state changes.
    pub fn poll_state(&mut self, context: &Context<'_>) -> DeadlineState {
        let mut state = self.control.lock();
        let key = *self.key.get_or_insert_with(|| {
            state.next_key += 1;
            state.next_key
        });
        match state.wakers.iter_mut().find(|(known, _)| *known == key) {
            Some((_, waker)) => waker.clone_from(context.waker()),
            None => state.wakers.push((key, context.waker().clone())),
        }
        DeadlineState { is_paused: state.open > 0, progress_reports: state.progress_reports }
    }
}

impl Drop for DeadlineWatch {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.control.lock().wakers.retain(|(known, _)| *known != key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn g_41_several_guards_are_one_pause() {
        let control = DeadlineControl::default();
        assert!(!control.is_paused());
        let outer = control.pause();
        let inner = control.clone().pause();
        drop(outer);
        assert!(control.is_paused());
        drop(inner);
        assert!(!control.is_paused());
    }

    #[test]
    fn g_41_every_watch_is_woken_when_a_pause_begins_and_ends() {
        let control = DeadlineControl::default();
        let counts = [Arc::new(Count::default()), Arc::new(Count::default())];
        let wakers = counts.clone().map(Waker::from);
        let mut watches = [control.watch(), control.watch()];
        let mut look = |expected: bool| {
            for (watch, waker) in watches.iter_mut().zip(&wakers) {
                assert_eq!(watch.poll_state(&Context::from_waker(waker)).is_paused, expected);
            }
        };
        let woken = || counts.each_ref().map(|count| count.0.load(Ordering::Relaxed));
        look(false);
        look(false);
        let outer = control.pause();
        assert_eq!(woken(), [1, 1]);
        look(true);
        drop(control.pause());
        assert_eq!(woken(), [1, 1], "a nested guard changes nothing");
        drop(outer);
        assert_eq!(woken(), [2, 2]);
        look(false);
    }

    #[test]
    fn g_47_every_watch_is_woken_by_progress() {
        let control = DeadlineControl::default();
        let count = Arc::new(Count::default());
        let waker = Waker::from(Arc::clone(&count));
        let mut watch = control.watch();
        for reports in 0..3 {
            assert_eq!(watch.poll_state(&Context::from_waker(&waker)).progress_reports, reports);
            control.clone().report_progress();
            assert_eq!(count.0.load(Ordering::Relaxed) as u64, reports + 1);
        }
    }

    #[test]
    fn g_41_a_watch_leaves_nothing_behind() {
        let control = DeadlineControl::default();
        for _ in 0..3 {
            control.watch().poll_state(&Context::from_waker(Waker::noop()));
        }
        assert!(control.lock().wakers.is_empty());
    }
}
