//! AUD-01: many calls of every kind run at once. The callers, the upstream and the log agree about
//! them.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use overt_layers::audit::{CallOutcome, Durability, Entry, Kind, Ledger as _};

use super::support::{Place, intent};

/// The outcome of a call, by its number; `None` if it is denied.
fn fate(call: usize) -> Option<CallOutcome> {
    [
        Some(CallOutcome::Ok),
        None,
        Some(CallOutcome::ToolError),
        Some(CallOutcome::CancelledAfterEffect),
        Some(CallOutcome::Timeout),
        Some(CallOutcome::Ok),
        Some(CallOutcome::UpstreamLost),
    ][call % 7]
}

#[test]
fn aud_01_each_call_has_one_intent_and_one_outcome() {
    const CALLERS: usize = 32;
    const CALLS: usize = 100;
    let place = Place::new();
    let log = Arc::new(
        place
            .open_with(|options| {
                options.segment_bytes = 200_000;
                options.checkpoint_records = 500;
            })
            .unwrap(),
    );
    // The calls that reached the upstream.
    let seen: Arc<Mutex<BTreeSet<usize>>> = Arc::default();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(async {
        let mut callers = Vec::new();
        for caller in 0..CALLERS {
            let (log, seen) = (Arc::clone(&log), Arc::clone(&seen));
            callers.push(tokio::spawn(async move {
                for call in caller * CALLS..(caller + 1) * CALLS {
                    let entry = intent(&call.to_string());
                    let Some(outcome) = fate(call) else {
                        log.write(Entry { kind: Kind::Deny, ..entry }, Durability::Batched).await.unwrap();
                        continue;
                    };
                    let when = if call % 2 == 0 { Durability::Durable } else { Durability::Batched };
                    log.write(entry.clone(), when).await.unwrap();
                    seen.lock().unwrap().insert(call);
                    log.note(Entry { kind: Kind::Outcome, outcome: Some(outcome), ..entry });
                }
            }));
        }
        for caller in callers {
            caller.await.unwrap();
        }
    });
    log.close();
    let mut found: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for record in place.records().iter().filter(|record| !record.text("call").is_empty()) {
        found.entry(record.text("call")).or_default().push((record.text("kind"), record.text("outcome")));
    }
    assert_eq!(found.len(), CALLERS * CALLS);
    let seen = seen.lock().unwrap();
    for (call, records) in found {
        let number: usize = call.parse().unwrap();
        let expected = match fate(number) {
            None => vec![("deny".to_owned(), String::new())],
            Some(outcome) => {
                vec![("intent".to_owned(), String::new()), ("outcome".to_owned(), outcome.to_string())]
            }
        };
        assert_eq!(records, expected, "call {call}");
        assert_eq!(seen.contains(&number), fate(number).is_some());
    }
    let report = place.verify();
    assert_eq!((report.broken, report.missing), (None, 0));
    assert!(report.segments > 2);
}
