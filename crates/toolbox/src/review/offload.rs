//! Compares large texts on threads of their own, so that the server answers other requests
//! meanwhile. The number of comparisons at a time is bounded, also for calls that were cancelled.
use std::panic::resume_unwind;
use std::sync::Arc;

use overt_wire::ErrorObject;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::super::error::ToolError;

/// Comparing texts of up to so many bytes is faster than finding a thread.
const SMALL: usize = 64 << 10;
/// Comparisons of large texts at a time.
const AT_A_TIME: usize = 4;

/// Runs comparisons of texts.
#[derive(Debug)]
pub(in super::super) struct Offload(Arc<Semaphore>);

impl Default for Offload {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_A_TIME)))
    }
}

impl Offload {
    /// Runs work about texts of so many bytes: here if they are small, otherwise on a thread.
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
            // Released when the work is done, not when the call is over.
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
