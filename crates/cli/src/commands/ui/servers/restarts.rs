//! How often the connection to a server was lost lately, and how often it was opened again, from
//! the log.
use std::collections::BTreeMap;

use overt_state::audit::{NewestRecords, Record, RecordQuery};
use serde_json::{Value, json};

use super::usage::{Key, lately};
use crate::settings::{UiSettings, logs_in};

/// Records that are read, and servers that are told apart.
const MOST_RECORDS: usize = 10_000;
const MOST_SERVERS: usize = 1_000;
/// Losses that are shown.
const MOST_LOSSES: usize = 5;

/// The life of the connections to one server.
#[derive(Debug, Default)]
pub(super) struct Restarts {
    restarts: usize,
    /// When it was started again last; empty if it was not.
    last: String,
    lost: usize,
    /// When and why, the last one first.
    losses: Vec<(String, String)>,
}

pub(super) fn read(settings: &UiSettings) -> BTreeMap<Key, Restarts> {
    // In a line of the log no other member can begin like that, because quotes in strings are
    // escaped.
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
