//! Reports the progress of a walk to the client while the walk runs.
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use overt_toolbox::Context;

/// Time between two reports.
const EVERY: Duration = Duration::from_millis(500);

/// Counts finished work. Clones share the counter.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally(Arc<AtomicU64>);

impl Tally {
    pub(crate) fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Waits for `work`, and reports its progress meanwhile.
pub(crate) async fn watch<T>(
    context: &Context,
    tally: &Tally,
    message: &str,
    work: impl Future<Output = T>,
) -> T {
    let mut work = std::pin::pin!(work);
    loop {
        match tokio::time::timeout(EVERY, &mut work).await {
            Ok(done) => return done,
            #[expect(clippy::cast_precision_loss, reason = "nobody counts files to the last one of 2^52")]
            Err(_) => context.progress(tally.get() as f64, None, message).await,
        }
    }
}
