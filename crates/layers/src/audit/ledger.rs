//! The interface of what stores records.
use std::fmt;

use overt_wire::BoxFuture;

use super::Entry;

/// When the caller of `write` may continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// When the record is queued.
    Batched,
    /// When the record is on disk, or only passed to the operating system if the operator chose
    /// that. Calls that may have an effect wait for this.
    Durable,
}

/// A record could not be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the audit log can't be written: {why}")]
pub struct LedgerError {
    pub why: String,
}

/// Stores records in the order in which they arrive.
pub trait Ledger: fmt::Debug + Send + Sync + 'static {
    fn write(&self, entry: Entry, when: Durability) -> BoxFuture<'_, Result<(), LedgerError>>;

    /// Records an entry without waiting, such as the end of a call that was dropped. Entries that
    /// cannot be taken are counted as a gap.
    fn note(&self, entry: Entry);

    /// Returns whether anything is recorded. If not, the caller need not build entries.
    fn is_on(&self) -> bool {
        true
    }
}

/// A ledger that records nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLedger;

impl Ledger for NoLedger {
    fn write(&self, _entry: Entry, _when: Durability) -> BoxFuture<'_, Result<(), LedgerError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn note(&self, _entry: Entry) {}

    fn is_on(&self) -> bool {
        false
    }
}
