//! Who writes records down.
use std::fmt;

use overt_wire::BoxFuture;

use super::Entry;

/// When the writer may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// As soon as the record is queued.
    Batched,
    /// When the record is on the disk: what may have an effect waits for it.
    Durable,
}

/// The record could not be written down.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the audit log can't be written: {why}")]
pub struct LedgerError {
    pub why: String,
}

/// Keeps records in the order in which they come.
pub trait Ledger: fmt::Debug + Send + Sync + 'static {
    fn write(&self, entry: Entry, when: Durability) -> BoxFuture<'_, Result<(), LedgerError>>;

    /// For what can't wait, such as the end of a call that was dropped. What can't be taken is
    /// counted as a gap.
    fn note(&self, entry: Entry);

    /// Whether anything is written at all: if not, nothing need be put together.
    fn is_on(&self) -> bool {
        true
    }
}

/// Writes nothing down.
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
