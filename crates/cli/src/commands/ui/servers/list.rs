//! All known servers: those in the logs and those whose tools are remembered, with what people
//! decided about each.
use std::collections::BTreeMap;

use overt_gateway::pins::{PinStore, Record, State};
use overt_layers::grants::TrustedServer;
use overt_state::audit::{NewestRecords, RecordQuery};
use overt_state::grants::SqliteStore;
use serde_json::{Value, json};

use super::super::problem::Problem;
use super::restarts::{self, Restarts};
use super::usage::{Key, Usage, lately, read};
use crate::error::CommandError;
use crate::settings::{UiSettings, logs_in, remembered_identity};

/// Everything known about one server.
#[derive(Debug, Default)]
struct KnownServer {
    usage: Usage,
    restarts: Restarts,
    record: Option<Record>,
}

/// How often Overt was started for the servers of one log, and how often it had ended before
/// without closing the log.
#[derive(Debug, Default, Clone)]
struct StartCounts {
    starts: usize,
    crashes: usize,
    last: String,
}

/// The most servers in an answer.
const MOST_SERVERS: usize = 1_000;
/// The most start and recovery records that are counted, each.
const MOST_STARTS: usize = 10_000;

pub(in super::super) fn list(settings: &UiSettings) -> Result<Value, Problem> {
    let mut known: BTreeMap<Key, KnownServer> = BTreeMap::new();
    for (key, usage) in read(settings) {
        known.entry(key).or_default().usage = usage;
    }
    let mut unreadable = Vec::new();
    for entry in PinStore::new(settings.state.path()).all().map_err(CommandError::from)? {
        match entry.record {
            Ok(record) => {
                let key = key_of(&record);
                if known.len() < MOST_SERVERS || known.contains_key(&key) {
                    known.entry(key).or_default().record = Some(record);
                }
            }
            Err(error) => unreadable.push(format!("what is remembered of server {}: {error}", entry.id)),
        }
    }
    for (key, restarts) in restarts::read(settings) {
        if let Some(known) = known.get_mut(&key) {
            known.restarts = restarts;
        }
    }
    let trusted = SqliteStore::open_if_there(settings.state.path())?
        .map_or_else(|| Ok(Vec::new()), |store| store.trusted())?;
    let starts = starts(settings);
    let servers: Vec<Value> = known.iter().map(|(key, known)| known.json(key, &trusted, &starts)).collect();
    Ok(json!({ "servers": servers, "unreadable": unreadable }))
}

/// Returns the key of a record's server, as the log names it.
fn key_of(record: &Record) -> Key {
    let identity = remembered_identity(&record.identity);
    let (name, id) = identity.split_once('#').map_or((&*identity, None), |(name, id)| (name, Some(id)));
    Key {
        name: name.to_owned(),
        id: id.map(str::to_owned),
        project: record.identity.directory().map(str::to_owned),
    }
}

fn starts(settings: &UiSettings) -> BTreeMap<String, StartCounts> {
    let logs = logs_in(&settings.logs);
    let mut all: BTreeMap<String, StartCounts> = BTreeMap::new();
    for kind in ["start", "recovery"] {
        let wanted = RecordQuery { texts: vec![format!("\"kind\":\"{kind}\"")], ..lately() };
        let mut records = NewestRecords::open_own(&logs, &wanted);
        for _ in 0..MOST_STARTS {
            let Some((log, record)) = records.next() else { break };
            if record.text("kind") != kind {
                continue;
            }
            let of_log = all.entry(records.name_of(log).to_owned()).or_default();
            match kind {
                "start" => {
                    of_log.starts += 1;
                    if of_log.last.is_empty() {
                        of_log.last = record.text("ts");
                    }
                }
                _ => of_log.crashes += 1,
            }
        }
    }
    all
}

impl KnownServer {
    fn json(&self, key: &Key, trusted: &[TrustedServer], starts: &BTreeMap<String, StartCounts>) -> Value {
        let identity = key.identity();
        let is_it = |one: &&TrustedServer| one.project == key.project && one.server == identity;
        let trust = trusted.iter().find(is_it).map(|one| one.trust.to_string());
        let starts = self.usage.log.as_ref().and_then(|log| starts.get(log));
        let mut value = self.usage.json();
        value["name"] = key.name.as_str().into();
        value["identity"] = identity.into();
        value["project"] = key.project.clone().into();
        value["trust"] = trust.into();
        value["isOwn"] = key.id.is_none().into();
        value["pins"] = self.record.as_ref().map_or(Value::Null, pins_json);
        value["restarts"] = key.id.as_ref().map_or(Value::Null, |_| self.restarts.json());
        value["starts"] = starts.map_or(
            Value::Null,
            |StartCounts { starts, crashes, last }| json!({ "count": starts, "crashes": crashes, "last": last }),
        );
        value
    }
}

/// Summarizes the state of a server's tools.
fn pins_json(record: &Record) -> Value {
    let (waiting, removed) = (record.waiting().count(), record.removed().count());
    let accepted = record.tools.values().filter(|pin| pin.state() == State::Accepted).count();
    let tools = |count: usize| if count == 1 { "1 tool".to_owned() } else { format!("{count} tools") };
    let mut words = vec![format!("{} as accepted", tools(accepted))];
    if waiting > 0 {
        words.push(format!("{} not accepted yet as the server shows it", tools(waiting)));
    }
    if removed > 0 {
        words.push(format!("{} no longer listed by the server", tools(removed)));
    }
    json!({
        "id": record.identity.id(),
        "state": if waiting + removed > 0 { "changed" } else { "accepted" },
        "words": words.join(", "),
    })
}
