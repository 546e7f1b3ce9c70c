//! How long a search may take: until its call is given up, or until its time is up.
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::super::error::FileError;
use super::super::work::Stop;

/// A client has given up long before; what was found until then is given.
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

    /// Whether the time is up.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Fails once the call was given up. Does not check whether there is time left.
    pub(crate) fn stopped(&self) -> Result<(), FileError> {
        self.stop.check()
    }

    /// Looks at the clock: to be asked for each piece that is read.
    pub(super) fn look(&self) -> io::Result<()> {
        if Instant::now() >= self.until {
            self.is_over.store(true, Ordering::Relaxed);
        }
        self.check()
    }

    /// Cheap: to be asked for each line.
    pub(super) fn check(&self) -> io::Result<()> {
        if self.stop.is_set() || self.is_over() {
            return Err(io::Error::other("the search is over"));
        }
        Ok(())
    }
}
