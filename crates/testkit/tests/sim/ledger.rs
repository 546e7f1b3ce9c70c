//! An audit log in memory that takes some time to write a record.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use overt_layers::audit::{CallArguments, Durability, Entry, Kind, Ledger, LedgerError};
use overt_wire::BoxFuture;
use tokio::time::sleep;

use super::schedule::Sabotage;
use super::world::World;

pub(crate) struct MemoryLedger {
    world: Arc<World>,
    /// Counts of the records of each call.
    calls: Mutex<HashMap<String, Records>>,
}

#[derive(Debug, Default)]
struct Records {
    intents: usize,
    outcomes: usize,
}

/// A record that is being written. Dropping it writes it, so it is kept even if its writer is
/// dropped.
struct Queued<'a> {
    ledger: &'a MemoryLedger,
    entry: Entry,
}

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        self.ledger.keep(&self.entry);
    }
}

impl MemoryLedger {
    pub(crate) fn new(world: &Arc<World>) -> Arc<Self> {
        Arc::new(Self { world: Arc::clone(world), calls: Mutex::default() })
    }

    fn keep(&self, entry: &Entry) {
        let Some(call) = entry.call.clone() else { return };
        let mut calls = self.calls.lock().unwrap();
        let records = calls.entry(call).or_default();
        match entry.kind {
            Kind::Intent => {
                records.intents += 1;
                if let Some(arguments) = entry.arguments.as_ref().and_then(CallArguments::as_json) {
                    self.world.note_intent(arguments.as_str());
                }
            }
            Kind::Outcome if self.world.schedule.sabotage == Some(Sabotage::LoseOutcome) => {}
            Kind::Outcome => records.outcomes += 1,
            _ => {}
        }
    }

    /// Returns the calls that do not have exactly one outcome for each intent.
    pub(crate) fn without_outcome(&self) -> Vec<String> {
        let calls = self.calls.lock().unwrap();
        // A call that comes back with answers is recorded again under the same name, so compare the
        // counts.
        let is_wrong = |records: &Records| records.intents > 0 && records.intents != records.outcomes;
        let wrong = calls.iter().filter(|(_, records)| is_wrong(records));
        wrong.map(|(call, records)| format!("{call}: {records:?}")).collect()
    }
}

impl Ledger for MemoryLedger {
    fn write(&self, entry: Entry, _when: Durability) -> BoxFuture<'_, Result<(), LedgerError>> {
        Box::pin(async move {
            if self.world.schedule.sabotage == Some(Sabotage::RecordLate) {
                return Ok(());
            }
            let queued = Queued { ledger: self, entry };
            sleep(self.world.schedule.record_takes).await;
            drop(queued);
            Ok(())
        })
    }

    fn note(&self, entry: Entry) {
        self.keep(&entry);
    }
}

impl std::fmt::Debug for MemoryLedger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MemoryLedger")
    }
}
