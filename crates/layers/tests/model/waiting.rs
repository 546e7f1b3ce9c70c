//! Every waiting call ends, even if clients or people leave.
use std::sync::Arc;
use std::time::Duration;

use overt_layers::grants::StateStore;
use overt_state::grants::{SharedStore, SqliteStore};

use super::bench::Bench;
use super::client::Kind;
use super::findings::{ONCE, X, bench, call, code, is_done};
use super::rules::{Policy, Tool};

/// Opens a store on disk, which `watcher` watches for questions.
fn watched() -> (Bench, SqliteStore, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn StateStore> = Arc::new(SharedStore::new(SqliteStore::open(folder.path()).unwrap()));
    let watcher = SqliteStore::open(folder.path()).unwrap();
    watcher.listen().unwrap();
    (Bench::new(Policy::Careful, Box::new(move || Arc::clone(&store))), watcher, folder)
}

#[tokio::test(start_paused = true)]
async fn a_call_that_nobody_answers_ends_after_an_hour() {
    let mut bench = bench(Policy::Careful);
    let asked = call(&mut bench, Kind::Dialogs, Tool::Wipe, X).await;
    for minutes in [30, 29] {
        tokio::time::advance(Duration::from_secs(minutes * 60)).await;
        bench.settle().await;
        assert!(bench.calls[asked].answer.is_none());
    }
    tokio::time::advance(Duration::from_secs(90)).await;
    bench.settle().await;
    assert_eq!(code(&bench, asked), "PERMISSION_NOT_GRANTED");
    bench.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_for_a_watcher_is_answered_by_it() {
    let (mut bench, watcher, _folder) = watched();
    let asked = call(&mut bench, Kind::Mute, Tool::Wipe, X).await;
    assert!(bench.calls[asked].answer.is_none());
    bench.answer_elsewhere(0, ONCE).await;
    bench.pass(Duration::from_millis(500)).await;
    assert!(is_done(&bench, asked));
    bench.finish().await;
    drop(watcher);
}

#[tokio::test(start_paused = true)]
async fn a_call_stops_waiting_when_nobody_watches_any_more() {
    let (mut bench, watcher, _folder) = watched();
    let asked = call(&mut bench, Kind::Mute, Tool::Wipe, X).await;
    drop(watcher);
    bench.pass(Duration::from_secs(15)).await;
    assert_eq!(code(&bench, asked), "PERMISSION_NOT_GRANTED");
    // The question is still open, and a yes to it counts when the same call is made again.
    bench.answer_elsewhere(0, ONCE).await;
    let again = call(&mut bench, Kind::Mute, Tool::Wipe, X).await;
    assert!(is_done(&bench, again));
    bench.finish().await;
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_session_is_over_ends() {
    let (mut bench, watcher, _folder) = watched();
    let asked = call(&mut bench, Kind::Mute, Tool::Wipe, X).await;
    let place = bench.clients.iter().position(|client| client.kind == Kind::Mute).unwrap();
    bench.end_session(place);
    bench.pass(Duration::from_secs(2)).await;
    assert_eq!(code(&bench, asked), "PERMISSION_NOT_GRANTED");
    bench.finish().await;
    drop(watcher);
}

#[tokio::test(start_paused = true)]
async fn when_the_call_that_shows_the_dialog_is_cancelled_the_next_one_shows_it() {
    let mut bench = bench(Policy::Careful);
    let client = bench.client(Kind::Dialogs);
    for _ in 0..2 {
        bench.call(&client, Tool::Wipe, X);
    }
    bench.settle().await;
    assert_eq!(client.dialogs(), 1);
    bench.cancel(0);
    bench.pass(Duration::from_millis(1_500)).await;
    assert_eq!(client.dialogs(), 1);
    assert!(bench.answer(0, ONCE));
    bench.pass(Duration::from_millis(500)).await;
    assert!(is_done(&bench, 1));
    bench.finish().await;
}
