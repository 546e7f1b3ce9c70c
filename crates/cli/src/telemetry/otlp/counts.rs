//! Counts the spans that were sent and dropped.
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The numbers of spans sent and dropped.
#[derive(Debug, Default)]
pub(crate) struct Spans {
    sent: AtomicU64,
    dropped: AtomicU64,
}

impl Spans {
    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Relaxed)
    }

    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Relaxed)
    }

    pub(super) fn add_sent(&self, count: usize) {
        self.sent.fetch_add(count as u64, Relaxed);
    }

    pub(super) fn drop_some(&self, count: usize) {
        if self.dropped.fetch_add(count as u64, Relaxed) == 0 {
            tracing::warn!("the collector does not take all spans; some are lost from here on");
        }
    }
}
