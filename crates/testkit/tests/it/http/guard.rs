//! The checks before a request is read: where the server listens, and which `Host`, `Origin` and
//! `Content-Type` it accepts.
use std::net::SocketAddr;

use overt_testkit::http_raw::Request;
use overt_transport::http::{BindError, Exposure, Options, Server};

use crate::probe::Probe;
use crate::web::{Web, call, modern, modern_body};

fn hit() -> Request {
    modern(1, "tools/call", call("hit"))
}

#[tokio::test]
async fn http_01_only_this_machine_unless_somebody_says_otherwise() {
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
        let address: SocketAddr = address.parse().unwrap();
        let refused = Server::bind(address, Options::default()).await.unwrap_err();
        assert!(matches!(refused, BindError::NotLoopback(refused) if refused == address), "{refused}");
    }
    let server = Server::bind("127.0.0.1:0".parse().unwrap(), Options::default()).await.unwrap();
    assert!(server.address().ip().is_loopback());
    let open = Options { exposure: Exposure::Anywhere, ..Options::default() };
    assert!(Server::bind("0.0.0.0:0".parse().unwrap(), open).await.is_ok());
}

#[tokio::test]
async fn http_02_other_hosts_are_turned_away_before_the_body_is_read() {
    let (probe, handler) = Probe::serve();
    let web = Web::serve(handler).await;
    let port = web.address.port();
    for (host, wanted) in [
        ("evil.com".to_owned(), 403),
        (format!("evil.com:{port}"), 403),
        (format!("127.0.0.1.evil.com:{port}"), 403),
        (format!("localhost.evil.com:{port}"), 403),
        (format!("0.0.0.0:{port}"), 403),
        (format!("localhost.:{port}"), 403),
        ("localhost".to_owned(), 403),
        (format!("127.1:{port}"), 403),
        (format!("evil.com@127.0.0.1:{port}"), 403),
        (String::new(), 400),
        (format!("127.0.0.1:{port}"), 200),
        (format!("LOCALHOST:{port}"), 200),
        (format!("[::1]:{port}"), 200),
    ] {
        let before = probe.begun();
        let (head, _) = web.ask(&hit().set("Host", &host)).await;
        assert_eq!(head.status, wanted, "{host}");
        assert_eq!(probe.begun() - before, usize::from(wanted == 200), "{host}");
    }
    // The answer comes although the body never does.
    let mut connection = web.connect().await;
    connection
        .send(
            &Request::new("POST /mcp HTTP/1.1")
                .header("Host", "evil.com")
                .header("Content-Length", "1000000"),
        )
        .await;
    assert_eq!(connection.head().await.unwrap().status, 403);
    web.stop().await;
}

#[tokio::test]
async fn http_02_two_hosts_no_host_and_an_address_that_differs() {
    let (probe, handler) = Probe::serve();
    let web = Web::serve(handler).await;
    let host = web.address.to_string();
    let (head, _) = web.ask(&hit().header("Host", &host).header("Host", &host)).await;
    assert_eq!(head.status, 400);
    let (head, _) = web.ask(&hit().header("Host", &host).header("Host", "evil.com")).await;
    assert_eq!(head.status, 400);
    let body = modern_body(1, "tools/call", call("hit")).to_string();
    let head = |line: &str, host: &str| {
        let length = body.len();
        format!(
            "{line}\r\n{host}Content-Type: application/json\r\nContent-Length: {length}\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: hit\r\nConnection: close\r\n\r\n{body}"
        )
    };
    let known = format!("Host: {host}\r\n");
    for (request, status) in [
        (head("POST /mcp HTTP/1.1", ""), "400"),
        (head("POST /mcp HTTP/1.0", ""), "400"),
        (head("POST http://evil.com/mcp HTTP/1.1", &known), "400"),
        (head(&format!("POST http://{host}/mcp HTTP/1.1"), "Host: evil.com\r\n"), "403"),
    ] {
        let answer = web.raw(request.as_bytes()).await;
        assert!(answer.contains(&format!(" {status} ")), "{request}\n{answer}");
    }
    assert_eq!(probe.begun(), 0);
    let answer = web.raw(head(&format!("POST http://{host}/mcp HTTP/1.1"), &known).as_bytes()).await;
    assert!(answer.contains(" 200 "), "{answer}");
    web.stop().await;
}

#[tokio::test]
async fn http_03_pages_of_other_origins_are_turned_away() {
    let (probe, handler) = Probe::serve();
    let options = Options { allowed_origins: vec!["https://app.example.com".into()], ..Options::default() };
    let web = Web::serve_as(handler, options).await;
    let port = web.address.port();
    for origin in [
        "http://evil.com".to_owned(),
        "null".to_owned(),
        "file://".to_owned(),
        "chrome-extension://x".to_owned(),
        "https://localhost.evil.com".to_owned(),
        format!("http://localhost:{}", port ^ 1),
        format!("https://localhost:{port}"),
        "https://app.example.com.evil.com".to_owned(),
        "http://app.example.com".to_owned(),
        "https://app.example.com:444".to_owned(),
    ] {
        let (head, _) = web.ask(&hit().header("Origin", &origin)).await;
        assert_eq!(head.status, 403, "{origin}");
        assert_eq!(head.header("access-control-allow-origin"), None, "{origin}");
    }
    let (head, _) =
        web.ask(&hit().header("Origin", "https://app.example.com").header("Origin", "http://evil.com")).await;
    assert_eq!(head.status, 403);
    assert_eq!(probe.begun(), 0);
    for origin in [format!("http://127.0.0.1:{port}"), "https://app.example.com".to_owned()] {
        let (head, _) = web.ask(&hit().header("Origin", &origin)).await;
        assert_eq!(head.status, 200, "{origin}");
        assert_eq!(head.header("access-control-allow-origin"), Some(origin.as_str()));
        assert_eq!(head.header("vary"), Some("origin"));
        assert_eq!(head.header("access-control-allow-credentials"), None);
    }
    web.stop().await;
}

#[tokio::test]
async fn http_04_what_a_page_can_send_without_asking_first_runs_nothing() {
    let (probe, handler) = Probe::serve();
    let web = Web::serve(handler).await;
    let preflight = Request::new("OPTIONS /mcp HTTP/1.1")
        .header("Origin", "http://evil.com")
        .header("Access-Control-Request-Method", "POST")
        .header("Access-Control-Request-Headers", "content-type");
    let (head, _) = web.ask(&preflight).await;
    assert_eq!(head.status, 403);
    assert_eq!(head.header("access-control-allow-origin"), None);
    assert_eq!(head.header("access-control-allow-methods"), None);
    let (head, _) = web.ask(&preflight.clone().without("Origin")).await;
    assert_eq!(head.status, 405);
    for simple in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
        let (head, _) = web.ask(&hit().set("Content-Type", simple)).await;
        assert_eq!(head.status, 415, "{simple}");
    }
    let (head, _) = web.ask(&hit().without("Content-Type")).await;
    assert_eq!(head.status, 415);
    let body = modern_body(1, "tools/call", call("hit")).to_string().replace('"', "%22");
    let get = Request::new(&format!("GET /mcp?body={body} HTTP/1.1")).header("Accept", "text/event-stream");
    let (head, _) = web.ask(&get).await;
    assert_eq!(head.status, 400);
    assert_eq!(probe.begun(), 0);
    // A page of our own origin may ask, and is told what it may send.
    let own = format!("http://{}", web.address);
    let (head, _) = web.ask(&preflight.set("Origin", &own)).await;
    assert_eq!((head.status, head.header("access-control-allow-origin")), (204, Some(own.as_str())));
    assert!(head.header("access-control-allow-headers").unwrap().contains("mcp-session-id"));
    web.stop().await;
}

#[tokio::test]
async fn http_05_the_content_type_has_one_meaning() {
    let (probe, handler) = Probe::serve();
    let web = Web::serve(handler).await;
    for bad in [
        "application/json;charset=utf-16",
        "application/json; charset=\"utf-16\"",
        "application/json, text/plain",
        "text/plain, application/json",
        "application/jsonx",
        "application/vnd.api+json",
        "application/ json",
        "json",
        "",
    ] {
        let (head, _) = web.ask(&hit().set("Content-Type", bad)).await;
        assert_eq!(head.status, 415, "{bad}");
    }
    let twice = hit().header("Content-Type", "application/json");
    let (head, _) = web.ask(&twice).await;
    assert_eq!(head.status, 415);
    assert_eq!(probe.begun(), 0);
    for good in ["Application/json", "application/json;charset=UTF-8", "application/json; charset=\"utf-8\""]
    {
        let (head, _) = web.ask(&hit().set("Content-Type", good)).await;
        assert_eq!(head.status, 200, "{good}");
    }
    web.stop().await;
}

#[tokio::test]
async fn http_05_a_client_must_take_both_kinds_of_answers() {
    let (probe, handler) = Probe::serve();
    let web = Web::serve(handler).await;
    for bad in ["application/json", "text/event-stream", "text/html"] {
        let (head, _) = web.ask(&hit().set("Accept", bad)).await;
        assert_eq!(head.status, 406, "{bad}");
    }
    assert_eq!(probe.begun(), 0);
    for good in ["*/*", "application/*, text/*", "text/event-stream;q=0.5, Application/JSON"] {
        let (head, _) = web.ask(&hit().set("Accept", good)).await;
        assert_eq!(head.status, 200, "{good}");
    }
    web.stop().await;
}

#[tokio::test]
async fn g_52_a_page_may_send_the_headers_that_repeat_arguments() {
    let (_, handler) = Probe::serve();
    let web = Web::serve(handler).await;
    let origin = format!("http://{}", web.address);
    let preflight = |wanted: &str| {
        Request::new("OPTIONS /mcp HTTP/1.1")
            .header("Origin", &origin)
            .header("Access-Control-Request-Method", "POST")
            .header("Access-Control-Request-Headers", wanted)
    };
    let (head, _) =
        web.ask(&preflight("content-type, Mcp-Param-Region,mcp-param-x, x-evil, mcp-param-a b")).await;
    assert_eq!(head.status, 204);
    assert_eq!(head.header("access-control-allow-origin"), Some(origin.as_str()));
    let allowed = head.header("access-control-allow-headers").unwrap();
    let allowed: Vec<&str> = allowed.split(", ").collect();
    for name in ["content-type", "mcp-session-id", "mcp-param-region", "mcp-param-x"] {
        assert!(allowed.contains(&name), "{name} in {allowed:?}");
    }
    assert!(!allowed.iter().any(|name| name.contains("evil") || name.contains("a b")), "{allowed:?}");
    web.stop().await;
}
