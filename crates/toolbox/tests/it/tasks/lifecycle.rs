//! Tasks from the call to the result: completed, failed, cancelled.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use overt_toolbox::{Content, Context, TaskMode, Tool, ToolError};
use overt_wire::{ErrorObject, NoClient, Principal, Session};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::kit::{Client, code, is_acknowledgement, serve};

type Said = Result<Vec<Content>, ToolError>;

/// A tool that waits for `go`, and sets `dropped` when its work ends or is dropped.
fn waiting(go: &Arc<Notify>, dropped: &Arc<AtomicBool>) -> Tool {
    let (go, dropped) = (Arc::clone(go), Arc::clone(dropped));
    Tool::content("wait", "Waits.", move |_: serde_json::Map<String, Value>, context: Context| {
        let (go, guard) = (Arc::clone(&go), Guard(Arc::clone(&dropped)));
        async move {
            context.progress(1.0, Some(3.0), "waiting").await;
            go.notified().await;
            drop(guard);
            Ok(vec![Content::text("done")])
        }
    })
    .task(TaskMode::Optional)
}

struct Guard(Arc<AtomicBool>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Waits until the work has begun; before that there is nothing to drop.
async fn begun(client: &Client, task: &str) {
    while client.get(task).await.get("statusMessage").is_none() {
        tokio::task::yield_now().await;
    }
}

fn signs() -> (Arc<Notify>, Arc<AtomicBool>) {
    (Arc::new(Notify::new()), Arc::new(AtomicBool::new(false)))
}

#[tokio::test]
async fn a_call_becomes_a_task_and_its_result_is_that_of_the_call() {
    let (go, dropped) = signs();
    let client = serve([waiting(&go, &dropped)]);
    let created = client.call("wait").await;
    let members: Vec<&String> = created["result"].as_object().unwrap().keys().collect();
    let expected =
        ["resultType", "taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs", "pollIntervalMs", "_meta"];
    assert_eq!(members, expected);
    assert_eq!(created["result"]["status"], "working");
    assert_eq!(
        (&created["result"]["ttlMs"], &created["result"]["pollIntervalMs"]),
        (&json!(3_600_000), &json!(1000))
    );
    let task = created["result"]["taskId"].as_str().unwrap();
    assert_eq!(task.len(), 32);

    let working = client.get(task).await;
    assert_eq!(working["status"], "working");
    assert!(working.get("result").is_none() && working.get("error").is_none());

    go.notify_one();
    let completed = client.wait_for(task, "completed").await;
    go.notify_one();
    let ordinary = client.ask_with(json!({}), "tools/call", json!({ "name": "wait" })).await;
    assert_eq!(completed["result"], ordinary["result"]);
    assert_eq!(completed["createdAt"], created["result"]["createdAt"]);
    // Reading the task again changes nothing.
    assert_eq!(client.get(task).await, completed);
    assert!(is_acknowledgement(&client.cancel(task).await));
    assert_eq!(client.get(task).await, completed);
}

#[tokio::test]
async fn ids_are_not_alike() {
    let (go, dropped) = signs();
    let client = serve([waiting(&go, &dropped)]);
    let mut ids = Vec::new();
    for _ in 0..100 {
        ids.push(client.start("wait").await);
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 100);
}

#[tokio::test]
async fn progress_is_the_status_message_and_is_not_sent() {
    let (go, dropped) = signs();
    let client = serve([waiting(&go, &dropped)]);
    let mut params = json!({ "name": "wait" });
    params["_meta"] = json!({
        "progressToken": "p",
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": super::kit::able(),
    });
    let created = client.ask_raw("tools/call", &params).await;
    let task = created["result"]["taskId"].as_str().unwrap();
    begun(&client, task).await;
    assert_eq!(client.get(task).await["statusMessage"], "waiting (1 of 3)");
    go.notify_one();
    assert!(client.wait_for(task, "completed").await.get("statusMessage").is_none());
    assert_eq!(client.heard(), Vec::<Value>::new());
}

#[tokio::test]
async fn what_a_tool_says_is_completed_and_what_breaks_is_failed() {
    let said = |_: serde_json::Map<String, Value>, _| async { Said::Err(ToolError::new("no").code("NO")) };
    let broke = |_: serde_json::Map<String, Value>, _| async {
        Said::Err(ToolError::protocol(ErrorObject::new(-32603, "broken")))
    };
    let panics = |_: serde_json::Map<String, Value>, _| async {
        tokio::task::yield_now().await;
        if true {
            panic!("a secret");
        }
        Said::Ok(Vec::new())
    };
    let client = serve([
        Tool::content("said", "Says no.", said).task(TaskMode::Required),
        Tool::content("broke", "Breaks.", broke).task(TaskMode::Required),
        Tool::content("panics", "Panics.", panics).task(TaskMode::Required),
    ]);
    let said = client.start("said").await;
    let said = client.wait_for(&said, "completed").await;
    assert_eq!(said["result"]["isError"], true);
    assert!(said.get("error").is_none());

    let broke = client.start("broke").await;
    let broke = client.wait_for(&broke, "failed").await;
    assert_eq!(broke["error"], json!({ "code": -32603, "message": "broken" }));
    assert_eq!(broke["statusMessage"], "broken");
    assert!(broke.get("result").is_none());

    let panicked = client.start("panics").await;
    let panicked = client.wait_for(&panicked, "failed").await;
    assert_eq!(panicked["error"]["code"], -32603);
    assert!(!panicked.to_string().contains("secret"));
}

#[tokio::test]
async fn cancelling_drops_the_work() {
    let (go, dropped) = signs();
    let client = serve([waiting(&go, &dropped)]);
    let task = client.start("wait").await;
    begun(&client, &task).await;
    assert!(is_acknowledgement(&client.cancel(&task).await));
    let cancelled = client.get(&task).await;
    assert_eq!(cancelled["status"], "cancelled");
    assert!(cancelled.get("result").is_none() && cancelled.get("error").is_none());
    while !dropped.load(Ordering::SeqCst) {
        tokio::task::yield_now().await;
    }
    assert!(is_acknowledgement(&client.cancel(&task).await));
    go.notify_one();
    tokio::task::yield_now().await;
    assert_eq!(client.get(&task).await, cancelled);
}

#[tokio::test]
async fn work_that_panics_when_it_is_dropped_is_cancelled_all_the_same() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            if !std::thread::panicking() {
                panic!("on the way out");
            }
        }
    }
    let run = |_: serde_json::Map<String, Value>, _| async {
        let _bomb = Bomb;
        std::future::pending::<Said>().await
    };
    let client = serve([Tool::content("bomb", "Waits.", run).task(TaskMode::Required)]);
    let task = client.start("bomb").await;
    tokio::task::yield_now().await;
    client.cancel(&task).await;
    tokio::task::yield_now().await;
    assert_eq!(client.get(&task).await["status"], "cancelled");
}

#[tokio::test]
async fn a_task_outlives_its_connection_but_not_its_server() {
    let (go, dropped) = signs();
    let mut client = serve([waiting(&go, &dropped)]);
    // A client without a session returns on another connection.
    client.session = Session::of_connection("connection".into(), Principal::local(), Arc::new(NoClient));
    let task = client.start("wait").await;
    client.handler.closed(&client.session);
    go.notify_one();
    client.wait_for(&task, "completed").await;

    dropped.store(false, Ordering::SeqCst);
    let task = client.start("wait").await;
    begun(&client, &task).await;
    client.handler.shutdown();
    let stopped = client.get(&task).await;
    assert_eq!(
        (&stopped["status"], &stopped["statusMessage"]),
        (&json!("cancelled"), &json!("the server is stopping"))
    );
    while !dropped.load(Ordering::SeqCst) {
        tokio::task::yield_now().await;
    }
    // The server accepts no new tasks now: an optional task is an ordinary call.
    go.notify_one();
    assert_eq!(client.call("wait").await["result"]["resultType"], "complete");
}

#[tokio::test]
async fn the_work_ends_when_nobody_serves_any_more() {
    let (go, dropped) = signs();
    let client = serve([waiting(&go, &dropped)]);
    let task = client.start("wait").await;
    begun(&client, &task).await;
    drop(client);
    while !dropped.load(Ordering::SeqCst) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn unknown_ids_are_the_clients_mistake() {
    let (go, dropped) = signs();
    let client = serve([waiting(&go, &dropped)]);
    let task = client.start("wait").await;
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        for id in [json!("nonsense"), json!(""), json!(7), Value::Null, json!(task.to_lowercase() + "x")] {
            let params = json!({ "taskId": id, "inputResponses": {} });
            assert_eq!(code(&client.ask(method, params).await), -32602, "{method} {id}");
        }
        assert_eq!(code(&client.ask(method, json!({})).await), -32602);
    }
    for responses in [Value::Null, json!([]), json!("x")] {
        assert_eq!(code(&client.update(&task, responses).await), -32602);
    }
    assert_eq!(code(&client.ask("tasks/update", json!({ "taskId": task })).await), -32602);
}
