//! Compares two definitions of a tool, member by member. Every difference is visible: nothing is
//! cut, folded or left out, and terminal control characters are escaped.
use std::collections::BTreeMap;

use overt_gateway::pins::{Definition, Pin, Record, State};
use overt_layers::definition::canonical;
use overt_wire::json::{Json, JsonBuf, quote};
use overt_wire::text::{Untrusted, UntrustedLines};

use super::hunks::{HunkHeads, hunks};
use super::pins::{server_line, state};
use super::pretty;
use super::style::{DIM, TITLE, paint};

/// The tools of each server that differ from what a person accepted.
pub(crate) fn diff_text(servers: &[(String, Record)]) -> String {
    let mut out = String::new();
    for (index, (_, record)) in servers.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        out.push_str(&server_line(record));
        for (name, pin) in &record.tools {
            push_tool(&mut out, name, pin);
        }
    }
    out
}

fn push_tool(out: &mut String, name: &str, pin: &Pin) {
    let (word, style) = state(pin.state());
    let digests: Vec<String> = [&pin.accepted, &pin.unaccepted]
        .into_iter()
        .flatten()
        .map(|definition| definition.digest.short())
        .collect();
    let facts = paint(DIM, format!("({})", digests.join(" to ")));
    out.push_str(&format!("\n{} {} {facts}\n", paint(TITLE, Untrusted(name)), paint(style, word)));
    if pin.state() == State::Conflicting {
        out.push_str("  The server showed several definitions in one list; this is one of them.\n");
    }
    if pin.state() == State::Removed {
        out.push_str("  The server does not list it any more.\n");
        return;
    }
    let text =
        |definition: &Option<Definition>| definition.as_ref().map(|definition| definition.text.clone());
    match (text(&pin.accepted), text(&pin.unaccepted)) {
        (Some(Some(was)), Some(Some(now))) => push_members(out, was.as_json(), now.as_json()),
        (None, Some(Some(now))) => push_members(out, JsonBuf::empty_object().as_json(), now.as_json()),
        _ => out.push_str("  The definitions are too long to be kept; only their digests are known.\n"),
    }
}

/// Shows every member that differs, beginning with those of the accepted definition.
fn push_members(out: &mut String, was: Json<'_>, now: Json<'_>) {
    let values = |definition: Json<'_>| -> BTreeMap<String, JsonBuf> {
        let value = |value| JsonBuf::parse(&canonical(value)).ok();
        definition
            .members()
            .filter_map(|(key, member)| Some((key.name().into_owned(), value(member)?)))
            .collect()
    };
    let (old, new) = (values(was), values(now));
    let added = now.members().map(|(key, _)| key.name()).filter(|name| !old.contains_key(&**name));
    for name in was.members().map(|(key, _)| key.name()).chain(added) {
        let (was, now) = (old.get(&*name), new.get(&*name));
        if was != now {
            out.push_str(&format!("  {}\n", paint(TITLE, Untrusted(&name))));
            push_change(out, was.map(JsonBuf::as_json), now.map(JsonBuf::as_json));
        }
    }
}

fn push_change(out: &mut String, was: Option<Json<'_>>, now: Option<Json<'_>>) {
    let texts = [was, now].into_iter().flatten().all(Json::is_string);
    let shown = |value: Option<Json<'_>>| match value {
        None => String::new(),
        Some(value) if texts => lines(&value.string().unwrap_or_default()),
        Some(value) => pretty(value) + "\n",
    };
    let (mut old, mut new) = (shown(was), shown(now));
    if old == new {
        // The texts differ only in something that looks like an escape. In JSON, a literal
        // backslash is doubled, so the difference shows.
        let token = |value: Option<Json<'_>>| {
            value
                .and_then(Json::string)
                .map(|text| format!("{}\n", UntrustedLines(&quote(&text))))
                .unwrap_or_default()
        };
        (old, new) = (token(was), token(now));
    }
    let heads = if was.is_some() && now.is_some() { HunkHeads::Shown } else { HunkHeads::Hidden };
    out.push_str(&hunks(&old, &new, heads, "    "));
}

/// Keeps the line breaks of a text and escapes everything else that could deceive.
fn lines(text: &str) -> String {
    format!("{}\n", UntrustedLines(text))
}
