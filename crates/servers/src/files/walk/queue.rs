//! The jobs that remain, shared by the threads of a walk. The newest job is done first, so that the
//! folders of a wide tree don't all wait in memory.
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

#[derive(Debug)]
pub(super) struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct State<T> {
    jobs: Vec<T>,
    /// Threads that may still add jobs.
    busy: usize,
    waiting: usize,
    is_over: bool,
}

impl<T> Queue<T> {
    pub(super) fn new(first: T) -> Self {
        let state = State { jobs: vec![first], busy: 0, waiting: 0, is_over: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Returns the next job, or `None` when there will be no more. The thread that took a job calls
    /// [`done`](Self::done) before it takes the next.
    pub(super) fn take(&self) -> Option<T> {
        let mut state = self.lock();
        loop {
            if state.is_over {
                return None;
            }
            if let Some(job) = state.jobs.pop() {
                state.busy += 1;
                return Some(job);
            }
            if state.busy == 0 {
                state.is_over = true;
                self.changed.notify_all();
                return None;
            }
            state.waiting += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
    }

    /// Adds jobs. The last of them is done first.
    pub(super) fn add(&self, jobs: &mut Vec<T>) {
        if jobs.is_empty() {
            return;
        }
        let mut state = self.lock();
        state.jobs.append(jobs);
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }

    pub(super) fn done(&self) {
        let mut state = self.lock();
        state.busy -= 1;
        if state.busy == 0 && state.waiting > 0 {
            self.changed.notify_all();
        }
    }

    /// Ends the walk: no further job is handed out.
    pub(super) fn end(&self) {
        self.lock().is_over = true;
        self.changed.notify_all();
    }

    /// The number of queued jobs.
    pub(super) fn len(&self) -> usize {
        self.lock().jobs.len()
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
