//! Another process holds the lock of the store, or changes the store.
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use overt_layers::grants::StateStore as _;
use rusqlite::{Connection, TransactionBehavior};
use tempfile::TempDir;

use super::super::folder::Folder;
use super::super::{SharedStore, SqliteStore};
use super::{YES, decide, holder, question, terms};
use overt_layers::grants::{Answer, AnswerOutcome, AskOutcome, GrantLifetime, QuestionState, Reliance};
use overt_testkit::person::{giving, revoking};

/// Issue 15, item 9: a call that waits for another process does not stop other calls.
#[tokio::test(flavor = "current_thread")]
async fn waiting_for_another_process_stops_nobody_else() {
    let state = TempDir::new().unwrap();
    let store = SharedStore::new(SqliteStore::open(state.path()).unwrap());
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
    let error = store.ask(question(), None).await.unwrap_err();
    assert!(error.why.contains("locked"), "{error}");
    assert!(beats.load(Ordering::Relaxed) > 50, "the others go on");
    drop(held);
    assert!(matches!(store.ask(question(), None).await, Ok(AskOutcome::Open(_))));
    heart.abort();
}

#[tokio::test]
async fn who_waits_hears_of_changes_by_another_process() {
    let state = TempDir::new().unwrap();
    let clock = || overt_layers::grants::Clock::of(|| super::NOW);
    let store = SharedStore::new(SqliteStore::open_with(state.path(), clock()).unwrap());
    let other = SqliteStore::open_with(state.path(), clock()).unwrap();
    for _ in 0..2 {
        let AskOutcome::Open(id) = store.ask(question(), None).await.unwrap() else { panic!("not asked") };
        let mut changes = store.changes();
        // What this process wrote before counts as well.
        while tokio::time::timeout(Duration::from_millis(100), changes.changed()).await.is_ok() {}
        decide(&other, &id, Answer::No);
        let heard = tokio::time::timeout(Duration::from_secs(10), changes.changed()).await;
        assert!(matches!(heard, Ok(Ok(()))), "{heard:?}");
        drop(changes);
        assert_eq!(store.take_answer(id).await.unwrap(), QuestionState::Answered(Answer::No, None));
        // The next one begins to listen anew.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn scp_04_a_grant_that_no_call_used_is_given_back() {
    let state = TempDir::new().unwrap();
    let store = SharedStore::new(SqliteStore::open(state.path()).unwrap());
    let given = store.give(giving(&holder("s"), terms(GrantLifetime::Once))).await.unwrap().grant;
    let reliance = || Reliance { grant: Some(given.clone()), trust: None };
    let spent = store.spend(reliance()).await.unwrap().unwrap();
    assert!(store.spend(reliance()).await.unwrap().is_none(), "it is used up");
    drop(spent);
    let mut again = None;
    for _ in 0..100 {
        again = store.spend(reliance()).await.unwrap();
        if again.is_some() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    again.expect("the call did not go out, so the grant is there again").keep();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(store.grants().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_question_with_a_review_is_asked_again_after_its_answer() {
    let state = TempDir::new().unwrap();
    let clock = || overt_layers::grants::Clock::of(|| super::NOW);
    let store = SharedStore::new(SqliteStore::open_with(state.path(), clock()).unwrap());
    let other = SqliteStore::open_with(state.path(), clock()).unwrap();
    let review = || Some(overt_layers::grants::Review { diff: "d".to_owned(), page: "p".to_owned() });
    let AskOutcome::Open(id) = store.ask(question(), review()).await.unwrap() else { panic!("not asked") };
    store.leave(&id);
    assert!(matches!(decide(&other, &id, YES), AnswerOutcome::Taken(Some(_))));
    let again = store.ask(question(), review()).await.unwrap();
    assert_eq!(again, AskOutcome::Granted, "the grant is there, so nobody is asked again");
    let given = other.grants().unwrap().pop().unwrap();
    other.revoke(&revoking(&given)).unwrap();
    let again = store.ask(question(), review()).await.unwrap();
    assert!(matches!(again, AskOutcome::Open(anew) if anew != id));
}
