//! The time limit of a search: it ends when its call is given up or its time is over.
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::super::error::FileError;
use super::super::work::Stop;

/// Longest time of a search. By then most clients have given up; the others get the results so far.
const MOST_TIME: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub(crate) struct Budget {
    stop: Stop,
    until: Instant,
    is_over: AtomicBool,
}

impl Budget {
    pub(crate) fn new(stop: &Stop) -> Self {
        Self::until(stop, Instant::now() + MOST_TIME)
    }

    pub(crate) fn until(stop: &Stop, until: Instant) -> Self {
        Self { stop: stop.clone(), until, is_over: AtomicBool::new(false) }
    }

    /// Whether the time is over.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Fails if the call was given up. Does not check the time.
    pub(crate) fn stopped(&self) -> Result<(), FileError> {
        self.stop.check()
    }

    /// Checks the clock. Called for each block that is read.
    pub(super) fn check_clock(&self) -> io::Result<()> {
        if Instant::now() >= self.until {
            self.is_over.store(true, Ordering::Relaxed);
        }
        self.check()
    }

    /// Checks cheaply, without the clock. Called for each line.
    pub(super) fn check(&self) -> io::Result<()> {
        if self.stop.is_set() || self.is_over() {
            return Err(io::Error::other("the search is over"));
        }
        Ok(())
    }
}
