//! Runs jobs that may wait for a disk on blocking threads, up to a limit. A job is told when its
//! call is given up.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::{FileError, code};

/// The most jobs that run at a time. Further jobs wait without occupying a thread.
pub(crate) const MOST_JOBS: usize = 8;
/// KiB of content that all changes together hold in memory while they are planned and made. A
/// change that needs more waits until no other change holds any.
const MOST_CONTENT: u32 = 48 << 10;

/// Runs jobs, and limits how many run at a time and how much content they hold.
#[derive(Debug, Clone)]
pub(crate) struct Workers {
    places: Arc<Semaphore>,
    content: Arc<Semaphore>,
}

/// Reserved memory for content. Dropping it releases the memory.
#[derive(Debug)]
pub(crate) struct ContentRoom {
    kib: u32,
    _permit: OwnedSemaphorePermit,
}

/// Tells a job that its call was given up. Clones share the flag.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

/// Sets the stop flag when the call is dropped.
struct StopGuard(Stop);

impl Default for Workers {
    fn default() -> Self {
        let content = usize::try_from(MOST_CONTENT).unwrap_or(Semaphore::MAX_PERMITS);
        Self { places: Arc::new(Semaphore::new(MOST_JOBS)), content: Arc::new(Semaphore::new(content)) }
    }
}

impl Workers {
    /// Runs a job until it ends, or until it notices that its call was given up.
    pub(crate) async fn run<T, E>(
        &self,
        job: impl FnOnce(&Stop) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<FileError> + Send + 'static,
    {
        let stop = Stop::default();
        let waiting = StopGuard(stop.clone());
        let place = Arc::clone(&self.places).acquire_owned().await.map_err(|_| stopped())?;
        let done = tokio::task::spawn_blocking(move || {
            // A job whose call was given up keeps its permit until it ends.
            let _place = place;
            job(&stop)
        })
        .await;
        drop(waiting);
        done.unwrap_or_else(|_| Err(stopped().into()))
    }
}

impl Workers {
    /// Waits until `bytes` of content fit beside those of all other calls (I-12).
    pub(crate) async fn content_room(&self, bytes: u64) -> Result<ContentRoom, FileError> {
        let kib = ContentRoom::kib_of(bytes);
        let permit = Arc::clone(&self.content).acquire_many_owned(kib).await.map_err(|_| stopped())?;
        Ok(ContentRoom { kib, _permit: permit })
    }
}

impl ContentRoom {
    fn kib_of(bytes: u64) -> u32 {
        u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX).min(MOST_CONTENT)
    }

    pub(crate) fn holds(&self, bytes: u64) -> bool {
        Self::kib_of(bytes) <= self.kib
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

    /// Fails if the call was given up. Long jobs check this often.
    pub(crate) fn check(&self) -> Result<(), FileError> {
        if self.is_set() { Err(stopped()) } else { Ok(()) }
    }
}

impl Drop for StopGuard {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

fn stopped() -> FileError {
    FileError::new(
        code::CANCELLED,
        "the call was stopped before it was done",
        "Call again if you still need the result.",
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    /// I-12: the contents of all calls share one limit, and a call that needs more than the limit
    /// waits until it is alone.
    #[tokio::test(start_paused = true)]
    async fn i_12_contents_of_all_calls_share_one_room() {
        let workers = Workers::default();
        let soon = Duration::from_secs(1);
        let first = workers.content_room(30 << 20).await.unwrap();
        assert!(first.holds(30 << 20) && !first.holds(31 << 20));
        let second = workers.content_room(10 << 20).await.unwrap();
        assert!(timeout(soon, workers.content_room(10 << 20)).await.is_err());
        drop(first);
        let third = workers.content_room(10 << 20).await.unwrap();
        assert!(timeout(soon, workers.content_room(u64::MAX)).await.is_err());
        drop((second, third));
        let all = workers.content_room(u64::MAX).await.unwrap();
        assert!(all.holds(u64::MAX));
        assert!(timeout(soon, workers.content_room(1)).await.is_err());
    }
}
