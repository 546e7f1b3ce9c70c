//! The `traceparent` header of an HTTP request reaches the handler, in both eras.
use std::sync::{Arc, Mutex};
use std::time::Duration;

use overt_transport::http::{Options, Server};
use overt_wire::json::JsonBuf;
use overt_wire::{BoxFuture, Exchange, Handler, Message, TraceParent};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";
const LEGACY: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}"#;
const MODERN: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;

/// Stores the trace of the last exchange.
#[derive(Default)]
struct Remember(Mutex<Option<TraceParent>>);

impl Handler for Remember {
    fn call(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        *self.0.lock().unwrap() = exchange.trace_parent;
        let answer = exchange.message.id().map(|id| Message::result(id, JsonBuf::empty_object().as_json()));
        Box::pin(std::future::ready(answer))
    }
}

#[tokio::test]
async fn the_header_reaches_the_handler() {
    let server = Server::bind("127.0.0.1:0".parse().unwrap(), Options::default()).await.unwrap();
    let address = server.address();
    let seen = Arc::new(Remember::default());
    tokio::spawn(server.serve(Arc::<Remember>::clone(&seen), std::future::pending()));
    let good = TraceParent::parse(PARENT);
    let (one, two) = (format!("traceparent: {PARENT}\r\n"), format!("traceparent: {PARENT}\r\n").repeat(2));
    for (headers, expected) in
        [(one.as_str(), good), ("", None), (two.as_str(), None), ("traceparent: nonsense\r\n", None)]
    {
        for (body, era) in
            [(LEGACY, ""), (MODERN, "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n")]
        {
            *seen.0.lock().unwrap() = Some(TraceParent::root([9; 16], [9; 8]));
            let request = format!(
                "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
                 Accept: application/json, text/event-stream\r\nConnection: close\r\n{era}{headers}\
                 Content-Length: {}\r\n\r\n{body}",
                body.len()
            );
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut answer = String::new();
            let reading = stream.read_to_string(&mut answer);
            tokio::time::timeout(Duration::from_secs(20), reading).await.unwrap().unwrap();
            assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
            assert_eq!(*seen.0.lock().unwrap(), expected, "{headers}{era}");
        }
    }
}
