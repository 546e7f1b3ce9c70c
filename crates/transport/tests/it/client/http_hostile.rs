//! HTTP servers that redirect, flood, or send invalid answers.
use std::time::Duration;

use overt_transport::client::{Client, ClientError, HttpTarget, Target};

use super::lines::MODERN_HELLO;
use super::seen::{Heard, options};
use super::web::{Reply, Seen, Web};

fn modern(rest: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> impl Fn(&Seen) -> Reply + Send + Sync {
    move |seen| match seen.what.as_str() {
        "POST server/discover" => Reply::json(seen.result(MODERN_HELLO)),
        _ => rest(seen),
    }
}

#[tokio::test]
async fn up_12_redirects_are_not_followed() {
    for status in [301, 302, 303, 307, 308] {
        let other = Web::serve(|seen| Reply::json(seen.result(MODERN_HELLO))).await;
        let location = format!("{}?token=1", other.url);
        let web = Web::serve(move |_| Reply::status(status).with("Location", &location)).await;
        let headers = vec![("Authorization".into(), "Bearer t".into())];
        let target = HttpTarget { headers, ..HttpTarget::new(&web.url) };
        let error = Client::connect(&Target::Http(target), options(|_| {}), Heard::new()).await.unwrap_err();
        let ClientError::Redirected { location, .. } = &error else { panic!("{error}") };
        assert_eq!(*location, other.url);
        assert!(other.seen().is_empty());
        assert_eq!(web.seen().len(), 1);
        assert_eq!(web.seen()[0].header("authorization"), Some("Bearer t"));
    }
}

#[tokio::test]
async fn up_12_a_relative_redirect_names_the_whole_address() {
    let web =
        Web::serve(|_| Reply::status(307).with("Location", "/mcp/").with("Content-Type", "application/json"))
            .await;
    let error = Client::connect(&web.target(), options(|_| {}), Heard::new()).await.unwrap_err();
    assert!(error.hint().unwrap().ends_with(&format!("{}/", web.url)), "{:?}", error.hint());
}

#[tokio::test]
async fn up_12_each_failure_has_its_own_error() {
    let web = Web::serve(modern(|seen| match seen.message().param("name").string().as_deref() {
        Some("401") => Reply::status(401).text("<html>\n  <b>log in</b>"),
        Some("403") => Reply::status(403)
            .with("Content-Type", "application/json")
            .text(seen.error(r#"{"code":-32000,"message":"no"}"#)),
        Some("429") => Reply::status(429).with("Retry-After", "7"),
        Some("500") => Reply::status(500).text("x".repeat(1_000_000)),
        Some("202") => Reply::status(202),
        Some("html") => Reply::status(200).with("Content-Type", "text/html").text("<p>hello"),
        Some("id") => Reply::json(r#"{"jsonrpc":"2.0","id":"other","result":{}}"#.into()),
        Some("404") => Reply::status(404)
            .with("Content-Type", "application/json; charset=utf-8")
            .text(seen.error(r#"{"code":-32601,"message":"no"}"#)),
        _ => Reply::json("{".into()),
    }))
    .await;
    let client = Client::connect(&web.target(), options(|_| {}), Heard::new()).await.unwrap();
    let fails = async |name: &str| {
        let params = format!(r#"{{"name":"{name}"}}"#);
        client.request("tools/call", Some(super::seen::json(&params))).await.unwrap_err()
    };
    let error = fails("401").await;
    assert!(
        matches!(&error, ClientError::Status { status: 401, body, .. } if body == "<html> <b>log in</b>")
    );
    assert!(error.hint().unwrap().contains("Authorization"));
    assert!(matches!(fails("403").await, ClientError::Status { status: 403, .. }));
    assert!(fails("429").await.hint().unwrap().contains("in 7 s"));
    assert!(matches!(fails("500").await, ClientError::Status { status: 500, body, .. } if body.len() <= 300));
    assert!(matches!(fails("202").await, ClientError::Protocol { .. }));
    assert!(fails("html").await.to_string().contains("`text/html`"));
    assert!(matches!(fails("id").await, ClientError::Protocol { .. }));
    assert!(matches!(fails("404").await, ClientError::Refused(error) if error.code == -32601));
    assert!(matches!(fails("").await, ClientError::Protocol { .. }));
}

#[tokio::test]
async fn up_06_what_is_too_large_is_not_read_to_its_end() {
    let web = Web::serve(modern(|seen| match seen.what.as_str() {
        "POST x/json" => Reply::json(seen.result(&format!("\"{}\"", "x".repeat(50_000)))),
        "POST x/event" => Reply::events().event(&seen.result(&format!("\"{}\"", "x".repeat(50_000)))).hang(),
        _ => Reply::events().text(format!("data: {}", "x".repeat(50_000))).text("x".repeat(50_000)).hang(),
    }))
    .await;
    let small = options(|limits| limits.max_message_bytes = 10_000);
    let client = Client::connect(&web.target(), small, Heard::new()).await.unwrap();
    for method in ["x/json", "x/event", "x/endless"] {
        let error = client.request(method, None).await.unwrap_err();
        assert!(matches!(error, ClientError::TooLarge { limit: 10_000, .. }), "{method}: {error}");
    }
    web.wait_for_hang_up().await;
}

#[tokio::test]
async fn up_04_answers_to_others_are_dropped() {
    let web = Web::serve(modern(|seen| {
        Reply::events()
            .event(r#"{"jsonrpc":"2.0","id":"nobody","result":{}}"#)
            .event(r#"{"jsonrpc":"2.0","id":1.5,"result":{}}"#)
            .event(&seen.result(r#"{"mine":1}"#))
            .event(&seen.result(r#"{"again":1}"#))
    }))
    .await;
    let client = Client::connect(&web.target(), options(|_| {}), Heard::new()).await.unwrap();
    for _ in 0..2 {
        let answer = client.request("x/y", None).await.unwrap();
        assert_eq!(answer.result_body().value().unwrap().as_str(), r#"{"mine":1}"#);
    }
}

#[tokio::test]
async fn addresses_and_headers_are_checked_first() {
    for url in ["", "example.com/mcp", "ftp://example.com", "http://", "file:///etc/passwd"] {
        let target = Target::Http(HttpTarget::new(url));
        let error = Client::connect(&target, options(|_| {}), Heard::new()).await.unwrap_err();
        assert!(matches!(error, ClientError::Address { .. }), "{url}: {error}");
    }
    for (name, value) in [("bad name", "x"), ("ok", "a\r\nInjected: 1"), ("", "x")] {
        let headers = vec![(name.to_owned(), value.to_owned())];
        let target = Target::Http(HttpTarget { headers, ..HttpTarget::new("http://127.0.0.1:1/") });
        let error = Client::connect(&target, options(|_| {}), Heard::new()).await.unwrap_err();
        assert!(matches!(error, ClientError::Header { .. }), "{name}: {error}");
    }
}

#[tokio::test]
async fn nobody_at_home() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://user:pw@{}/?key=k", listener.local_addr().unwrap());
    drop(listener);
    let target = Target::Http(HttpTarget::new(url));
    let error = Client::connect(&target, options(|_| {}), Heard::new()).await.unwrap_err();
    assert!(matches!(error, ClientError::Connect { .. }), "{error}");
    let everything = format!("{error} {error:?}");
    assert!(!everything.contains("pw") && !everything.contains("key"), "{everything}");
}

#[tokio::test]
async fn up_03_a_server_that_accepts_and_says_nothing() {
    let web = Web::serve(|_| Reply::events().hang()).await;
    let quick = options(|limits| {
        limits.probe_deadline = Duration::from_millis(100);
        limits.handshake_deadline = Duration::from_millis(300);
    });
    let error = Client::connect(&web.target(), quick, Heard::new()).await.unwrap_err();
    assert!(matches!(&error, ClientError::TimedOut { method, .. } if method == "initialize"), "{error}");
}
