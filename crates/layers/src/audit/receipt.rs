//! Proof that the record of a call was written, or queued, before the call runs.
use std::marker::PhantomData;

use super::{Durability, Entry, Ledger, LedgerError};

/// A permit consumes a receipt, and `S` says what the receipt proves: [`Recorded`], [`Queued`] or
/// [`Off`]. Only recording the intent of a call makes one, or deferring the record of a call that
/// only reads.
#[derive(Debug)]
pub struct Receipt<S>(PhantomData<S>);

/// The intent is on disk, or passed to the operating system; see [`Durability::Durable`].
#[derive(Debug)]
pub enum Recorded {}

/// The record is in the writer's queue, or the outcome of the call will be its only record. Calls
/// that only read need not wait for the disk.
#[derive(Debug)]
pub enum Queued {}

/// The log is off. This receipt counts as any other.
#[derive(Debug)]
pub enum Off {}

impl Receipt<Recorded> {
    /// Records an intent, and waits until that is durable.
    pub(crate) async fn record(ledger: &dyn Ledger, entry: Entry) -> Result<Self, LedgerError> {
        ledger.write(entry, Durability::Durable).await?;
        Ok(Self(PhantomData))
    }
}

impl Receipt<Queued> {
    /// Queues the intent of a call that only reads.
    pub(crate) async fn queue(ledger: &dyn Ledger, entry: Entry) -> Result<Self, LedgerError> {
        ledger.write(entry, Durability::Batched).await?;
        Ok(Self(PhantomData))
    }

    /// Makes the receipt of a call that only reads and has no record but its outcome, which the
    /// open record writes however the call ends.
    pub(crate) fn deferred() -> Self {
        Self(PhantomData)
    }
}

impl Receipt<Off> {
    /// Returns `None` if the log is on.
    pub(crate) fn off(ledger: &dyn Ledger) -> Option<Self> {
        (!ledger.is_on()).then_some(Self(PhantomData))
    }
}

impl From<Receipt<Off>> for Receipt<Recorded> {
    fn from(_: Receipt<Off>) -> Self {
        Self(PhantomData)
    }
}

impl From<Receipt<Off>> for Receipt<Queued> {
    fn from(_: Receipt<Off>) -> Self {
        Self(PhantomData)
    }
}
