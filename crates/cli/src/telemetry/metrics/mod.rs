//! Numbers about conversations and about the process, and the pages that show them.
mod counters; // what is counted, by atomics only
mod table; // every metric with its help; the documentation shows the same
mod prometheus; // the numbers as text
mod process; // memory and start of this process
mod status; // `/healthz`, `/readyz`, `/metrics`
#[cfg(test)]
mod tests;

pub(crate) use counters::Metrics;
pub(crate) use status::{AlwaysReady, Gauges, StatusPages};
