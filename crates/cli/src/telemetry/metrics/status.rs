//! The pages of the status address: `/healthz`, `/readyz`, `/metrics`. They show no payload, no
//! secret and no name that a peer chose.
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use overt_gateway::{Gateway, Stats};
use overt_transport::http::{Page, Pages};
use overt_wire::json::Object;

use super::counters::Metrics;
use super::prometheus;
use super::{process, table};
use crate::telemetry::{DropCounts, Spans};

/// Statistics of the upstream.
pub(crate) trait Gauges: Send + Sync + 'static {
    fn stats(&self) -> Stats;
}

/// All pages, with the data that they show.
pub(crate) struct StatusPages {
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) gauges: Arc<dyn Gauges>,
    pub(crate) trace: Option<Arc<DropCounts>>,
    pub(crate) spans: Option<Arc<Spans>>,
    pub(crate) started: SystemTime,
}

const TEXT: &str = "text/plain; charset=utf-8";
const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";

impl Gauges for Gateway {
    fn stats(&self) -> Stats {
        Gateway::stats(self)
    }
}

/// The gauges of a server without an upstream, which is always ready.
#[derive(Debug)]
pub(crate) struct AlwaysReady;

impl Gauges for AlwaysReady {
    fn stats(&self) -> Stats {
        Stats { up: true, ..Stats::default() }
    }
}

impl Pages for StatusPages {
    fn page(&self, path: &str) -> Option<Page> {
        match path {
            // If the process can answer at all, it is alive.
            "/healthz" => Some(ok()),
            "/readyz" => Some(self.ready()),
            "/metrics" => Some(Page { status: 200, content_type: PROMETHEUS, text: self.metrics() }),
            _ => None,
        }
    }
}

impl StatusPages {
    fn ready(&self) -> Page {
        let stats = self.gauges.stats();
        if stats.up {
            return ok();
        }
        let down = Object::new().string("status", "upstream down").value("lost", &stats.lost).finish();
        Page { status: 503, content_type: "application/json", text: format!("{}\n", down.as_str()) }
    }

    fn metrics(&self) -> String {
        let mut page = prometheus::Page::new();
        page.head(&table::BUILD);
        page.value(table::BUILD.name, concat!("version=\"", env!("CARGO_PKG_VERSION"), "\""), 1);
        page.one(&table::START, self.started.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()));
        if let Some(bytes) = process::resident_bytes() {
            page.one(&table::MEMORY, bytes);
        }
        page.conversations(&self.metrics);
        let upstream = self.gauges.stats();
        page.one(&table::UPSTREAM_UP, u64::from(upstream.up));
        page.one(&table::UPSTREAM_SESSIONS, upstream.upstream_sessions as u64);
        page.one(&table::UPSTREAM_OPENED, upstream.connected);
        page.one(&table::UPSTREAM_LOST, upstream.lost);
        page.one(&table::UPSTREAM_IN_FLIGHT, upstream.in_flight as u64);
        page.one(&table::UPSTREAM_DROPPED, upstream.dropped);
        page.one(&table::UPSTREAM_REFUSED, upstream.refused_questions);
        page.one(&table::SUSPENDED, upstream.suspended as u64);
        if let Some(trace) = &self.trace {
            page.one(&table::TRACE_DROPPED, trace.count());
        }
        if let Some(spans) = &self.spans {
            page.one(&table::SPANS_SENT, spans.sent());
            page.one(&table::SPANS_DROPPED, spans.dropped());
        }
        page.finish()
    }
}

fn ok() -> Page {
    Page { status: 200, content_type: TEXT, text: "ok\n".to_owned() }
}
