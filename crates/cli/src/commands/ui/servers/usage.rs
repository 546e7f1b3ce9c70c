//! Recent calls of each server, from the logs: how often, with what outcome, how long they took.
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use overt_state::audit::{Action, Actions, End, NewestRecords, RecordQuery};
use serde_json::{Value, json};

use crate::settings::{UiSettings, logs_in};

/// How far back calls are read, and how many at most.
const LATELY: Duration = Duration::from_hours(7 * 24);
const MOST_ACTIONS: usize = 200_000;
/// The most points of a plot.
const MOST_SAMPLES: usize = 500;
/// The most servers and tools that are shown. Other programs choose their names and number.
const MOST_SERVERS: usize = 500;
const MOST_TOOLS: usize = 1_000;
/// The most failures that are listed.
const MOST_FAILURES: usize = 5;
/// The outcome of a call during which the connection to the server was lost.
const LOST: &str = "upstream_lost";

/// A server in a project.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) name: String,
    /// Distinguishes servers with the same name; `None` for a server of ours.
    pub(super) id: Option<String>,
    pub(super) project: Option<String>,
}

/// The recent calls of a server.
#[derive(Debug, Default)]
pub(super) struct Usage {
    counts: Counts,
    /// When it was last called; empty if never.
    last: String,
    pub(super) log: Option<String>,
    tools: BTreeMap<String, Tool>,
    /// The last calls that failed.
    failures: Vec<Failed>,
    /// Calls during which the connection to the server was lost.
    lost: usize,
}

#[derive(Debug)]
struct Failed {
    at: String,
    tool: String,
    word: String,
    call: String,
}

#[derive(Debug, Default)]
struct Tool {
    counts: Counts,
    /// The basis of the effect, as in the last call.
    basis: Option<String>,
    effect: Option<String>,
    /// Start in milliseconds since 1970 and duration in microseconds of each call, newest first.
    took: Vec<(i64, u64)>,
}

#[derive(Debug, Default)]
struct Counts {
    calls: usize,
    refused: usize,
    failed: usize,
}

/// Returns the servers with their recent calls.
pub(super) fn read(settings: &UiSettings) -> BTreeMap<Key, Usage> {
    let mut servers: BTreeMap<Key, Usage> = BTreeMap::new();
    for action in Actions::new(NewestRecords::open(&logs_in(&settings.logs), &lately())).take(MOST_ACTIONS) {
        let key = Key {
            name: action.server.clone(),
            id: action.server_id.clone(),
            project: action.project.clone(),
        };
        // A refused attempt to decide about a server is recorded too, but it is not a call.
        if action.server.is_empty() || action.method.is_empty() {
            continue;
        }
        if servers.len() >= MOST_SERVERS && !servers.contains_key(&key) {
            continue;
        }
        servers.entry(key).or_default().count(&action);
    }
    servers
}

/// Returns the query for the records of the last days.
pub(super) fn lately() -> RecordQuery {
    RecordQuery { since: SystemTime::now().checked_sub(LATELY), ..RecordQuery::default() }
}

impl Counts {
    fn count(&mut self, action: &Action) {
        self.calls += 1;
        match action.end {
            End::Refused(_) => self.refused += 1,
            End::Failed(_) | End::FailedBefore(_) => self.failed += 1,
            End::Done | End::Open => {}
        }
    }
}

impl Key {
    /// Returns the full name of the server, as grants have it.
    pub(super) fn identity(&self) -> String {
        self.id.as_ref().map_or_else(|| self.name.clone(), |id| format!("{}#{id}", self.name))
    }
}

impl Usage {
    fn count(&mut self, action: &Action) {
        self.counts.count(action);
        if self.last.is_empty() {
            self.last.clone_from(&action.ts);
            self.log = Some(action.log.clone());
        }
        if let End::Failed(_) | End::FailedBefore(_) = &action.end {
            let word = action.end.word();
            self.lost += usize::from(word == LOST);
            if self.failures.len() < MOST_FAILURES {
                let (at, tool) = (action.ts.clone(), action.target.clone());
                self.failures.push(Failed { at, tool, word: word.to_owned(), call: action.call.clone() });
            }
        }
        let is_known = self.tools.contains_key(&action.target);
        if action.method != "tools/call" || self.tools.len() >= MOST_TOOLS && !is_known {
            return;
        }
        let tool = self.tools.entry(action.target.clone()).or_default();
        if tool.basis.is_none() {
            tool.basis.clone_from(&action.basis);
            tool.effect.clone_from(&action.effect);
        }
        tool.counts.count(action);
        let at = action.ts.parse::<jiff::Timestamp>().map(jiff::Timestamp::as_millisecond);
        if let (Ok(at), Some(micros), End::Done) = (at, action.micros, &action.end) {
            tool.took.push((at, micros));
        }
    }

    pub(super) fn json(&self) -> Value {
        let tools: Vec<Value> = self.tools.iter().map(|(name, tool)| tool.json(name)).collect();
        let failures: Vec<Value> = self
            .failures
            .iter()
            .map(|Failed { at, tool, word, call }| json!({ "at": at, "tool": tool, "word": word, "call": call }))
            .collect();
        json!({
            "last": (!self.last.is_empty()).then_some(&self.last), "tools": tools,
            "calls": self.counts.calls, "refused": self.counts.refused, "failed": self.counts.failed,
            "failures": failures, "lost": self.lost,
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
            "failed": self.counts.failed, "samples": samples, "basis": self.basis, "effect": self.effect,
            "p50": percentile(&sorted, 50), "p90": percentile(&sorted, 90), "p99": percentile(&sorted, 99),
        })
    }
}

/// Returns the smallest value that is at least as large as this percentage of the values, or `None`
/// without values.
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
