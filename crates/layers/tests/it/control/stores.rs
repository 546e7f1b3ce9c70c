//! Which calls use the store of grants and questions.
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use overt_layers::Control;
use overt_layers::grants::MemoryStore;
use overt_state::grants::LateStore;
use serde_json::json;

use super::kit::{Client, ERAS, code, is_done};

/// A store that is opened when it is first used, and the number of times that happened.
fn late() -> (Arc<LateStore>, Arc<AtomicUsize>) {
    let opened = Arc::<AtomicUsize>::default();
    let counted = Arc::clone(&opened);
    let store = LateStore::new(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        Arc::new(MemoryStore::default())
    });
    (Arc::new(store), opened)
}

#[tokio::test]
async fn a_call_that_the_policy_allows_uses_no_store() {
    for era in ERAS {
        let (store, opened) = late();
        let client = Client::named(era, Control::open().store(store), "one", json!({}));
        for tool in ["write", "read"] {
            assert!(is_done(&client.call(tool, "/a/f", json!({})).await), "{era:?} {tool}");
        }
        client.close();
        assert_eq!(opened.load(Ordering::Relaxed), 0, "{era:?}");

        let (store, opened) = late();
        let client = Client::named(era, Control::careful().store(store), "one", json!({}));
        assert!(is_done(&client.call("read", "/a/f", json!({})).await), "{era:?}");
        assert_eq!(opened.load(Ordering::Relaxed), 0, "{era:?}: reading is allowed");
        let asked = client.call("write", "/a/f", json!({})).await;
        assert_eq!(code(&asked), "PERMISSION_NOT_GRANTED", "{era:?}");
        assert_eq!(opened.load(Ordering::Relaxed), 1, "{era:?}: an answer could allow it");
    }
}
