//! Proof that the record of a call was written, or queued, before the call runs.
use super::{Durability, Entry, Ledger, LedgerError};

/// A permit requires a receipt. A receipt comes only from recording the intent of a call, or from
/// deferring the record of a call that only reads.
#[derive(Debug)]
pub struct Receipt(RecordState);

/// Where the record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordState {
    /// On disk, or passed to the operating system; see [`Durability::Durable`].
    Durable,
    /// In the writer's queue. Calls that only read need not wait for the disk.
    Queued,
    /// Nothing is recorded.
    Off,
}

impl Receipt {
    pub fn written(&self) -> RecordState {
        self.0
    }
}

/// Records an intent with the required durability and returns the receipt.
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

/// Returns the receipt for a call that only reads. Its only record is the outcome, which the open
/// record writes however the call ends.
pub(crate) fn deferred(ledger: &dyn Ledger) -> Receipt {
    Receipt(if ledger.is_on() { RecordState::Queued } else { RecordState::Off })
}
