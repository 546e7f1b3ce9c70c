//! Seed 002: an upstream that requests scopes causes one question and one replay.
use std::sync::Arc;

use overt_layers::Control;
use overt_layers::audit::{CallOutcome, Kind};
use serde_json::{Value, json};

use super::kit::{Client, ERAS, Era, Notebook, Ran, code};
use super::upstream::Upstream;

/// An answer as it comes from the gateway, which has already moved the marks.
fn asks_for(scopes: &Value) -> Value {
    let meta = json!({ "dev.overt/upstream": { "requested_scopes": scopes } });
    json!({ "result": { "content": [{ "type": "text", "text": "outside" }], "isError": true, "_meta": meta } })
}

fn done() -> Value {
    json!({ "result": { "content": [{ "type": "text", "text": "done" }] } })
}

struct World {
    upstream: Upstream,
    notebook: Arc<Notebook>,
    client: Client,
}

impl World {
    /// The tool itself may be called, but the scopes that the upstream requests are not allowed
    /// yet.
    fn new(era: Era, answers: Vec<Value>) -> Self {
        let (upstream, notebook) = (Upstream::new().answering(answers), Arc::new(Notebook::default()));
        let control = Control::careful().ledger(Arc::<Notebook>::clone(&notebook));
        let handler = overt_layers::build(upstream.clone(), control);
        let client = Client::on(handler, Ran::default(), era, "one", json!({ "elicitation": {} }));
        Self { upstream, notebook, client }
    }

    async fn call(&self, meta: Value) -> Value {
        self.client.call("work", "/new/path", meta).await
    }

    /// Returns the granted scopes that the upstream received with each call.
    fn granted(&self) -> Vec<Value> {
        self.upstream
            .got("tools/call")
            .iter()
            .map(|params| params["_meta"]["granted_scopes"].clone())
            .collect()
    }
}

#[tokio::test]
async fn h_23_what_an_upstream_asks_for_is_asked_of_a_person_and_the_call_is_made_once_more() {
    for era in ERAS {
        let world = World::new(era, vec![asks_for(&json!(["write:file:/new/path"])), done()]);
        world.client.will_say("once");
        world.client.will_say("once");
        let reply = world.call(json!({})).await;
        assert_eq!(reply["result"]["content"][0]["text"], "done", "{era:?} {reply}");
        assert_eq!(world.granted(), [Value::Null, json!(["write:file:/new/path"])], "{era:?}");
        let questions = world.client.person.questions.lock().unwrap();
        assert_eq!(questions.len(), 2, "{era:?} {questions:?}");
        let text = questions[1]["message"].as_str().unwrap();
        assert!(
            text.contains("The server says that it did not do it, because it lacks `write:file:/new/path`"),
            "{text}"
        );
        assert!(!questions[0]["message"].as_str().unwrap().contains("because it lacks"));
        let entries = world.notebook.entries.lock().unwrap();
        let outcomes: Vec<_> = entries.iter().filter_map(|(entry, _)| entry.outcome).collect();
        assert_eq!(outcomes, [CallOutcome::ToolError, CallOutcome::Ok], "{era:?}");
        let intents: Vec<_> =
            entries.iter().filter(|(entry, _)| entry.kind == Kind::Intent).map(|(entry, _)| entry).collect();
        assert_eq!(intents.len(), 2, "{era:?}");
        assert_ne!(intents[0].call, intents[1].call);
        assert!(intents[1].needed.contains(&"write:file:/new/path".to_owned()));
    }
}

#[tokio::test]
async fn h_23_a_lasting_grant_is_used_without_another_question() {
    for era in ERAS {
        let asks = asks_for(&json!(["write:file:/new/path"]));
        let world = World::new(era, vec![asks.clone(), done(), asks, done()]);
        world.client.will_say("session");
        world.client.will_say("session");
        world.call(json!({})).await;
        assert_eq!(world.client.questions(), 2, "{era:?}");
        let reply = world.call(json!({})).await;
        assert_eq!(reply["result"]["content"][0]["text"], "done", "{era:?}");
        assert_eq!(world.client.questions(), 0, "{era:?}");
        assert_eq!(world.upstream.got("tools/call").len(), 4);
    }
}

#[tokio::test]
async fn h_23_there_is_one_replay_and_no_more() {
    for era in ERAS {
        let world =
            World::new(era, vec![asks_for(&json!(["write:file:/a"])), asks_for(&json!(["write:file:/b"]))]);
        for _ in 0..5 {
            world.client.will_say("once");
        }
        let reply = world.call(json!({})).await;
        let upstream = &reply["result"]["_meta"]["dev.overt/upstream"];
        assert_eq!(upstream["requested_scopes"], json!(["write:file:/b"]), "{era:?} {reply}");
        assert_eq!(world.client.questions(), 2, "{era:?}");
        assert_eq!(world.upstream.got("tools/call").len(), 2, "{era:?}");
    }
}

#[tokio::test]
async fn x_34_what_the_policy_denies_is_asked_of_nobody() {
    for era in ERAS {
        let world = World::new(era, vec![asks_for(&json!(["write:file:/new/path"])), done()]);
        world.client.will_say("once");
        let policy = json!({ "policy": { "scopes": { "deny": ["write:file"] } } });
        let reply = world.call(policy).await;
        assert_eq!(reply["result"]["content"][0]["text"], "outside", "{era:?} {reply}");
        let upstream = &reply["result"]["_meta"]["dev.overt/upstream"];
        assert_eq!(upstream["requested_scopes"], json!(["write:file:/new/path"]));
        assert_eq!(world.client.questions(), 1, "{era:?}");
        assert_eq!(world.granted(), [Value::Null], "{era:?}");
    }
}

#[tokio::test]
async fn h_23_a_no_is_a_no() {
    for era in ERAS {
        let world = World::new(era, vec![asks_for(&json!(["write:file:/new/path"])), done()]);
        world.client.will_say("once");
        world.client.will_say("no");
        assert_eq!(code(&world.call(json!({})).await), "PERMISSION_DENIED", "{era:?}");
        assert_eq!(world.granted(), [Value::Null], "{era:?}");
    }
}

#[tokio::test]
async fn up_08_a_call_that_did_something_is_never_made_twice() {
    for era in ERAS {
        let mut did = asks_for(&json!(["write:file:/a"]));
        did["result"]["isError"] = json!(false);
        let world = World::new(era, vec![did, done()]);
        // A person who would agree to everything.
        for _ in 0..3 {
            world.client.will_say("once");
        }
        world.call(json!({})).await;
        assert_eq!(world.upstream.got("tools/call").len(), 1, "{era:?}");
    }
}
