//! Tests of the pages after a few calls.
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use overt_gateway::Stats;
use overt_layers::observe::{Call, Direction, Observer as _, Outcome, Text};
use overt_transport::http::Pages as _;
use overt_wire::Message;

use super::{Gauges, Metrics, StatusPages};
use crate::telemetry::sample::{call, end, message};

struct Fixed(Stats);

impl Gauges for Fixed {
    fn stats(&self) -> Stats {
        self.0
    }
}

fn pages(metrics: &Arc<Metrics>, up: bool) -> StatusPages {
    let stats = Stats { up, connected: 3, lost: 2, dropped: 9, ..Stats::default() };
    StatusPages {
        metrics: Arc::clone(metrics),
        gauges: Arc::new(Fixed(stats)),
        trace: None,
        spans: None,
        started: SystemTime::UNIX_EPOCH + Duration::from_secs(1000),
    }
}

fn metrics_page(pages: &StatusPages) -> String {
    let page = pages.page("/metrics").unwrap();
    assert_eq!((page.status, page.content_type), (200, "text/plain; version=0.0.4; charset=utf-8"));
    page.text
}

#[test]
fn calls_are_counted_by_method_and_outcome() {
    let metrics = Arc::<Metrics>::default();
    let answer = message(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    let size = answer.text().len();
    metrics.session_began(1);
    metrics.session_began(2);
    metrics.session_ended(1);
    for outcome in [Outcome::Ok, Outcome::Ok, Outcome::ToolError, Outcome::Error(-1), Outcome::Cancelled] {
        metrics.began(&call(Direction::ToServer), Text::Message(&answer));
        metrics.ended(&call(Direction::ToServer), &end(outcome, Some(&answer)));
    }
    metrics.began(&call(Direction::ToServer), Text::Message(&answer));
    let unknown = Call { method: None, ..call(Direction::ToClient) };
    metrics.began(&unknown, Text::Message(&answer));
    metrics.ended(&unknown, &end(Outcome::Ok, None));
    metrics.notified(&call(Direction::ToClient), &Message::notification("x", None));

    let page = metrics_page(&pages(&metrics, true));
    for line in [
        "# TYPE overt_requests_total counter".to_owned(),
        r#"overt_requests_total{method="tools/call",outcome="ok"} 2"#.to_owned(),
        r#"overt_requests_total{method="tools/call",outcome="tool_error"} 1"#.to_owned(),
        r#"overt_requests_total{method="tools/call",outcome="error"} 1"#.to_owned(),
        r#"overt_requests_total{method="tools/call",outcome="cancelled"} 1"#.to_owned(),
        r#"overt_requests_total{method="other",outcome="ok"} 1"#.to_owned(),
        r#"overt_request_duration_seconds_bucket{method="tools/call",le="0.0025"} 0"#.to_owned(),
        r#"overt_request_duration_seconds_bucket{method="tools/call",le="0.005"} 5"#.to_owned(),
        r#"overt_request_duration_seconds_bucket{method="tools/call",le="+Inf"} 5"#.to_owned(),
        r#"overt_request_duration_seconds_sum{method="tools/call"} 0.015"#.to_owned(),
        r#"overt_request_duration_seconds_count{method="tools/call"} 5"#.to_owned(),
        r#"overt_requests_in_flight{direction="to_server"} 1"#.to_owned(),
        r#"overt_requests_in_flight{direction="to_client"} 0"#.to_owned(),
        r#"overt_notifications_total{direction="to_client"} 1"#.to_owned(),
        r#"overt_message_bytes_total{direction="to_server"} 600"#.to_owned(),
        format!(r#"overt_message_bytes_total{{direction="to_client"}} {}"#, 200 + 5 * size),
        "overt_sessions 1".to_owned(),
        "overt_sessions_total 2".to_owned(),
        "overt_upstream_up 1".to_owned(),
        "overt_upstream_opened_total 3".to_owned(),
        "overt_upstream_lost_total 2".to_owned(),
        "overt_upstream_dropped_messages_total 9".to_owned(),
        "process_start_time_seconds 1000".to_owned(),
    ] {
        assert!(page.lines().any(|found| found == line), "{line} in:\n{page}");
    }
    assert!(!page.contains("echo"), "names of tools are other people's words");
}

#[test]
fn every_line_is_a_comment_or_a_value() {
    let metrics = Arc::<Metrics>::default();
    metrics.began(&call(Direction::ToServer), Text::Question { method: "x", params: None });
    metrics.ended(&call(Direction::ToServer), &end(Outcome::Ok, None));
    for line in metrics_page(&pages(&metrics, true)).lines() {
        let value = line.rsplit(' ').next().unwrap();
        assert!(line.starts_with("# ") || value.parse::<f64>().is_ok(), "{line}");
    }
}

#[test]
fn a_process_lives_while_its_upstream_is_down() {
    let metrics = Arc::<Metrics>::default();
    let page = |up: bool, path: &str| pages(&metrics, up).page(path).map(|page| (page.status, page.text));
    assert_eq!(page(true, "/healthz"), Some((200, "ok\n".to_owned())));
    assert_eq!(page(false, "/healthz"), Some((200, "ok\n".to_owned())));
    assert_eq!(page(true, "/readyz"), Some((200, "ok\n".to_owned())));
    let down = "{\"status\":\"upstream down\",\"lost\":2}\n".to_owned();
    assert_eq!(page(false, "/readyz"), Some((503, down)));
    assert_eq!(page(true, "/other"), None);
}
