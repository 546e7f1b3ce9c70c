//! Writes the metrics in the text format of Prometheus, version 0.0.4. Labels are fixed words, so
//! nothing needs to be escaped.
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::counters::{BUCKETS, DIRECTIONS, METHODS, MethodCounters, Metrics, OUTCOMES};
use super::table::{self, Metric};

/// A page under construction.
pub(super) struct Page(String);

impl Page {
    pub(super) fn new() -> Self {
        Self(String::with_capacity(8 << 10))
    }

    pub(super) fn finish(self) -> String {
        self.0
    }

    /// Writes the lines that precede a metric's values.
    pub(super) fn head(&mut self, metric: &Metric) {
        let Metric { name, kind, help } = metric;
        let _ = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    /// Writes a metric with one value.
    pub(super) fn one(&mut self, metric: &Metric, value: u64) {
        self.head(metric);
        self.value(metric.name, "", value);
    }

    pub(super) fn value(&mut self, name: &str, labels: &str, value: impl std::fmt::Display) {
        let _ = match labels {
            "" => writeln!(self.0, "{name} {value}"),
            labels => writeln!(self.0, "{name}{{{labels}}} {value}"),
        };
    }

    fn by_direction(&mut self, metric: &Metric, values: &[AtomicU64; 2]) {
        self.head(metric);
        for (direction, value) in DIRECTIONS.iter().zip(values) {
            self.value(metric.name, &format!("direction=\"{direction}\""), value.load(Relaxed));
        }
    }

    /// Writes everything that is counted for messages.
    pub(super) fn conversations(&mut self, metrics: &Metrics) {
        let used = metrics.methods.iter().enumerate().map(|(index, counters)| (name_of(index), counters));
        let used: Vec<_> = used.filter(|(_, counters)| total(counters) > 0).collect();
        self.head(&table::REQUESTS);
        for (method, counters) in &used {
            for (outcome, count) in OUTCOMES.iter().zip(&counters.outcomes) {
                let count = count.load(Relaxed);
                if count > 0 {
                    let labels = format!("method=\"{method}\",outcome=\"{outcome}\"");
                    self.value(table::REQUESTS.name, &labels, count);
                }
            }
        }
        self.head(&table::DURATION);
        for (method, counters) in &used {
            self.histogram(method, counters);
        }
        self.by_direction(&table::IN_FLIGHT, &metrics.in_flight);
        self.by_direction(&table::NOTIFICATIONS, &metrics.notifications);
        self.by_direction(&table::BYTES, &metrics.bytes);
        self.one(&table::SESSIONS, metrics.sessions.load(Relaxed));
        self.one(&table::SESSIONS_TOTAL, metrics.sessions_total.load(Relaxed));
    }

    fn histogram(&mut self, method: &str, counters: &MethodCounters) {
        let name = table::DURATION.name;
        let mut so_far = 0;
        for (index, count) in counters.buckets.iter().enumerate() {
            so_far += count.load(Relaxed);
            let bound = BUCKETS.get(index).map_or_else(|| "+Inf".to_owned(), ToString::to_string);
            self.value(&format!("{name}_bucket"), &format!("method=\"{method}\",le=\"{bound}\""), so_far);
        }
        let labels = format!("method=\"{method}\"");
        let seconds = std::time::Duration::from_nanos(counters.nanoseconds.load(Relaxed)).as_secs_f64();
        self.value(&format!("{name}_sum"), &labels, seconds);
        self.value(&format!("{name}_count"), &labels, so_far);
    }
}

fn name_of(index: usize) -> &'static str {
    METHODS.get(index).map_or("other", |method| method.name())
}

fn total(counters: &MethodCounters) -> u64 {
    counters.outcomes.iter().map(|count| count.load(Relaxed)).sum()
}
