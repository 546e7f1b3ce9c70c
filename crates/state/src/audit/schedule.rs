//! When the next checkpoint is due.
use std::time::{Duration, Instant};

use super::options::{MOST_BETWEEN_CHECKPOINTS, Options};

/// A checkpoint is due after a number of records, or after a time in which something was written.
#[derive(Debug)]
pub(super) struct CheckpointSchedule {
    records: u64,
    age: Duration,
    /// The number of the last checkpoint's record, or of the last record before this start, and its
    /// time.
    last: (u64, Instant),
}

impl CheckpointSchedule {
    pub(super) fn new(options: &Options, last: u64) -> Self {
        let records = options.checkpoint_records.min(MOST_BETWEEN_CHECKPOINTS);
        Self { records, age: options.checkpoint_age, last: (last, Instant::now()) }
    }

    /// Returns whether a checkpoint is due when the log ends with this record.
    pub(super) fn is_due_after(&self, seq: u64) -> bool {
        let (last, when) = self.last;
        let new = seq.saturating_sub(last);
        new >= self.records || (new > 0 && when.elapsed() >= self.age)
    }

    /// Returns when a checkpoint is due if the log stays at this record; `None` if never.
    pub(super) fn due_after(&self, seq: u64) -> Option<Instant> {
        let (last, when) = self.last;
        (seq > last).then(|| when + self.age)
    }

    /// Notes that the checkpoint in this record is on disk.
    pub(super) fn note(&mut self, seq: u64) {
        self.last = (seq, Instant::now());
    }
}
