//! Telemetry: logs, the trace file, spans, health and metrics. It observes conversations and never
//! changes them.
mod start; // starts and finishes what the settings ask for
mod log; // one log line per request
mod trace; // writes the conversation to a file
mod otlp; // spans for a collector
mod metrics; // metrics, and the pages that show them
#[cfg(test)]
mod sample;

pub(crate) use metrics::{AlwaysReady, Gauges};
pub(crate) use otlp::CollectorAnchors;
use otlp::Spans;
pub(crate) use start::{ServedTransport, Telemetry};
use trace::DropCounts;
