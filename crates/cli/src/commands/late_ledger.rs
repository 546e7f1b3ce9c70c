//! A ledger for components that are built before the audit log is opened. Until then a write fails,
//! and a note is dropped.
use std::sync::{Arc, OnceLock};

use overt_layers::audit::{Durability, Entry, Ledger, LedgerError};
use overt_wire::BoxFuture;

#[derive(Debug, Default)]
pub(super) struct LateLedger {
    opened: OnceLock<Arc<dyn Ledger>>,
}

impl LateLedger {
    /// Forwards records to `ledger` from now on. Later calls have no effect.
    pub(super) fn open(&self, ledger: Arc<dyn Ledger>) {
        let _ = self.opened.set(ledger);
    }
}

impl Ledger for LateLedger {
    fn write(&self, entry: Entry, when: Durability) -> BoxFuture<'_, Result<(), LedgerError>> {
        match self.opened.get() {
            Some(ledger) => ledger.write(entry, when),
            None => {
                let why = "it is not open yet".to_owned();
                Box::pin(std::future::ready(Err(LedgerError { why })))
            }
        }
    }

    fn note(&self, entry: Entry) {
        if let Some(ledger) = self.opened.get() {
            ledger.note(entry);
        }
    }

    fn is_on(&self) -> bool {
        self.opened.get().is_some_and(|ledger| ledger.is_on())
    }
}
