//! Seeing it work: logs, the trace file, spans, health and metrics. Observes conversations and
//! changes none.
mod start; // everything that was asked for, from start to end
mod log; // one log line per request
mod trace; // the conversation in a file
mod otlp; // spans for a collector
mod metrics; // numbers, and the pages that show them
#[cfg(test)]
mod sample;

pub(crate) use metrics::{AlwaysReady, Gauges};
pub(crate) use otlp::CollectorAnchors;
use otlp::Spans;
pub(crate) use start::{ServedTransport, Telemetry};
use trace::DropCounts;
