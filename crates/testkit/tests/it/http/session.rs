//! Sessions of the older era: who has one, what ends it, and resuming a stream that broke.
use std::sync::Arc;
use std::time::Duration;

use overt_testkit::http_raw::{PATIENCE, Request};
use overt_transport::limits::Limits;
use overt_wire::{BoxFuture, Exchange, Handler, Message, Session};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::probe::Probe;
use crate::servers::by_name;
use crate::web::{Web, call, initialize, legacy, modern, note, stream};

fn delete(session: &str) -> Request {
    Request::new("DELETE /mcp HTTP/1.1").header("Mcp-Session-Id", session)
}

#[tokio::test]
async fn http_09_only_a_session_that_was_given_out_is_one() {
    let (probe, handler) = Probe::serve();
    let web = Web::serve(handler).await;
    let session = web.session().await;
    assert!(session.len() >= 32 && session.bytes().all(|byte| byte.is_ascii_graphic()), "{session}");
    assert_ne!(session, web.session().await);
    let guessed = session.chars().rev().collect::<String>();
    for bad in [guessed.as_str(), "1", &session.to_uppercase().replace(char::is_numeric, "x"), &session[1..]]
    {
        assert_eq!(web.answer(&legacy(bad, 1, "tools/call", call("hit"))).await.0, 404, "{bad}");
        assert_eq!(web.answer(&stream(bad)).await.0, 404, "{bad}");
        assert_eq!(web.answer(&delete(bad)).await.0, 404, "{bad}");
    }
    let none = legacy("", 1, "tools/call", call("hit")).without("Mcp-Session-Id");
    assert_eq!(web.answer(&none).await.0, 400);
    let twice = legacy(&session, 1, "tools/call", call("hit")).header("Mcp-Session-Id", &session);
    assert_eq!(web.answer(&twice).await.0, 400);
    assert_eq!(probe.begun(), 0);
    assert_eq!(web.answer(&legacy(&session, 1, "tools/call", call("hit"))).await.0, 200);
    web.stop().await;
}

#[tokio::test]
async fn http_09_a_client_can_not_choose_its_session() {
    let (_, handler) = Probe::serve();
    let web = Web::serve(handler).await;
    let theirs = web.session().await;
    for chosen in ["mine", theirs.as_str()] {
        let (head, _) = web.ask(&initialize().header("Mcp-Session-Id", chosen)).await;
        assert_eq!(head.status, 200);
        assert_ne!(head.header("mcp-session-id"), Some(chosen));
    }
    assert_eq!(web.answer(&legacy("mine", 1, "ping", json!({}))).await.0, 404);
    // The other session is unchanged.
    assert_eq!(web.answer(&legacy(&theirs, 1, "tools/list", json!({}))).await.0, 200);
    web.stop().await;
}

#[tokio::test]
async fn http_09_a_session_that_was_ended_is_gone_with_all_that_it_ran() {
    let (probe, handler) = Probe::serve();
    let web = Web::serve(handler).await;
    let (session, other) = (web.session().await, web.session().await);
    let mut call_of_it = web.connect().await;
    call_of_it.send(&legacy(&session, 1, "tools/call", call("hold"))).await;
    let mut stream_of_it = web.connect().await;
    stream_of_it.send(&stream(&session)).await;
    assert_eq!(stream_of_it.head().await.unwrap().status, 200);
    probe.wait_until_begun(1).await;
    assert_eq!(web.ask(&delete(&session)).await.0.status, 204);
    probe.wait_until_given_up(1).await;
    assert!(stream_of_it.message().await.is_none());
    for request in [legacy(&session, 2, "ping", json!({})), stream(&session), delete(&session)] {
        assert_eq!(web.answer(&request).await.0, 404);
    }
    assert_eq!(web.answer(&legacy(&other, 1, "ping", json!({}))).await.0, 200);
    web.stop().await;
}

#[tokio::test]
async fn http_09_there_are_only_so_many_sessions() {
    let (probe, handler) = Probe::serve();
    let web = Web::serve_with(handler, Limits { max_sessions: 2, ..Limits::default() }).await;
    let (listening, working) = (web.session().await, web.session().await);
    let mut connection = web.connect().await;
    connection.send(&stream(&listening)).await;
    assert_eq!(connection.head().await.unwrap().status, 200);
    let mut call_of_it = web.connect().await;
    call_of_it.send(&legacy(&working, 1, "tools/call", call("hold"))).await;
    probe.wait_until_begun(1).await;
    let (status, reply) = web.answer(&initialize()).await;
    assert_eq!((status, &reply["error"]["code"]), (503, &json!(1429)));
    // Clients with a session are served, and so are clients that need none.
    assert_eq!(web.answer(&legacy(&listening, 1, "ping", json!({}))).await.0, 200);
    assert_eq!(web.answer(&modern(1, "tools/list", json!({}))).await.0, 200);
    web.ask(&delete(&listening)).await;
    assert_eq!(web.answer(&initialize()).await.0, 200);
    probe.release();
    web.stop().await;
}

#[tokio::test]
async fn g_56_the_session_that_was_idle_for_longest_ends_before_a_new_one_is_refused() {
    let (probe, inner) = Probe::serve();
    let closing = Arc::new(Closing { inner, closed: watch::Sender::new(0) });
    let web = Web::serve_with(closing.clone(), Limits { max_sessions: 3, ..Limits::default() }).await;
    let (working, older, newer) = (web.session().await, web.session().await, web.session().await);
    let mut call_of_it = web.connect().await;
    call_of_it.send(&legacy(&working, 1, "tools/call", call("hold"))).await;
    probe.wait_until_begun(1).await;
    // This session is used again, so the other one has been idle for longer.
    assert_eq!(web.answer(&legacy(&older, 1, "ping", json!({}))).await.0, 200);
    let opened = web.session().await;
    assert_eq!(*closing.closed.borrow(), 1, "the handler hears of it");
    assert_eq!(web.answer(&legacy(&newer, 1, "ping", json!({}))).await.0, 404);
    for still_there in [&working, &older, &opened] {
        assert_eq!(web.answer(&legacy(still_there, 9, "ping", json!({}))).await.0, 200);
    }
    // Open ten times as many sessions as fit, one after the other.
    for _ in 0..30 {
        web.session().await;
    }
    probe.release();
    assert!(call_of_it.head().await.unwrap().status == 200, "a session in use is never ended");
    web.stop().await;
}

/// Starts every handshake and finishes none.
struct Undecided {
    begun: watch::Sender<usize>,
    closed: watch::Sender<usize>,
}

impl Handler for Undecided {
    fn call(&self, _exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        self.begun.send_modify(|count| *count += 1);
        Box::pin(std::future::pending())
    }

    fn closed(&self, _session: &Arc<Session>) {
        self.closed.send_modify(|count| *count += 1);
    }
}

#[tokio::test]
async fn g_56_a_client_that_goes_during_the_handshake_leaves_no_session_behind() {
    let handler = Arc::new(Undecided { begun: watch::Sender::new(0), closed: watch::Sender::new(0) });
    let limits = Limits { max_sessions: 1, drain: Duration::from_millis(100), ..Limits::default() };
    let web = Web::serve_with(handler.clone(), limits).await;
    for count in 1..=3 {
        let mut connection = web.connect().await;
        connection.send(&initialize()).await;
        let mut begun = handler.begun.subscribe();
        timeout(PATIENCE, begun.wait_for(|seen| *seen >= count)).await.expect("there is a place").unwrap();
        assert_eq!(web.answer(&initialize()).await.0, 503, "the only place is taken");
        drop(connection);
        let mut closed = handler.closed.subscribe();
        timeout(PATIENCE, closed.wait_for(|seen| *seen >= count)).await.expect("it is closed").unwrap();
    }
    web.stop().await;
}

#[tokio::test]
async fn g_49_an_answer_of_any_size_survives_a_reconnect() {
    let (_, handler) = Probe::serve();
    let web =
        Web::serve_with(handler, Limits { keep_alive: Duration::from_millis(50), ..Limits::default() }).await;
    let session = web.session().await;
    // The answer has ten megabytes and follows a notification that makes it a stream. No client is
    // connected when the answer comes.
    let params = json!({ "name": "noted", "arguments": { "value": 10 << 10 } });
    let mut first = web.connect().await;
    first.send(&legacy(&session, 1, "tools/call", params)).await;
    assert!(first.head().await.unwrap().is_stream());
    let prime = first.event().await.unwrap();
    drop(first);
    for _ in 0..2 {
        let mut again = web.connect().await;
        again.send(&stream(&session).header("Last-Event-ID", prime.id.as_ref().unwrap())).await;
        assert_eq!(again.head().await.unwrap().status, 200);
        let mut last = String::new();
        while let Some(event) = again.message().await {
            last = event.data;
        }
        let reply: Value = serde_json::from_str(&last).unwrap();
        assert_eq!(reply["result"]["content"][0]["text"].as_str().map(str::len), Some(10 << 20));
    }
    web.stop().await;
}

#[tokio::test]
async fn g_49_what_all_sessions_keep_is_bounded() {
    let (_, inner) = Probe::serve();
    let closing = Arc::new(Closing { inner, closed: watch::Sender::new(0) });
    let limits = Limits { max_total_replay_bytes: 3 << 20, ..Limits::default() };
    let web = Web::serve_with(closing.clone(), limits).await;
    let mut sessions = Vec::new();
    for _ in 0..5 {
        let session = web.session().await;
        let params = json!({ "name": "noted", "arguments": { "value": 1 << 10 } });
        let mut connection = web.connect().await;
        connection.send(&legacy(&session, 1, "tools/call", params)).await;
        let head = connection.head().await.unwrap();
        assert!(head.is_stream());
        let prime = connection.event().await.unwrap().id.unwrap();
        drop(connection);
        sessions.push((session, prime));
    }
    // The newest answer is kept. Older sessions ended to make room for it.
    let (session, prime) = sessions.pop().unwrap();
    let mut again = web.connect().await;
    again.send(&stream(&session).header("Last-Event-ID", &prime)).await;
    assert_eq!(again.head().await.unwrap().status, 200);
    let mut last = String::new();
    while let Some(event) = again.message().await {
        last = event.data;
    }
    assert!(last.len() > 1 << 20, "{}", last.len());
    web.stop().await;
}

/// Counts the sessions that are closed.
struct Closing {
    inner: Arc<dyn Handler>,
    closed: watch::Sender<usize>,
}

impl Handler for Closing {
    fn call(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
        self.inner.call(exchange)
    }

    fn closed(&self, session: &Arc<Session>) {
        self.inner.closed(session);
        self.closed.send_modify(|count| *count += 1);
    }
}

#[tokio::test]
async fn http_09_a_session_that_nobody_uses_ends() {
    let (probe, inner) = Probe::serve();
    let closing = Arc::new(Closing { inner, closed: watch::Sender::new(0) });
    let limits = Limits { session_idle: Duration::from_millis(300), ..Limits::default() };
    let web = Web::serve_with(closing.clone(), limits).await;
    let (idle, listening, working) = (web.session().await, web.session().await, web.session().await);
    // A session with an open stream or a running call is in use, so it does not end.
    let mut connection = web.connect().await;
    connection.send(&stream(&listening)).await;
    assert_eq!(connection.head().await.unwrap().status, 200);
    let mut call_of_it = web.connect().await;
    call_of_it.send(&legacy(&working, 1, "tools/call", call("hold"))).await;
    probe.wait_until_begun(1).await;
    let mut closed = closing.closed.subscribe();
    timeout(PATIENCE, closed.wait_for(|count| *count >= 1)).await.expect("it ends").unwrap();
    assert_eq!(web.answer(&legacy(&idle, 1, "ping", json!({}))).await.0, 404);
    assert_eq!(web.answer(&legacy(&listening, 1, "ping", json!({}))).await.0, 200);
    assert_eq!(web.answer(&legacy(&working, 2, "ping", json!({}))).await.0, 200);
    probe.release();
    web.stop().await;
}

#[tokio::test]
async fn http_10_a_state_is_worth_nothing_to_another_server() {
    let (one, other) = (Web::serve(by_name("example")).await, Web::serve(by_name("example")).await);
    let able = json!({ "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} } });
    let ask = |params: Value| {
        let mut body = crate::web::modern_body(1, "tools/call", params);
        for (key, value) in able.as_object().unwrap() {
            body["params"]["_meta"][key] = value.clone();
        }
        Request::post(body.to_string())
            .header("MCP-Protocol-Version", "2026-07-28")
            .header("Mcp-Method", "tools/call")
            .header("Mcp-Name", "test_input_required_result_request_state")
    };
    let tool = json!({ "name": "test_input_required_result_request_state", "arguments": {} });
    let (status, asked) = one.answer(&ask(tool.clone())).await;
    assert_eq!(status, 200);
    let mut answered = tool;
    answered["requestState"] = asked["result"]["requestState"].clone();
    answered["inputResponses"] = json!({ "confirm": { "action": "accept", "content": { "ok": true } } });
    let (_, refused) = other.answer(&ask(answered.clone())).await;
    assert_eq!(refused["error"]["code"], -32602);
    let (_, accepted) = one.answer(&ask(answered)).await;
    assert_eq!(accepted["result"]["resultType"], "complete");
    one.stop().await;
    other.stop().await;
}

#[tokio::test]
async fn http_14_a_client_that_comes_back_gets_the_rest_and_only_of_its_own() {
    let (probe, handler) = Probe::serve();
    let web = Web::serve(handler).await;
    let (mine, theirs) = (web.session().await, web.session().await);
    let mut first = web.connect().await;
    first.send(&legacy(&mine, 1, "tools/call", call("hold"))).await;
    assert!(first.head().await.unwrap().is_stream());
    // An event without data comes first, so that the stream can be resumed from its start.
    let prime = first.event().await.unwrap();
    let progress = first.message().await.unwrap();
    assert!(prime.data.is_empty() && progress.data.contains("notifications/progress"));
    drop(first);
    // An event of another session is not found.
    let stolen = stream(&theirs).header("Last-Event-ID", progress.id.as_ref().unwrap());
    assert_eq!(web.answer(&stolen).await.0, 400);
    for nonsense in ["", "x", "1", "1-x", "-1--1", "99-0", "0-99999999999999999999999"] {
        let (status, _) = web.answer(&stream(&mine).header("Last-Event-ID", nonsense)).await;
        assert_eq!(status, 400, "{nonsense}");
    }
    // Resuming at the start brings all events, and resuming at the progress the rest.
    let mut again = web.connect().await;
    again.send(&stream(&mine).header("Last-Event-ID", prime.id.as_ref().unwrap())).await;
    assert!(again.message().await.is_none_or(|event| event == progress));
    drop(again);
    let mut last = web.connect().await;
    last.send(&stream(&mine).header("Last-Event-ID", progress.id.as_ref().unwrap())).await;
    assert_eq!(last.head().await.unwrap().status, 200);
    assert_eq!(probe.given_up(), 0);
    probe.release();
    assert!(last.message().await.unwrap().data.contains("released"));
    assert!(last.message().await.is_none(), "the stream ends with the answer");
    web.stop().await;
}

#[tokio::test]
async fn http_14_an_answer_that_is_larger_than_what_is_kept_still_arrives() {
    let (_, handler) = Probe::serve();
    let limits = Limits { max_replay_bytes: 64 << 10, ..Limits::default() };
    let web = Web::serve_with(handler, limits).await;
    let session = web.session().await;
    for tool in ["big", "noted"] {
        let params = json!({ "name": tool, "arguments": { "value": 200 } });
        let (status, reply) = web.answer(&legacy(&session, 1, "tools/call", params)).await;
        assert_eq!(status, 200);
        assert_eq!(reply["result"]["content"][0]["text"].as_str().map(str::len), Some(200 << 10), "{tool}");
    }
    web.stop().await;
}

#[tokio::test]
async fn http_14_what_belongs_to_no_request_waits_for_the_client() {
    let web = Web::serve(by_name("example")).await;
    let session = web.session().await;
    let params = json!({ "name": "test_trigger_tool_change", "arguments": {} });
    assert_eq!(web.answer(&legacy(&session, 1, "tools/call", params)).await.0, 200);
    let mut connection = web.connect().await;
    connection.send(&stream(&session)).await;
    assert_eq!(connection.head().await.unwrap().status, 200);
    assert!(connection.message().await.unwrap().data.contains("notifications/tools/list_changed"));
    // A second stream ends the first, so that nothing is sent twice.
    let mut second = web.connect().await;
    second.send(&stream(&session)).await;
    assert_eq!(second.head().await.unwrap().status, 200);
    assert!(connection.message().await.is_none());
    let (head, _) = web.ask(&note(&session, "notifications/roots/list_changed", json!({}))).await;
    assert_eq!(head.status, 202);
    web.stop().await;
}
