//! Sends bad input followed by a good request, and checks both answers.
use std::path::Path;

use overt_testkit::link::LineLink;
use overt_testkit::transcript::{Kept, Pattern};
use overt_transport::limits::Limits;
use overt_wire::json::Json;

use crate::servers::{PROGRAM, by_name};
use crate::web::Web;

use overt_testkit::http_raw::Request;

/// Starts the example server as a process.
pub(super) fn process() -> LineLink {
    LineLink::process(Path::new(PROGRAM))
}

/// Starts a server in memory.
pub(super) fn memory(server: &str) -> LineLink {
    LineLink::memory(by_name(server), Limits::default())
}

/// Returns the messages that come for some bytes, before the answer to a request that follows them.
pub(super) async fn after(link: &mut LineLink, bytes: &[u8]) -> Vec<String> {
    link.write(bytes).await;
    link.write(b"\n{\"jsonrpc\":\"2.0\",\"id\":\"good\",\"method\":\"ping\"}\n").await;
    let mut came = Vec::new();
    loop {
        let line = link.next().await.expect("the session goes on");
        if line == r#"{"jsonrpc":"2.0","id":"good","result":{}}"# {
            return came;
        }
        came.push(line);
    }
}

/// Compares messages with patterns, one for each.
pub(super) fn must_be(case: &[u8], came: &[String], patterns: &[&str]) {
    let shown = String::from_utf8_lossy(&case[..case.len().min(200)]).into_owned();
    assert_eq!(came.len(), patterns.len(), "for {shown}: {came:?}");
    for (text, pattern) in came.iter().zip(patterns) {
        let verdict = Pattern::parse(pattern).unwrap().check(Json::parse(text).unwrap(), &mut Kept::new());
        assert_eq!(verdict, Ok(()), "for {shown}");
    }
}

/// Sends bad lines to a process, and bad bodies to an HTTP server. Each must get exactly one error,
/// and the next request must be answered as usual.
pub(super) async fn refuses(cases: &[(&[u8], &str)]) {
    let mut link = process();
    for (bad, error) in cases {
        must_be(bad, &after(&mut link, bad).await, &[error]);
    }
    assert!(link.finish().await.is_empty());
    let web = Web::serve(by_name("example")).await;
    let mut connection = web.connect().await;
    for (bad, error) in cases {
        let (head, body) = connection.ask(&Request::post(*bad)).await;
        assert_eq!(head.status, 400, "{body}");
        must_be(bad, &[body], &[error]);
    }
    let session = web.session().await;
    let (status, _) = web.answer(&crate::web::legacy(&session, 1, "ping", serde_json::json!({}))).await;
    assert_eq!(status, 200);
    web.stop().await;
}
