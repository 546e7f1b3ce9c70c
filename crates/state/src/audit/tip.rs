//! The position that the log has reached.
use super::chain::Hash;

/// The last record of the log, and the length of its segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tip {
    pub(super) seq: u64,
    pub(super) head: Hash,
    /// The length of the segment, in bytes.
    pub(super) length: u64,
}
