//! The settings of a log.
use std::path::{Path, PathBuf};
use std::time::Duration;

use overt_policy::word::string_enum;

use super::checkpoint::CheckpointSink;
use super::known_logs::KnownLogs;

string_enum! {
    /// What happens to a call if its record can't be written.
    pub enum Mode {
        /// A call that waits for its record does not run.
        Strict = "strict",
        /// The call runs. The number of missing records is recorded when writing works again.
        BestEffort = "best_effort",
    }

    /// When a record counts as written, so that the call that waits for it continues.
    pub enum CommitPoint {
        Disk = "disk",
        /// When the operating system has the record. It then survives the end of this process, but
        /// not a power cut.
        System = "system",
    }

    /// Whether the arguments of a call are in the log.
    pub enum Arguments {
        /// Only a keyed digest.
        Digest = "digest",
        /// A keyed digest, and at most 4 KiB of the arguments, without anything that looks like a
        /// secret.
        Redacted = "redacted",
    }
}

/// The most records between two checkpoints, apart from the rest of a batch. A log with more is
/// broken.
pub(super) const MOST_BETWEEN_CHECKPOINTS: u64 = 1000;

#[derive(Debug)]
pub struct Options {
    /// The folder of the two keys. It must not be the folder of the log.
    pub keys: PathBuf,
    /// Where to note that this log exists; `None` notes it nowhere.
    pub known_logs: Option<KnownLogs>,
    pub mode: Mode,
    pub commit_point: CommitPoint,
    pub arguments: Arguments,
    /// A segment is closed when it reaches this size or age.
    pub segment_bytes: u64,
    pub segment_age: Duration,
    /// Closed segments are removed at this age; `None` keeps them.
    pub retention: Option<Duration>,
    /// The oldest closed segments are removed while the closed segments together exceed this.
    pub max_bytes: Option<u64>,
    /// A checkpoint is due after this many records, at most 1,000, or after this time if there are
    /// any records.
    pub checkpoint_records: u64,
    pub checkpoint_age: Duration,
    /// The sinks to which checkpoints are sent.
    pub sinks: Vec<Box<dyn CheckpointSink>>,
    /// The capacity of the queue, in KiB. A record takes at least one.
    pub queue_kib: u32,
}

impl Options {
    /// Returns the defaults, with the keys in the folder `keys`.
    pub fn new(keys: impl AsRef<Path>) -> Self {
        Self {
            keys: keys.as_ref().to_owned(),
            known_logs: None,
            mode: Mode::Strict,
            commit_point: CommitPoint::Disk,
            arguments: Arguments::Digest,
            segment_bytes: 64 << 20,
            segment_age: Duration::from_secs(3600),
            retention: None,
            max_bytes: None,
            checkpoint_records: MOST_BETWEEN_CHECKPOINTS,
            checkpoint_age: Duration::from_secs(60),
            sinks: Vec::new(),
            queue_kib: 16 << 10,
        }
    }
}
