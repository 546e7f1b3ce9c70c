//! Tools that only answer: text, media, log messages, progress, change notifications, errors.
#![expect(deprecated, reason = "the suite still tests logging, which the newest revision deprecates")]
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use overt_testkit::example::media::{PIXEL, SILENCE};
use rmcp::ErrorData;
use rmcp::model::{
    AudioContent, CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock,
    LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, ResourceContents,
};
use serde_json::{Value, json};

use crate::rounds;
use crate::suite::{Context, Suite};

/// The step of the tools that take their time.
const STEP: Duration = Duration::from_millis(50);

pub(crate) async fn call(
    suite: &Suite,
    call: &CallToolRequestParams,
    context: &Context,
) -> Result<CallToolResponse, ErrorData> {
    let content = match call.name.as_ref() {
        "echo" => vec![text_of(call, "message")],
        "test_custom_header" => vec![text_of(call, "value")],
        "json_schema_2020_12_tool" => vec![ContentBlock::text(json!(call.arguments).to_string())],
        "test_simple_text" => vec![ContentBlock::text("Just a line of text.")],
        "test_image_content" => vec![picture()],
        "test_audio_content" => {
            vec![ContentBlock::Audio(AudioContent::new(STANDARD.encode(SILENCE), "audio/wav"))]
        }
        "test_embedded_resource" => {
            vec![embedded("test://embedded-resource", "text/plain", "What the resource says.")]
        }
        "test_multiple_content_types" => vec![
            ContentBlock::text("Three kinds of content."),
            picture(),
            embedded("test://mixed-content-resource", "application/json", r#"{"of":"three"}"#),
        ],
        "test_error_handling" => {
            let what = "This tool intentionally returns an error for testing";
            return Ok(CallToolResult::error(vec![ContentBlock::text(what)]).into());
        }
        "test_tool_with_logging" => return log(context, Some(LoggingLevel::Info)).await,
        "test_logging_tool" => return log(context, context.meta.log_level()).await,
        "test_tool_with_progress" => return progress(context).await,
        "test_reconnection" => {
            tokio::time::sleep(STEP * 2).await;
            vec![ContentBlock::text("Still here.")]
        }
        "test_missing_capability" => {
            if context.meta.client_capabilities().is_none_or(|known| known.sampling.is_none()) {
                let needed = ClientCapabilities::builder().enable_sampling().build();
                return Err(ErrorData::missing_required_client_capability(needed));
            }
            vec![ContentBlock::text("The client has a model.")]
        }
        "test_streaming_elicitation" => return Ok(rounds::ask_one("value", "Which value?", "value")),
        "test_trigger_tool_change" => {
            for listener in suite.listeners() {
                let _ = listener.notify_tool_list_changed().await;
            }
            let _ = context.peer.notify_tool_list_changed().await;
            vec![ContentBlock::text("Everybody knows.")]
        }
        "test_trigger_prompt_change" => {
            for listener in suite.listeners() {
                let _ = listener.notify_prompt_list_changed().await;
            }
            let _ = context.peer.notify_prompt_list_changed().await;
            vec![ContentBlock::text("Everybody knows.")]
        }
        name => return Err(ErrorData::invalid_params(format!("unknown tool `{name}`"), None)),
    };
    Ok(CallToolResult::success(content).into())
}

async fn log(context: &Context, level: Option<LoggingLevel>) -> Result<CallToolResponse, ErrorData> {
    if let Some(level) = level {
        for what in ["begins", "goes on", "is done"] {
            let message = LoggingMessageNotificationParam::new(level, json!(what)).with_logger("rmcp");
            let _ = context.peer.notify_logging_message(message).await;
            tokio::time::sleep(STEP).await;
        }
    }
    Ok(CallToolResult::success(vec![ContentBlock::text("The log has it.")]).into())
}

async fn progress(context: &Context) -> Result<CallToolResponse, ErrorData> {
    if let Some(token) = context.meta.get_progress_token() {
        for done in [0.0, 50.0, 100.0] {
            let report = ProgressNotificationParam::new(token.clone(), done).with_total(100.0);
            let _ = context.peer.notify_progress(report).await;
            tokio::time::sleep(STEP).await;
        }
    }
    Ok(CallToolResult::success(vec![ContentBlock::text("All of it is done.")]).into())
}

pub(crate) fn argument<'a>(call: &'a CallToolRequestParams, name: &str) -> Option<&'a Value> {
    call.arguments.as_ref()?.get(name)
}

fn text_of(call: &CallToolRequestParams, name: &str) -> ContentBlock {
    ContentBlock::text(argument(call, name).and_then(Value::as_str).unwrap_or_default())
}

pub(crate) fn picture() -> ContentBlock {
    ContentBlock::image(STANDARD.encode(PIXEL), "image/png")
}

fn embedded(uri: &str, kind: &str, text: &str) -> ContentBlock {
    ContentBlock::resource(ResourceContents::TextResourceContents {
        uri: uri.into(),
        mime_type: Some(kind.into()),
        text: text.into(),
        meta: None,
    })
}
