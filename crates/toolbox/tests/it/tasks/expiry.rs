//! Expiry of tasks. The clock of these tests advances only while every task waits.
use std::time::Duration;

use overt_toolbox::{Content, TaskMode, Tool, ToolError};
use serde_json::{Value, json};
use tokio::time::{advance, sleep};

use super::kit::{Client, code, serve};

const MINUTE: Duration = Duration::from_secs(60);

/// Serves a tool that works for `takes` and whose tasks live for `ttl`.
fn client(takes: Duration, ttl: Duration) -> Client {
    let run = move |_: serde_json::Map<String, Value>, _| async move {
        sleep(takes).await;
        Ok::<_, ToolError>(vec![Content::text("done")])
    };
    serve([Tool::content("sleep", "Sleeps.", run).task(TaskMode::Required).task_ttl(ttl)])
}

async fn is_gone(client: &Client, task: &str) -> bool {
    let answer = client.ask("tasks/get", json!({ "taskId": task })).await;
    answer.get("error").is_some() && code(&answer) == -32602
}

#[tokio::test(start_paused = true)]
async fn a_result_is_kept_until_its_time_is_over() {
    let client = client(MINUTE, 60 * MINUTE);
    let task = client.start("sleep").await;
    sleep(MINUTE * 2).await;
    assert_eq!(client.get(&task).await["status"], "completed");
    sleep(MINUTE * 57).await;
    let kept = client.get(&task).await;
    assert_eq!((&kept["status"], &kept["ttlMs"]), (&json!("completed"), &json!(3_600_000)));
    sleep(MINUTE * 2).await;
    assert!(is_gone(&client, &task).await);
    for method in ["tasks/update", "tasks/cancel"] {
        let params = json!({ "taskId": task, "inputResponses": {} });
        assert_eq!(code(&client.ask(method, params).await), -32602);
    }
}

#[tokio::test(start_paused = true)]
async fn a_result_that_comes_late_can_still_be_fetched() {
    let client = client(MINUTE * 59, MINUTE * 60);
    let task = client.start("sleep").await;
    sleep(MINUTE * 61).await;
    let late = client.get(&task).await;
    assert_eq!(late["status"], "completed");
    // The task says so: 59 minutes of work, and five minutes to fetch the result.
    assert_eq!(late["ttlMs"].as_u64().unwrap() / 60_000, 64);
    sleep(MINUTE * 4).await;
    assert!(is_gone(&client, &task).await);
}

#[tokio::test(start_paused = true)]
async fn work_that_takes_too_long_fails() {
    let client = client(MINUTE * 120, MINUTE * 10);
    let task = client.start("sleep").await;
    sleep(MINUTE * 11).await;
    let failed = client.get(&task).await;
    assert_eq!((&failed["status"], &failed["error"]["code"]), (&json!("failed"), &json!(1408)));
    sleep(MINUTE * 5).await;
    assert!(is_gone(&client, &task).await);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_kept_for_ever_and_no_time_is_too_short() {
    let client = client(MINUTE, Duration::MAX);
    let created = client.call("sleep").await;
    assert_eq!(created["result"]["ttlMs"], json!(30_u64 * 24 * 3600 * 1000));
    let client = self::client(MINUTE, Duration::ZERO);
    let created = client.call("sleep").await;
    assert_eq!(created["result"]["ttlMs"], 1);
    advance(Duration::from_millis(5)).await;
    sleep(Duration::from_millis(5)).await;
    assert!(is_gone(&client, created["result"]["taskId"].as_str().unwrap()).await);
}
