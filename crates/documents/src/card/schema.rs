//! Our JSON Schema of the card, for strict reading. `schemas/tool-card.schema.json` has it as a
//! file, and a test compares both.
use serde_json::{Value, json};

use super::read::MOST_ITEMS;
use overt_policy::record::{Effect, PiiExposure, SecretsExposure};
use overt_policy::word::StringEnum;

pub fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Tool Card 0.1",
        "description": "What one tool of an MCP server does, for whoever must decide whether it may be called.",
        "type": "object",
        "required": ["tool_card_version", "tool", "schema", "safety", "audit"],
        "additionalProperties": false,
        "properties": {
            "tool_card_version": { "const": super::VERSION },
            "tool": tool(),
            "schema": schemas(),
            "safety": safety(),
            "tested_with": { "type": "array", "maxItems": MOST_ITEMS, "items": tested() },
            "performance": object(&[], &json!({
                "p50_latency_ms": { "type": "integer", "minimum": 0 },
                "p99_latency_ms": { "type": "integer", "minimum": 0 },
                "measurement_window": { "type": "string" },
            })),
            "cost": object(&[], &json!({
                "per_call_amount": { "type": "number", "minimum": 0 },
                "per_call_currency": { "type": "string", "pattern": "^[A-Z]{3}$" },
                "notes": { "type": "string" },
            })),
            "audit": object(&[], &json!({
                "log_uri": uri("Where calls are recorded."),
                "retention_days": { "type": "integer", "minimum": 1 },
                "signed_by": { "type": "string" },
                "incident_response_uri": uri("Where to turn when something happened."),
            })),
        },
    })
}

fn tool() -> Value {
    object(
        &["server_id", "name", "version", "mcp_server_uri", "description"],
        &json!({
            "server_id": text(),
            "name": text(),
            "version": { "type": "string", "pattern": "^[0-9]+\\.[0-9]+\\.[0-9]+([-+].+)?$" },
            "mcp_server_uri": uri("Where the server is, or who it is."),
            "description": text(),
        }),
    )
}

fn schemas() -> Value {
    let mut schemas = object(
        &[],
        &json!({
            "input_schema_inline": { "type": "object" },
            "input_schema_uri": uri("Where the JSON Schema of the arguments is."),
            "output_schema_inline": { "type": "object" },
            "output_schema_uri": uri("Where the JSON Schema of the results is."),
        }),
    );
    schemas["oneOf"] = json!([{ "required": ["input_schema_inline"] }, { "required": ["input_schema_uri"] }]);
    schemas
}

fn safety() -> Value {
    let texts = json!({ "type": "array", "maxItems": MOST_ITEMS, "items": { "type": "string" } });
    let mut safety = object(
        &[
            "side_effect_class",
            "reversible",
            "rate_limited",
            "pii_exposure",
            "secrets_exposure",
            "human_approval_required",
        ],
        &json!({
            "side_effect_class": word::<Effect>(),
            "external_systems": texts,
            "reversible": { "type": "boolean" },
            "rate_limited": { "type": "boolean" },
            "pii_exposure": word::<PiiExposure>(),
            "secrets_exposure": word::<SecretsExposure>(),
            "human_approval_required": { "type": "boolean" },
            "refusal_modes": texts,
        }),
    );
    safety["if"] = json!({
        "required": ["side_effect_class"],
        "properties": { "side_effect_class": { "const": Effect::Destructive.as_str() } },
    });
    safety["then"] = json!({ "properties": { "human_approval_required": { "const": true } } });
    safety
}

fn tested() -> Value {
    object(
        &["llm", "test_suite_uri", "pass_rate", "tested_at"],
        &json!({
            "llm": text(),
            "provider": { "type": "string" },
            "test_suite_uri": uri("Where the test suite is."),
            "pass_rate": { "type": "number", "minimum": 0, "maximum": 1 },
            "sample_size": { "type": "integer", "minimum": 1 },
            "tested_at": { "type": "string", "format": "date-time" },
        }),
    )
}

fn object(required: &[&str], properties: &Value) -> Value {
    let mut object = json!({ "type": "object", "additionalProperties": false, "properties": properties });
    if !required.is_empty() {
        object["required"] = json!(required);
    }
    object
}

/// The schema of a text that is not blank.
fn text() -> Value {
    json!({ "type": "string", "pattern": "\\S" })
}

fn uri(description: &str) -> Value {
    json!({ "type": "string", "format": "uri", "description": description })
}

fn word<W: StringEnum>() -> Value {
    json!({ "enum": W::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>() })
}
