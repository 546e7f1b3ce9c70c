//! Tools that may take long, so that the client can fetch their results later. The handlers are not
//! aware of this.
use std::time::Duration;

use overt_toolbox::{Answer, Content, Context, Destructive, TaskMode, Tool, ToolError};
use overt_wire::ErrorObject;
use overt_wire::error::code;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::plain::Nothing;

#[derive(Deserialize, JsonSchema)]
struct Greeting {
    /// Who is greeted.
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Computation {
    /// How long it takes.
    #[schemars(range(min = 0, max = 3600))]
    seconds: u32,
    /// What the result is called.
    #[serde(default)]
    label: String,
}

#[derive(Deserialize, JsonSchema)]
struct Deletion {
    /// The file that nobody will miss.
    filename: String,
}

type ToolResult = Result<Vec<Content>, ToolError>;

/// How long the jobs take that fail.
const A_WHILE: Duration = Duration::from_millis(500);
/// How often a client should look: the tools here are short.
const LOOK: Duration = Duration::from_millis(500);

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::content("greet", "Use to greet somebody.", greet).read_only(),
        Tool::content("slow_compute", "Takes as many seconds as it is told.", compute)
            .read_only()
            .task(TaskMode::Optional)
            .task_poll(LOOK),
        Tool::content("failing_job", "Takes a while and fails.", fail)
            .read_only()
            .task(TaskMode::Required)
            .task_poll(LOOK),
        Tool::content("protocol_error_job", "Takes a while and breaks.", break_down)
            .read_only()
            .task(TaskMode::Optional)
            .task_poll(LOOK),
        Tool::content("confirm_delete", "Asks before it deletes nothing.", delete)
            .changes(Destructive::No)
            .task(TaskMode::Optional)
            .task_poll(LOOK),
        Tool::content("multi_input", "Asks two things at once.", ask_two)
            .read_only()
            .task(TaskMode::Optional)
            .task_poll(LOOK),
        Tool::content("test_tool_with_task", "Asks for a name and then takes a while.", ask_then_work)
            .read_only()
            .task_on_detach(TaskMode::Required)
            .task_poll(LOOK),
    ]
}

async fn greet(input: Greeting, _: Context) -> ToolResult {
    Ok(vec![Content::text(&format!("Hello, {}!", input.name))])
}

async fn compute(input: Computation, context: Context) -> ToolResult {
    for second in 0..input.seconds {
        context.progress(f64::from(second), Some(f64::from(input.seconds)), "computing").await;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    Ok(vec![Content::text(&format!("Computed {} in {} s.", input.label, input.seconds))])
}

async fn fail(_: Nothing, _: Context) -> ToolResult {
    tokio::time::sleep(A_WHILE).await;
    Err(ToolError::new("The job failed, as it always does").next("Use another tool."))
}

async fn break_down(_: Nothing, _: Context) -> ToolResult {
    tokio::time::sleep(A_WHILE).await;
    Err(ToolError::protocol(ErrorObject::new(code::INTERNAL, "the job broke down, as it always does")))
}

async fn delete(input: Deletion, context: Context) -> ToolResult {
    let question = format!("Delete {}?", input.filename);
    let answer = context.elicit("confirm", &question, &one("confirm", "boolean")).await?;
    let agreed = matches!(&answer, Answer::Accepted(content) if content["confirm"] == true);
    let done = if agreed { "Deleted" } else { "Kept" };
    Ok(vec![Content::text(&format!("{done} {}.", input.filename))])
}

async fn ask_two(_: Nothing, context: Context) -> ToolResult {
    let (name, confirm) = (one("name", "string"), one("confirm", "boolean"));
    let (name, agreed) = tokio::join!(
        context.elicit("name", "What is your name?", &name),
        context.elicit("confirm", "Do you agree?", &confirm),
    );
    let given = [name?, agreed?].into_iter().filter(|answer| matches!(answer, Answer::Accepted(_))).count();
    Ok(vec![Content::text(&format!("{given} of 2 questions were answered."))])
}

async fn ask_then_work(_: Nothing, context: Context) -> ToolResult {
    let answer = context.elicit("user_name", "What is your name?", &one("name", "string")).await?;
    let Answer::Accepted(content) = answer else {
        return Err(
            ToolError::new("Without a name there is nothing to do").next("Call again and say a name.")
        );
    };
    context.detach().await;
    tokio::time::sleep(A_WHILE).await;
    Ok(vec![Content::text(&format!("Done for {}.", content["name"].as_str().unwrap_or("nobody")))])
}

fn one(name: &str, kind: &str) -> Value {
    json!({ "type": "object", "properties": { name: { "type": kind } }, "required": [name] })
}
