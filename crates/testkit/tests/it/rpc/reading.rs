//! Clients that don't read: what waits for them is bounded, they are disconnected in the end, and
//! other clients are not affected.
use std::time::Duration;

use overt_testkit::http_raw::PATIENCE;
use overt_testkit::link::LineLink;
use overt_testkit::process::Process;
use overt_transport::limits::Limits;
use overt_transport::pair;
use overt_transport::stream::StreamEnd;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::time::{sleep, timeout};

use super::kit::after;
use crate::probe::Probe;
use crate::servers::{PROGRAM, by_name};
use crate::web::modern_body;

/// Waits until a number has not changed for a while, and returns it.
async fn settled(mut number: impl FnMut() -> usize) -> usize {
    let (mut last, mut same) = (number(), 0);
    while same < 10 {
        sleep(Duration::from_millis(100)).await;
        let now = number();
        same = if now == last { same + 1 } else { 0 };
        last = now;
    }
    last
}

#[tokio::test]
async fn rpc_16_no_more_is_answered_than_can_wait_to_be_read() {
    let (probe, handler) = Probe::serve();
    let limits = Limits { max_queued_bytes: 100 << 10, ..Limits::default() };
    let mut link = LineLink::memory(handler.clone(), limits);
    // The server gets all of it with one read.
    let many: String = (0..200)
        .map(|id| {
            modern_body(id, "tools/call", json!({ "name": "big", "arguments": { "value": 100 } })).to_string()
                + "\n"
        })
        .collect();
    assert!(many.len() < 64 << 10);
    link.write(many.as_bytes()).await;
    probe.wait_until_begun(1).await;
    let begun = settled(|| probe.begun()).await;
    assert!(begun <= 4, "{begun} answers of 100 kB, where 100 kB may wait");
    // Other clients are served meanwhile. When this client reads, it gets all answers.
    let mut other = LineLink::memory(handler, Limits::default());
    assert!(after(&mut other, b"").await.is_empty());
    for id in 0..200 {
        assert!(link.next().await.unwrap().contains(&format!(r#""id":{id},"result""#)));
    }
    assert_eq!(probe.begun(), 200);
}

#[tokio::test]
async fn rpc_16_the_process_of_a_client_that_does_not_read_stays_small() {
    let mut process = Process::start(PROGRAM, &["--stdio"]);
    let mut input = process.input.take().unwrap();
    let call = |id| {
        modern_body(id, "tools/call", json!({ "name": "count", "arguments": { "limit": 100_000 } }))
            .to_string()
    };
    let many: String = (0..120).map(|id| call(id) + "\n").collect();
    let before = process.peak_memory();
    input.write_all(many.as_bytes()).await.unwrap();
    let peak = settled(|| process.peak_memory()).await;
    // Each answer has 0.6 MB, so all of them together would have 70 MB.
    assert!(peak - before < 40 << 20, "{} MB", (peak - before) >> 20);
}

#[tokio::test]
async fn rpc_16_whoever_never_reads_is_cut_off() {
    let (probe, handler) = Probe::serve();
    let limits = Limits { write_deadline: Duration::from_millis(200), ..Limits::default() };
    let (mut client, served) = pair::connect(handler, limits);
    let big =
        modern_body(1, "tools/call", json!({ "name": "big", "arguments": { "value": 2_000 } })).to_string();
    let held = modern_body(2, "tools/call", json!({ "name": "hold", "arguments": {} })).to_string();
    client.write_all(format!("{held}\n{big}\n").as_bytes()).await.unwrap();
    let ended = timeout(PATIENCE, served).await.expect("it is cut off").unwrap();
    assert_eq!(ended, StreamEnd::OutputClosed);
    // The client's other requests end with it.
    probe.wait_until_given_up(1).await;
}

#[tokio::test]
async fn rpc_16_a_client_that_does_not_read_its_news_keeps_nobody_waiting() {
    let handler = by_name("example");
    let limits = Limits { max_queued_messages: 4, max_queued_bytes: 1 << 10, ..Limits::default() };
    let mut deaf = LineLink::memory(handler.clone(), limits);
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    deaf.ask(&json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }).to_string())
        .await;
    assert!(after(&mut deaf, br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await.is_empty());
    let mut other = LineLink::memory(handler, Limits::default());
    let trigger = json!({ "name": "test_trigger_tool_change", "arguments": {} });
    let all = async {
        for id in 0..3_000 {
            let reply = other.ask(&modern_body(id, "tools/call", trigger.clone()).to_string()).await;
            assert!(reply.contains("announced"), "{reply}");
        }
    };
    // This is well below the time after which the client that does not read is disconnected.
    timeout(Duration::from_secs(25), all).await.expect("nobody waits for a client that does not read");
}
