//! a call that became a task keeps its permit. Limits, deadline and record follow it to the
//! end.
use std::sync::Arc;
use std::time::Duration;

use overt_layers::audit::{CallOutcome, Kind};
use overt_layers::{Control, Endpoint as _};
use overt_wire::json::Limits;
use overt_wire::{Handler, Message};
use serde_json::{Value, json};

use super::kit::{Client, ERAS, Era, Notebook, Ran, code};
use super::upstream::Upstream;

struct World {
    upstream: Upstream,
    notebook: Arc<Notebook>,
    handler: Arc<dyn Handler>,
    client: Client,
    era: Era,
}

fn knows_tasks() -> Value {
    json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } })
}

impl World {
    fn new(era: Era) -> Self {
        let (upstream, notebook) = (Upstream::new(), Arc::new(Notebook::default()));
        let ledger = Arc::<Notebook>::clone(&notebook);
        let handler = overt_layers::build(upstream.clone(), Control::open().ledger(ledger));
        let client = Client::on(Arc::clone(&handler), Ran::default(), era, "one", knows_tasks());
        Self { upstream, notebook, handler, client, era }
    }

    /// Makes a call that becomes the task `t-1`.
    async fn start(&self, policy: Value) -> Value {
        let mut params = json!({ "name": "work", "arguments": {}, "_meta": { "policy": policy } });
        if self.era == Era::Legacy {
            params["task"] = json!({});
        }
        let reply = self.client.send("tools/call", params).await;
        assert!(reply.to_string().contains("t-1"), "{reply}");
        reply
    }

    async fn ask(&self, method: &str) -> Value {
        self.client.send(method, json!({ "taskId": "t-1" })).await
    }

    /// Fetches the result in the way of the era.
    async fn result(&self) -> Value {
        match self.era {
            Era::Legacy => self.ask("tasks/result").await,
            Era::Modern => {
                let reply = self.ask("tasks/get").await;
                json!({ "result": reply["result"]["result"] })
            }
        }
    }

    fn outcomes(&self) -> Vec<CallOutcome> {
        let entries = self.notebook.entries.lock().unwrap();
        entries.iter().filter_map(|(entry, _)| entry.outcome).collect()
    }
}

fn completed(text: &str) -> Value {
    json!({ "status": "completed", "result": { "content": [{ "type": "text", "text": text }] } })
}

#[tokio::test]
async fn a_17_the_record_of_a_task_is_open_until_its_result_is_there() {
    for era in ERAS {
        let world = World::new(era);
        world.start(json!({})).await;
        assert_eq!(world.notebook.kinds(), [Kind::Intent], "{era:?}");
        world.ask("tasks/get").await;
        assert_eq!(world.outcomes(), [], "{era:?}");
        world.upstream.ends(completed("done"));
        assert_eq!(world.result().await["result"]["content"][0]["text"], "done", "{era:?}");
        assert_eq!(world.outcomes(), [CallOutcome::Ok], "{era:?}");
        // The result can be fetched again, and is recorded once.
        world.result().await;
        assert_eq!(world.outcomes(), [CallOutcome::Ok], "{era:?}");
        let entries = world.notebook.entries.lock().unwrap();
        assert!(entries.last().unwrap().0.answer.is_some());
        assert_eq!(entries[0].0.call, entries[1].0.call);
    }
}

#[tokio::test]
async fn a_17_the_outcome_is_what_became_of_the_task() {
    let failed = json!({ "isError": true, "content": [] });
    let wrong = json!({ "code": -32000, "message": "broken" });
    for era in ERAS {
        for (state, outcome) in [
            (json!({ "status": "completed", "result": failed }), CallOutcome::ToolError),
            (json!({ "status": "failed", "error": wrong }), CallOutcome::ProtocolError),
        ] {
            let world = World::new(era);
            world.start(json!({})).await;
            world.upstream.ends(state);
            world.result().await;
            assert_eq!(world.outcomes(), [outcome], "{era:?}");
        }
        // The end is visible only in the status.
        let world = World::new(era);
        world.start(json!({})).await;
        world.upstream.ends(json!({ "status": "cancelled" }));
        world.ask("tasks/get").await;
        assert_eq!(world.outcomes(), [CallOutcome::CancelledAfterEffect], "{era:?}");
    }
}

#[tokio::test]
async fn a_17_a_client_that_cancels_its_task_ends_the_record() {
    for era in ERAS {
        let world = World::new(era);
        world.start(json!({})).await;
        world.ask("tasks/cancel").await;
        assert_eq!(world.outcomes(), [CallOutcome::CancelledAfterEffect], "{era:?}");
    }
}

#[tokio::test]
async fn a_17_the_size_of_a_result_is_limited_wherever_it_is_fetched() {
    for era in ERAS {
        let world = World::new(era);
        world.start(json!({ "limits": { "result_bytes": 300 } })).await;
        world.upstream.ends(completed(&"x".repeat(500)));
        let result = world.result().await;
        assert_eq!(code(&result), "RESULT_TOO_LARGE", "{era:?}");
        assert!(!result.to_string().contains("xxx"));
        // The record says what the server did, not what the client sees.
        assert_eq!(world.outcomes(), [CallOutcome::Ok], "{era:?}");
    }
}

#[tokio::test]
async fn a_17_the_deadline_of_the_call_cancels_its_task() {
    for era in ERAS {
        let world = World::new(era);
        world.start(json!({ "limits": { "seconds": 0.3 } })).await;
        tokio::time::sleep(Duration::from_millis(600)).await;
        assert_eq!(world.outcomes(), [CallOutcome::Timeout], "{era:?}");
        let cancelled = world.upstream.got("tasks/cancel");
        assert_eq!(cancelled.len(), 1, "{era:?}");
        assert_eq!(cancelled[0]["taskId"], "t-1");
        // A server that continues gains nothing by it.
        world.upstream.ends(completed("too late"));
        let result = world.result().await;
        assert_eq!(code(&result), "TIME_LIMIT", "{era:?}");
        assert!(!result.to_string().contains("too late"));
        assert_eq!(world.outcomes(), [CallOutcome::Timeout], "{era:?}");
    }
}

#[tokio::test]
async fn a_17_whoever_waits_for_the_result_waits_no_longer_than_the_deadline() {
    let world = World::new(Era::Legacy);
    world.start(json!({ "limits": { "seconds": 0.3 } })).await;
    let begun = std::time::Instant::now();
    assert_eq!(code(&world.result().await), "TIME_LIMIT");
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert_eq!(world.outcomes(), [CallOutcome::Timeout]);
    assert_eq!(world.upstream.got("tasks/cancel").len(), 1);
}

#[tokio::test]
async fn a_17_a_task_that_nobody_asks_about_ends_by_its_time_to_live() {
    for era in ERAS {
        let world = World::new(era);
        world.upstream.ends(json!({ "status": "working", "ttlMs": 200 }));
        world.start(json!({})).await;
        tokio::time::sleep(Duration::from_millis(2_000)).await;
        assert_eq!(world.outcomes(), [CallOutcome::Unknown], "{era:?}");
        // Overt asked about the task once more before it forgot it, and never again.
        assert_eq!(world.upstream.asked_about("t-1"), ["tasks/get"], "{era:?}");
        let reply = world.ask("tasks/get").await;
        assert_eq!(reply["error"]["code"], -32602, "{reply}");
        assert_eq!(world.upstream.asked_about("t-1"), ["tasks/get"], "{era:?}");
    }
}

#[tokio::test]
async fn a_17_whoever_looks_last_sees_how_a_task_ended_that_nobody_asked_about() {
    for era in ERAS {
        let world = World::new(era);
        world.upstream.ends(json!({ "status": "working", "ttlMs": 200 }));
        world.start(json!({})).await;
        let mut done = completed("done");
        done["ttlMs"] = json!(60_000);
        world.upstream.ends(done);
        tokio::time::sleep(Duration::from_millis(2_000)).await;
        assert_eq!(world.outcomes(), [CallOutcome::Ok], "{era:?}");
        assert_eq!(world.result().await["result"]["content"][0]["text"], "done", "{era:?}");
    }
}

#[tokio::test]
async fn a_17_a_task_ends_with_its_session() {
    for era in ERAS {
        let world = World::new(era);
        world.start(json!({})).await;
        world.client.close();
        assert_eq!(world.outcomes(), [CallOutcome::Unknown], "{era:?}");
    }
}

#[tokio::test]
async fn a_17_a_task_of_another_client_can_not_be_reached() {
    for era in ERAS {
        let world = World::new(era);
        world.start(json!({})).await;
        let other = Client::on(Arc::clone(&world.handler), Ran::default(), era, "two", knows_tasks());
        for method in ["tasks/get", "tasks/cancel", "tasks/update", "tasks/result"] {
            let reply = other.send(method, json!({ "taskId": "t-1", "inputResponses": {} })).await;
            assert!(reply["error"]["code"].is_number(), "{era:?} {method}: {reply}");
            assert!(world.upstream.asked_about("t-1").is_empty(), "{era:?} {method}");
        }
        assert_eq!(world.outcomes(), [], "{era:?}");
        world.client.send("tasks/get", json!({ "taskId": "t-1" })).await;
        assert_eq!(world.upstream.asked_about("t-1"), ["tasks/get"], "{era:?}");
    }
}

#[tokio::test]
async fn v_16_a_task_of_another_principal_can_not_be_reached() {
    let mut world = World::new(Era::Modern);
    world.client = world.client.of_principal("ada");
    world.start(json!({})).await;
    let eve = world.client.of_principal("eve");
    for method in ["tasks/get", "tasks/cancel", "tasks/update"] {
        let reply = eve.send(method, json!({ "taskId": "t-1", "inputResponses": {} })).await;
        assert!(reply["error"]["code"].is_number(), "{method}: {reply}");
        assert!(world.upstream.asked_about("t-1").is_empty(), "{method}");
    }
    world.client.of_principal("ada").send("tasks/get", json!({ "taskId": "t-1" })).await;
    assert_eq!(world.upstream.asked_about("t-1"), ["tasks/get"], "the same principal can");
}

#[tokio::test]
async fn a_17_a_list_of_tasks_has_only_those_of_the_client() {
    let world = World::new(Era::Legacy);
    world.start(json!({})).await;
    let reply = world.client.send("tasks/list", json!({})).await;
    let ids: Vec<&Value> =
        reply["result"]["tasks"].as_array().unwrap().iter().map(|task| &task["taskId"]).collect();
    assert_eq!(ids, ["t-1"]);
    let other = Client::on(Arc::clone(&world.handler), Ran::default(), Era::Legacy, "two", json!({}));
    assert_eq!(other.send("tasks/list", json!({})).await["result"]["tasks"], json!([]));
}

#[tokio::test]
async fn a_17_an_answer_that_only_looks_like_a_task_is_a_result() {
    let world = World::new(Era::Legacy);
    let reply = world.client.send("tools/call", json!({ "name": "work", "arguments": {} })).await;
    assert!(reply["result"]["task"].is_object(), "{reply}");
    assert_eq!(world.outcomes(), [CallOutcome::Ok]);
    assert!(world.ask("tasks/get").await["error"].is_object());
}

#[tokio::test]
async fn a_17_a_subscription_hears_of_its_own_tasks_within_their_limits() {
    let world = World::new(Era::Modern);
    world.start(json!({ "limits": { "result_bytes": 300 } })).await;
    world.upstream.ends(completed(&"x".repeat(500)));
    let wanted = json!({ "notifications": { "taskIds": ["t-1", "t-2"] } });
    world.client.send("subscriptions/listen", wanted).await;
    let asked = &world.upstream.got("subscriptions/listen")[0];
    assert_eq!(asked["notifications"]["taskIds"], json!(["t-1"]));
    let told = world.client.person.told.lock().unwrap().clone();
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0]["params"]["taskId"], "t-1");
    assert_eq!(code(&told[0]["params"]), "RESULT_TOO_LARGE");
    assert_eq!(world.outcomes(), [CallOutcome::Ok]);
}

#[tokio::test]
async fn a_17_a_status_notification_ends_the_record_and_reaches_only_its_client() {
    let world = World::new(Era::Legacy);
    world.start(json!({})).await;
    let events = &world.upstream.description().task_events;
    let status = |task: &str, status: &str| {
        let params = json!({ "taskId": task, "status": status });
        let text = json!({ "jsonrpc": "2.0", "method": "notifications/tasks/status", "params": params });
        Message::parse(text.to_string().into_bytes(), &Limits::default()).unwrap()
    };
    assert!(events.may_deliver(world.client.session(), &status("t-1", "working")));
    assert_eq!(world.outcomes(), []);
    assert!(!events.may_deliver(world.client.session(), &status("t-2", "completed")));
    let other = Client::on(Arc::clone(&world.handler), Ran::default(), Era::Legacy, "two", json!({}));
    assert!(!events.may_deliver(other.session(), &status("t-1", "failed")));
    assert_eq!(world.outcomes(), []);
    assert!(events.may_deliver(world.client.session(), &status("t-1", "failed")));
    assert_eq!(world.outcomes(), [CallOutcome::ToolError]);
}
