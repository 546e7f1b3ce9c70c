//! Servers that are reached through a proxy.
use overt_transport::client::{Client, ClientError, HttpTarget, Proxies, Target};
use overt_wire::text::error_chain;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::seen::{Heard, options};

/// Accepts one connection, answers its first request with `answer`, and returns the head of the
/// request.
async fn proxy(answer: &'static str) -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let heard = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.windows(4).any(|end| end == b"\r\n\r\n") {
            let mut buffer = [0; 4096];
            let count = stream.read(&mut buffer).await.unwrap();
            assert!(count > 0, "the request ends early");
            head.extend_from_slice(&buffer[..count]);
        }
        stream.write_all(answer.as_bytes()).await.unwrap();
        String::from_utf8(head).unwrap()
    });
    (address, heard)
}

async fn connect(url: &str, variable: &str, proxy: &str) -> ClientError {
    let proxies = Proxies::from_variables(|name| (name == variable).then_some(proxy));
    let target = Target::Http(HttpTarget { proxies, ..HttpTarget::new(url) });
    Client::connect(&target, options(|_| {}), Heard::new()).await.unwrap_err()
}

#[tokio::test]
async fn g_50_an_http_server_is_reached_through_a_proxy_that_passes_requests_on() {
    let (address, heard) = proxy("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n").await;
    let url = "http://me:own@server.test/mcp?x=1";
    let error = connect(url, "http_proxy", &format!("http://user:pass@{address}")).await;
    assert!(matches!(error, ClientError::Status { status: 403, .. }), "{error}");
    let head = heard.await.unwrap();
    assert!(head.starts_with("POST http://server.test/mcp?x=1 HTTP/1.1\r\n"), "{head}");
    let head = head.to_ascii_lowercase();
    assert!(head.contains("\r\nhost: server.test\r\n"), "{head}");
    assert!(head.contains("\r\nproxy-authorization: basic dxnlcjpwyxnz\r\n"), "{head}");
}

#[tokio::test]
async fn g_50_an_https_server_is_reached_through_a_tunnel() {
    let (address, heard) = proxy("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n").await;
    let error = connect("https://server.test/mcp", "HTTPS_PROXY", &format!("http://{address}")).await;
    assert!(matches!(error, ClientError::Connect { .. }), "{error}");
    assert!(error_chain(&error).contains("tunnel error"), "{}", error_chain(&error));
    let head = heard.await.unwrap();
    assert!(head.starts_with("CONNECT server.test:443 HTTP/1.1\r\n"), "{head}");
    assert!(!head.contains("mcp"), "the proxy does not see the request: {head}");
}
