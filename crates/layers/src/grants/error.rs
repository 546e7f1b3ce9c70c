//! The error of a grant store.

/// The store can't be read or written. A call that gets this error must be refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the store of grants can't be used: {why}")]
pub struct StoreError {
    pub why: String,
}
