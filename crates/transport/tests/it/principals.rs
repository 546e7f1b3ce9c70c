//! Holders of tokens and our own user share no session over HTTP (V-16).
use std::net::SocketAddr;
use std::sync::Arc;

use overt_transport::http::{Authenticate, Options, Server};
use overt_wire::json::Object;
use overt_wire::{BoxFuture, Exchange, Handler, Message, Principal};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Every token is valid, and its text is the name of its holder.
#[derive(Debug)]
struct Named;

impl Authenticate for Named {
    fn token_holder<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Option<Principal>> {
        Box::pin(std::future::ready(Some(Principal::token_holder(token))))
    }
}

/// Answers with the principal and the session of the request.
struct Mirror;

impl Handler for Mirror {
    fn call(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        Box::pin(async move {
            let id = exchange.message.id()?;
            let principal = exchange.principal().key();
            let result =
                Object::new().string("principal", &principal).string("session", exchange.session.id());
            Some(Message::result(id, result.finish().as_json()))
        })
    }
}

async fn serve() -> SocketAddr {
    let options = Options { tokens: Arc::new(Named), ..Options::default() };
    let server = Server::bind("127.0.0.1:0".parse().unwrap(), options).await.unwrap();
    let address = server.address();
    tokio::spawn(server.serve(Arc::new(Mirror), std::future::pending()));
    address
}

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;

fn request(address: SocketAddr, method: &str, token: Option<&str>, more: &str, body: &str) -> String {
    let token = token.map_or_else(String::new, |token| format!("Authorization: Bearer {token}\r\n"));
    format!(
        "{method} /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{token}{more}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Sends one request on a connection of its own.
async fn send(address: SocketAddr, request: &str) -> String {
    let request = request.replacen("\r\n", "\r\nConnection: close\r\n", 1);
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn v_16_a_session_exists_only_for_its_principal() {
    let address = serve().await;
    let opened = send(address, &request(address, "POST", Some("ada"), "", INITIALIZE)).await;
    assert!(opened.contains(r#""principal":"token:ada""#), "{opened}");
    let id = opened.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap();
    let session = format!("Mcp-Session-Id: {id}\r\n");
    for other in [Some("eve"), None] {
        for (method, body) in [("POST", PING), ("GET", ""), ("DELETE", "")] {
            let refused = send(address, &request(address, method, other, &session, body)).await;
            assert!(refused.starts_with("HTTP/1.1 404"), "{method} {other:?}: {refused}");
        }
    }
    let own = send(address, &request(address, "POST", Some("ada"), &session, PING)).await;
    assert!(own.starts_with("HTTP/1.1 200") && own.contains(id), "{own}");
}

/// A proxy may carry the requests of several principals on one connection.
#[tokio::test]
async fn v_16_each_request_on_a_connection_has_its_own_principal() {
    let address = serve().await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    let headers = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n";
    let mut sessions = Vec::new();
    for (token, principal) in [(Some("ada"), "token:ada"), (Some("eve"), "token:eve"), (None, "local")] {
        stream.write_all(request(address, "POST", token, headers, LIST).as_bytes()).await.unwrap();
        let mut answer = String::new();
        while !answer.ends_with("}}") {
            let mut bytes = [0; 4096];
            let many = stream.read(&mut bytes).await.unwrap();
            assert!(many > 0, "{answer}");
            answer.push_str(std::str::from_utf8(&bytes[..many]).unwrap());
        }
        assert!(answer.contains(&format!(r#""principal":"{principal}""#)), "{answer}");
        sessions.push(answer.split(r#""session":""#).nth(1).unwrap().to_owned());
    }
    sessions.dedup();
    assert_eq!(sessions.len(), 3, "and no session of another");
}
