//! The status address, tested at the byte level: it is read-only, answers to known host names only,
//! and is separate from everything else (HTTP-16).
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use overt_transport::http::{BindError, Exposure, Page, PageServer, Pages};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

struct OnePage;

impl Pages for OnePage {
    fn page(&self, path: &str) -> Option<Page> {
        let text = "all is well\n".to_owned();
        (path == "/healthz").then_some(Page { status: 200, content_type: "text/plain", text })
    }
}

async fn start() -> SocketAddr {
    let server = PageServer::bind("127.0.0.1:0".parse().unwrap(), Exposure::LoopbackOnly, &[]).await.unwrap();
    let address = server.address();
    tokio::spawn(server.serve(Arc::new(OnePage), std::future::pending()));
    address
}

async fn ask(address: SocketAddr, request: &str) -> String {
    let request = request.replace("HERE", &address.to_string());
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let reading = stream.read_to_string(&mut answer);
    tokio::time::timeout(Duration::from_secs(20), reading).await.unwrap().unwrap();
    answer
}

#[tokio::test]
async fn http_16_pages_are_read_and_nothing_else() {
    let address = start().await;
    let close = "Host: HERE\r\nConnection: close\r\n\r\n";
    let got = ask(address, &format!("GET /healthz HTTP/1.1\r\n{close}")).await;
    assert!(got.starts_with("HTTP/1.1 200 OK\r\n"), "{got}");
    assert!(got.ends_with("\r\n\r\nall is well\n"), "{got}");
    for header in ["cache-control: no-store", "x-content-type-options: nosniff", "frame-ancestors 'none'"] {
        assert!(got.contains(header), "{header} in {got}");
    }
    assert!(!got.contains("access-control"), "no page of another origin may read it: {got}");
    let head = ask(address, &format!("HEAD /healthz HTTP/1.1\r\n{close}")).await;
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n") && head.ends_with("\r\n\r\n"), "{head}");
    for path in ["/", "/mcp", "/healthz/", "/healthz/..", "/debug/pprof", "//healthz"] {
        let got = ask(address, &format!("GET {path} HTTP/1.1\r\n{close}")).await;
        assert!(got.starts_with("HTTP/1.1 404 "), "{path}: {got}");
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"] {
        let got = ask(address, &format!("{method} /healthz HTTP/1.1\r\n{close}")).await;
        assert!(got.starts_with("HTTP/1.1 405 ") && got.contains("allow: GET, HEAD"), "{method}: {got}");
    }
}

#[tokio::test]
async fn http_16_other_names_and_other_pages_are_turned_away() {
    let address = start().await;
    for (headers, status) in [
        ("Host: evil.com", "403"),
        ("Host: 10.0.0.1:80", "403"),
        ("Host: HERE\r\nOrigin: http://evil.com", "403"),
        ("X: y", "400"),
        ("Host: HERE\r\nHost: HERE", "400"),
    ] {
        let request = format!("GET /healthz HTTP/1.1\r\n{headers}\r\nConnection: close\r\n\r\n");
        let got = ask(address, &request).await;
        assert!(got.starts_with(&format!("HTTP/1.1 {status} ")), "{headers}: {got}");
        assert!(!got.contains("all is well"), "{got}");
    }
}

#[tokio::test]
async fn http_16_only_loopback_is_bound_unless_told_otherwise() {
    let everywhere = "0.0.0.0:0".parse().unwrap();
    let refused = PageServer::bind(everywhere, Exposure::LoopbackOnly, &[]).await;
    assert!(matches!(refused, Err(BindError::NotLoopback(_))));
    assert!(PageServer::bind(everywhere, Exposure::Anywhere, &[]).await.is_ok());
}
