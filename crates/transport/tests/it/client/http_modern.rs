//! Streamable HTTP of the modern era: headers, mirrored arguments, subscriptions, cancellation.
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use overt_transport::client::{Client, ClientError};
use overt_wire::era::{Version, key};
use overt_wire::json::JsonBuf;

use super::lines::{LEGACY_HELLO, MODERN_HELLO};
use super::seen::{Heard, json, options};
use super::web::{Reply, Seen, Web};

fn modern(rest: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> impl Fn(&Seen) -> Reply + Send + Sync {
    move |seen| match seen.what.as_str() {
        "POST server/discover" => Reply::json(seen.result(MODERN_HELLO)),
        _ => rest(seen),
    }
}

#[tokio::test]
async fn every_request_says_who_asks_and_is_mirrored() {
    let web = Web::serve(modern(|seen| match seen.message().id() {
        Some(_) => Reply::json(seen.result("{}")),
        None => Reply::status(202),
    }))
    .await;
    let client = Client::connect(&web.target(), options(|_| {}), Heard::new()).await.unwrap();
    assert_eq!(client.server().version, Version::V2026_07_28);
    client.request("tools/call", Some(json(r#"{"name":"ünï"}"#))).await.unwrap();
    client.request("resources/read", Some(json(r#"{"uri":"file:///a b"}"#))).await.unwrap();
    client.request("tools/list", None).await.unwrap();
    client.notify("notifications/x", None).await.unwrap();
    client.close().await;
    let seen = web.seen();
    let methods: Vec<_> = seen.iter().map(|seen| seen.header("mcp-method").unwrap()).collect();
    assert_eq!(
        methods,
        ["server/discover", "tools/call", "resources/read", "tools/list", "notifications/x"],
        "no GET, no DELETE"
    );
    let names: Vec<_> = seen.iter().map(|seen| seen.header("mcp-name")).collect();
    assert_eq!(names, [None, Some("=?base64?w7xuw68=?="), Some("file:///a b"), None, None]);
    for seen in seen {
        assert_eq!(seen.header("mcp-protocol-version"), Some("2026-07-28"));
        if seen.message().id().is_none() {
            continue;
        }
        let meta = seen.message().meta().value().unwrap().to_buf();
        assert_eq!(meta.as_json().get(key::PROTOCOL_VERSION).string().unwrap(), "2026-07-28");
        assert_eq!(meta.as_json().get(key::CLIENT_INFO).get("name").string().unwrap(), "tester");
        assert!(meta.as_json().get(key::CLIENT_CAPABILITIES).value().unwrap().is_object());
    }
}

#[tokio::test]
async fn a_version_that_is_not_supported_is_replaced() {
    let tries = AtomicUsize::new(0);
    let web = Web::serve(move |seen| {
        let error = r#"{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}"#;
        match tries.fetch_add(1, Ordering::Relaxed) {
            0 => Reply::status(400).with("Content-Type", "application/json").text(seen.error(error)),
            _ => Reply::json(seen.result(MODERN_HELLO)),
        }
    })
    .await;
    let client = Client::connect(&web.target(), options(|_| {}), Heard::new()).await.unwrap();
    assert_eq!(client.server().version, Version::V2026_07_28);

    let web = Web::serve(|seen| match seen.what.as_str() {
        "POST server/discover" => {
            let error = r#"{"code":-32022,"message":"no","data":{"supported":["2025-11-25"]}}"#;
            Reply::status(400).with("Content-Type", "application/json").text(seen.error(error))
        }
        "POST initialize" => Reply::json(seen.result(LEGACY_HELLO)),
        _ => Reply::status(405),
    })
    .await;
    let error = Client::connect(&web.target(), options(|_| {}), Heard::new()).await.unwrap_err();
    assert!(matches!(error, ClientError::Status { status: 405, .. }), "initialized is refused: {error}");
    assert_eq!(web.saw("POST initialize").len(), 1);
}

#[tokio::test]
async fn a_modern_error_does_not_lead_to_initialize() {
    for code in [-32020, -32021] {
        let web = Web::serve(move |seen| {
            let error = format!(r#"{{"code":{code},"message":"no"}}"#);
            Reply::status(400).with("Content-Type", "application/json").text(seen.error(&error))
        })
        .await;
        let error = Client::connect(&web.target(), options(|_| {}), Heard::new()).await.unwrap_err();
        assert!(matches!(error, ClientError::Refused(error) if error.code == code));
        assert_eq!(web.seen().len(), 1);
    }
}

const TOOLS: &str = r#"{"tools":[
    {"name":"good","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}},
    {"name":"bad","inputSchema":{"type":"object","properties":{"a":{"type":"object","x-mcp-header":"A"}}}},
    {"name":"plain","inputSchema":{"type":"object"}}]}"#;

#[tokio::test]
async fn annotated_arguments_go_into_headers() {
    let web = Web::serve(modern(|seen| match seen.what.as_str() {
        "POST tools/list" => Reply::json(seen.result(TOOLS)),
        _ => Reply::json(seen.result("{}")),
    }))
    .await;
    let client = Client::connect(&web.target(), options(|_| {}), Heard::new()).await.unwrap();
    let tools = client.list("tools/list", "tools").await.unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool.as_json().get("name").string().unwrap()).collect();
    assert_eq!(names, ["good", "plain"], "a tool with a wrong annotation is left out");
    let call = r#"{"name":"good","arguments":{"region":"eu"}}"#;
    client.request("tools/call", Some(json(call))).await.unwrap();
    client.request("tools/call", Some(json(r#"{"name":"good","arguments":{"region":null}}"#))).await.unwrap();
    let headers: Vec<_> = web
        .saw("POST tools/call")
        .iter()
        .map(|seen| seen.header("mcp-param-region").map(str::to_owned))
        .collect();
    assert_eq!(headers, [Some("eu".to_owned()), None]);
}

#[tokio::test]
async fn a_header_mismatch_is_cured_by_listing_again() {
    let web = Web::serve(modern(|seen| match seen.what.as_str() {
        "POST tools/list" => Reply::json(seen.result(TOOLS)),
        _ if seen.header("mcp-param-region") == Some("eu") => Reply::json(seen.result(r#"{"content":[]}"#)),
        _ => Reply::status(400)
            .with("Content-Type", "application/json")
            .text(seen.error(r#"{"code":-32020,"message":"Mcp-Param-Region is missing"}"#)),
    }))
    .await;
    let client = Client::connect(&web.target(), options(|_| {}), Heard::new()).await.unwrap();
    client.request("tools/call", Some(json(r#"{"name":"good","arguments":{"region":"eu"}}"#))).await.unwrap();
    assert_eq!(web.saw("POST tools/call").len(), 2);
    // The client lists the tools again only once per request.
    let error = client.request("tools/call", Some(json(r#"{"name":"good"}"#))).await.unwrap_err();
    assert!(matches!(error, ClientError::Refused(error) if error.code == -32020));
    assert_eq!(web.saw("POST tools/call").len(), 4);
}

#[tokio::test]
async fn dropping_a_request_closes_its_stream() {
    let web = Web::serve(modern(|_| Reply::events().hang())).await;
    let limits = options(|limits| limits.request_deadline = Duration::from_millis(100));
    let client = Client::connect(&web.target(), limits, Heard::new()).await.unwrap();
    assert!(matches!(client.request("tools/call", None).await, Err(ClientError::TimedOut { .. })));
    web.wait_for_hang_up().await;
    assert!(web.saw("POST notifications/cancelled").is_empty());
}

#[tokio::test]
async fn a_modern_stream_is_not_resumed() {
    let web = Web::serve(modern(|_| Reply::events().text("id: 1\nretry: 1\ndata:\n\n"))).await;
    let client = Client::connect(&web.target(), options(|_| {}), Heard::new()).await.unwrap();
    assert!(client.request("tools/call", None).await.is_err());
    assert!(web.saw("GET").is_empty());
}

#[tokio::test]
async fn a_subscription_lives_on_its_own_stream() {
    let web = Web::serve(modern(|seen| {
        let id = seen.id();
        let meta = format!(r#""_meta":{{"{}":{id}}}"#, key::SUBSCRIPTION_ID);
        let acknowledged = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{{{meta},"notifications":{{"toolsListChanged":true}}}}}}"#
        );
        let changed =
            format!(r#"{{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{{{meta}}}}}"#);
        let reply = Reply::events().event(&acknowledged).event(&changed);
        if seen.body.contains("resourceSubscriptions") {
            reply.event(&seen.result(r#"{"resultType":"complete"}"#))
        } else {
            reply.hang()
        }
    }))
    .await;
    let heard = Heard::new();
    let client = Client::connect(&web.target(), options(|_| {}), heard.clone()).await.unwrap();
    let subscription = client.listen(json(r#"{"toolsListChanged":true}"#)).await.unwrap();
    assert_eq!(subscription.granted().as_str(), r#"{"toolsListChanged":true}"#);
    drop(subscription);
    web.wait_for_hang_up().await;
    let subscription = client.listen(json(r#"{"resourceSubscriptions":[]}"#)).await.unwrap();
    subscription.ended().await.unwrap();
    assert_eq!(heard.notifications.lock().unwrap().len(), 4);
    // Dropping the client ends its open subscriptions.
    let subscription = client.listen(json("{}")).await.unwrap();
    drop(client);
    assert!(matches!(subscription.ended().await, Err(ClientError::Closed { .. })));
}

#[tokio::test]
async fn many_requests_at_once() {
    let web = Web::serve(modern(|seen| {
        Reply::events().pause(20).event(&seen.result(&format!(r#"{{"n":{}}}"#, seen.id())))
    }))
    .await;
    let client = Arc::new(Client::connect(&web.target(), options(|_| {}), Heard::new()).await.unwrap());
    let calls: Vec<_> = (0..50)
        .map(|_| {
            let client = Arc::clone(&client);
            tokio::spawn(async move { client.request("x/y", None).await })
        })
        .collect();
    for call in calls {
        let answer = call.await.unwrap().unwrap();
        assert_eq!(answer.result_body().get("n").value().unwrap().as_str(), answer.id().unwrap().token());
    }
    let _: JsonBuf = client.server().capabilities.clone();
}
