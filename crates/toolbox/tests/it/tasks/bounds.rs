//! Limits on the number of tasks. The limit on their bytes is tested beside the store.
use overt_toolbox::{Content, Context, TaskMode, Tool, ToolError};
use serde_json::{Map, Value, json};

use super::kit::{Client, code, serve};

const OVERLOADED: i64 = 1429;

type Said = Result<Vec<Content>, ToolError>;

fn client() -> Client {
    let wait = |_: Map<String, Value>, _| std::future::pending::<Said>();
    let quick = |_: Map<String, Value>, _| async { Said::Ok(vec![Content::text("quick")]) };
    let many = |_: Map<String, Value>, context: Context| async move {
        let schema = json!({ "type": "object", "properties": {} });
        let asked = tokio::task::JoinSet::from_iter((0..40).map(|_| {
            let (context, schema) = (context.clone(), schema.clone());
            async move { context.elicit("q", "?", &schema).await.is_err() }
        }));
        let refused = asked.join_all().await.into_iter().filter(|refused| *refused).count();
        Said::Ok(vec![Content::text(&refused.to_string())])
    };
    serve([
        Tool::content("wait", "Waits.", wait).task(TaskMode::Required),
        Tool::content("quick", "Answers.", quick).task(TaskMode::Required),
        Tool::content("optional", "Answers.", quick).task(TaskMode::Optional),
        Tool::content("many", "Asks much.", many).task(TaskMode::Required),
    ])
}

#[tokio::test]
async fn only_so_many_run_at_once() {
    let client = client();
    let first = client.start("wait").await;
    for _ in 1..256 {
        client.start("wait").await;
    }
    assert_eq!(code(&client.call("wait").await), OVERLOADED);
    assert_eq!(client.call("optional").await["result"]["resultType"], "complete");
    client.cancel(&first).await;
    client.start("optional").await;
}

#[tokio::test]
async fn results_that_were_fetched_make_room_and_others_do_not() {
    let client = client();
    let mut tasks = Vec::new();
    for _ in 0..1000 {
        tasks.push(client.start("quick").await);
        tokio::task::yield_now().await;
    }
    assert_eq!(code(&client.call("quick").await), OVERLOADED);
    client.wait_for(&tasks[1], "completed").await;
    client.wait_for(&tasks[0], "completed").await;
    client.start("quick").await;
    // The task that ended first is forgotten.
    assert_eq!(code(&client.ask("tasks/get", json!({ "taskId": tasks[0] })).await), -32602);
    client.wait_for(&tasks[1], "completed").await;
    client.wait_for(&tasks[2], "completed").await;
}

#[tokio::test]
async fn only_so_many_questions_wait() {
    let client = client();
    let task = client.start("many").await;
    let mut asked = client.wait_for(&task, "input_required").await;
    while asked["inputRequests"].as_object().unwrap().len() < 32 {
        tokio::task::yield_now().await;
        asked = client.get(&task).await;
    }
    let answers: Map<String, Value> = asked["inputRequests"]
        .as_object()
        .unwrap()
        .keys()
        .map(|key| (key.clone(), json!({ "action": "decline" })))
        .collect();
    client.update(&task, Value::Object(answers)).await;
    assert_eq!(client.wait_for(&task, "completed").await["result"]["content"][0]["text"], "8");
}
