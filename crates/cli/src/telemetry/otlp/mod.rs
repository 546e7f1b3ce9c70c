//! Spans for an OpenTelemetry collector: OTLP over HTTP in its JSON form. No request waits for the
//! collector.
mod counts; // how many spans were sent and dropped
mod span; // a request that ended, as a span
mod encode; // spans as the document that collectors take
mod export; // batches, retries, drops
mod anchors; // checkpoints of the audit log as log records
#[cfg(test)]
mod tests;

pub(crate) use anchors::CollectorAnchors;
pub(crate) use counts::Spans;
pub(crate) use export::{Exporter, Pace};
