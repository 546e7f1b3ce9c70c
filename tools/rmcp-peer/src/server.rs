//! An echo server, declared with the SDK's macros, over stdio and Streamable HTTP.

use std::error::Error;
use std::sync::Arc;

use axum::serve::ListenerExt;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceExt, schemars, tool, tool_handler, tool_router};

#[derive(Clone)]
struct Echo;

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Message {
    message: String,
}

#[tool_router]
impl Echo {
    #[tool(description = "Returns the message")]
    fn echo(&self, Parameters(Message { message }): Parameters<Message>) -> String {
        message
    }
}

#[tool_handler]
impl ServerHandler for Echo {}

pub(crate) async fn serve_stdio() -> Result<(), Box<dyn Error>> {
    Echo.serve(rmcp::transport::stdio()).await?.waiting().await?;
    Ok(())
}

pub(crate) async fn serve_http(address: &str) -> Result<(), Box<dyn Error>> {
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(|| Ok(Echo), sessions, StreamableHttpServerConfig::default());
    let listener = tokio::net::TcpListener::bind(address).await?;
    announce(listener.local_addr()?);
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
