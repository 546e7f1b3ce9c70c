//! Tools that take long. For a client that supports tasks they become tasks; for others they are
//! awaited.
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock,
    CreateTaskResult,
};
use rmcp::task_manager::{TaskContext, TaskExit, TaskOptions};
use serde_json::Value;

use crate::plain::argument;
use crate::rounds::{answered, ask_one, form};
use crate::suite::{Context, Suite};

pub(crate) const NAMES: &[&str] = &[
    "greet",
    "slow_compute",
    "failing_job",
    "protocol_error_job",
    "confirm_delete",
    "multi_input",
    "test_tool_with_task",
];

/// Tools that only work as tasks.
const TASKS_ONLY: &[&str] = &["failing_job", "confirm_delete", "multi_input", "test_tool_with_task"];

/// How long the jobs take.
const A_WHILE: Duration = Duration::from_millis(500);

pub(crate) async fn call(
    suite: &Suite,
    call: &CallToolRequestParams,
    context: &Context,
) -> Result<CallToolResponse, ErrorData> {
    let name = call.name.as_ref();
    let said = |member: &str| argument(call, member).and_then(Value::as_str).unwrap_or("nobody").to_owned();
    if name == "greet" {
        return Ok(text(format!("Hello, {}!", said("name"))).into());
    }
    let knows_tasks = context.client_capabilities().is_some_and(|known| known.supports_tasks());
    if TASKS_ONLY.contains(&name) && !knows_tasks {
        let needed = ClientCapabilities::builder().enable_tasks().build();
        return Err(ErrorData::missing_required_client_capability(needed));
    }
    if name == "test_tool_with_task" && answered(call.input_responses.as_ref(), "user_name").is_none() {
        return Ok(ask_one("user_name", "What is your name?", "name"));
    }
    let job = Job {
        name: name.to_owned(),
        seconds: argument(call, "seconds").and_then(Value::as_f64).unwrap_or(1.0),
        about: answered(call.input_responses.as_ref(), "user_name")
            .and_then(|answer| answer["content"]["name"].as_str())
            .map_or_else(|| said("filename"), str::to_owned),
    };
    if !knows_tasks {
        return match job.run(None).await {
            Ok(result) => Ok(result.into()),
            Err(TaskExit::Error(error)) => Err(error),
            Err(_) => Err(ErrorData::internal_error("cancelled", None)),
        };
    }
    let task = suite.tasks.spawn(TaskOptions::default(), |task| {
        Box::pin(async move {
            tokio::select! {
                () = task.cancelled() => Err(TaskExit::Cancelled),
                ended = job.run(Some(&task)) => ended,
            }
        })
    });
    Ok(CreateTaskResult::new(task).into())
}

/// The work of a tool, whether or not a client waits for it.
struct Job {
    name: String,
    seconds: f64,
    about: String,
}

impl Job {
    async fn run(&self, task: Option<&TaskContext>) -> Result<CallToolResult, TaskExit> {
        match (self.name.as_str(), task) {
            ("slow_compute", _) => {
                tokio::time::sleep(Duration::from_secs_f64(self.seconds.clamp(0.0, 3600.0))).await;
                Ok(text(format!("It took {} s.", self.seconds)))
            }
            ("failing_job", _) => {
                tokio::time::sleep(A_WHILE).await;
                Ok(CallToolResult::error(vec![ContentBlock::text("The job failed.")]))
            }
            ("protocol_error_job", _) => {
                tokio::time::sleep(A_WHILE).await;
                Err(TaskExit::Error(ErrorData::internal_error("the job broke", None)))
            }
            ("confirm_delete", Some(task)) => {
                let question = form(&format!("Delete {}?", self.about), "confirm", "boolean");
                let answer = task.request_input("confirm", question).await?;
                Ok(text(format!("Confirmed: {}", answer["content"]["confirm"])))
            }
            ("multi_input", Some(task)) => {
                let first = task.request_input("first", form("The first?", "value", "string"));
                let second = task.request_input("second", form("The second?", "value", "string"));
                let (first, second) = tokio::try_join!(first, second)?;
                Ok(text(format!("{} and {}", first["content"], second["content"])))
            }
            _ => {
                tokio::time::sleep(A_WHILE).await;
                Ok(text(format!("Done for {}.", self.about)))
            }
        }
    }
}

fn text(text: String) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}
