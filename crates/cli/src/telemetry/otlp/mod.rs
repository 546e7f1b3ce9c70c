//! Sends spans to an OpenTelemetry collector as OTLP over HTTP with JSON. No request waits for the
//! collector.
mod counts; // numbers of spans sent and dropped
mod span; // turns a completed request into a span
mod encode; // encodes spans for collectors
mod export; // batches, retries and drops
mod anchors; // sends audit checkpoints as log records
#[cfg(test)]
mod tests;

pub(crate) use anchors::CollectorAnchors;
pub(crate) use counts::Spans;
pub(crate) use export::{Exporter, Pace};
