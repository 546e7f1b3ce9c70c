//! Tools that announce changes of the server, so that clients are notified.
use overt_toolbox::{Content, Context, Destructive, Tool, ToolError};

use super::plain::Nothing;

type ToolResult = Result<Vec<Content>, ToolError>;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::content("test_trigger_tool_change", "Announces that the tools changed.", tools_changed)
            .changes(Destructive::No)
            .idempotent(),
        Tool::content("test_trigger_prompt_change", "Announces that the prompts changed.", prompts_changed)
            .changes(Destructive::No)
            .idempotent(),
        Tool::content(
            "test_trigger_resource_change",
            "Announces that the watched resource changed.",
            resource_changed,
        )
        .changes(Destructive::No)
        .idempotent(),
    ]
}

async fn tools_changed(_: Nothing, context: Context) -> ToolResult {
    context.changes().tools().await;
    Ok(vec![Content::text("announced")])
}

async fn prompts_changed(_: Nothing, context: Context) -> ToolResult {
    context.changes().prompts().await;
    Ok(vec![Content::text("announced")])
}

async fn resource_changed(_: Nothing, context: Context) -> ToolResult {
    context.changes().resource("test://watched-resource").await;
    Ok(vec![Content::text("announced")])
}
