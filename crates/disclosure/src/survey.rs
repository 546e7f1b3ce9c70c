//! Asks the running server what it offers, on behalf of the caller, who sees only what it may use.
use overt_documents::live::{Live, LivePrompt, LiveResource, LiveTool};
use overt_wire::json::{Json, JsonBuf};
use overt_wire::{ErrorObject, Exchange, Handler, Method};

use super::disclosure::ServerCapabilities;
use overt_layers::listing::list;

/// Lists everything that documents describe, as far as the server offers it.
pub(super) async fn survey<H: Handler>(
    inner: &H,
    asker: &Exchange,
    offers: ServerCapabilities,
) -> Result<Live, ErrorObject> {
    let tools = if offers.tools {
        list(|asked| inner.call(asked), asker, Method::ToolsList, "tools").await?
    } else {
        Vec::new()
    };
    // Without its tools a server cannot be described; without the other lists the description is
    // only shorter.
    let (mut resources, mut templates, mut prompts) = (Vec::new(), Vec::new(), Vec::new());
    if offers.resources {
        resources = side_list(inner, asker, Method::ResourcesList, "resources").await;
        templates = side_list(inner, asker, Method::ResourceTemplatesList, "resourceTemplates").await;
    }
    if offers.prompts {
        prompts = side_list(inner, asker, Method::PromptsList, "prompts").await;
    }
    Ok(Live {
        tools: read(&tools, LiveTool::read),
        resources: resources
            .iter()
            .chain(&templates)
            .filter_map(|r| LiveResource::read(r.as_json()))
            .collect(),
        prompts: read(&prompts, LivePrompt::read),
        ..Live::default()
    })
}

fn read<T>(entries: &[JsonBuf], read: fn(Json<'_>) -> Option<T>) -> Vec<T> {
    entries.iter().filter_map(|entry| read(entry.as_json())).collect()
}

/// Returns a list, or an empty one if the server fails to give it (D-31).
async fn side_list<H: Handler>(
    inner: &H,
    asker: &Exchange,
    method: Method<'static>,
    member: &str,
) -> Vec<JsonBuf> {
    list(|asked| inner.call(asked), asker, method, member).await.unwrap_or_else(|error| {
        tracing::warn!(method = method.name(), %error, "left out of what is told: the server fails to list it");
        Vec::new()
    })
}
