//! AUD: nothing with an effect runs before it is written down, and everything that was begun is closed.
use std::sync::Arc;
use std::sync::atomic::Ordering;

use overt_layers::Control;
use overt_layers::audit::{CallOutcome, Durability, Kind};
use serde_json::json;

use super::kit::{Client, ERAS, Notebook, code, is_done};

fn written(control: Control) -> (Arc<Notebook>, Control) {
    let notebook = Arc::new(Notebook::default());
    (Arc::clone(&notebook), control.ledger(notebook))
}

#[tokio::test]
async fn aud_01_the_intent_comes_before_the_call_and_the_outcome_after_it() {
    for era in ERAS {
        let (notebook, control) = written(Control::careful());
        let client = Client::new(era, control);
        // The notebook looks at what the server did.
        client.will_say("once");
        assert!(is_done(&client.call("write", "/a", json!({})).await));
        let kinds: Vec<Kind> =
            notebook.kinds().into_iter().filter(|kind| *kind != Kind::ApprovalRequest).collect();
        assert_eq!(kinds, [Kind::Approval, Kind::Intent, Kind::Outcome], "{era:?}");
        let entries = notebook.entries.lock().unwrap();
        let (intent, when) = entries.iter().find(|(entry, _)| entry.kind == Kind::Intent).unwrap();
        assert_eq!(*when, Some(Durability::Durable));
        assert_eq!(intent.intent.as_deref(), Some("write the file \"/a\""));
        assert_eq!(intent.needed, ["write:file:/a"]);
        assert_eq!(intent.decision, Some("allow"));
        assert!(intent.grant.is_some() && intent.call.is_some());
        let (outcome, _) = entries.last().unwrap();
        assert_eq!(outcome.outcome, Some(CallOutcome::Ok));
        assert_eq!(outcome.call, intent.call);
        assert!(outcome.latency.unwrap().total >= outcome.latency.unwrap().upstream);
    }
}

#[tokio::test]
async fn aud_01_every_refusal_is_written_down_with_what_decided() {
    let (notebook, control) = written(Control::careful());
    let client = Client::new(ERAS[0], control);
    client.call("write", "/a", json!({ "policy": { "tools": { "deny": ["write"] } } })).await;
    client.call("write", "/a", json!({ "policy": 7 })).await;
    client.call("write", "/a", json!({ "preview": 1 })).await;
    client.call("write", "/a", json!({})).await;
    let entries = notebook.entries.lock().unwrap();
    let denied: Vec<_> = entries.iter().filter(|(entry, _)| entry.kind == Kind::Deny).collect();
    assert_eq!(denied.len(), 4);
    assert_eq!(denied[0].0.layer.as_deref(), Some("call"));
    assert!(denied.iter().all(|(entry, _)| entry.decision == Some("deny") && entry.reason.is_some()));
    assert!(!entries.iter().any(|(entry, _)| entry.kind == Kind::Intent));
    assert!(client.ran().is_empty());
}

#[tokio::test]
async fn aud_05_without_a_durable_intent_nothing_that_may_change_something_runs() {
    for era in ERAS {
        let (notebook, control) = written(Control::open());
        let client = Client::new(era, control);
        notebook.fails.store(true, Ordering::Relaxed);
        for tool in ["write", "wipe", "bare"] {
            assert_eq!(code(&client.call(tool, "/a", json!({})).await), "AUDIT_UNAVAILABLE");
        }
        assert!(client.ran().is_empty());
        assert!(is_done(&client.call("read", "/a", json!({})).await), "reading goes on");
        notebook.fails.store(false, Ordering::Relaxed);
        assert!(is_done(&client.call("write", "/a", json!({})).await));
    }
}

#[tokio::test]
async fn the_sentence_is_in_the_result_and_nothing_of_ours_reaches_the_server() {
    for era in ERAS {
        let client = Client::new(era, Control::open());
        let reply = client.call("read", "/a\u{202e}b", json!({})).await;
        assert_eq!(reply["result"]["_meta"]["dev.overt/intent"], "read the file \"/a\\u{202e}b\"");
    }
}
