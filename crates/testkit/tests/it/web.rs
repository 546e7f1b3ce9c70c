//! A server on this machine, and the requests that clients of each era send to it.
#![expect(clippy::needless_pass_by_value, reason = "params are written where they are used")]
use std::net::SocketAddr;
use std::sync::Arc;

use overt_testkit::http_raw::{Connection, Head, PATIENCE, Request};
use overt_transport::http::{Options, Server};
use overt_transport::limits::Limits;
use overt_wire::Handler;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// A server that listens until the test ends or stops it.
pub(crate) struct Web {
    pub(crate) address: SocketAddr,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Web {
    pub(crate) async fn serve(handler: Arc<dyn Handler>) -> Self {
        Self::serve_with(handler, Limits::default()).await
    }

    pub(crate) async fn serve_with(handler: Arc<dyn Handler>, limits: Limits) -> Self {
        Self::serve_as(handler, Options { limits, ..Options::default() }).await
    }

    pub(crate) async fn serve_as(handler: Arc<dyn Handler>, options: Options) -> Self {
        let server = Server::bind(SocketAddr::from(([127, 0, 0, 1], 0)), options).await.unwrap();
        let address = server.address();
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(server.serve(handler, async { drop(stopped.await) }));
        Self { address, stop, task }
    }

    pub(crate) async fn connect(&self) -> Connection {
        Connection::open(self.address).await
    }

    /// Sends one request on its own connection and returns the response.
    pub(crate) async fn ask(&self, request: &Request) -> (Head, String) {
        self.connect().await.ask(request).await
    }

    /// Sends a request and returns the status and the answer, which is the last message.
    pub(crate) async fn answer(&self, request: &Request) -> (u16, Value) {
        let mut connection = self.connect().await;
        connection.send(request).await;
        let head = connection.head().await.expect("the server answers");
        let body = if head.is_stream() {
            let mut last = String::new();
            while let Some(event) = connection.message().await {
                last = event.data;
            }
            last
        } else {
            connection.body().await
        };
        (head.status, serde_json::from_str(&body).unwrap_or(Value::Null))
    }

    /// Sends bytes as they are. Returns everything that comes until the server closes the
    /// connection.
    pub(crate) async fn raw(&self, bytes: &[u8]) -> String {
        let mut connection = self.connect().await;
        connection.write(bytes).await;
        connection.half_close().await;
        String::from_utf8_lossy(&connection.until_closed().await).into_owned()
    }

    /// Opens a session of the older era.
    pub(crate) async fn session(&self) -> String {
        let (head, body) = self.ask(&initialize()).await;
        assert_eq!(head.status, 200, "{body}");
        let session = head.header("mcp-session-id").expect("a session has an id").to_owned();
        let (head, _) = self.ask(&note(&session, "notifications/initialized", json!({}))).await;
        assert_eq!(head.status, 202);
        session
    }

    /// Tells the server to stop, without waiting for it.
    pub(crate) fn begin_to_stop(self) -> JoinHandle<()> {
        let _ = self.stop.send(());
        self.task
    }

    pub(crate) async fn stop(self) {
        let task = self.begin_to_stop();
        timeout(PATIENCE, task).await.expect("the server stops").unwrap();
    }
}

/// Returns the request that starts a session.
pub(crate) fn initialize() -> Request {
    let params = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": { "elicitation": {}, "sampling": {} },
        "clientInfo": { "name": "test", "version": "1" }
    });
    Request::post(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }).to_string())
}

/// Returns a request within a session.
pub(crate) fn legacy(session: &str, id: u64, method: &str, params: Value) -> Request {
    in_session(session, &json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
}

/// Returns a notification within a session.
pub(crate) fn note(session: &str, method: &str, params: Value) -> Request {
    in_session(session, &json!({ "jsonrpc": "2.0", "method": method, "params": params }))
}

pub(crate) fn in_session(session: &str, message: &Value) -> Request {
    Request::post(message.to_string())
        .header("Mcp-Session-Id", session)
        .header("MCP-Protocol-Version", "2025-11-25")
}

/// Returns the request for the stream of a session.
pub(crate) fn stream(session: &str) -> Request {
    Request::new("GET /mcp HTTP/1.1").header("Accept", "text/event-stream").header("Mcp-Session-Id", session)
}

/// Returns a request of the newer era, with its headers.
pub(crate) fn modern(id: u64, method: &str, params: Value) -> Request {
    let request = Request::post(modern_body(id, method, params.clone()).to_string())
        .header("MCP-Protocol-Version", "2026-07-28")
        .header("Mcp-Method", method);
    match params.get("name").or_else(|| params.get("uri")).and_then(Value::as_str) {
        Some(name) => request.header("Mcp-Name", name),
        None => request,
    }
}

pub(crate) fn modern_body(id: u64, method: &str, mut params: Value) -> Value {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

pub(crate) fn call(tool: &str) -> Value {
    json!({ "name": tool, "arguments": {}, "_meta": { "progressToken": "p" } })
}
