//! What may wait for a disk, beside everything that may not: jobs on threads of their own, so many at a time, each told when nobody
//! waits for it any more.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Semaphore;

use super::error::{FileError, code};

/// Jobs at a time. The next ones wait for their turn without a thread.
const MOST_JOBS: usize = 8;

/// Where jobs run.
#[derive(Debug, Clone)]
pub(crate) struct Workers {
    places: Arc<Semaphore>,
}

/// Tells a job that its call was given up. Clones tell the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

/// Says stop when the call is dropped.
struct Waiting(Stop);

impl Default for Workers {
    fn default() -> Self {
        Self { places: Arc::new(Semaphore::new(MOST_JOBS)) }
    }
}

impl Workers {
    /// Runs a job to its end, or until it notices that nobody waits.
    pub(crate) async fn run<T, E>(
        &self,
        job: impl FnOnce(&Stop) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<FileError> + Send + 'static,
    {
        let stop = Stop::default();
        let waiting = Waiting(stop.clone());
        let place = Arc::clone(&self.places).acquire_owned().await.map_err(|_| stopped())?;
        let done = tokio::task::spawn_blocking(move || {
            // A job that nobody waits for still holds its place until it ends.
            let _place = place;
            job(&stop)
        })
        .await;
        drop(waiting);
        done.unwrap_or_else(|_| Err(stopped().into()))
    }
}

impl Stop {
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    #[cfg(test)]
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Fails once nobody waits any more. To be asked often in long work.
    pub(crate) fn check(&self) -> Result<(), FileError> {
        if self.is_set() { Err(stopped()) } else { Ok(()) }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

fn stopped() -> FileError {
    FileError::new(
        code::CANCELLED,
        "the call was given up before it ended",
        "Call again if it is still wanted.",
    )
}
