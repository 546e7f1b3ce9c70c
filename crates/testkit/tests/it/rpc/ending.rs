//! How a server ends: when its input ends, when its output is closed, on a signal. Pending requests
//! are answered, and the exit code is always 0.
use std::time::Duration;

use overt_testkit::http_raw::PATIENCE;
use overt_testkit::link::LineLink;
use overt_testkit::process::Process;
use overt_transport::limits::Limits;
use overt_transport::stream::{self, StreamEnd};
use rustix::process::Signal;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, duplex};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use super::kit::{after, process};
use crate::probe::Probe;
use crate::servers::{PROGRAM, by_name};
use crate::web::{Web, call, legacy, modern, modern_body};

/// Returns a call that takes some time.
fn slow(id: u64) -> String {
    modern_body(id, "tools/call", call("test_tool_with_progress")).to_string()
}

#[tokio::test]
async fn rpc_17_what_was_asked_before_the_input_ended_is_answered() {
    let mut link = process();
    link.send(&slow(1)).await;
    // The last line has no line break.
    link.write(br#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#).await;
    let rest = link.finish().await.join("\n");
    assert!(rest.contains(r#""id":1,"result""#), "{rest}");
    assert!(rest.contains(r#""id":2,"result""#), "{rest}");
}

#[tokio::test]
async fn g_47_after_the_end_of_input_a_request_ends_at_its_own_deadline() {
    let (probe, handler) = Probe::serve();
    let limits = Limits { request_deadline: Duration::from_millis(300), ..Limits::default() };
    let mut link = LineLink::memory(handler, limits);
    link.send(&modern_body(1, "tools/call", json!({ "name": "hold", "arguments": {} })).to_string()).await;
    probe.wait_until_begun(1).await;
    let rest = link.finish().await.join("\n");
    assert!(rest.contains(r#""id":1,"error":{"code":1408"#), "{rest}");
    probe.wait_until_given_up(1).await;
}

#[tokio::test]
async fn rpc_17_a_server_whose_output_is_closed_ends() {
    let mut process = Process::start(PROGRAM, &["--stdio"]);
    let mut input = process.input.take().unwrap();
    drop(process.output.take());
    // The server may have ended before this line.
    let _ = input.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").await;
    let status = process.ended().await;
    assert!(status.success(), "{status}");
}

#[tokio::test]
async fn rpc_17_a_half_closed_server_waits_without_spinning() {
    let mut process = Process::start(PROGRAM, &["--stdio"]);
    let mut output = BufReader::new(process.output.take().unwrap());
    let mut input = process.input.take().unwrap();
    input.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").await.unwrap();
    output.read_line(&mut String::new()).await.unwrap();
    drop(output);
    let before = process.processor_time();
    sleep(Duration::from_millis(600)).await;
    let used = process.processor_time() - before;
    assert!(used < Duration::from_millis(200), "{used:?} of processor time while there is nothing to do");
    drop(input);
    assert!(process.ended().await.success());
}

#[tokio::test]
async fn rpc_17_a_signal_lets_calls_end_and_then_the_server() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let mut process = Process::start(PROGRAM, &["--stdio"]);
        // The input stays open, so only the signal ends the server.
        let mut input = process.input.take().unwrap();
        let mut lines = BufReader::new(process.output.take().unwrap()).lines();
        input.write_all((slow(1) + "\n").as_bytes()).await.unwrap();
        assert!(lines.next_line().await.unwrap().unwrap().contains("notifications/progress"));
        process.signal(signal);
        let mut answered = false;
        while let Some(line) = lines.next_line().await.unwrap() {
            answered |= line.contains(r#""id":1,"result""#);
        }
        assert!(answered, "{signal:?}");
        assert!(process.ended().await.success(), "{signal:?}");
    }
}

#[tokio::test]
async fn rpc_17_a_signal_is_heard_while_the_client_never_pauses() {
    let mut process = Process::start(PROGRAM, &["--stdio"]);
    let mut input = process.input.take().unwrap();
    let mut output = process.output.take().unwrap();
    let flood = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n".repeat(2_000);
    let writing = tokio::spawn(async move { while input.write_all(&flood).await.is_ok() {} });
    let mut some = vec![0; 1 << 20];
    for _ in 0..20 {
        assert!(output.read(&mut some).await.unwrap() > 0);
    }
    let reading =
        tokio::spawn(async move { while output.read(&mut some).await.is_ok_and(|count| count > 0) {} });
    process.signal(Signal::TERM);
    let status = process.ended_within(Duration::from_secs(20)).await.expect("it hears the signal");
    assert!(status.success(), "{status}");
    writing.abort();
    reading.abort();
}

#[tokio::test]
async fn rpc_17_told_to_stop_it_does_not_wait_for_ever() {
    let (probe, handler) = Probe::serve();
    let limits = Limits { drain: Duration::from_millis(100), ..Limits::default() };
    let (ours, theirs) = duplex(64 << 10);
    let (reader, writer) = tokio::io::split(ours);
    let (stop, stopped) = oneshot::channel::<()>();
    let served = tokio::spawn(stream::serve(handler, reader, writer, limits, async { drop(stopped.await) }));
    let (mut still_open, mut input) = tokio::io::split(theirs);
    let hold = modern_body(1, "tools/call", json!({ "name": "hold", "arguments": {} })).to_string();
    input.write_all((hold + "\n").as_bytes()).await.unwrap();
    probe.wait_until_begun(1).await;
    stop.send(()).unwrap();
    assert_eq!(timeout(PATIENCE, served).await.expect("it stops").unwrap(), StreamEnd::Stopped);
    probe.wait_until_given_up(1).await;
    let mut rest = String::new();
    still_open.read_to_string(&mut rest).await.unwrap();
    assert!(rest.contains(r#""data":{"code":"STOPPED","executed":"unknown"}"#), "{rest}");
}

#[tokio::test]
async fn rpc_17_a_client_that_goes_takes_nothing_from_the_others() {
    let handler = by_name("example");
    let mut listener = LineLink::memory(handler.clone(), Limits::default());
    let wanted = json!({ "notifications": { "toolsListChanged": true } });
    let listening = listener.ask(&modern_body(1, "subscriptions/listen", wanted.clone()).to_string()).await;
    assert!(listening.contains("acknowledged"), "{listening}");
    let mut going = LineLink::memory(handler.clone(), Limits::default());
    going.ask(&modern_body(1, "subscriptions/listen", wanted.clone()).to_string()).await;
    going.finish().await;
    // A client that is still connected is notified of changes, and new listeners are accepted.
    let mut late = LineLink::memory(handler, Limits::default());
    let listening = late.ask(&modern_body(1, "subscriptions/listen", wanted).to_string()).await;
    assert!(listening.contains("acknowledged"), "{listening}");
    let trigger = json!({ "name": "test_trigger_tool_change", "arguments": {} });
    late.send(&modern_body(2, "tools/call", trigger).to_string()).await;
    assert!(listener.next().await.unwrap().contains("notifications/tools/list_changed"));
}

#[tokio::test]
async fn rpc_17_requests_over_http_are_answered_before_the_server_ends() {
    let (probe, handler) = Probe::serve();
    let web = Web::serve(handler).await;
    let address = web.address;
    let session = web.session().await;
    let (mut old, mut new, mut standing) = (web.connect().await, web.connect().await, web.connect().await);
    standing.send(&crate::web::stream(&session)).await;
    assert_eq!(standing.head().await.unwrap().status, 200);
    old.send(&legacy(&session, 1, "tools/call", json!({ "name": "hold", "arguments": {} }))).await;
    new.send(&modern(1, "tools/call", json!({ "name": "hold", "arguments": {} }))).await;
    probe.wait_until_begun(2).await;
    let ending = web.begin_to_stop();
    // The server has begun to stop when it accepts no new connections. It ends streams that would
    // stay open.
    while TcpStream::connect(address).await.is_ok() {
        sleep(Duration::from_millis(5)).await;
    }
    assert!(standing.message().await.is_none());
    probe.release();
    for connection in [&mut old, &mut new] {
        let head = connection.head().await.unwrap();
        let body = connection.body().await;
        assert_eq!(head.status, 200);
        assert!(body.contains("released"), "{body}");
    }
    timeout(PATIENCE, ending).await.expect("it ends").unwrap();
}

#[tokio::test]
async fn g_47_requests_over_http_that_take_too_long_are_answered_with_an_error() {
    let (probe, handler) = Probe::serve();
    let web =
        Web::serve_with(handler, Limits { drain: Duration::from_millis(200), ..Limits::default() }).await;
    let session = web.session().await;
    let (mut old, mut new) = (web.connect().await, web.connect().await);
    let hold = json!({ "name": "hold", "arguments": {} });
    old.send(&legacy(&session, 1, "tools/call", hold.clone())).await;
    new.send(&modern(1, "tools/call", hold)).await;
    probe.wait_until_begun(2).await;
    let ending = web.begin_to_stop();
    for connection in [&mut old, &mut new] {
        let head = connection.head().await.unwrap();
        let mut body = String::new();
        if head.is_stream() {
            while let Some(event) = connection.message().await {
                body = event.data;
            }
        } else {
            body = connection.body().await;
        }
        assert!(body.contains(r#""data":{"code":"STOPPED","executed":"unknown"}"#), "{body}");
    }
    timeout(PATIENCE, ending).await.expect("it ends").unwrap();
    probe.wait_until_given_up(2).await;
}

#[tokio::test]
async fn rpc_17_a_panic_outside_a_tool_ends_one_request_only() {
    use overt_wire::{BoxFuture, Exchange, Handler, Message, Method};
    struct Fragile;
    impl Handler for Fragile {
        fn call(&self, exchange: Exchange) -> BoxFuture<'_, Option<Message>> {
            let method = exchange.message.method();
            assert!(method == Some(Method::Ping), "on purpose");
            let id = exchange.message.id().cloned();
            Box::pin(async move {
                id.map(|id| Message::result(&id, overt_wire::json::JsonBuf::empty_object().as_json()))
            })
        }
    }
    let mut link = LineLink::memory(std::sync::Arc::new(Fragile), Limits::default());
    let reply = after(&mut link, br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).await;
    assert_eq!(reply.len(), 1);
    assert!(reply[0].contains("-32603"), "{reply:?}");
}
