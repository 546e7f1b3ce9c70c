//! Tells a client how far a walk is, from beside it.
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use overt_toolbox::Context;

/// How often a client is told.
const EVERY: Duration = Duration::from_millis(500);

/// Counts what was done. Clones count the same.
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

/// Waits for some work and tells meanwhile how far it is.
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
