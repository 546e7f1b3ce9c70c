//! Writes a record as JSON text and reads it. Definitions are stored as strings with the server's
//! exact text: as JSON values they could exceed the parser's nesting limit.
use overt_wire::json::{Json, JsonBuf, Object};

use super::definition::Definition;
use super::digest::Digest;
use super::identity::Identity;
use super::record::{Pin, Record};

/// The version of the format. Files of later versions are not touched. In version 1, servers had no
/// directory, and digests depended on the order of lists.
const VERSION: i64 = 2;

pub(super) fn write(record: &Record) -> JsonBuf {
    let mut tools = Object::new();
    for (name, pin) in &record.tools {
        tools = tools.json(name, write_pin(pin).as_json());
    }
    Object::new()
        .value("version", &VERSION)
        .json("server", record.identity.json())
        .maybe("directory", record.identity.directory())
        .maybe("name", record.identity.name())
        .value("firstSeen", &record.first_seen)
        .value("complete", &record.complete)
        .json("tools", tools.finish().as_json())
        .finish()
}

fn write_pin(pin: &Pin) -> JsonBuf {
    let mut object = Object::new();
    for (name, definition, at) in
        [("accepted", &pin.accepted, pin.accepted_at), ("seen", &pin.unaccepted, pin.unaccepted_at)]
    {
        if let Some(definition) = definition {
            let text = definition.text.as_ref().map(JsonBuf::as_str);
            let definition = Object::new()
                .string("sha256", &definition.digest.to_string())
                .value("at", &at)
                .maybe("definition", text)
                .finish();
            object = object.json(name, definition.as_json());
        }
    }
    object
        .maybe("twice", pin.twice.then_some(true))
        .maybe("shown", pin.shown.map(|shown| shown.to_string()))
        .maybe("kept", (pin.kept > 0).then_some(pin.kept))
        .maybe("goneAt", pin.gone_at)
        .maybe("varies", pin.varies.then_some(true))
        .finish()
}

/// Reads a record. The error says what is wrong with it.
pub(super) fn read(json: Json<'_>) -> Result<Record, String> {
    let version = match json.get("version").value().and_then(Json::integer) {
        Some(version @ 1..=VERSION) => version,
        Some(later) if later > VERSION => {
            return Err(format!(
                "its format {later} is of a later version of Overt than this one, which knows {VERSION}; use that version, or \
                 another OVERT_STATE_DIR"
            ));
        }
        _ => return Err("`version` is not a format version that Overt knows".to_owned()),
    };
    let directory = json.get("directory").string();
    let server = json.get("server").value();
    let identity = server.and_then(|server| Identity::read(server, directory.as_deref()));
    let name = json.get("name").string().map(String::from);
    let identity = identity.ok_or("`server` is missing")?.named(name);
    let mut record = Record::new(identity, number(json, "firstSeen").ok_or("`firstSeen` is missing")?);
    record.complete = json.get("complete").value().and_then(Json::bool).ok_or("`complete` is missing")?;
    let tools = json.get("tools").value().filter(|tools| tools.is_object()).ok_or("`tools` is missing")?;
    for (name, pin) in tools.members() {
        let name = name.name().into_owned();
        let pin = read_pin(pin, version).map_err(|what| format!("`tools.{name}`: {what}"))?;
        record.tools.insert(name, pin);
    }
    Ok(record)
}

fn read_pin(json: Json<'_>, version: i64) -> Result<Pin, String> {
    let mut pin = Pin {
        twice: json.get("twice").value().and_then(Json::bool).unwrap_or(false),
        kept: number(json, "kept").unwrap_or(0),
        gone_at: number(json, "goneAt"),
        varies: json.get("varies").value().and_then(Json::bool).unwrap_or(false),
        ..Pin::default()
    };
    if let Some(accepted) = json.get("accepted").value() {
        (pin.accepted, pin.accepted_at) =
            read_definition(accepted, version).map_err(|what| format!("`accepted`: {what}"))?;
    }
    if let Some(seen) = json.get("seen").value() {
        (pin.unaccepted, pin.unaccepted_at) =
            read_definition(seen, version).map_err(|what| format!("`seen`: {what}"))?;
    }
    if let Some(shown) = json.get("shown").string() {
        let mut shown = Digest::parse(&shown).ok_or("`shown` is not a digest")?;
        // If the definition that was shown is the one in `seen`, use its digest in this version of
        // the format.
        let was_seen =
            json.get("seen").get("sha256").string().and_then(|text| Digest::parse(&text)) == Some(shown);
        if let Some(seen) = pin.unaccepted.as_ref().filter(|_| was_seen) {
            shown = seen.digest;
        }
        pin.shown = Some(shown);
    }
    if pin.accepted.is_none() && pin.unaccepted.is_none() {
        return Err("neither `accepted` nor `seen`".to_owned());
    }
    Ok(pin)
}

/// Reads a definition. Rejects a text that does not match its digest: somebody edited it, and a
/// person would be shown another definition than the one that counts.
fn read_definition(json: Json<'_>, version: i64) -> Result<(Option<Definition>, u64), String> {
    let digest = json.get("sha256").string().and_then(|text| Digest::parse(&text));
    let digest = digest.ok_or("`sha256` is not a digest")?;
    let at = number(json, "at").ok_or("`at` is missing")?;
    let Some(text) = json.get("definition").string() else {
        return Ok((Some(Definition::unknown(digest)), at));
    };
    let text = JsonBuf::parse(&text).map_err(|fault| format!("`definition` is not JSON: {fault}"))?;
    let definition = Definition::of(text.as_json());
    let written = if version == 1 { Digest::of(text.as_json()) } else { definition.digest };
    if written != digest {
        return Err("`definition` doesn't have the digest `sha256`".to_owned());
    }
    Ok((Some(Definition { text: Some(text), ..definition }), at))
}

fn number(json: Json<'_>, name: &str) -> Option<u64> {
    json.get(name).value().and_then(Json::integer).and_then(|number| u64::try_from(number).ok())
}
