//! Lists everything, calls one tool, and prints the outcome as one line of JSON.

use std::error::Error;

use rmcp::model::CallToolRequestParams;
use serde_json::{Value, json};

use crate::connection::{connect, lifecycle, print};

pub(crate) async fn make(
    era: &str,
    tool: &str,
    arguments: &str,
    target: &[&str],
) -> Result<(), Box<dyn Error>> {
    let client = connect((), lifecycle(era)?, target).await?;
    let (info, arguments) = (client.peer_info(), serde_json::from_str::<Value>(arguments)?);
    let capabilities = info.as_ref().map(|info| info.capabilities.clone()).unwrap_or_default();

    let tools = client.list_all_tools().await?;
    let resources =
        if capabilities.resources.is_some() { client.list_all_resources().await? } else { Vec::new() };
    let prompts = if capabilities.prompts.is_some() { client.list_all_prompts().await? } else { Vec::new() };
    let request = CallToolRequestParams::new(tool.to_owned())
        .with_arguments(arguments.as_object().cloned().unwrap_or_default());
    let result = client.call_tool(request).await?;
    let text: Vec<&str> =
        result.content.iter().filter_map(|item| Some(item.as_text()?.text.as_str())).collect();

    print(&json!({
        "version": info.map(|info| info.protocol_version.to_string()),
        "tools": tools.iter().map(|tool| &tool.name).collect::<Vec<_>>(),
        "resources": resources.iter().map(|resource| &resource.uri).collect::<Vec<_>>(),
        "prompts": prompts.iter().map(|prompt| &prompt.name).collect::<Vec<_>>(),
        "text": text.join("\n"),
    }));
    client.cancel().await?;
    Ok(())
}
