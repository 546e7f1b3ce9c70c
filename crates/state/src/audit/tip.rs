//! How far the log has come.
use super::chain::Hash;

/// How far the log has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tip {
    pub(super) seq: u64,
    pub(super) head: Hash,
    /// Bytes of the segment.
    pub(super) length: u64,
}
