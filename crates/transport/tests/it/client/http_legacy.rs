//! Streamable HTTP of the legacy era: sessions, event streams, resuming a stream.
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use overt_transport::client::{Client, ClientError};
use overt_wire::era::Version;

use super::lines::LEGACY_HELLO;
use super::seen::{Heard, options};
use super::web::{Reply, Seen, Web};

/// Handles the handshake of a legacy server with a session; `rest` answers all other requests.
fn legacy(rest: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> impl Fn(&Seen) -> Reply + Send + Sync {
    move |seen| match seen.what.as_str() {
        "POST server/discover" => Reply::status(400).text("Bad Request: no session"),
        "POST initialize" => Reply::json(seen.result(LEGACY_HELLO)).with("Mcp-Session-Id", "s-1"),
        "POST notifications/initialized" => Reply::status(202),
        _ => rest(seen),
    }
}

#[tokio::test]
async fn a_session_from_beginning_to_end() {
    let web = Web::serve(legacy(|seen| match seen.what.as_str() {
        "GET" => Reply::status(405),
        "DELETE" => Reply::status(200),
        _ => Reply::json(seen.result(r#"{"tools":[]}"#)),
    }))
    .await;
    let client = Client::connect(&web.target(), options(|_| {}), Heard::new()).await.unwrap();
    assert_eq!(client.server().version, Version::V2025_11_25);
    client.request("tools/list", None).await.unwrap();
    web.wait_for("GET", 1).await;
    client.close().await;
    let seen = web.seen();
    let hello = &web.saw("POST initialize")[0];
    assert_eq!(hello.header("mcp-session-id"), None);
    assert_eq!(hello.header("mcp-protocol-version"), None);
    for seen in seen.iter().filter(|seen| !["POST initialize", "POST server/discover"].contains(&&*seen.what))
    {
        assert_eq!(seen.header("mcp-session-id"), Some("s-1"), "{seen:?}");
        assert_eq!(seen.header("mcp-protocol-version"), Some("2025-11-25"), "{seen:?}");
        assert_eq!(seen.header("mcp-method"), None, "{seen:?}");
    }
    let call = &web.saw("POST tools/list")[0];
    assert_eq!(call.header("accept"), Some("application/json, text/event-stream"));
    assert_eq!(call.header("content-type"), Some("application/json"));
    assert_eq!(web.saw("GET")[0].header("accept"), Some("text/event-stream"));
    assert_eq!(web.saw("DELETE").len(), 1);
}

/// Notifications to a server that does not answer wait, and excess ones are refused.
#[tokio::test]
async fn g_48_notifications_are_bounded() {
    let web = Web::serve(legacy(|seen| match seen.what.as_str() {
        "POST notifications/x" => Reply::status(500).hang(),
        _ => Reply::status(405),
    }))
    .await;
    let options = options(|limits| limits.max_queued_messages = 40);
    let client = Arc::new(Client::connect(&web.target(), options, Heard::new()).await.unwrap());
    let mut sending = tokio::task::JoinSet::new();
    for _ in 0..100 {
        let client = Arc::clone(&client);
        sending.spawn(async move { client.notify("notifications/x", None).await });
    }
    for _ in 0..60 {
        let refused = sending.join_next().await.unwrap().unwrap();
        assert!(matches!(refused, Err(ClientError::Busy { limit: 40 })), "{refused:?}");
    }
    web.wait_for("POST notifications/x", 16).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(web.saw("POST notifications/x").len(), 16);
}

#[tokio::test]
async fn an_event_stream_brings_notifications_questions_and_the_answer() {
    let web = Web::serve(legacy(|seen| match seen.what.as_str() {
        "GET" => {
            Reply::events().event(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#).hang()
        }
        "POST tools/call" => Reply::events()
            .text(": keep-alive\n\n")
            .event(r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}"#)
            .event(r#"{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}}"#)
            .event("not json")
            .pause(100)
            .event(&seen.result(r#"{"content":[]}"#))
            .hang(),
        _ => Reply::status(202),
    }))
    .await;
    let heard = Heard::answering(&[("elicitation/create", r#"{"action":"decline"}"#)]);
    let client = Client::connect(&web.target(), options(|_| {}), heard.clone()).await.unwrap();
    let answer = client.request("tools/call", None).await.unwrap();
    assert_eq!(answer.result_body().value().unwrap().as_str(), r#"{"content":[]}"#);
    let answered = web.wait_for("POST answer", 1).await;
    assert_eq!(answered[0].body, r#"{"jsonrpc":"2.0","id":"q","result":{"action":"decline"}}"#);
    assert_eq!(heard.notifications.lock().unwrap().len(), 2);
    // Closing the stream after the answer does not cancel the request.
    web.wait_for_hang_up().await;
    assert!(web.saw("POST notifications/cancelled").is_empty());
}

#[tokio::test]
async fn a_broken_stream_is_resumed_where_it_ended() {
    let id = Arc::new(std::sync::Mutex::new(String::new()));
    let web = Web::serve(legacy(move |seen| match seen.what.as_str() {
        "POST tools/call" => {
            *id.lock().unwrap() = seen.result(r#"{"content":[]}"#);
            Reply::events().text("id: e-1\nretry: 300\ndata:\n\n")
        }
        "GET" => match seen.header("last-event-id") {
            Some("e-1") => Reply::events().text("id: e-2\ndata:\n\n"),
            Some("e-2") => Reply::events().event(&id.lock().unwrap()),
            _ => Reply::status(405),
        },
        _ => Reply::status(202),
    }))
    .await;
    let client = Client::connect(&web.target(), options(|_| {}), Heard::new()).await.unwrap();
    let began = Instant::now();
    client.request("tools/call", None).await.unwrap();
    let took = began.elapsed();
    assert!(took >= Duration::from_millis(600) && took < Duration::from_millis(1500), "{took:?}");
}

#[tokio::test]
async fn a_stream_without_ids_that_ends_early_is_an_error() {
    let web = Web::serve(legacy(|seen| match seen.what.as_str() {
        "POST tools/call" => Reply::events().event(r#"{"jsonrpc":"2.0","method":"notifications/progress"}"#),
        _ => Reply::status(405),
    }))
    .await;
    let client = Client::connect(&web.target(), options(|_| {}), Heard::new()).await.unwrap();
    let error = client.request("tools/call", None).await.unwrap_err();
    assert!(error.to_string().contains("ended before the answer"), "{error}");
}

#[tokio::test]
async fn an_answer_on_the_standing_stream_counts() {
    let answer = Arc::new(std::sync::Mutex::new(None));
    let shared = Arc::clone(&answer);
    let gets = AtomicUsize::new(0);
    let web = Web::serve(legacy(move |seen| match seen.what.as_str() {
        "POST tools/call" => {
            *shared.lock().unwrap() = Some(seen.result("{}"));
            Reply::events().hang()
        }
        "GET" => match gets.fetch_add(1, Ordering::Relaxed) {
            0 => Reply::events().text("retry: 100\ndata:\n\n").pause(200),
            _ => Reply::events().event(shared.lock().unwrap().as_deref().unwrap_or("{}")).hang(),
        },
        _ => Reply::status(202),
    }))
    .await;
    let client = Client::connect(&web.target(), options(|_| {}), Heard::new()).await.unwrap();
    client.request("tools/call", None).await.unwrap();
}

#[tokio::test]
async fn up_12_a_lost_session_has_its_own_error() {
    let web = Web::serve(legacy(|seen| match seen.what.as_str() {
        "POST tools/list" => Reply::status(404).text("who are you?"),
        _ => Reply::status(405),
    }))
    .await;
    let client = Client::connect(&web.target(), options(|_| {}), Heard::new()).await.unwrap();
    assert!(matches!(client.request("tools/list", None).await, Err(ClientError::SessionLost)));
}

#[tokio::test]
async fn dropping_a_request_sends_a_cancellation() {
    let web = Web::serve(legacy(|seen| match seen.what.as_str() {
        "POST tools/call" => Reply::events().hang(),
        "GET" => Reply::status(405),
        _ => Reply::status(202),
    }))
    .await;
    let limits = options(|limits| limits.request_deadline = Duration::from_millis(200));
    let client = Client::connect(&web.target(), limits, Heard::new()).await.unwrap();
    assert!(matches!(client.request("tools/call", None).await, Err(ClientError::TimedOut { .. })));
    let cancelled = web.wait_for("POST notifications/cancelled", 1).await;
    let id = cancelled[0].message().param("requestId").value().unwrap().as_str().to_owned();
    assert_eq!(id, web.saw("POST tools/call")[0].id());
}

#[tokio::test]
async fn any_status_without_a_modern_error_means_legacy() {
    for reply in [400, 404, 405, 406, 415, 422, 500] {
        let web = Web::serve(move |seen| match seen.what.as_str() {
            "POST server/discover" if seen.body.contains("2026") => Reply::status(reply),
            "POST initialize" => Reply::events().event(&seen.result(LEGACY_HELLO)),
            "GET" => Reply::status(405),
            _ => Reply::status(202),
        })
        .await;
        let client = Client::connect(&web.target(), options(|_| {}), Heard::new()).await.unwrap();
        assert_eq!(client.server().version, Version::V2025_11_25, "{reply}");
    }
    let error = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}"#;
    let web = Web::serve(move |seen| match seen.what.as_str() {
        "POST server/discover" => Reply::status(400).with("Content-Type", "application/json").text(error),
        "POST initialize" => Reply::json(seen.result(LEGACY_HELLO)),
        "GET" => Reply::status(405),
        _ => Reply::status(202),
    })
    .await;
    Client::connect(&web.target(), options(|_| {}), Heard::new()).await.unwrap();
}
