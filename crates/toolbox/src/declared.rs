//! Gathers what the author declared about the server, which documents are made from.
use std::sync::Arc;

use overt_layers::declared::{DeclaredServer, DeclaredTool};
use overt_policy::{Declaration, ResourceRecord, ToolRecord};
use overt_wire::json::JsonBuf;

use super::served_tool::ServedTool;
use super::{Resource, ResourceTemplate, Server};

/// Gathers the declarations of the server, its tools, its resources and its prompts.
pub(super) fn declared(
    server: &Server,
    info: &JsonBuf,
    tools: &[Arc<ServedTool>],
    (resources, templates): (&[Resource], &[ResourceTemplate]),
    prompts: &[JsonBuf],
) -> DeclaredServer {
    let definitions = resources.iter().map(Resource::definition);
    DeclaredServer {
        declaration: declaration(server, tools, resources, templates),
        has_server: server.record.is_some(),
        only_reads: server.only_reads,
        info: info.clone(),
        instructions: server.instructions.clone(),
        tools: tools
            .iter()
            .map(|entry| DeclaredTool {
                definition: entry.definition.clone(),
                error_codes: entry.tool.error_codes.clone(),
            })
            .collect(),
        resources: definitions.chain(templates.iter().map(ResourceTemplate::definition)).collect(),
        prompts: prompts.to_vec(),
    }
}

fn declaration(
    server: &Server,
    tools: &[Arc<ServedTool>],
    resources: &[Resource],
    templates: &[ResourceTemplate],
) -> Declaration {
    let tools = tools
        .iter()
        .filter(|entry| entry.tool.record != ToolRecord::default() || entry.tool.error_codes.is_some());
    let resources = resources.iter().map(|resource| (&resource.uri, &resource.about.record));
    let templates = templates.iter().map(|template| (&template.template, &template.about.record));
    Declaration {
        server: server.record.clone().unwrap_or_default(),
        tools: tools.map(|entry| (entry.tool.name.clone(), entry.tool.record.clone())).collect(),
        resources: resources
            .chain(templates)
            .filter(|(_, record)| **record != ResourceRecord::default())
            .map(|(uri, record)| (uri.clone(), record.clone()))
            .collect(),
    }
}
