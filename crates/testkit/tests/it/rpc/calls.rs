//! Unsolicited answers, cancellation, and calls that send too much.
use std::time::Duration;

use overt_testkit::link::LineLink;
use overt_transport::limits::Limits;
use serde_json::json;

use super::kit::after;
use crate::probe::Probe;
use crate::servers::by_name;
use crate::web::{Web, call, in_session, legacy, modern, modern_body, note};

#[tokio::test]
async fn rpc_11_a_question_can_be_answered_only_where_it_was_asked() {
    let web = Web::serve(by_name("example")).await;
    let (asked, other) = (web.session().await, web.session().await);
    let mut connection = web.connect().await;
    let ask = json!({ "name": "test_input_required_result_elicitation", "arguments": {} });
    connection.send(&legacy(&asked, 1, "tools/call", ask)).await;
    assert!(connection.head().await.unwrap().is_stream());
    let question: serde_json::Value =
        serde_json::from_str(&connection.message().await.unwrap().data).unwrap();
    // The id can't be guessed, and a client that knows it can't use it in another session.
    assert!(question["id"].as_str().unwrap().len() >= 32);
    let answer = |name: &str| json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "accept", "content": { "name": name } } });
    let (head, _) = web.ask(&in_session(&other, &answer("Mallory"))).await;
    assert_eq!(head.status, 202);
    let (head, _) = web.ask(&in_session(&asked, &answer("Ada"))).await;
    assert_eq!(head.status, 202);
    assert!(connection.message().await.unwrap().data.contains("Hello, Ada!"));
    web.stop().await;
}

#[tokio::test]
async fn rpc_14_a_cancelled_call_is_given_up_at_once() {
    let (probe, handler) = Probe::serve();
    let mut link = LineLink::memory(handler.clone(), Limits::default());
    link.send(&modern_body(1, "tools/call", json!({ "name": "hold", "arguments": {} })).to_string()).await;
    probe.wait_until_begun(1).await;
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
    assert!(after(&mut link, cancel.to_string().as_bytes()).await.is_empty());
    probe.wait_until_given_up(1).await;
    // Cancel again, when nothing is left to cancel.
    assert!(after(&mut link, cancel.to_string().as_bytes()).await.is_empty());
    probe.release();
    assert!(link.finish().await.is_empty());
}

#[tokio::test]
async fn rpc_14_nobody_can_cancel_the_calls_of_others() {
    let (probe, handler) = Probe::serve();
    let web = Web::serve(handler.clone()).await;
    let (mine, theirs) = (web.session().await, web.session().await);
    let mut connection = web.connect().await;
    connection.send(&legacy(&mine, 1, "tools/call", call("hold"))).await;
    let mut link = LineLink::memory(handler, Limits::default());
    link.send(&modern_body(1, "tools/call", json!({ "name": "hold", "arguments": {} })).to_string()).await;
    probe.wait_until_begun(2).await;
    let cancel = json!({ "requestId": 1 });
    let (head, _) = web.ask(&note(&theirs, "notifications/cancelled", cancel.clone())).await;
    assert_eq!(head.status, 202);
    // An id of another type is another id.
    let text =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "1" } });
    assert!(after(&mut link, text.to_string().as_bytes()).await.is_empty());
    assert_eq!(probe.given_up(), 0);
    let (head, _) = web.ask(&note(&mine, "notifications/cancelled", cancel)).await;
    assert_eq!(head.status, 202);
    probe.wait_until_given_up(1).await;
    // The waiting client gets the end of the stream, without an answer.
    let head = connection.head().await.unwrap();
    assert!(head.is_stream());
    let mut rest = Vec::new();
    while let Some(event) = connection.message().await {
        rest.push(event.data);
    }
    assert!(rest.iter().all(|text| text.contains("notifications/progress")), "{rest:?}");
    probe.release();
    assert!(link.next().await.unwrap().contains("released"));
    web.stop().await;
}

#[tokio::test]
async fn rpc_15_a_call_that_reports_without_end_waits_for_its_client() {
    let (probe, handler) = Probe::serve();
    let limits = Limits { max_queued_messages: 16, max_queued_bytes: 64 << 10, ..Limits::default() };
    let mut link = LineLink::memory(handler.clone(), limits.clone());
    link.send(&modern_body(1, "tools/call", call("flood")).to_string()).await;
    probe.wait_until_begun(1).await;
    // The client does not read, so the tool stops when the queues are full.
    let mut before = probe.flooded();
    loop {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let now = probe.flooded();
        if now == before {
            break;
        }
        before = now;
    }
    let room = (limits.max_queued_bytes + (64 << 10)) / 100 + limits.max_queued_messages + 64;
    assert!(before < room, "{before} reports for which there is no room");
    // Another client is not delayed, and a client that reads makes progress.
    let mut other = LineLink::memory(handler, Limits::default());
    assert!(after(&mut other, b"").await.is_empty());
    for _ in 0..before + 10 {
        assert!(link.next().await.unwrap().contains("notifications/progress"));
    }
}

#[tokio::test]
async fn rpc_15_reports_of_a_session_are_kept_only_up_to_a_bound() {
    let (probe, handler) = Probe::serve();
    let limits = Limits { max_replay_events: 8, drain: Duration::from_millis(100), ..Limits::default() };
    let web = Web::serve_with(handler, limits).await;
    let session = web.session().await;
    let mut connection = web.connect().await;
    connection.send(&legacy(&session, 1, "tools/call", call("flood"))).await;
    assert!(connection.head().await.unwrap().is_stream());
    let first = connection.message().await.unwrap().id.unwrap();
    drop(connection);
    while probe.flooded() < 1_000 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    // Dropped events are lost. The stream continues, because its answer is still to come (G-49).
    let mut connection = web.connect().await;
    connection.send(&crate::web::stream(&session).header("Last-Event-ID", &first)).await;
    assert_eq!(connection.head().await.unwrap().status, 200);
    let number = |id: &str| id.split_once('-').unwrap().1.parse::<u64>().unwrap();
    let next = connection.message().await.unwrap().id.unwrap();
    assert!(number(&next) > number(&first) + 900, "{first} and then {next}");
    drop(connection);
    let (status, _) = web.answer(&modern(2, "tools/call", call("hit"))).await;
    assert_eq!(status, 200);
    web.stop().await;
}
