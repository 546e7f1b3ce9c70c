//! Clients that disconnect: in the newer era this cancels their call, in the older one it does not.
use serde_json::json;

use crate::probe::Probe;
use crate::web::{Web, call, legacy, modern};

#[tokio::test]
async fn http_13_hanging_up_cancels_a_call_of_the_newer_era() {
    let (probe, handler) = Probe::serve();
    let web = Web::serve(handler).await;
    // Disconnect before the first byte of the answer, and in the middle of a stream.
    for (count, params) in [(1, json!({ "name": "hold", "arguments": {} })), (2, call("hold"))] {
        let streams = params.get("_meta").is_some();
        let mut connection = web.connect().await;
        connection.send(&modern(1, "tools/call", params)).await;
        probe.wait_until_begun(count).await;
        if streams {
            assert!(connection.head().await.unwrap().is_stream());
            assert!(connection.message().await.unwrap().data.contains("notifications/progress"));
        }
        drop(connection);
        probe.wait_until_given_up(count).await;
    }
    web.stop().await;
}

#[tokio::test]
async fn http_13_hanging_up_ends_a_listener() {
    let web = Web::serve(crate::servers::by_name("example")).await;
    // Use more connections than are allowed at once, one after the other.
    for id in 0..30 {
        let mut connection = web.connect().await;
        let wanted = json!({ "notifications": { "toolsListChanged": true } });
        connection.send(&modern(id, "subscriptions/listen", wanted)).await;
        assert!(connection.head().await.unwrap().is_stream());
        assert!(connection.message().await.unwrap().data.contains("acknowledged"));
    }
    // When the server stops, listeners are the only requests that it would wait for.
    web.stop().await;
}

#[tokio::test]
async fn http_13_hanging_up_does_not_cancel_a_call_of_a_session() {
    let (probe, handler) = Probe::serve();
    let web = Web::serve(handler).await;
    let session = web.session().await;
    let mut connection = web.connect().await;
    connection.send(&legacy(&session, 1, "tools/call", call("hold"))).await;
    assert!(connection.head().await.unwrap().is_stream());
    let progress = connection.message().await.unwrap();
    drop(connection);
    // The server notices that the client has disconnected, but the call continues, so that the
    // client can resume it.
    let (status, _) = web.answer(&legacy(&session, 2, "tools/call", call("hit"))).await;
    assert_eq!((status, probe.given_up()), (200, 0));
    probe.release();
    let mut back = web.connect().await;
    back.send(&crate::web::stream(&session).header("Last-Event-ID", progress.id.as_ref().unwrap())).await;
    assert_eq!(back.head().await.unwrap().status, 200);
    assert!(back.message().await.unwrap().data.contains("released"));
    assert_eq!(probe.given_up(), 0);
    web.stop().await;
}
