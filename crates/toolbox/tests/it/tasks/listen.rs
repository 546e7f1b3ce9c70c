//! Notifications about tasks, which replace polling.
use std::sync::Arc;
use std::time::Duration;

use overt_toolbox::{Content, Context, TaskMode, Tool, ToolError};
use serde_json::{Map, Value, json};

use super::kit::{Client, able, code, serve};

async fn ask(_: Map<String, Value>, context: Context) -> Result<Vec<Content>, ToolError> {
    context.progress(1.0, None, "about to ask").await;
    context.elicit("ok", "Is it?", &json!({ "type": "object", "properties": {} })).await?;
    Ok(vec![Content::text("done")])
}

fn client() -> Arc<Client> {
    Arc::new(serve([Tool::content("ask", "Asks.", ask).task(TaskMode::Required)]))
}

fn listen(ids: &[&str], capabilities: &Value) -> Value {
    json!({
        "notifications": { "taskIds": ids },
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        }
    })
}

/// Returns the notifications as soon as there are at least `count`.
async fn heard(client: &Client, count: usize) -> Vec<Value> {
    for _ in 0..1000 {
        if client.heard().len() >= count {
            return client.heard();
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("too little was heard: {:?}", client.heard());
}

#[tokio::test]
async fn every_change_of_state_is_told_with_the_whole_task() {
    let client = client();
    let task = client.start("ask").await;
    client.wait_for(&task, "input_required").await;
    let params = listen(&[&task, "unknown"], &able());
    let listening = tokio::spawn({
        let client = Arc::clone(&client);
        async move { client.ask_raw("subscriptions/listen", &params).await }
    });
    // The acknowledgement, and the current state of the task.
    let first = heard(&client, 2).await;
    assert_eq!(first[0]["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(first[0]["params"]["notifications"], json!({ "taskIds": [task] }));
    assert_eq!(first[1]["method"], "notifications/tasks");
    assert_eq!(first[1]["params"]["status"], "input_required");
    let subscription = &first[0]["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
    assert_eq!(&first[1]["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], subscription);

    client.update(&task, json!({ "ok-1": { "action": "accept" } })).await;
    let got = client.wait_for(&task, "completed").await;
    while client.heard().last().unwrap()["params"]["status"] != "completed" {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let mut told = client.heard().last().unwrap()["params"].clone();
    // The notification equals the result of `tasks/get`, except for their envelopes.
    let (mut got, _) = (got, told.as_object_mut().unwrap().remove("_meta"));
    got.as_object_mut().unwrap().retain(|name, _| name != "_meta" && name != "resultType");
    assert_eq!(told, got);
    client.handler.shutdown();
    assert_eq!(listening.await.unwrap()["result"]["resultType"], "complete");
}

#[tokio::test]
async fn only_clients_that_know_tasks_can_watch_them() {
    let client = client();
    let answer = client.ask_raw("subscriptions/listen", &listen(&["x"], &json!({}))).await;
    assert_eq!(code(&answer), -32021);
    let ids: Vec<String> = (0..1001).map(|number| number.to_string()).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    assert_eq!(code(&client.ask_raw("subscriptions/listen", &listen(&ids, &able())).await), -32602);
}
