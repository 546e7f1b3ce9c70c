//! Formats remembered tools, as a table and as JSON.
use std::error::Error;
use std::time::{Duration, UNIX_EPOCH};

use anstyle::Style;
use overt_gateway::pins::{Definition, Entry, Pin, Record, State};
use overt_wire::json::{Array, JsonBuf, Object};
use overt_wire::rfc3339::format_millis;
use overt_wire::text::Untrusted;

use super::safe::{clip, one_line};
use super::style::{DANGER, DIM, NAME, PLAIN, TITLE, WARNING, paint};
use super::table::{Cell, Table};
use crate::settings::remembered_identity;

/// A table of tools for each server.
pub(crate) fn servers_text(entries: &[Entry], width: Option<usize>) -> String {
    let mut out = String::new();
    for (index, Entry { id, record }) in entries.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        match record {
            Ok(record) => {
                out.push_str(&server_line(record));
                let mut table = Table::new(vec!["TOOL", "STATE", "ACCEPTED", "SEEN OTHERWISE"]);
                record.tools.iter().for_each(|(name, pin)| table.row(row(name, pin)));
                if !record.tools.is_empty() {
                    out.push_str(&table.render(width));
                }
            }
            Err(error) => {
                out.push_str(&format!("{} {}\n", paint(TITLE, id), paint(DANGER, "broken")));
                let mut next: Option<&dyn Error> = Some(error);
                while let Some(error) = next {
                    out.push_str(&format!("  {}\n", one_line(&error.to_string())));
                    next = error.source();
                }
            }
        }
    }
    out
}

/// The id of a server in its directory, its name in grants, and how it is started or reached.
pub(super) fn server_line(record: &Record) -> String {
    let name = remembered_identity(&record.identity);
    format!(
        "{} {} {}\n",
        paint(TITLE, record.identity.id()),
        Untrusted(&name),
        paint(DIM, Untrusted(clip(&record.identity.text())))
    )
}

fn row(name: &str, pin: &Pin) -> Vec<Cell> {
    let (state, style) = state(pin.state());
    let when = |definition: &Option<Definition>, at: u64| match definition {
        Some(definition) => format!("{} {}", definition.digest.short(), minute(at)),
        None => String::new(),
    };
    vec![
        Cell::new(Untrusted(clip(name)).to_string(), NAME),
        Cell::new(state.to_owned(), style),
        Cell::new(when(&pin.accepted, pin.accepted_at), DIM),
        Cell::new(when(&pin.unaccepted, pin.unaccepted_at), PLAIN),
    ]
}

/// The state of a tool in one word, with its style.
pub(super) fn state(state: State) -> (&'static str, Style) {
    match state {
        State::Accepted => ("accepted", DIM),
        State::New => ("new", WARNING),
        State::Changed => ("changed", DANGER),
        State::Conflicting => ("conflicting", DANGER),
        State::Removed => ("removed", WARNING),
    }
}

/// The word for a state, for programs.
pub(crate) fn state_word(of: State) -> &'static str {
    state(of).0
}

/// All servers and tools, without the definitions.
pub(crate) fn servers_json(entries: &[Entry]) -> JsonBuf {
    let servers = entries.iter().fold(Array::new(), |array, Entry { id, record }| match record {
        Ok(record) => array.json(server_json(record, false).as_json()),
        Err(error) => {
            array.json(Object::new().string("id", id).string("error", &error.to_string()).finish().as_json())
        }
    });
    Object::new().json("servers", servers.finish().as_json()).finish()
}

/// The tools that differ from what a person accepted, with their definitions, as JSON.
pub(crate) fn diff_json(servers: &[(String, Record)]) -> JsonBuf {
    let servers = servers
        .iter()
        .fold(Array::new(), |array, (_, record)| array.json(server_json(record, true).as_json()));
    Object::new().json("servers", servers.finish().as_json()).finish()
}

fn server_json(record: &Record, in_full: bool) -> JsonBuf {
    let tools = record
        .tools
        .iter()
        .fold(Array::new(), |array, (name, pin)| array.json(tool_json(name, pin, in_full).as_json()));
    Object::new()
        .string("id", &record.identity.id())
        .string("name", &remembered_identity(&record.identity))
        .json("server", record.identity.json())
        .maybe("directory", record.identity.directory())
        .string("firstSeen", &moment(record.first_seen))
        .json("tools", tools.finish().as_json())
        .finish()
}

fn tool_json(name: &str, pin: &Pin, in_full: bool) -> JsonBuf {
    let mut object = Object::new().string("name", name).string("state", state(pin.state()).0);
    for (member, definition, at) in
        [("accepted", &pin.accepted, pin.accepted_at), ("seen", &pin.unaccepted, pin.unaccepted_at)]
    {
        if let Some(definition) = definition {
            let mut facts =
                Object::new().string("sha256", &definition.digest.to_string()).string("at", &moment(at));
            if let Some(text) = definition.text.as_ref().filter(|_| in_full) {
                facts = facts.json("definition", text.as_json());
            }
            object = object.json(member, facts.finish().as_json());
        }
    }
    object.maybe("goneAt", pin.gone_at.map(moment)).finish()
}

fn moment(seconds: u64) -> String {
    // A time beyond any clock is a mistake in the file; it is shown as the latest time.
    format_millis(UNIX_EPOCH.checked_add(Duration::from_secs(seconds.min(LATEST))).unwrap_or(UNIX_EPOCH))
}

/// The end of the year 9999, as seconds since 1970.
const LATEST: u64 = 253_402_300_799;

/// A time to the minute in UTC: `2026-07-28 09:05`.
fn minute(seconds: u64) -> String {
    moment(seconds)[..16].replace('T', " ")
}
