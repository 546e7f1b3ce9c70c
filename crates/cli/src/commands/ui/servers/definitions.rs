//! The remembered tools of one server: what the server says about each, how many tokens each costs
//! a model, and how it differs from the accepted definition.
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, UNIX_EPOCH};

use overt_documents::live::LiveTool;
use overt_gateway::pins::{Definition, Pin, PinStore, Record, State};
use overt_policy::Basis;
use overt_wire::json::JsonBuf;
use overt_wire::rfc3339::format_millis;
use serde_json::{Value, json};

use super::super::long_diff;
use super::super::problem::Problem;
use crate::cost::{Shape, TokenCounter};
use crate::error::CommandError;
use crate::output::{file_diff, pretty, state_word};
use crate::settings::{UiSettings, remembered_identity};

/// The most tools in an answer, and the most bytes of their definitions.
const MOST_TOOLS: usize = 1_000;
const MOST_TEXT: usize = 4 << 20;
/// The digest of a tool that the server does not list any more.
pub(super) const REMOVED: &str = "removed";

pub(in super::super) fn remembered(
    settings: &UiSettings,
    counter: &OnceLock<Option<TokenCounter>>,
    id: &str,
) -> Result<Value, Problem> {
    let record = record(settings, id)?;
    let mut room = MOST_TEXT;
    let tools: Vec<Value> = record
        .tools
        .iter()
        .take(MOST_TOOLS)
        .map(|(name, pin)| tool_json(name, pin, counter, &mut room))
        .collect();
    let tokens: u64 = tools.iter().filter_map(|tool| tool["tokens"].as_u64()).sum();
    Ok(json!({
        "id": id,
        "identity": remembered_identity(&record.identity),
        "started": record.identity.text(),
        "firstSeen": moment(record.first_seen),
        "tokens": tokens,
        "leftOut": record.tools.len() - tools.len(),
        "tools": tools,
    }))
}

/// Returns the pin record of the server with this id.
pub(super) fn record(settings: &UiSettings, id: &str) -> Result<Record, Problem> {
    let entries = PinStore::new(settings.state.path()).all().map_err(CommandError::from)?;
    let found = entries.into_iter().find(|entry| entry.id == id);
    let gone = || Problem::new(404, "nothing is remembered of this server any more");
    Ok(found.ok_or_else(gone)?.record.map_err(CommandError::from)?)
}

/// Returns the digest of what can be accepted, or `None` if there is nothing to accept.
pub(super) fn digest_of(pin: &Pin) -> Option<String> {
    match pin.state() {
        State::Removed => Some(REMOVED.to_owned()),
        _ => pin.unaccepted.as_ref().map(|seen| seen.digest.to_string()),
    }
}

fn tool_json(name: &str, pin: &Pin, counter: &OnceLock<Option<TokenCounter>>, room: &mut usize) -> Value {
    let mut value = json!({
        "name": name,
        "state": state_word(pin.state()),
        "acceptedAt": pin.accepted.as_ref().map(|_| moment(pin.accepted_at)),
        "seenAt": pin.unaccepted.as_ref().map(|_| moment(pin.unaccepted_at)),
        "goneAt": pin.gone_at.map(moment),
        "digest": digest_of(pin),
        "basis": Basis::Claimed,
        "isConflicting": pin.twice,
    });
    let text = |definition: &Option<Definition>| definition.as_ref().and_then(|kept| kept.text.clone());
    let (accepted, seen) = (text(&pin.accepted), text(&pin.unaccepted));
    if let (Some(seen), true) = (&seen, pin.unaccepted.is_some()) {
        let before = accepted.as_ref().map(shown).unwrap_or_default();
        long_diff::put(&mut value, &file_diff(Path::new(name), &before, &shown(seen)));
    }
    let Some(definition) = accepted.or(seen) else { return value };
    let length = definition.as_str().len();
    let Some(live) = LiveTool::read(definition.as_json()).filter(|_| length <= *room) else { return value };
    *room -= length;
    let counter = counter.get_or_init(|| TokenCounter::new().ok());
    value["title"] = live.title.clone().into();
    value["description"] = live.description.clone().into();
    value["says"] = says(&live).into();
    value["tokens"] = counter.as_ref().map(|counter| counter.count(&Shape::OpenAi.write(&live))).into();
    value["definition"] = shown(&definition).into();
    value["card"] = live.definition.value().get("x-tool-card-uri").cloned().unwrap_or_default();
    value
}

/// Formats the definition over several lines.
fn shown(definition: &JsonBuf) -> String {
    pretty(definition.as_json()) + "\n"
}

/// Returns what the server's hints say about a call.
fn says(live: &LiveTool) -> Vec<&'static str> {
    let hints = live.hints;
    let mut says = Vec::new();
    let mut say = |hint: Option<bool>, yes, no| says.extend(hint.map(|is_so| if is_so { yes } else { no }));
    say(hints.read_only, "only reads", "changes something");
    say(hints.destructive, "may destroy something", "destroys nothing");
    say(hints.idempotent, "the same call again does nothing more", "the same call again does more");
    say(hints.open_world, "reaches beyond itself", "stays within itself");
    says
}

fn moment(seconds: u64) -> String {
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).map(format_millis).unwrap_or_default()
}
