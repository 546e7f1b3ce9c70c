//! How often the connection to a server was lost and reopened lately, from the logs.
use std::collections::BTreeMap;

use overt_state::audit::{NewestRecords, Record, RecordQuery};
use serde_json::{Value, json};

use super::usage::{Key, lately};
use crate::settings::{UiSettings, logs_in};

/// The most records that are read, and the most servers that are distinguished.
const MOST_RECORDS: usize = 10_000;
const MOST_SERVERS: usize = 1_000;
/// The most losses that are shown.
const MOST_LOSSES: usize = 5;

/// Lost and reopened connections to one server.
#[derive(Debug, Default)]
pub(super) struct Restarts {
    restarts: usize,
    /// When it was last reopened; empty if never.
    last: String,
    lost: usize,
    /// Time and reason of each loss, the newest first.
    losses: Vec<(String, String)>,
}

pub(super) fn read(settings: &UiSettings) -> BTreeMap<Key, Restarts> {
    // No other member of a log line can contain this text, because quotes in strings are escaped.
    let wanted = RecordQuery { texts: vec!["\"kind\":\"upstream_".to_owned()], ..lately() };
    let mut servers: BTreeMap<Key, Restarts> = BTreeMap::new();
    for (_, record) in NewestRecords::open(&logs_in(&settings.logs), &wanted).take(MOST_RECORDS) {
        let some = |name: &str| Some(record.text(name)).filter(|text| !text.is_empty());
        let key = Key { name: record.text("server"), id: some("server_id"), project: some("project") };
        if servers.len() < MOST_SERVERS || servers.contains_key(&key) {
            servers.entry(key).or_default().count(&record);
        }
    }
    servers
}

impl Restarts {
    fn count(&mut self, record: &Record) {
        let at = record.text("ts");
        match &*record.text("kind") {
            "upstream_restart" => {
                self.restarts += 1;
                if self.last.is_empty() {
                    self.last = at;
                }
            }
            "upstream_lost" => {
                self.lost += 1;
                if self.losses.len() < MOST_LOSSES {
                    self.losses.push((at, record.text("reason")));
                }
            }
            _ => {}
        }
    }

    pub(super) fn json(&self) -> Value {
        let losses: Vec<Value> =
            self.losses.iter().map(|(at, reason)| json!({ "at": at, "reason": reason })).collect();
        json!({
            "count": self.restarts, "last": (!self.last.is_empty()).then_some(&self.last),
            "lost": self.lost, "losses": losses,
        })
    }
}
