//! Random sequences of operations.
use std::sync::Arc;

use overt_layers::grants::{MemoryStore, StateStore};
use overt_state::grants::{SharedStore, SqliteStore};
use proptest::collection::vec;
use proptest::option;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::bench::{Bench, OpenStore};
use super::cases::{cases, is_by_hand};
use super::operation::Operation;
use super::rules::{PATHS, Policy, TOOLS};

#[test]
fn no_sequence_lets_a_call_through_that_nobody_allowed() {
    run(cases(400), 60, || {
        // The store in memory stands for one that survives the crash.
        let store: Arc<dyn StateStore> = Arc::new(MemoryStore::default());
        Box::new(move || Arc::clone(&store))
    });
}

#[test]
fn no_sequence_does_so_with_a_store_on_disk() {
    run(cases(40), 40, || {
        let folder = Arc::new(tempfile::tempdir().unwrap());
        Box::new(move || {
            let store = SqliteStore::open(folder.path()).unwrap();
            // A person watches, so that calls of clients that can't ask also wait.
            store.listen().unwrap();
            Arc::new(SharedStore::new(store))
        })
    });
}

/// Runs this many sequences of fewer than `length` operations each.
fn run(cases: u32, length: usize, open_store: impl Fn() -> OpenStore) {
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 3_000, ..Config::default() };
    let focus = option::of((select(&TOOLS[..]), select(&PATHS[..])));
    let sequences = (Policy::any(), focus, vec(Operation::any(), 1..length));
    // The suite tries the same sequences each time, so that no change fails by chance. A run by
    // hand tries others.
    let mut runner = match is_by_hand() {
        true => TestRunner::new(config),
        false => TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha)),
    };
    let tried = runner.run(&sequences, |(policy, focus, operations)| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
        runtime.unwrap().block_on(async {
            let mut bench = Bench::new(policy, open_store());
            for operation in operations {
                let operation = match focus {
                    Some((tool, path)) => operation.about(tool, path),
                    None => operation,
                };
                operation.apply(&mut bench).await;
            }
            bench.finish().await;
        });
        Ok(())
    });
    if let Err(error) = tried {
        panic!("{error}");
    }
}
