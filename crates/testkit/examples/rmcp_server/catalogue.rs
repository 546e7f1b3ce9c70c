//! The tools: the names that the conformance suite calls, with descriptions and schemas.
use std::sync::Arc;

use rmcp::model::Tool;
use serde_json::{Value, json};

/// Name and description of the tools without arguments.
const SIMPLE: &[(&str, &str)] = &[
    ("test_simple_text", "Answers with text."),
    ("test_image_content", "Answers with a picture."),
    ("test_audio_content", "Answers with a sound."),
    ("test_embedded_resource", "Answers with a resource."),
    ("test_multiple_content_types", "Answers with text, a picture and a resource."),
    ("test_error_handling", "Fails."),
    ("test_tool_with_logging", "Logs while it runs."),
    ("test_logging_tool", "Logs what the request asks for."),
    ("test_tool_with_progress", "Reports progress while it runs."),
    ("test_reconnection", "Takes a moment."),
    ("test_missing_capability", "Insists on a client with a model."),
    ("test_streaming_elicitation", "Asks for a value."),
    ("test_trigger_tool_change", "Says that the tools have changed."),
    ("test_trigger_prompt_change", "Says that the prompts have changed."),
    ("test_elicitation_sep1034_defaults", "Asks with defaults."),
    ("test_elicitation_sep1330_enums", "Asks with choices."),
    ("test_input_required_result_elicitation", "Asks a person."),
    ("test_input_required_result_sampling", "Asks a model."),
    ("test_input_required_result_list_roots", "Asks for the folders."),
    ("test_input_required_result_request_state", "Asks, and remembers by a sealed state."),
    ("test_input_required_result_tampered_state", "Asks, and looks at the seal."),
    ("test_input_required_result_multiple_inputs", "Asks three things at once."),
    ("test_input_required_result_multi_round", "Asks twice."),
    ("test_input_required_result_capabilities", "Asks what the client can answer."),
    ("failing_job", "Takes a while and fails."),
    ("protocol_error_job", "Takes a while and breaks."),
    ("multi_input", "Asks two things while it works."),
    ("test_tool_with_task", "Asks first, works later."),
];

pub(crate) fn tools() -> Vec<Tool> {
    let simple = SIMPLE.iter().map(|(name, description)| tool(name, description, &json!({})));
    let others = [
        tool("echo", "Returns the message.", &json!({ "message": { "type": "string" } })),
        tool("test_sampling", "Asks the client's model.", &json!({ "prompt": { "type": "string" } })),
        tool("test_elicitation", "Asks a person.", &json!({ "message": { "type": "string" } })),
        tool(
            "test_custom_header",
            "Has an argument that is also a header.",
            &json!({ "value": { "type": "string", "x-mcp-header": "Value" } }),
        ),
        tool("greet", "Greets somebody.", &json!({ "name": { "type": "string" } })),
        tool(
            "slow_compute",
            "Takes as many seconds as it is told.",
            &json!({ "seconds": { "type": "number" }, "label": { "type": "string" } }),
        ),
        tool("confirm_delete", "Asks while it works.", &json!({ "filename": { "type": "string" } })),
        Tool::new("json_schema_2020_12_tool", "Has a schema with many keywords.", object(many_keywords())),
    ];
    simple.chain(others).collect()
}

fn tool(name: &str, description: &str, properties: &Value) -> Tool {
    let schema = json!({ "type": "object", "properties": properties });
    Tool::new(name.to_owned(), description.to_owned(), object(schema))
}

fn object(value: Value) -> Arc<serde_json::Map<String, Value>> {
    match value {
        Value::Object(members) => Arc::new(members),
        _ => Arc::default(),
    }
}

fn many_keywords() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "address",
                "type": "object",
                "properties": { "town": { "type": "string" } }
            }
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "phone": { "type": "string" }
        },
        "allOf": [{ "anyOf": [{ "required": ["name"] }, { "required": ["phone"] }] }],
        "if": { "required": ["phone"] },
        "then": { "required": ["name"] },
        "else": { "required": ["address"] },
        "additionalProperties": false
    })
}
