//! Ids, deadlines, limits and cancellation, over a pair of streams.
use std::time::{Duration, Instant};

use overt_transport::client::{ClientError, Delivery};
use overt_wire::era::Era;

use super::lines::{asking, connected};
use super::seen::{Heard, json, options};

#[tokio::test]
async fn up_04_only_the_first_answer_to_an_open_call_counts() {
    let (client, mut server) = connected(Era::Legacy, options(|_| {}), Heard::new()).await;
    let call = asking(&client, "tools/call", r#"{"name":"a"}"#);
    let request = server.read("tools/call").await;
    let id = request.id().unwrap();
    server.write(r#"{"jsonrpc":"2.0","id":999,"result":{"from":"nobody"}}"#).await;
    server.write(&format!(r#"{{"jsonrpc":"2.0","id":"{id}","result":{{"from":"a string id"}}}}"#)).await;
    server.write(r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"no id"}}"#).await;
    server.result(&request, r#"{"from":"first"}"#).await;
    server.result(&request, r#"{"from":"second"}"#).await;
    assert_eq!(call.await.unwrap().unwrap().result_body().get("from").string().unwrap(), "first");
    // The second answer must not complete the next call.
    let call = asking(&client, "tools/call", r#"{"name":"b"}"#);
    let request = server.read("tools/call").await;
    server.result(&request, r#"{"from":"third"}"#).await;
    assert_eq!(call.await.unwrap().unwrap().result_body().get("from").string().unwrap(), "third");
}

#[tokio::test]
async fn results_and_errors_arrive_as_they_were_written() {
    let (client, mut server) = connected(Era::Legacy, options(|_| {}), Heard::new()).await;
    let call = asking(&client, "x/y", "{}");
    let request = server.read("x/y").await;
    let text = format!(
        r#"{{"id" : {}, "unknown":[1.0], "result":{{"a":1e2}}, "jsonrpc":"2.0"}}"#,
        request.id().unwrap()
    );
    server.write(&text).await;
    assert_eq!(call.await.unwrap().unwrap().text(), text);
    let call = asking(&client, "x/y", "{}");
    let request = server.read("x/y").await;
    server.error(&request, -32002).await;
    assert!(matches!(call.await.unwrap(), Err(ClientError::Refused(error)) if error.code == -32002));
}

#[tokio::test]
async fn up_06_a_broken_answer_fails_its_call_at_once() {
    let (client, mut server) = connected(Era::Legacy, options(|_| {}), Heard::new()).await;
    for broken in [
        r#"{"jsonrpc":"2.0","id":ID,"result":{},"error":{"code":1,"message":"both"}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"result":{"a":1,"a":2}}"#,
        r#"{"jsonrpc":"1.0","id":ID,"result":{}}"#,
    ] {
        let call = asking(&client, "tools/list", "{}");
        let request = server.read("tools/list").await;
        server.write(&broken.replace("ID", request.id().unwrap().token())).await;
        assert!(matches!(call.await.unwrap(), Err(ClientError::Protocol { .. })), "{broken}");
    }
}

#[tokio::test]
async fn up_06_a_line_over_the_limit_ends_the_connection() {
    let options = options(|limits| limits.max_message_bytes = 10_000);
    let (client, mut server) = connected(Era::Legacy, options, Heard::new()).await;
    let call = asking(&client, "tools/list", "{}");
    let request = server.read("tools/list").await;
    server.result(&request, &format!(r#"{{"big":"{}"}}"#, "x".repeat(20_000))).await;
    let error = call.await.unwrap().unwrap_err();
    assert!(error.to_string().contains("over the limit of 10000 bytes"), "{error}");
    assert!(!client.is_open());
    assert!(client.ended().await.contains("over the limit"));
}

#[tokio::test]
async fn dropping_a_request_cancels_it() {
    for era in [Era::Legacy, Era::Modern] {
        let (client, mut server) = connected(era, options(|_| {}), Heard::new()).await;
        let call = asking(&client, "tools/call", r#"{"name":"slow"}"#);
        let request = server.read("tools/call").await;
        call.abort();
        let cancelled = server.read("notifications/cancelled").await;
        let id = cancelled.param("requestId").value().unwrap();
        assert_eq!(id.as_str(), request.id().unwrap().token());
        // A late answer belongs to no request and is dropped.
        server.result(&request, "{}").await;
        let call = asking(&client, "tools/list", "{}");
        let request = server.read("tools/list").await;
        server.result(&request, r#"{"tools":[]}"#).await;
        call.await.unwrap().unwrap();
        assert!(server.is_silent().await, "an answered request is not cancelled");
    }
}

#[tokio::test]
async fn up_03_no_answer_ends_at_the_deadline_and_cancels() {
    let options = options(|limits| limits.request_deadline = Duration::from_millis(200));
    let (client, mut server) = connected(Era::Legacy, options, Heard::new()).await;
    let error = client.request("tools/list", None).await.unwrap_err();
    assert!(matches!(&error, ClientError::TimedOut { method, .. } if method == "tools/list"), "{error}");
    server.read("tools/list").await;
    server.read("notifications/cancelled").await;
}

#[tokio::test]
async fn up_05_open_requests_are_bounded() {
    let options = options(|limits| limits.max_in_flight = 2);
    let (client, mut server) = connected(Era::Legacy, options, Heard::new()).await;
    let first = asking(&client, "x/1", "{}");
    let second = asking(&client, "x/2", "{}");
    let (one, two) = (server.read_any().await, server.read_any().await);
    assert!(matches!(client.request("x/3", None).await, Err(ClientError::Busy { limit: 2 })));
    server.result(&one, "{}").await;
    server.result(&two, "{}").await;
    first.await.unwrap().unwrap();
    second.await.unwrap().unwrap();
    let third = asking(&client, "x/3", "{}");
    let request = server.read("x/3").await;
    server.result(&request, "{}").await;
    third.await.unwrap().unwrap();
}

#[tokio::test]
async fn up_05_a_server_that_does_not_read_is_cut_off() {
    let options = options(|limits| {
        limits.write_deadline = Duration::from_millis(300);
        limits.max_queued_bytes = 1 << 20;
    });
    let (client, _server) = connected(Era::Legacy, options, Heard::new()).await;
    let big = format!(r#"{{"x":"{}"}}"#, "x".repeat(3 << 20));
    let began = Instant::now();
    let error = client.request("x/y", Some(json(&big))).await.unwrap_err();
    assert!(
        matches!(&error, ClientError::Closed { reason, .. } if reason.contains("did not read")),
        "{error}"
    );
    assert!(began.elapsed() < Duration::from_secs(3));
    assert!(matches!(client.request("x/y", None).await, Err(ClientError::Closed { .. })));
}

/// A single-threaded server does not read while it works on a call. That is no reason to cut it
/// off.
#[tokio::test]
async fn g_53_a_server_that_works_on_a_call_may_stop_reading() {
    let options = options(|limits| {
        // Longer than this test may wait for its turn on a busy machine, once the server reads
        // again.
        limits.write_deadline = Duration::from_millis(1_500);
        limits.max_queued_bytes = 8 << 20;
    });
    let (client, mut server) = connected(Era::Legacy, options, Heard::new()).await;
    let slow = asking(&client, "x/slow", "{}");
    let request = server.read("x/slow").await;
    let big = format!(r#"{{"x":"{}"}}"#, "x".repeat(3 << 20));
    let large = asking(&client, "x/large", &big);
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert!(client.is_open(), "a busy server is not cut off");
    server.result(&request, "{}").await;
    slow.await.unwrap().unwrap();
    let request = server.read("x/large").await;
    server.result(&request, "{}").await;
    large.await.unwrap().unwrap();
}

/// Requests that are still queued when the connection ends were certainly not sent. Requests that
/// were written may have been executed.
#[tokio::test]
async fn g_42_an_error_says_whether_the_request_was_sent() {
    let options = options(|limits| limits.max_queued_bytes = 8 << 20);
    let (client, mut server) = connected(Era::Legacy, options, Heard::new()).await;
    let sent = asking(&client, "x/sent", "{}");
    server.read("x/sent").await;
    // Larger than the pipe, so writing it takes until the server reads.
    let big = format!(r#"{{"x":"{}"}}"#, "x".repeat(3 << 20));
    let begun = asking(&client, "x/begun", &big);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let queued = asking(&client, "x/queued", "{}");
    tokio::time::sleep(Duration::from_millis(50)).await;
    drop(server);
    for (call, delivery) in
        [(sent, Delivery::MaybeSent), (begun, Delivery::MaybeSent), (queued, Delivery::NotSent)]
    {
        let error = call.await.unwrap().unwrap_err();
        assert!(error.is_broken_connection(), "{error}");
        assert_eq!(error.delivery(), delivery, "{error}");
    }
    assert_eq!(client.request("x/late", None).await.unwrap_err().delivery(), Delivery::NotSent);
}

/// A request that was dropped before it was written is not sent.
#[tokio::test]
async fn a_request_that_is_given_up_in_the_queue_never_reaches_the_server() {
    let (client, mut server) =
        connected(Era::Legacy, options(|limits| limits.max_queued_bytes = 8 << 20), Heard::new()).await;
    let big = format!(r#"{{"x":"{}"}}"#, "x".repeat(3 << 20));
    let large = asking(&client, "x/large", &big);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let given_up = asking(&client, "x/given-up", "{}");
    tokio::time::sleep(Duration::from_millis(50)).await;
    given_up.abort();
    let _ = given_up.await;
    let request = server.read("x/large").await;
    server.result(&request, "{}").await;
    large.await.unwrap().unwrap();
    let next = asking(&client, "x/next", "{}");
    let request = server.read("x/next").await;
    server.result(&request, "{}").await;
    next.await.unwrap().unwrap();
}

#[tokio::test]
async fn rpc_02_a_message_stays_on_one_line() {
    let (client, mut server) = connected(Era::Legacy, options(|_| {}), Heard::new()).await;
    let call = asking(&client, "x/y", "{\n  \"a\": \"b\\nc\"\r\n}");
    let request = server.read("x/y").await;
    assert_eq!(request.param("a").string().unwrap(), "b\nc");
    server.result(&request, "{}").await;
    call.await.unwrap().unwrap();
    assert!(matches!(client.request("x/y", Some(json("[]"))).await, Err(ClientError::Params { .. })));
}

#[tokio::test]
async fn up_02_the_end_of_the_stream_fails_every_call() {
    let (client, mut server) = connected(Era::Legacy, options(|_| {}), Heard::new()).await;
    let calls = [asking(&client, "x/1", "{}"), asking(&client, "x/2", "{}")];
    server.read_any().await;
    server.read_any().await;
    drop(server);
    for call in calls {
        let ended = tokio::time::timeout(Duration::from_secs(1), call).await.unwrap().unwrap();
        assert!(matches!(ended, Err(ClientError::Closed { .. })));
    }
}
