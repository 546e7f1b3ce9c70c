//! The servers that agents used lately, from the log: how often, how it ended, how long it took.
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use overt_layers::grants::TrustedServer;
use overt_state::audit::{Action, Actions, End, Newest, Wanted};
use overt_state::grants::SqliteStore;
use serde_json::{Value, json};

use super::problem::Problem;
use crate::settings::{UiSettings, logs_in};

/// How far back, and how many actions at most.
const LATELY: Duration = Duration::from_hours(7 * 24);
const MOST_ACTIONS: usize = 200_000;
/// Points of a plot.
const MOST_SAMPLES: usize = 500;
/// Servers and tools that are shown; names come from others.
const MOST_SERVERS: usize = 500;
const MOST_TOOLS: usize = 1_000;

/// A name and a project.
type Key = (String, Option<String>);

#[derive(Debug, Default)]
struct Server {
    counts: Counts,
    last: String,
    id: Option<String>,
    tools: BTreeMap<String, Tool>,
}

#[derive(Debug, Default)]
struct Tool {
    counts: Counts,
    /// When, in milliseconds since 1970, and how long, in microseconds; the last one first.
    took: Vec<(i64, u64)>,
}

#[derive(Debug, Default)]
struct Counts {
    calls: usize,
    refused: usize,
    failed: usize,
}

pub(super) fn list(settings: &UiSettings) -> Result<Value, Problem> {
    let wanted = Wanted { since: SystemTime::now().checked_sub(LATELY), ..Wanted::default() };
    let mut servers: BTreeMap<Key, Server> = BTreeMap::new();
    for action in Actions::new(Newest::open(&logs_in(&settings.logs), &wanted)).take(MOST_ACTIONS) {
        let key = (action.server.clone(), action.project.clone());
        if action.server.is_empty() || servers.len() >= MOST_SERVERS && !servers.contains_key(&key) {
            continue;
        }
        servers.entry(key).or_default().count(&action);
    }
    let trusted = SqliteStore::open_if_there(settings.state.path())?
        .map_or_else(|| Ok(Vec::new()), |store| store.trusted())?;
    let servers: Vec<Value> = servers.iter().map(|(key, server)| server.json(key, &trusted)).collect();
    Ok(json!({ "servers": servers }))
}

impl Counts {
    fn count(&mut self, action: &Action) {
        self.calls += 1;
        match action.end {
            End::Refused(_) => self.refused += 1,
            End::Failed(_) => self.failed += 1,
            End::Done | End::Open => {}
        }
    }
}

impl Server {
    fn count(&mut self, action: &Action) {
        self.counts.count(action);
        if self.last.is_empty() {
            self.last.clone_from(&action.ts);
            self.id.clone_from(&action.server_id);
        }
        let is_known = self.tools.contains_key(&action.target);
        if action.method != "tools/call" || self.tools.len() >= MOST_TOOLS && !is_known {
            return;
        }
        let tool = self.tools.entry(action.target.clone()).or_default();
        tool.counts.count(action);
        let at = action.ts.parse::<jiff::Timestamp>().map(jiff::Timestamp::as_millisecond);
        if let (Ok(at), Some(micros), End::Done) = (at, action.micros, &action.end) {
            tool.took.push((at, micros));
        }
    }

    fn json(&self, (name, project): &Key, trusted: &[TrustedServer]) -> Value {
        let is_it = |one: &&TrustedServer| {
            one.project == *project && (one.server == *name || self.id.as_ref() == Some(&one.server))
        };
        let trust = trusted.iter().find(is_it).map(|one| one.trust.to_string());
        let tools: Vec<Value> = self.tools.iter().map(|(name, tool)| tool.json(name)).collect();
        json!({
            "name": name, "project": project, "trust": trust, "last": self.last, "tools": tools,
            "calls": self.counts.calls, "refused": self.counts.refused, "failed": self.counts.failed,
        })
    }
}

impl Tool {
    fn json(&self, name: &str) -> Value {
        let mut sorted: Vec<u64> = self.took.iter().map(|(_, micros)| *micros).collect();
        sorted.sort_unstable();
        let samples: Vec<Value> =
            self.took.iter().take(MOST_SAMPLES).map(|(at, micros)| json!([at, micros])).collect();
        json!({
            "name": name, "calls": self.counts.calls, "refused": self.counts.refused,
            "failed": self.counts.failed, "samples": samples,
            "p50": percentile(&sorted, 50), "p90": percentile(&sorted, 90), "p99": percentile(&sorted, 99),
        })
    }
}

/// The smallest value that so many of a hundred are not above; none without values.
fn percentile(sorted: &[u64], of_hundred: usize) -> Option<u64> {
    let rank = (sorted.len() * of_hundred).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let hundred: Vec<u64> = (1..=100).collect();
        assert_eq!([50, 90, 99].map(|p| percentile(&hundred, p)), [Some(50), Some(90), Some(99)]);
        assert_eq!([50, 90, 99].map(|p| percentile(&[7], p)), [Some(7); 3]);
        assert_eq!(percentile(&[], 50), None);
        assert_eq!(percentile(&[1, 9], 50), Some(1));
    }
}
