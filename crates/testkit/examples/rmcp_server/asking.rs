//! Tools that ask a client of the older era with requests of the server, and wait for the answers.
#![expect(deprecated, reason = "the suite still tests sampling, which the newest revision deprecates")]
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CreateMessageRequestParams,
    ElicitRequestParams, SamplingMessage,
};
use rmcp::service::ServiceError;
use serde_json::{Value, json};

use crate::plain::argument;
use crate::suite::Context;

/// Returns `None` if the tool is not one of these.
pub(crate) async fn call(
    call: &CallToolRequestParams,
    context: &Context,
) -> Option<Result<CallToolResponse, ErrorData>> {
    let said = |name: &str| argument(call, name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let answer = match call.name.as_ref() {
        "test_sampling" => sample(context, &said("prompt")).await,
        "test_elicitation" => elicit(context, &said("message"), person()).await,
        "test_elicitation_sep1034_defaults" => elicit(context, "Is this you?", defaults()).await,
        "test_elicitation_sep1330_enums" => elicit(context, "Which ones?", choices()).await,
        _ => return None,
    };
    let result = match answer {
        Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
        Err(error) => CallToolResult::error(vec![ContentBlock::text(format!("no answer: {error}"))]),
    };
    Some(Ok(result.into()))
}

async fn sample(context: &Context, prompt: &str) -> Result<String, ServiceError> {
    let question = CreateMessageRequestParams::new(vec![SamplingMessage::user_text(prompt)], 100);
    let answer = context.peer.create_message(question).await?;
    let text = answer.message.content.first().and_then(|content| content.as_text());
    Ok(format!("The model says: {}", text.map_or("nothing", |text| text.text.as_str())))
}

async fn elicit(context: &Context, message: &str, schema: Value) -> Result<String, ServiceError> {
    let question = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: message.to_owned(),
        requested_schema: serde_json::from_value(schema).expect("the schemas below are forms"),
    };
    let answer = context.peer.create_elicitation(question).await?;
    Ok(format!("The person says: {}", json!(answer)))
}

fn person() -> Value {
    json!({
        "type": "object",
        "properties": { "username": { "type": "string" }, "email": { "type": "string" } },
        "required": ["username", "email"]
    })
}

fn defaults() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "default": "John Doe" },
            "age": { "type": "integer", "default": 30 },
            "score": { "type": "number", "default": 95.5 },
            "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
            "verified": { "type": "boolean", "default": true }
        }
    })
}

fn choices() -> Value {
    let plain = json!(["option1", "option2", "option3"]);
    let titled = json!([
        { "const": "value1", "title": "The first" },
        { "const": "value2", "title": "The second" },
        { "const": "value3", "title": "The third" }
    ]);
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": plain },
            "titledSingle": { "type": "string", "oneOf": titled },
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["One", "Two", "Three"]
            },
            "untitledMulti": { "type": "array", "items": { "type": "string", "enum": plain } },
            "titledMulti": { "type": "array", "items": { "anyOf": titled } }
        }
    })
}
