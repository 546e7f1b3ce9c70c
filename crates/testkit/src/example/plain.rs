//! Tools that only answer: text, media, progress, log messages, errors.
use std::time::Duration;

use overt_toolbox::{Content, Context, Outcome, Tool, ToolError};
use overt_wire::era::LogLevel;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::declared;
use super::media::{PIXEL, SILENCE};

/// No arguments.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Nothing {}

#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// The text to return.
    message: String,
}

#[derive(Deserialize, JsonSchema)]
struct Sum {
    /// The first number.
    a: f64,
    /// The second number.
    b: f64,
}

#[derive(Serialize, JsonSchema)]
struct Total {
    sum: f64,
}

#[derive(Deserialize, JsonSchema)]
struct Count {
    /// How many numbers to list.
    #[schemars(range(min = 0, max = 100_000))]
    limit: u32,
}

#[derive(Serialize, JsonSchema)]
struct Numbers {
    numbers: Vec<u32>,
}

/// The step of the tools that take their time.
const STEP: Duration = Duration::from_millis(50);

pub(super) fn tools() -> Vec<Tool> {
    let mut tools = vec![
        Tool::content("echo", "Use to get a text back as it was sent.", echo).declare(declared::echo()),
        Tool::new("add", "Use to add two numbers. Returns their sum.", add).declare(declared::add()),
        Tool::new("count", "Use to get the numbers from 0 up to a limit.", count).read_only(),
        fixed("test_simple_text", "Returns a line of text.", || {
            vec![Content::text("This is a simple text response for testing.")]
        }),
        fixed("test_image_content", "Returns a picture.", || vec![Content::image(PIXEL, "image/png")]),
        fixed("test_audio_content", "Returns a sound.", || vec![Content::audio(SILENCE, "audio/wav")]),
        fixed("test_embedded_resource", "Returns a resource with its content.", || {
            let text = "This is an embedded resource content.";
            vec![Content::embedded_text("test://embedded-resource", "text/plain", text)]
        }),
        fixed("test_multiple_content_types", "Returns text, a picture and a resource.", || {
            let json = r#"{"test":"data","value":123}"#;
            vec![
                Content::text("Multiple content types test:"),
                Content::image(PIXEL, "image/png"),
                Content::embedded_text("test://mixed-content-resource", "application/json", json),
            ]
        }),
        Tool::content("test_error_handling", "Always fails.", fail)
            .declare(declared::always_fails())
            .fails_with(["EXAMPLE_FAILURE"]),
        Tool::content("test_tool_with_logging", "Logs three messages while it runs.", log).read_only(),
        Tool::content("test_logging_tool", "Logs three messages while it runs.", log).read_only(),
        Tool::content("test_tool_with_progress", "Reports progress while it runs.", progress).read_only(),
        Tool::content("test_reconnection", "Lets the client go and come back for the answer.", reconnect)
            .read_only(),
    ];
    tools.push(
        Tool::raw(
            "json_schema_2020_12_tool",
            "Has an input schema with many keywords.",
            many_keywords(),
            None,
            show,
        )
        .read_only(),
    );
    tools.push(
        Tool::raw(
            "test_custom_header",
            "Has an argument that is also sent as a header.",
            with_header(),
            None,
            show,
        )
        .read_only(),
    );
    tools
}

fn fixed(name: &str, description: &str, content: fn() -> Vec<Content>) -> Tool {
    Tool::content(name, description, move |_: Nothing, _| async move { Ok(content()) }).read_only()
}

async fn echo(input: Echo, _: Context) -> Result<Vec<Content>, ToolError> {
    Ok(vec![Content::text(&input.message)])
}

async fn add(input: Sum, _: Context) -> Result<Total, ToolError> {
    Ok(Total { sum: input.a + input.b })
}

async fn count(input: Count, _: Context) -> Result<Numbers, ToolError> {
    Ok(Numbers { numbers: (0..input.limit).collect() })
}

async fn fail(_: Nothing, _: Context) -> Result<Vec<Content>, ToolError> {
    Err(ToolError::new("This tool intentionally returns an error for testing").code("EXAMPLE_FAILURE"))
}

async fn log(_: Nothing, context: Context) -> Result<Vec<Content>, ToolError> {
    context.log(LogLevel::Info, "example", "Tool execution started").await;
    tokio::time::sleep(STEP).await;
    context.log(LogLevel::Info, "example", "Tool processing data").await;
    tokio::time::sleep(STEP).await;
    context.log(LogLevel::Info, "example", "Tool execution completed").await;
    Ok(vec![Content::text("Three messages were logged.")])
}

async fn progress(_: Nothing, context: Context) -> Result<Vec<Content>, ToolError> {
    for done in [0.0, 50.0, 100.0] {
        context.progress(done, Some(100.0), "").await;
        tokio::time::sleep(STEP).await;
    }
    Ok(vec![Content::text("The work is done.")])
}

async fn reconnect(_: Nothing, context: Context) -> Result<Vec<Content>, ToolError> {
    context.pause(Duration::from_millis(100));
    tokio::time::sleep(STEP * 2).await;
    Ok(vec![Content::text("The client came back.")])
}

async fn show(arguments: Value, _: Context) -> Result<Outcome, ToolError> {
    Ok(Outcome::content(vec![Content::text(&arguments.to_string())]))
}

fn with_header() -> Value {
    json!({
        "type": "object",
        "properties": {
            "value": { "type": "string", "description": "Any text.", "x-mcp-header": "Value" },
            "size": { "type": "integer", "description": "Any number.", "x-mcp-header": "Size" },
            "region": { "type": ["string", "null"], "description": "Any text.", "x-mcp-header": "Region" }
        },
        "required": ["value"],
        "additionalProperties": false
    })
}

fn many_keywords() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
            }
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" }
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false
    })
}
