//! The Acme server of seed 000, declared and live.
use overt_documents::live::{Live, LiveTool, ServerInfo};
use overt_policy::record::{Effect, KnownError};
use overt_policy::{Declaration, ServerRecord, ToolRecord};
use overt_wire::json::Json;
use serde_json::{Value, json};

pub(crate) fn initialize() -> Value {
    parsed(include_str!("../data/seed-initialize.json"))
}

pub(crate) fn tool() -> Value {
    parsed(include_str!("../data/seed-tool.json"))
}

pub(crate) fn resource() -> Value {
    parsed(include_str!("../data/seed-resource.json"))
}

fn parsed(text: &str) -> Value {
    Json::parse(text).unwrap().read().unwrap()
}

/// Returns a tool with this definition, as a server would list it.
pub(crate) fn live_tool(definition: &Value) -> LiveTool {
    let text = definition.to_string();
    LiveTool::read(Json::parse(&text).unwrap()).unwrap()
}

/// Returns a server with two tools.
pub(crate) fn live() -> Live {
    let mut create = tool();
    create.as_object_mut().unwrap().shift_remove("dashdash");
    let delete = json!({
        "name": "delete_project",
        "description": "Delete a project",
        "inputSchema": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}},
        "annotations": {"destructiveHint": true},
    });
    Live {
        info: ServerInfo { name: "acme-mcp".into(), version: "1.0.0".into(), ..ServerInfo::default() },
        tools: vec![live_tool(&create), live_tool(&delete)],
        ..Live::default()
    }
}

pub(crate) fn declaration() -> Declaration {
    let create = ToolRecord {
        category: Some("projects".into()),
        reversible: Some(true),
        reverse_method: Some("delete_project".into()),
        cli_equivalent: Some("acme project create --name {name} --type {type}".into()),
        api_equivalent: Some("POST /api/projects".into()),
        errors: vec![KnownError {
            code: "DUPLICATE_NAME".into(),
            description: "Project with this name already exists".into(),
            resolution: "Use a different name".into(),
        }],
        ..ToolRecord::new(Effect::Mutating)
    };
    Declaration {
        server: ServerRecord::new("Manages projects of Acme. Use when the user asks to manage projects."),
        tools: [
            ("create_project".to_owned(), create),
            ("delete_project".to_owned(), ToolRecord::new(Effect::Destructive)),
        ]
        .into(),
        ..Declaration::default()
    }
}
