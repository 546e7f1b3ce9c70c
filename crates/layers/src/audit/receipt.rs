//! Proof that the record of a call is where it must be before the call runs.
use super::{Durability, Entry, Ledger, LedgerError};

/// A permit needs one. Only recording the intent of a call gives one.
#[derive(Debug)]
pub struct Receipt(RecordState);

/// Where the record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordState {
    /// On the disk.
    Durable,
    /// In the writer's queue; what only reads need not wait for the disk.
    Queued,
    /// Nothing is recorded.
    Off,
}

impl Receipt {
    pub fn written(&self) -> RecordState {
        self.0
    }
}

/// Records an intent as durably as it must be.
pub(crate) async fn record_intent(
    ledger: &dyn Ledger,
    entry: Entry,
    durability: Durability,
) -> Result<Receipt, LedgerError> {
    ledger.write(entry, durability).await?;
    Ok(Receipt(match durability {
        Durability::Durable => RecordState::Durable,
        Durability::Batched => RecordState::Queued,
    }))
}

/// For a call that only reads: its one record is the outcome, which the open record writes however
/// the call ends.
pub(crate) fn deferred(ledger: &dyn Ledger) -> Receipt {
    Receipt(if ledger.is_on() { RecordState::Queued } else { RecordState::Off })
}
