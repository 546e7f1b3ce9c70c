//! Large texts are compared where nobody waits for the thread: the server answers others meanwhile. So many at a time, also of
//! calls that were given up.
use std::panic::resume_unwind;
use std::sync::Arc;

use overt_wire::ErrorObject;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::super::ToolError;
use super::store::Artifacts;

/// Texts of so many bytes are compared sooner than a thread is found.
const LIGHT: usize = 64 << 10;
/// As many at a time.
const SEATS: usize = 4;

/// Who may compare large texts.
#[derive(Debug, Clone)]
pub(super) struct Seats(Arc<Semaphore>);

impl Default for Seats {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(SEATS)))
    }
}

impl Artifacts {
    /// Does work about texts of so many bytes.
    pub(in super::super) async fn aside<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ToolError> {
        if bytes <= LIGHT {
            return Ok(work());
        }
        let stopped = || ToolError::protocol(ErrorObject::internal());
        let open_task = Arc::clone(&self.open_tasks.0).acquire_owned().await.map_err(|_| stopped())?;
        let done = spawn_blocking(move || {
            // Given back when the work is done, not when the call is over.
            let _seat = open_task;
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
