//! What is written down about every call, and the one way in which it is written. Where it goes,
//! and how it is kept safe, is the ledger's business: nothing here touches a file.
mod entry; // what a record says, before the ledger numbers and chains it
mod ledger; // who writes it down
mod receipt; // proof that it was written down

pub use entry::{CallArguments, CallOutcome, Entry, Kind, Latency};
pub use ledger::{Durability, Ledger, LedgerError, NoLedger};
pub use receipt::{Receipt, RecordState};
pub(crate) use receipt::{deferred, record_intent};
