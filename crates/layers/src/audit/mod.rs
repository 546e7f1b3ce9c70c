//! The records of calls, and the single way to write them. The ledger decides where they go and how
//! they are kept safe; nothing here touches a file.
mod entry; // the content of a record, before the ledger numbers and chains it
mod ledger; // the interface of what stores records
mod receipt; // proof that a record was written

pub use entry::{CallArguments, CallOutcome, Entry, Kind, Latency};
pub use ledger::{Durability, Ledger, LedgerError, NoLedger};
pub use receipt::{Off, Queued, Receipt, Recorded};
