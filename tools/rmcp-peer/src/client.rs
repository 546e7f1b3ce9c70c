//! A client: lists, calls one tool, prints what it got as one line of JSON.

use std::error::Error;

use rmcp::ClientHandler;
use rmcp::model::{CallToolRequestParams, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RoleClient, RunningService};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use serde_json::{Value, json};

pub(crate) async fn call(
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

pub(crate) fn lifecycle(era: &str) -> Result<ClientLifecycleMode, Box<dyn Error>> {
    match era {
        "legacy" => Ok(ClientLifecycleMode::Initialize),
        "modern" => {
            Ok(ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] })
        }
        _ => Err(format!("unknown era `{era}`; known are `legacy` and `modern`").into()),
    }
}

/// Connects a client that handles what the server sends with `handler`.
pub(crate) async fn connect<H: ClientHandler>(
    handler: H,
    lifecycle: ClientLifecycleMode,
    target: &[&str],
) -> Result<RunningService<RoleClient, H>, Box<dyn Error>> {
    let [first, rest @ ..] = target else { return Err("no target".into()) };
    if first.starts_with("http:") {
        let transport = StreamableHttpClientTransport::from_uri(*first);
        return Ok(handler.serve_with_lifecycle(transport, lifecycle).await?);
    }
    Ok(handler.serve_with_lifecycle(child(first, rest)?, lifecycle).await?)
}

#[expect(clippy::disallowed_methods, reason = "this peer uses none of our crates")]
fn child(program: &str, args: &[&str]) -> std::io::Result<TokioChildProcess> {
    let mut command = tokio::process::Command::new(program);
    command.args(args);
    TokioChildProcess::new(command)
}

#[expect(clippy::print_stdout, reason = "the report is this program's output")]
pub(crate) fn print(report: &Value) {
    println!("{report}");
}
