//! The bytes of the messages of all HTTP clients together are limited.
use std::net::SocketAddr;
use std::sync::Arc;

use overt_transport::http::{Options, Server};
use overt_transport::limits::Limits;
use overt_wire::json::JsonBuf;
use overt_wire::{BoxFuture, Exchange, Handler, Message};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// Answers when the test allows it.
struct Held(Semaphore);

impl Handler for Held {
    fn call(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        Box::pin(async move {
            self.0.acquire().await.unwrap().forget();
            Some(Message::result(exchange.message.id()?, JsonBuf::empty_object().as_json()))
        })
    }
}

async fn send(address: SocketAddr, bytes: usize) -> TcpStream {
    let text = "x".repeat(bytes);
    let body =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"text":"{text}",{META}}}}}"#);
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nConnection: close\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

async fn answer(mut stream: TcpStream) -> String {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

#[tokio::test]
async fn g_48_requests_of_all_clients_together_are_bounded() {
    let limits = Limits { max_total_http_bytes: 1 << 20, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let server = Server::bind("127.0.0.1:0".parse().unwrap(), options).await.unwrap();
    let address = server.address();
    let held = Arc::new(Held(Semaphore::new(0)));
    tokio::spawn(server.serve(Arc::<Held>::clone(&held), std::future::pending()));
    let (first, second) = (send(address, 400 << 10).await, send(address, 400 << 10).await);
    // Both requests are being answered. There is room for a short request, but not for a long one.
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    let refused = answer(send(address, 400 << 10).await).await;
    assert!(refused.starts_with("HTTP/1.1 503") && refused.contains("1429"), "{refused}");
    let short = send(address, 100).await;
    held.0.add_permits(3);
    for stream in [first, second, short] {
        let answer = answer(stream).await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
    held.0.add_permits(1);
    assert!(answer(send(address, 400 << 10).await).await.starts_with("HTTP/1.1 200"));
}

/// I-12: a request that is too long is answered with its id, if the id is at the beginning.
#[tokio::test]
async fn i_12_a_request_that_is_too_long_is_answered_under_its_id() {
    let limits = Limits { max_message_bytes: 1000, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let server = Server::bind("127.0.0.1:0".parse().unwrap(), options).await.unwrap();
    let address = server.address();
    tokio::spawn(server.serve(Arc::new(Held(Semaphore::new(1))), std::future::pending()));
    let long = "x".repeat(1100);
    for (body, id) in [
        (
            format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{{"text":"{long}"}}}}"#),
            r#""id":7"#,
        ),
        (format!(r#"{{"jsonrpc":"2.0","id":"a b","method":"tools/list","params":"{long}"#), r#""id":"a b""#),
        (format!(r#"{{"jsonrpc":"2.0","method":"{long}","id":7}}"#), r#""id":7"#),
        (format!(r#"{{"jsonrpc":"2.0","id":7,"params":"{long}"#), ""),
        // An answer is answered without an id.
        (format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"text":"{long}"}}}}"#), ""),
    ] {
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nConnection: close\r\n\
             MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let answer = answer(stream).await;
        assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
        let said = answer.split("\r\n\r\n").nth(1).unwrap();
        assert!(said.contains("at most 1000 bytes") && said.contains(id), "{answer}");
        // MCP's schemas allow no null id, so the answer to a message without an id has none.
        assert_eq!(said.contains(r#""id""#), !id.is_empty(), "{answer}");
    }
}
