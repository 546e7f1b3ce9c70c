//! Compares large texts on separate threads, so that the server can answer other requests
//! meanwhile. The number of simultaneous comparisons is limited, including those of cancelled
//! calls.
use std::panic::resume_unwind;
use std::sync::Arc;

use overt_wire::ErrorObject;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::super::error::ToolError;

/// Up to this size in bytes, comparing is faster than handing the work to a thread.
const SMALL: usize = 64 << 10;
/// The most comparisons of large texts at a time.
const AT_A_TIME: usize = 4;

/// Runs comparisons of texts, large ones on separate threads.
#[derive(Debug)]
pub(in super::super) struct Offload(Arc<Semaphore>);

impl Default for Offload {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_A_TIME)))
    }
}

impl Offload {
    /// Runs work on texts of `bytes` bytes: directly if they are small, otherwise on a thread.
    pub(in super::super) async fn run<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ToolError> {
        if bytes <= SMALL {
            return Ok(work());
        }
        let stopped = || ToolError::protocol(ErrorObject::internal());
        let permit = Arc::clone(&self.0).acquire_owned().await.map_err(|_| stopped())?;
        let done = spawn_blocking(move || {
            // Released when the work is done, even if the call was cancelled before.
            let _permit = permit;
            work()
        });
        match done.await {
            Ok(done) => Ok(done),
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(_) => Err(stopped()),
            },
        }
    }
}
