//! AUD: no call with an effect runs before it is recorded, and every record that was opened is
//! closed.
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use overt_layers::audit::{CallOutcome, Durability, Kind};
use overt_layers::{Admitted, Control, Endpoint, ServerDescription};
use overt_wire::json::JsonBuf;
use overt_wire::{BoxFuture, Message};
use serde_json::json;

use super::kit::{Client, ERAS, Era, Notebook, Ran, code, is_done};

fn written(control: Control) -> (Arc<Notebook>, Control) {
    let notebook = Arc::new(Notebook::default());
    (Arc::clone(&notebook), control.ledger(notebook))
}

/// Makes a client whose calls the notebook watches, so that it knows what had run when an entry was
/// written.
fn client(era: Era, notebook: &Notebook, control: Control) -> Client {
    Client::watched(era, control, "session", json!({ "elicitation": {} }), Arc::clone(&notebook.ran))
}

#[tokio::test]
async fn aud_01_the_intent_comes_before_the_call_and_the_outcome_after_it() {
    for era in ERAS {
        let (notebook, control) = written(Control::careful());
        let client = client(era, &notebook, control);
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
        // What had run when each entry was written: nothing before the intent, the call before the
        // outcome.
        let had_run = notebook.had_run.lock().unwrap();
        let at = |kind| entries.iter().position(|(entry, _)| entry.kind == kind).unwrap();
        assert_eq!((had_run[at(Kind::Intent)], had_run[at(Kind::Outcome)]), (0, 1), "{era:?}");
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
        for tool in ["write", "wipe", "bare", "edit"] {
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

/// Members of a request that are for Overt alone stay with Overt.
#[tokio::test]
async fn nothing_that_is_for_us_reaches_the_server() {
    for era in ERAS {
        let (endpoint, seen) = Echo::new();
        let handler = overt_layers::build(endpoint, Control::open());
        let client = Client::on(handler, Ran::default(), era, "session", json!({}));
        let meta = json!({
            "policy": { "tools": { "allow": ["echo"] } }, "granted_scopes": ["write"], "denied_scopes": "write:x",
            "dev.overt/grant": "token", "dev.overt/policy-source": "human", "other": "kept",
        });
        client.call("echo", "/a", meta).await;
        let seen = seen.lock().unwrap();
        let call = seen.iter().find(|text| text.contains("tools/call")).unwrap();
        assert!(call.contains("\"other\":\"kept\""), "{call}");
        for ours in ["policy", "granted_scopes", "denied_scopes", "dev.overt/grant"] {
            assert!(!call.contains(ours), "{ours}: {call}");
        }
    }
}

/// Lists one tool, and keeps the text of every request that reaches it.
struct Echo {
    seen: Arc<Mutex<Vec<String>>>,
    description: ServerDescription,
}

impl Echo {
    fn new() -> (Self, Arc<Mutex<Vec<String>>>) {
        let seen = Arc::<Mutex<Vec<String>>>::default();
        (Self { seen: Arc::clone(&seen), description: ServerDescription::new("echo") }, seen)
    }
}

impl Endpoint for Echo {
    fn call(&self, admitted: Admitted) -> BoxFuture<'_, Option<Message>> {
        let message = &admitted.exchange().message;
        self.seen.lock().unwrap().push(message.text().to_owned());
        let result =
            json!({ "tools": [{ "name": "echo", "inputSchema": { "type": "object" } }], "content": [] });
        let answer = message.id().map(|id| Message::result(id, JsonBuf::from(&result).as_json()));
        Box::pin(std::future::ready(answer))
    }

    fn description(&self) -> &ServerDescription {
        &self.description
    }
}
