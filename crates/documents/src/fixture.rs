//! The server of the specification's examples, fully described; used in tests.
use indexmap::IndexMap;
use overt_wire::json::JsonBuf;
use serde_json::{Value, json};

use crate::description::{DescribedTool, Description};
use crate::live::{LiveTool, ServerInfo};
use crate::text_source::TextSource;
use overt_policy::rate::RateLimit;
use overt_policy::record::{
    AccessLevel, Audit, Effect, Example, Invocation, KnownError, PiiExposure, SecretsExposure, ServerRecord,
    ServerRequirements, ToolRecord, Trouble, Urls,
};

/// The Acme server: three tools, each with a declaration.
pub(crate) fn acme() -> Description {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let server = ServerRecord {
        title: Some("Acme MCP Server".to_owned()),
        summary: Some("MCP server for project management and task tracking".to_owned()),
        emoji: Some("📊".to_owned()),
        when_to_use: texts(&["Manage projects or project settings", "Track, create, or update tasks"]),
        not_for: texts(&["File storage (use a filesystem server)", "Code repositories"]),
        urls: Urls {
            cli: Some("https://acme.com/cli".to_owned()),
            api: Some("https://api.acme.com/docs".to_owned()),
            web: Some("https://acme.com/app".to_owned()),
            mcp: None,
        },
        install: IndexMap::from([
            ("npm".to_owned(), "@acme/mcp-server".to_owned()),
            ("docker".to_owned(), "acme/mcp-server:1.0.0".to_owned()),
        ]),
        args: texts(&["--workspace", "main"]),
        requires: ServerRequirements {
            auth: texts(&["api-key"]),
            env: texts(&["ACME_API_KEY"]),
            scopes: texts(&["read:projects", "write:tasks"]),
        },
        invocation: Some(Invocation {
            model_invocable: Some(true),
            user_invocable: Some(true),
            allowed_tools: Vec::new(),
        }),
        rate_limit: RateLimit::parse("1000/hour"),
        homepage: Some("https://acme.com".to_owned()),
        repository: Some("https://github.com/acme/acme-mcp".to_owned()),
        authentication: Some(
            "1. Register at https://acme.com/signup\n2. Generate a key in the settings".to_owned(),
        ),
        best_practices: texts(&["Use batch operations for many items"]),
        troubleshooting: vec![Trouble {
            problem: "AUTH_FAILED".to_owned(),
            cause: "Invalid or expired API key".to_owned(),
            solution: "Check that the variable is set".to_owned(),
        }],
        categories: texts(&["productivity", "project-management"]),
        license: Some("MIT".to_owned()),
        registry_name: Some("com.acme/acme-mcp".to_owned()),
        audit: Audit::default(),
        ..ServerRecord::new(
            "MCP server for Acme project management. Use when user asks to manage projects, track tasks, or collaborate \
             with team members.",
        )
    };
    Description {
        name: "acme-mcp".to_owned(),
        access_level: AccessLevel::Interact,
        source: TextSource::Author,
        errors_of_overt: Vec::new(),
        server,
        info: ServerInfo {
            name: "acme-mcp".to_owned(),
            version: "1.0.0".to_owned(),
            ..ServerInfo::default()
        },
        tools: vec![list_projects(), create_project(), delete_project()],
        resources: Vec::new(),
        prompts: Vec::new(),
    }
}

/// A tool without a declaration.
pub(crate) fn bare_tool(name: &str, description: &str, input_schema: &Value) -> DescribedTool {
    let definition = json!({ "name": name, "description": description, "inputSchema": input_schema });
    let definition = JsonBuf::of(&definition).expect("a definition can be written");
    let live = LiveTool::read(definition.as_json()).expect("it has a name");
    DescribedTool { live, record: None, measured: None }
}

fn list_projects() -> DescribedTool {
    let schema = json!({ "type": "object", "properties": {
        "status": { "type": "string", "enum": ["active", "archived", "all"], "description": "Filter by status" },
        "limit": { "type": "integer", "minimum": 1, "maximum": 100, "default": 50 },
    }});
    let mut tool = bare_tool("list_projects", "List all projects. Archived ones are left out.", &schema);
    let output = json!({ "type": "object", "required": ["projects"], "properties": {
        "projects": { "type": "array", "description": "The projects" },
    }});
    tool.live.definition.change(|definition| definition["outputSchema"] = output);
    tool.record = Some(ToolRecord {
        category: Some("projects".to_owned()),
        idempotent: Some(true),
        cli_equivalent: Some("acme projects list --status {status}".to_owned()),
        api_equivalent: Some("GET /api/projects".to_owned()),
        ..declared(Effect::Read)
    });
    tool
}

fn create_project() -> DescribedTool {
    let schema = json!({ "type": "object", "required": ["name"], "properties": {
        "name": { "type": "string", "description": "Project name" },
        "type": { "type": "string", "enum": ["public", "private"], "default": "private" },
    }});
    let mut tool = bare_tool("create_project", "Create a new project in Acme", &schema);
    tool.record = Some(ToolRecord {
        category: Some("projects".to_owned()),
        idempotent: Some(false),
        idempotent_with_key: Some(true),
        side_effects: vec!["creates resource".to_owned(), "sends webhook".to_owned()],
        reversible: Some(true),
        reverse_method: Some("delete_project".to_owned()),
        rate_limit: RateLimit::parse("100/hour"),
        examples: vec![Example {
            description: "Create a private project".to_owned(),
            input: json!({ "name": "my-project", "type": "private" }),
            output: Some(json!({ "id": "proj_123", "name": "my-project" })),
        }],
        errors: vec![KnownError {
            code: "DUPLICATE_NAME".to_owned(),
            description: "Project with this name already exists".to_owned(),
            resolution: "Use a different name or update existing project".to_owned(),
        }],
        ..declared(Effect::Mutating)
    });
    tool
}

fn delete_project() -> DescribedTool {
    let schema =
        json!({ "type": "object", "required": ["id"], "properties": { "id": { "type": "string" } } });
    let mut tool = bare_tool("delete_project", "Delete a project", &schema);
    tool.record = Some(ToolRecord {
        category: Some("admin".to_owned()),
        reversible: Some(false),
        ..declared(Effect::Destructive)
    });
    tool
}

/// The fields that a card needs beside the effect.
fn declared(effect: Effect) -> ToolRecord {
    ToolRecord {
        pii_exposure: Some(PiiExposure::Low),
        secrets_exposure: Some(SecretsExposure::None),
        ..ToolRecord::new(effect)
    }
}
