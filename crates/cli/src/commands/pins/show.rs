//! `overt pins list` and `overt pins diff`.
use overt_gateway::pins::{Digest, Entry, Record, State};

use super::choose::PinsContext;
use crate::args::Format;
use crate::error::{CommandError, Exit, user_error};
use crate::output::{diff_json, diff_text, one_line, servers_json, servers_text, shell_word};
use overt_operator::near::valid_names;

/// How many tools a suggested command names; for more it uses `--all`.
const MOST_NAMED: usize = 4;

pub(super) fn list(pins: &PinsContext<'_>) -> Result<Exit, CommandError> {
    let entries = pins.chosen()?;
    match pins.command.output.format {
        Format::Json => pins.command.printer.json(servers_json(&entries).as_json())?,
        Format::Text if entries.is_empty() => pins.command.printer.note("no server is remembered"),
        Format::Text => pins.command.printer.text(&servers_text(&entries, pins.command.printer.width()))?,
    }
    Ok(Exit::Ok)
}

pub(super) fn diff(pins: &PinsContext<'_>, tools: &[String]) -> Result<Exit, CommandError> {
    let mut servers = Vec::new();
    for Entry { id, record } in pins.chosen()? {
        let mut record = record?;
        if let Some(unknown) = tools.iter().find(|tool| !record.tools.contains_key(*tool)) {
            return Err(unknown_tool(unknown, &record));
        }
        record
            .tools
            .retain(|name, pin| pin.state() != State::Accepted && (tools.is_empty() || tools.contains(name)));
        if !record.tools.is_empty() {
            servers.push((id, record));
        }
    }
    match pins.command.output.format {
        Format::Json => pins.command.printer.json(diff_json(&servers).as_json())?,
        Format::Text if servers.is_empty() => {
            pins.command.printer.note("nothing differs from what was accepted");
        }
        Format::Text => {
            pins.command.printer.text(&diff_text(&servers))?;
            pins.command.printer.note("");
            servers.iter().for_each(|(_, record)| pins.command.printer.note(&how_to_decide(record)));
        }
    }
    for (_, record) in &servers {
        remember_shown(pins, record);
    }
    Ok(if servers.is_empty() { Exit::Ok } else { Exit::Findings })
}

/// Returns the commands that decide about the server's tools.
fn how_to_decide(record: &Record) -> String {
    let tools = match record.tools.len() {
        1..=MOST_NAMED => {
            record.tools.keys().map(|name| one_line(&shell_word(name))).collect::<Vec<_>>().join(" ")
        }
        _ => "--all".to_owned(),
    };
    let words = format!("{} {tools}", record.identity.id());
    let (now, before) = match record.tools.len() {
        1 => ("the tool as it is now", "it as it was"),
        _ => ("the tools as they are now", "them as they were"),
    };
    format!("`overt pins accept {words}` takes {now}, `overt pins keep {words}` keeps {before}")
}

/// Notes what the person was shown, so that they later accept exactly this and nothing newer.
fn remember_shown(pins: &PinsContext<'_>, shown: &Record) {
    let digests: Vec<(&str, Digest)> =
        shown.waiting().filter_map(|(name, pin)| Some((name, pin.unaccepted.as_ref()?.digest))).collect();
    let noted = pins.store.note_shown(&shown.identity, &digests);
    if let Err(error) = noted {
        pins.command.printer.warn(&format!("`overt pins accept` won't know that this was shown: {error}"));
    }
}

pub(super) fn unknown_tool(tool: &str, record: &Record) -> CommandError {
    let valid = match record.tools.is_empty() {
        true => "it has none".to_owned(),
        false => valid_names(tool, record.tools.keys().map(String::as_str)),
    };
    let server = record.identity.id();
    user_error(format!("no tool `{tool}` is remembered of server {server}; {valid}"))
}
