//! Latencies of tools, from the audit log of the `overt run` in front of them.
use std::path::Path;

use overt_documents::card::Performance;
use overt_state::audit::{Percentiles, percentiles};

use super::joined::Subject;
use crate::commands::audit::unreadable;
use crate::error::CommandError;

/// Adds latencies to every tool that has records.
pub(super) fn add(subject: &mut Subject, dir: &Path) -> Result<(), CommandError> {
    let times = percentiles(dir, None).map_err(unreadable)?;
    for tool in &mut subject.description.tools {
        tool.measured = times.get(&tool.live.name).map(performance);
    }
    Ok(())
}

/// Converts to the card's whole milliseconds, rounded up; the smallest value is 1.
fn performance(times: &Percentiles) -> Performance {
    let millis = |micros: u64| Some(micros.div_ceil(1000).max(1));
    Performance {
        p50_latency_ms: millis(times.p50),
        p99_latency_ms: millis(times.p99),
        measurement_window: Some(format!("{} to {}, calls: {}", times.from, times.to, times.count)),
    }
}
