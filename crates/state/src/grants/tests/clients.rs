//! The clients that are served now.
use tempfile::TempDir;

use super::super::{ClientProcess, SqliteStore};

#[test]
fn a_09_the_client_of_a_process_is_seen_by_the_others_until_the_process_ends() {
    let state = TempDir::new().unwrap();
    let looking = SqliteStore::open(state.path()).unwrap();
    assert_eq!(looking.clients().unwrap(), []);
    let client = |pid| ClientProcess { pid, started: 7 };
    let serving = SqliteStore::open(state.path()).unwrap();
    serving.note_client(client(42)).unwrap();
    let another = SqliteStore::open(state.path()).unwrap();
    another.note_client(client(42)).unwrap();
    let third = SqliteStore::open(state.path()).unwrap();
    third.note_client(client(43)).unwrap();
    assert_eq!(looking.clients().unwrap(), [client(42), client(43)]);
    drop((serving, third));
    assert_eq!(looking.clients().unwrap(), [client(42)], "one process still serves it");
    drop(another);
    assert_eq!(looking.clients().unwrap(), []);
}
