//! Statistics on the duration of calls, from the outcomes in a log.
use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use super::error::AuditError;
use super::filter::Filter;
use super::query::for_each;

/// Percentiles of the successful calls of one tool. A time runs from sending the request to the
/// upstream to its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Percentiles {
    pub count: u64,
    /// The times, in UTC, when the first and the last of these calls ended.
    pub from: String,
    pub to: String,
    /// The percentiles, in microseconds.
    pub p50: u64,
    pub p95: u64,
    pub p99: u64,
}

/// The most calls of a tool that are counted: the last ones.
const MOST: usize = 1 << 20;
/// The most tools that are distinguished.
const MOST_TOOLS: usize = 10_000;

/// Returns the percentiles of every tool in a log since a time.
pub fn percentiles(
    dir: &Path,
    since: Option<SystemTime>,
) -> Result<BTreeMap<String, Percentiles>, AuditError> {
    let filter = Filter { since, kind: Some("outcome".to_owned()), ..Filter::default() };
    let mut tools: BTreeMap<String, Times> = BTreeMap::new();
    for_each(dir, &filter, &mut |record| {
        let is_call = record.text("outcome") == "ok" && record.text("method") == "tools/call";
        let is_real = record.json().get("preview").is_absent();
        let time =
            record.json().at(&["latency_us", "upstream"]).value().and_then(overt_wire::json::Json::integer);
        if let (true, true, Some(time)) = (is_call, is_real, time.and_then(|time| u32::try_from(time).ok())) {
            let tool = record.text("target");
            if tools.len() < MOST_TOOLS || tools.contains_key(&tool) {
                tools.entry(tool).or_default().add(time, record.text("ts"));
            }
        }
        Ok(true)
    })?;
    Ok(tools.into_iter().filter_map(|(tool, times)| Some((tool, times.finish()?))).collect())
}

#[derive(Debug, Default)]
struct Times {
    micros: Vec<u32>,
    /// The index that the next value overwrites once the list is full.
    next: usize,
    from: String,
    to: String,
}

impl Times {
    fn add(&mut self, micros: u32, ts: String) {
        if self.micros.len() < MOST {
            self.micros.push(micros);
        } else {
            self.micros[self.next] = micros;
            self.next = (self.next + 1) % MOST;
        }
        if self.from.is_empty() {
            self.from.clone_from(&ts);
        }
        self.to = ts;
    }

    fn finish(mut self) -> Option<Percentiles> {
        self.micros.sort_unstable();
        let of = |percent: usize| {
            // The smallest value that this percentage of all values does not exceed.
            let rank = (self.micros.len() * percent).div_ceil(100).max(1);
            self.micros.get(rank - 1).map(|micros| u64::from(*micros))
        };
        let (p50, p95, p99) = (of(50)?, of(95)?, of(99)?);
        Some(Percentiles { count: self.micros.len() as u64, from: self.from, to: self.to, p50, p95, p99 })
    }
}
