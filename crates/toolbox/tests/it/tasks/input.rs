//! Questions within a task, and questions before it.
use std::time::Duration;

use overt_toolbox::{Answer, Content, Context, TaskMode, Tool, ToolError};
use serde_json::{Map, Value, json};

use super::kit::{Client, able, is_acknowledgement, serve};

type Said = Result<Vec<Content>, ToolError>;

async fn name(context: &Context, key: &str) -> Result<String, ToolError> {
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
    Ok(match context.elicit(key, "What is your name?", &schema).await? {
        Answer::Accepted(content) => content["name"].as_str().unwrap_or_default().to_owned(),
        Answer::Declined => "declined".into(),
        Answer::Cancelled => "cancelled".into(),
    })
}

async fn once(_: Map<String, Value>, context: Context) -> Said {
    Ok(vec![Content::text(&name(&context, "who").await?)])
}

async fn twice(_: Map<String, Value>, context: Context) -> Said {
    let (first, second) = (name(&context, "who").await?, name(&context, "who").await?);
    Ok(vec![Content::text(&format!("{first}, {second}"))])
}

async fn at_once(_: Map<String, Value>, context: Context) -> Said {
    let (a, b) = tokio::join!(name(&context, "a"), name(&context, "b"));
    Ok(vec![Content::text(&format!("{}, {}", a?, b?))])
}

async fn impatient(_: Map<String, Value>, context: Context) -> Said {
    let answer = tokio::time::timeout(Duration::from_millis(30), name(&context, "who")).await;
    let text = if answer.is_err() { "nobody answered" } else { "answered" };
    tokio::time::sleep(Duration::from_millis(200)).await;
    Ok(vec![Content::text(text)])
}

async fn first_ask(_: Map<String, Value>, context: Context) -> Said {
    let before = name(&context, "who").await?;
    context.detach().await;
    // The answer is already known, so the question is not asked again.
    let same = name(&context, "who").await?;
    let after = name(&context, "more").await?;
    context.detach().await;
    Ok(vec![Content::text(&format!("{before}, {same}, {after}"))])
}

fn client() -> Client {
    serve([
        Tool::content("once", "Asks.", once).task(TaskMode::Required),
        Tool::content("twice", "Asks.", twice).task(TaskMode::Required),
        Tool::content("at_once", "Asks.", at_once).task(TaskMode::Required),
        Tool::content("impatient", "Asks.", impatient).task(TaskMode::Required),
        Tool::content("first_ask", "Asks.", first_ask).task_on_detach(TaskMode::Optional),
    ])
}

fn accept(name: &str) -> Value {
    json!({ "action": "accept", "content": { "name": name } })
}

fn keys(task: &Value) -> Vec<String> {
    task["inputRequests"].as_object().unwrap().keys().cloned().collect()
}

fn text(task: &Value) -> &str {
    task["result"]["content"][0]["text"].as_str().unwrap()
}

#[tokio::test]
async fn a_question_waits_in_the_task_until_it_is_answered() {
    let client = client();
    let task = client.start("once").await;
    let asks = client.wait_for(&task, "input_required").await;
    assert_eq!(keys(&asks), ["who-1"]);
    assert_eq!(asks["inputRequests"]["who-1"]["method"], "elicitation/create");
    assert_eq!(asks["inputRequests"]["who-1"]["params"]["message"], "What is your name?");
    assert!(asks.get("requestState").is_none());
    assert_eq!(client.get(&task).await, asks);
    // Unknown keys and invalid answers change nothing, but are acknowledged.
    for answers in [json!({}), json!({ "who": accept("Eve") }), json!({ "who-1": { "action": "what" } })] {
        assert!(is_acknowledgement(&client.update(&task, answers).await));
        assert_eq!(client.get(&task).await, asks);
    }
    assert!(is_acknowledgement(&client.update(&task, json!({ "who-1": accept("Ada") })).await));
    let done = client.wait_for(&task, "completed").await;
    assert_eq!(text(&done), "Ada");
    assert!(done.get("inputRequests").is_none());
    // A late answer is not an error.
    assert!(is_acknowledgement(&client.update(&task, json!({ "who-1": accept("Bob") })).await));
    assert_eq!(text(&client.get(&task).await), "Ada");
}

#[tokio::test]
async fn no_key_is_used_twice() {
    let client = client();
    let task = client.start("twice").await;
    assert_eq!(keys(&client.wait_for(&task, "input_required").await), ["who-1"]);
    client.update(&task, json!({ "who-1": accept("Ada") })).await;
    assert_eq!(keys(&client.wait_for(&task, "input_required").await), ["who-2"]);
    client.update(&task, json!({ "who-1": accept("Eve") })).await;
    client.update(&task, json!({ "who-2": { "action": "decline" } })).await;
    assert_eq!(text(&client.wait_for(&task, "completed").await), "Ada, declined");
}

#[tokio::test]
async fn questions_can_be_answered_one_by_one() {
    let client = client();
    let task = client.start("at_once").await;
    assert_eq!(keys(&client.wait_for(&task, "input_required").await), ["a-1", "b-2"]);
    client.update(&task, json!({ "b-2": accept("Bob") })).await;
    let still = client.get(&task).await;
    assert_eq!((&still["status"], keys(&still)), (&json!("input_required"), vec!["a-1".to_owned()]));
    client.update(&task, json!({ "a-1": accept("Ada") })).await;
    assert_eq!(text(&client.wait_for(&task, "completed").await), "Ada, Bob");
}

#[tokio::test]
async fn a_question_that_nobody_waits_for_is_taken_back() {
    let client = client();
    let task = client.start("impatient").await;
    client.wait_for(&task, "input_required").await;
    assert!(client.wait_for(&task, "working").await.get("inputRequests").is_none());
    assert_eq!(text(&client.wait_for(&task, "completed").await), "nobody answered");
}

#[tokio::test]
async fn a_question_ends_with_its_task() {
    let client = client();
    let task = client.start("once").await;
    client.wait_for(&task, "input_required").await;
    client.cancel(&task).await;
    let cancelled = client.get(&task).await;
    assert_eq!(cancelled["status"], "cancelled");
    assert!(cancelled.get("inputRequests").is_none());
}

#[tokio::test]
async fn a_client_that_can_not_be_asked_fails_the_task() {
    let client = client();
    let capabilities = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let created = client.ask_with(capabilities, "tools/call", json!({ "name": "once" })).await;
    let task = created["result"]["taskId"].as_str().unwrap();
    assert_eq!(client.wait_for(task, "failed").await["error"]["code"], -32021);
}

#[tokio::test]
async fn what_is_asked_before_the_task_is_asked_in_the_request() {
    let client = client();
    let asks = client.call("first_ask").await;
    assert_eq!(asks["result"]["resultType"], "input_required");
    assert!(asks["result"].get("taskId").is_none());
    let again = json!({
        "name": "first_ask",
        "arguments": {},
        "inputResponses": { "who": accept("Ada") },
        "requestState": asks["result"]["requestState"],
    });
    let created = client.ask("tools/call", again).await;
    assert_eq!(created["result"]["resultType"], "task", "{created}");
    assert!(
        created["result"].get("requestState").is_none() && created["result"].get("inputRequests").is_none()
    );
    let task = created["result"]["taskId"].as_str().unwrap();
    let asks = client.wait_for(task, "input_required").await;
    assert_eq!(keys(&asks), ["more-1"]);
    client.update(task, json!({ "more-1": accept("Bob") })).await;
    assert_eq!(text(&client.wait_for(task, "completed").await), "Ada, Ada, Bob");
}

#[tokio::test]
async fn without_tasks_everything_is_asked_in_the_request() {
    let client = client();
    let mut capabilities = able();
    capabilities.as_object_mut().unwrap().remove("extensions");
    let answers = json!({ "who": accept("Ada"), "more": accept("Bob") });
    let params = json!({ "name": "first_ask", "inputResponses": answers });
    let answer = client.ask_with(capabilities, "tools/call", params).await;
    assert_eq!(answer["result"]["resultType"], "complete");
    assert_eq!(text(&answer), "Ada, Ada, Bob");
}
