//! An echo server written with the official Rust SDK, which ours is compared with.
//!
//! `echo-rmcp --stdio`, or `echo-rmcp --http ADDR`, which announces its URL on standard error.

use std::error::Error;
use std::sync::Arc;

use axum::serve::ListenerExt;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::json;

#[derive(Clone)]
struct Echo {
    tool: Tool,
}

impl Echo {
    fn new() -> Self {
        let schema = json!({
            "type": "object",
            "properties": { "message": { "type": "string" } },
            "required": ["message"]
        });
        let schema = schema.as_object().cloned().unwrap_or_default();
        Self { tool: Tool::new("echo", "Returns the message", Arc::new(schema)) }
    }
}

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("echo-rmcp", "0.1.0"))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        (name == "echo").then(|| self.tool.clone())
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(vec![self.tool.clone()]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name != "echo" {
            return Err(ErrorData::invalid_params("unknown tool", None));
        }
        let message = request.arguments.as_ref().and_then(|arguments| arguments.get("message")?.as_str());
        let message = message.ok_or_else(|| ErrorData::invalid_params("`message` is missing", None))?;
        Ok(CallToolResult::success(vec![ContentBlock::text(message)]).into())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--stdio"] => {
            Echo::new().serve(rmcp::transport::stdio()).await?.waiting().await?;
        }
        ["--http", address] => serve_http(address).await?,
        _ => return Err("usage: echo-rmcp --stdio | --http ADDR".into()),
    }
    Ok(())
}

async fn serve_http(address: &str) -> Result<(), Box<dyn Error>> {
    let echo = Echo::new();
    let service = StreamableHttpService::new(
        move || Ok(echo.clone()),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let listener = tokio::net::TcpListener::bind(address).await?;
    announce(listener.local_addr()?);
    // Without this, an answer in two small writes waits 40 ms for the other side's delayed
    // acknowledgement.
    let listener = listener.tap_io(|socket| {
        let _ = socket.set_nodelay(true);
    });
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}

#[expect(clippy::print_stderr, reason = "whoever starts it has to learn the port")]
fn announce(address: std::net::SocketAddr) {
    eprintln!("listening on http://{address}/mcp");
}
