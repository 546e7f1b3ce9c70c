//! Another process holds the lock of the store.
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use overt_layers::grants::GrantStore as _;
use rusqlite::{Connection, TransactionBehavior};
use tempfile::TempDir;

use super::super::SqliteStore;
use super::super::folder::Folder;

/// Issue 15, item 9: a call that waits for another process does not stop other calls.
#[tokio::test(flavor = "current_thread")]
async fn waiting_for_another_process_stops_nobody_else() {
    let state = TempDir::new().unwrap();
    let store = SqliteStore::open(state.path()).unwrap();
    assert_eq!(store.writable().await, Ok(()));
    let mut other = Connection::open(Folder::of(state.path()).database()).unwrap();
    let held = other.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    let beats = Arc::new(AtomicUsize::new(0));
    let heart = tokio::spawn({
        let beats = Arc::clone(&beats);
        async move {
            loop {
                tokio::time::sleep(Duration::from_millis(10)).await;
                beats.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    let error = store.writable().await.unwrap_err();
    assert!(error.why.contains("another process holds it for too long"), "{error}");
    assert!(beats.load(Ordering::Relaxed) > 50, "the others go on");
    drop(held);
    assert_eq!(store.writable().await, Ok(()));
    heart.abort();
}
