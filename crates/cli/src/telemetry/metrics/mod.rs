//! Metrics of conversations and of the process, and the pages that show them.
mod counters; // counters, made of atomics only
mod table; // every metric with its help text, also shown in the documentation
mod prometheus; // the metrics in Prometheus' text format
mod process; // memory use of this process
mod status; // `/healthz`, `/readyz`, `/metrics`
#[cfg(test)]
mod tests;

pub(crate) use counters::Metrics;
pub(crate) use status::{AlwaysReady, Gauges, StatusPages};
