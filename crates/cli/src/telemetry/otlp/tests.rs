//! Tests with a collector that records requests, one that fails for a while, and one that does not
//! exist.
use std::sync::{Arc, Mutex};
use std::time::Duration;

use overt_layers::observe::{Direction, Observer as _, Outcome};
use overt_wire::json::{Json, JsonBuf};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::{Exporter, Pace};
use crate::settings::OtlpSettings;
use crate::telemetry::sample::{call, end, message};

const QUICK: Pace = Pace { gather: Duration::from_millis(20), first_pause: Duration::from_millis(5) };
/// Longer than any test, so that spans are sent only because a batch is full or the process ends.
const SLOW: Pace = Pace { gather: Duration::from_secs(600), first_pause: Duration::from_secs(600) };

/// The head and body of each request to the collector.
type Log = Arc<Mutex<Vec<(String, String)>>>;

/// Starts a collector that answers each request with the next status, and repeats the last one.
async fn collector(statuses: &'static [u16]) -> (OtlpSettings, Log) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1/traces", listener.local_addr().unwrap());
    let log = Log::default();
    let taken = Arc::clone(&log);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream, statuses, Arc::clone(&taken)));
        }
    });
    let headers = vec![("api-key".to_owned(), "k".to_owned())];
    (OtlpSettings { url, headers, service: "tested".into() }, log)
}

async fn answer(mut stream: TcpStream, statuses: &[u16], log: Log) -> Option<()> {
    let mut text = String::new();
    loop {
        let mut chunk = [0; 4096];
        let (head, body) = loop {
            if let Some((head, body)) = text.split_once("\r\n\r\n") {
                let length = head.lines().find_map(|line| line.strip_prefix("content-length: "))?;
                let length: usize = length.parse().unwrap();
                if body.len() >= length {
                    break (head.to_owned(), body[..length].to_owned());
                }
            }
            let count = stream.read(&mut chunk).await.ok().filter(|count| *count > 0)?;
            text.push_str(std::str::from_utf8(&chunk[..count]).unwrap());
        };
        text.clear();
        let status = {
            let mut log = log.lock().unwrap();
            log.push((head, body));
            statuses[(log.len() - 1).min(statuses.len() - 1)]
        };
        let response = format!("HTTP/1.1 {status} X\r\ncontent-length: 2\r\n\r\n{{}}");
        stream.write_all(response.as_bytes()).await.ok()?;
    }
}

fn spans(body: &str) -> Vec<JsonBuf> {
    let resource = JsonBuf::parse(body).unwrap();
    let scope = resource.as_json().get("resourceSpans").value().unwrap().elements().next().unwrap();
    let spans = scope.get("scopeSpans").value().unwrap().elements().next().unwrap().get("spans");
    spans.value().unwrap().elements().map(Json::to_buf).collect()
}

fn attribute(span: &JsonBuf, name: &str) -> Option<String> {
    let all = span.as_json().get("attributes").value()?.elements();
    let one = all.into_iter().find(|attribute| attribute.get("key").string().as_deref() == Some(name))?;
    Some(one.get("value").get("stringValue").string()?.into_owned())
}

async fn wait_until(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..2000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("waited too long until {what}");
}

#[tokio::test]
async fn a_request_becomes_a_span() {
    let (settings, log) = collector(&[200]).await;
    let exporter = Exporter::start(&settings, "pipe", SLOW).unwrap();
    let observer = exporter.observer();
    let ok = message(r#"{"jsonrpc":"2.0","id":"a","result":{}}"#);
    observer.ended(&call(Direction::ToServer), &end(Outcome::Ok, Some(&ok)));
    observer.ended(&call(Direction::ToServer), &end(Outcome::ToolError, Some(&ok)));
    observer.ended(&call(Direction::ToServer), &end(Outcome::Error(-32601), Some(&ok)));
    observer.ended(&call(Direction::ToServer), &end(Outcome::Cancelled, None));
    // Questions to the client are not recorded.
    observer.ended(&call(Direction::ToClient), &end(Outcome::Ok, Some(&ok)));
    let counts = Arc::clone(exporter.spans());
    exporter.finish().await;
    assert_eq!((counts.sent(), counts.dropped()), (4, 0));

    let log = log.lock().unwrap();
    let [(head, body)] = log.as_slice() else { panic!("{log:?}") };
    assert!(head.starts_with("POST /v1/traces HTTP/1.1"), "{head}");
    assert!(head.contains("content-type: application/json") && head.contains("api-key: k"), "{head}");
    assert!(body.contains(r#""key":"service.name","value":{"stringValue":"tested"}"#), "{body}");
    let spans = spans(body);
    let text = |span: &JsonBuf, member: &str| span.as_json().get(member).string().unwrap().into_owned();
    let first = &spans[0];
    assert_eq!(text(first, "traceId"), "0af7651916cd43dd8448eb211c80319c");
    assert_eq!(text(first, "spanId"), "b7ad6b7169203331");
    assert_eq!(text(first, "parentSpanId"), "1111111111111111");
    assert_eq!(text(first, "traceState"), "a=b");
    assert_eq!(text(first, "name"), "tools/call echo");
    assert_eq!(text(first, "startTimeUnixNano"), "1000000000");
    assert_eq!(text(first, "endTimeUnixNano"), "1003000000");
    assert_eq!(first.as_json().get("kind").value().and_then(Json::integer), Some(2));
    assert_eq!(first.as_json().get("status").value().unwrap().as_str(), "{}");
    for (name, value) in [
        ("mcp.method.name", "tools/call"),
        ("mcp.protocol.version", "2025-11-25"),
        ("mcp.session.id", "7"),
        ("jsonrpc.request.id", "a"),
        ("gen_ai.tool.name", "echo"),
        ("gen_ai.operation.name", "execute_tool"),
        ("network.transport", "pipe"),
    ] {
        assert_eq!(attribute(first, name).as_deref(), Some(value), "{name}");
    }
    assert_eq!(attribute(first, "error.type"), None);
    for (span, error) in spans[1..].iter().zip(["tool_error", "-32601", "cancelled"]) {
        assert_eq!(attribute(span, "error.type").as_deref(), Some(error));
        assert_eq!(span.as_json().get("status").value().unwrap().as_str(), r#"{"code":2}"#);
    }
    assert_eq!(attribute(&spans[2], "rpc.response.status_code").as_deref(), Some("-32601"));
}

#[tokio::test]
async fn spans_go_in_bounded_batches() {
    let (settings, log) = collector(&[200]).await;
    let exporter = Exporter::start(&settings, "tcp", SLOW).unwrap();
    for _ in 0..1100 {
        exporter.observer().ended(&call(Direction::ToServer), &end(Outcome::Ok, None));
    }
    wait_until("two full batches were sent", || exporter.spans().sent() == 1024).await;
    let counts = Arc::clone(exporter.spans());
    exporter.finish().await;
    assert_eq!((counts.sent(), counts.dropped()), (1100, 0));
    let sizes: Vec<usize> = log.lock().unwrap().iter().map(|(_, body)| spans(body).len()).collect();
    assert_eq!(sizes, [512, 512, 76]);
}

#[tokio::test]
async fn a_collector_that_is_busy_is_asked_again_and_one_that_refuses_is_not() {
    let (settings, log) = collector(&[503, 429, 200]).await;
    let exporter = Exporter::start(&settings, "tcp", QUICK).unwrap();
    exporter.observer().ended(&call(Direction::ToServer), &end(Outcome::Ok, None));
    wait_until("it was taken", || exporter.spans().sent() == 1).await;
    assert_eq!(log.lock().unwrap().len(), 3);

    let (settings, log) = collector(&[400]).await;
    let exporter = Exporter::start(&settings, "tcp", QUICK).unwrap();
    exporter.observer().ended(&call(Direction::ToServer), &end(Outcome::Ok, None));
    wait_until("it was dropped", || exporter.spans().dropped() == 1).await;
    assert_eq!(log.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_dead_collector_costs_only_the_spans() {
    // No process listens at this address, because the listener was dropped.
    let address = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let url = format!("http://{address}/v1/traces");
    let exporter =
        Exporter::start(&OtlpSettings { url, headers: Vec::new(), service: "tested".into() }, "tcp", QUICK)
            .unwrap();
    // More spans than the queue holds. The observer never waits, so some are dropped.
    for _ in 0..2100 {
        exporter.observer().ended(&call(Direction::ToServer), &end(Outcome::Ok, None));
    }
    assert_eq!(exporter.spans().dropped(), 2100 - 2048);
    let counts = Arc::clone(exporter.spans());
    exporter.finish().await;
    // On a busy machine, the deadline at the end of the process may pass before this is done.
    wait_until("what was tried and not taken is counted", || counts.dropped() > 2100 - 2048).await;
    assert_eq!(counts.sent(), 0);
}

/// AUD-04: a collector keeps the checkpoints as anchors.
#[tokio::test]
async fn checkpoints_of_the_audit_log_are_log_records() {
    let (settings, log) = collector(&[200]).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    let written = tokio::task::spawn_blocking(move || {
        let anchors = super::CollectorAnchors::new(&settings).unwrap();
        let options = overt_state::audit::Options {
            sinks: vec![Box::new(anchors)],
            ..overt_state::audit::Options::new(&path)
        };
        overt_state::audit::AuditLog::open(path.join("log"), options).unwrap().close();
    });
    written.await.unwrap();
    let sent = log.lock().unwrap().clone();
    let [(head, body)] = sent.as_slice() else { panic!("{sent:?}") };
    assert!(head.starts_with("POST /v1/logs HTTP/1.1") && head.contains("api-key: k"), "{head}");
    let json = Json::parse(body).unwrap();
    let first =
        |json: Json<'_>, name: &str| json.get(name).value().unwrap().elements().next().unwrap().to_buf();
    let logs = first(json, "resourceLogs");
    let scope = first(logs.as_json(), "scopeLogs");
    let record = first(scope.as_json(), "logRecords");
    let text = record.as_json().at(&["body", "stringValue"]).string().unwrap().into_owned();
    let checkpoint = overt_state::audit::Checkpoint::read(Json::parse(&text).unwrap()).unwrap();
    let key = overt_state::audit::PublicKey::find(folder.path()).unwrap().unwrap();
    assert!(checkpoint.is_signed_by(&key) && checkpoint.seq == 3, "{text}");
}
