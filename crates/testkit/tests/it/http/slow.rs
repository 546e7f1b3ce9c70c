//! Slow and oversized peers: each is disconnected, and others are still served.
use std::time::Duration;

use overt_testkit::http_raw::{Connection, Request};
use overt_transport::limits::Limits;
use serde_json::json;

use crate::probe::Probe;
use crate::web::{Web, call, legacy, modern};

/// Short, so that the tests are fast.
const SHORT: Duration = Duration::from_millis(300);

fn hit() -> Request {
    modern(1, "tools/call", call("hit")).header("Connection", "close")
}

#[tokio::test]
async fn http_11_headers_that_come_too_slowly_end_the_connection() {
    let (_, handler) = Probe::serve();
    let web = Web::serve_with(handler, Limits { header_deadline: SHORT, ..Limits::default() }).await;
    for start in ["", "P", "POST /mcp HTTP/1.1\r\n", "POST /mcp HTTP/1.1\r\nHost: x\r\nX-Slow: "] {
        let mut connection = web.connect().await;
        connection.write(start.as_bytes()).await;
        let said = String::from_utf8_lossy(&connection.until_closed().await).into_owned();
        assert!(said.is_empty() || said.starts_with("HTTP/1.1 408 "), "{start:?}: {said}");
    }
    // A connection that was used and then stays silent ends too.
    let mut connection = web.connect().await;
    let (head, _) = connection.ask(&hit().without("Connection")).await;
    assert_eq!(head.status, 200);
    assert!(connection.until_closed().await.is_empty());
    web.stop().await;
}

#[tokio::test]
async fn http_11_a_body_that_comes_too_slowly_is_not_waited_for() {
    let (probe, handler) = Probe::serve();
    let web = Web::serve_with(handler, Limits { body_deadline: SHORT, ..Limits::default() }).await;
    let mut connection = web.connect().await;
    let request = Request::post("").header("Content-Length", "100");
    connection.send(&request).await;
    connection.write(b"{\"jsonrpc\"").await;
    assert_eq!(connection.head().await.unwrap().status, 408);
    assert_eq!(probe.begun(), 0);
    web.stop().await;
}

/// Only one connection is allowed, so a second one is served only after the first was closed.
#[tokio::test]
async fn http_11_an_answer_that_is_not_read_ends_the_connection() {
    let (_, handler) = Probe::serve();
    let limits = Limits { write_deadline: SHORT, max_connections: 1, ..Limits::default() };
    let web = Web::serve_with(handler, limits).await;
    let big = json!({ "name": "big", "arguments": { "value": 16 << 10 } });
    let mut connection = Connection::open_narrow(web.address).await;
    connection.send(&modern(1, "tools/call", big)).await;
    let (head, _) = web.ask(&hit()).await;
    assert_eq!(head.status, 200);
    web.stop().await;
}

#[tokio::test]
async fn http_11_a_stream_that_is_not_read_ends_and_its_call_with_it() {
    let (_, handler) = Probe::serve();
    let limits = Limits { write_deadline: SHORT, max_connections: 1, ..Limits::default() };
    let web = Web::serve_with(handler, limits).await;
    let mut connection = Connection::open_narrow(web.address).await;
    connection.send(&modern(1, "tools/call", call("flood"))).await;
    let (head, _) = web.ask(&hit()).await;
    assert_eq!(head.status, 200);
    web.stop().await;
}

#[tokio::test]
async fn http_11_a_session_stream_that_is_not_read_ends_and_the_session_lives() {
    let (_, handler) = Probe::serve();
    let limits = Limits { write_deadline: SHORT, max_connections: 1, ..Limits::default() };
    let web = Web::serve_with(handler, limits).await;
    let close = |request: Request| request.header("Connection", "close");
    let (head, _) = web.ask(&close(crate::web::initialize())).await;
    let session = head.header("mcp-session-id").unwrap().to_owned();
    web.ask(&close(crate::web::note(&session, "notifications/initialized", json!({})))).await;
    let mut connection = Connection::open_narrow(web.address).await;
    connection.send(&legacy(&session, 1, "tools/call", call("flood"))).await;
    let (head, _) = web.ask(&close(legacy(&session, 2, "tools/call", call("hit")))).await;
    assert_eq!(head.status, 200);
    web.stop().await;
}

#[tokio::test]
async fn http_11_idle_connections_do_not_keep_others_out() {
    let (_, handler) = Probe::serve();
    let limits = Limits { header_deadline: SHORT, max_connections: 16, ..Limits::default() };
    let web = Web::serve_with(handler, limits).await;
    let mut idle = Vec::new();
    for _ in 0..100 {
        idle.push(web.connect().await);
    }
    let (head, _) = web.ask(&hit()).await;
    assert_eq!(head.status, 200);
    web.stop().await;
}

#[tokio::test]
async fn http_11_headers_have_a_size_and_a_number() {
    let (probe, handler) = Probe::serve();
    let web = Web::serve(handler).await;
    let large = hit().header("X-Large", &"x".repeat(100 << 10));
    let (head, _) = web.ask(&large).await;
    assert_eq!(head.status, 431);
    let many = (0..10_000).fold(hit(), |request, n| request.header(&format!("X-{n}"), "1"));
    let mut connection = web.connect().await;
    connection.write(&many.to_bytes(&web.address.to_string())).await;
    assert_eq!(connection.head().await.unwrap().status, 431);
    // A long request line counts too.
    let line = format!("POST /mcp?{} HTTP/1.1", "x".repeat(100 << 10));
    let (head, _) = web.ask(&Request::new(&line)).await;
    assert!(matches!(head.status, 414 | 431), "{}", head.status);
    assert_eq!(probe.begun(), 0);
    web.stop().await;
}

#[tokio::test]
async fn http_11_a_small_limit_for_headers_is_a_limit() {
    let (_, handler) = Probe::serve();
    let web = Web::serve_with(handler, Limits { max_header_bytes: 1000, ..Limits::default() }).await;
    let (head, _) = web.ask(&hit()).await;
    assert_eq!(head.status, 200);
    let (head, _) = web.ask(&hit().header("X-Large", &"x".repeat(10_000))).await;
    assert_eq!(head.status, 431);
    web.stop().await;
}

#[tokio::test]
async fn http_11_a_request_has_a_deadline() {
    let (probe, handler) = Probe::serve();
    let web = Web::serve_with(handler, Limits { request_deadline: SHORT, ..Limits::default() }).await;
    let session = web.session().await;
    for request in [modern(1, "tools/call", call("hold")), legacy(&session, 1, "tools/call", call("hold"))] {
        let (_, reply) = web.answer(&request).await;
        assert_eq!(reply["error"]["code"], 1408, "{reply}");
    }
    probe.wait_until_given_up(2).await;
    web.stop().await;
}
