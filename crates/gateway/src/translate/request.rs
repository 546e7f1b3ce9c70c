//! Rebuilds requests for the upstream from the messages that were authorized. They are never
//! forwarded as they came, so that another parser can't find something else in them (RPC-06).
use overt_wire::era::{Caller, LogLevel, key};
use overt_wire::json::{Json, JsonBuf, Object};
use overt_wire::{Id, Message, Method};

/// How `_meta` must change for the other era or another conversation.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Meta<'a> {
    /// Client and upstream have the same era, so the client's own data stays.
    #[default]
    Same,
    /// A modern client with a legacy upstream: the client was introduced when the conversation
    /// began.
    Without,
    /// A legacy client with a modern upstream: every request introduces the client.
    With(&'a Caller, Option<LogLevel>),
}

/// The `_meta` key with which a modern client returns to its own legacy session.
pub(crate) const SESSION: &str = "dev.overt/session";

/// Members that the gateway or a policy reads. A parser that ignores case would mistake another
/// spelling for one of these, so only this spelling is passed on.
const PARAMS: [&str; 17] = [
    "_meta",
    "name",
    "arguments",
    "uri",
    "ref",
    "argument",
    "context",
    "cursor",
    "level",
    "inputResponses",
    "requestState",
    "notifications",
    "task",
    "taskId",
    "protocolVersion",
    "capabilities",
    "clientInfo",
];

const META: [&str; 7] = [
    key::PROGRESS_TOKEN,
    key::PROTOCOL_VERSION,
    key::CLIENT_INFO,
    key::CLIENT_CAPABILITIES,
    key::LOG_LEVEL,
    key::TRACE_PARENT,
    SESSION,
];

/// Writes the request for the upstream. Its id is also its progress token, if the client asked for
/// progress.
pub(crate) fn rebuilt(message: &Message, id: &Id, meta: Meta<'_>) -> Message {
    let method = message.method().map_or("", Method::name);
    let params = message.params().value();
    let members = written(params, id, meta);
    Message::request(id, method, members.as_ref().map(JsonBuf::as_json))
}

/// Writes a notification for the upstream. Its tokens stay.
pub(crate) fn notification(message: &Message) -> Message {
    let method = message.method().map_or("", Method::name);
    let params = message.params().value().map(|params| {
        params
            .members()
            .filter(|(name, _)| !is_variant(&name.name(), &PARAMS))
            .fold(Object::with_capacity(params.as_str().len()), |object, (name, value)| {
                object.json(&name.name(), value)
            })
    });
    Message::notification(method, params.map(Object::finish).as_ref().map(JsonBuf::as_json))
}

fn written(params: Option<Json<'_>>, id: &Id, meta: Meta<'_>) -> Option<JsonBuf> {
    let room = params.map_or(0, |params| params.as_str().len()) + 128;
    let mut object = Object::with_capacity(room);
    let mut said = false;
    for (name, value) in params.into_iter().flat_map(Json::members) {
        let name = name.name();
        if name == "_meta" {
            said = true;
            if let Some(meta) = meta_for(Some(value), id, meta) {
                object = object.json("_meta", meta.as_json());
            }
        } else if name == "task" && !matches!(meta, Meta::Same) {
            // Tasks of one era can't be used in the other.
        } else if !is_variant(&name, &PARAMS) {
            object = object.json(&name, value);
        }
    }
    if !said && let Some(meta) = meta_for(None, id, meta) {
        object = object.json("_meta", meta.as_json());
        return Some(object.finish());
    }
    params.map(|_| object.finish())
}

/// Returns the `_meta` of the request. `None` if it would be empty and the client sent none.
fn meta_for(given: Option<Json<'_>>, id: &Id, change: Meta<'_>) -> Option<JsonBuf> {
    // If it is not an object, this is the client's mistake, and the upstream will report it.
    if let Some(wrong) = given.filter(|given| !given.is_object()) {
        return Some(wrong.to_buf());
    }
    let mut meta = Object::with_capacity(given.map_or(0, |given| given.as_str().len()) + 64);
    let mut empty = true;
    for (name, value) in given.into_iter().flat_map(Json::members) {
        let name = name.name();
        let reserved = matches!(
            &*name,
            key::PROTOCOL_VERSION | key::CLIENT_INFO | key::CLIENT_CAPABILITIES | key::LOG_LEVEL
        );
        let dropped =
            is_variant(&name, &META) || name == SESSION || (reserved && !matches!(change, Meta::Same));
        if dropped {
            continue;
        }
        empty = false;
        meta = if name == key::PROGRESS_TOKEN && is_token(value) {
            meta.raw(key::PROGRESS_TOKEN, id.token())
        } else {
            meta.json(&name, value)
        };
    }
    if let Meta::With(caller, level) = change {
        meta = caller.to_meta(meta);
        if let Some(level) = level {
            meta = meta.string(key::LOG_LEVEL, level.as_str());
        }
        return Some(meta.finish());
    }
    // Pass on an empty object if the client sent one.
    (given.is_some() && (!empty || matches!(change, Meta::Same))).then(|| meta.finish())
}

/// Whether a value is a valid progress token, a string or an integer. Other values are passed on
/// unchanged for the upstream to reject.
fn is_token(value: Json<'_>) -> bool {
    value.is_string() || value.integer().is_some()
}

/// Whether a name is another spelling of one in the list, for a parser that ignores case as Go's
/// does: `K` (the Kelvin sign) and `ſ` (the long s) count as `k` and `s`.
fn is_variant(name: &str, known: &[&str]) -> bool {
    known.iter().any(|known| {
        *known != name
            && (known.eq_ignore_ascii_case(name) || (!name.is_ascii() && folded(known) == folded(name)))
    })
}

fn folded(name: &str) -> String {
    name.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use overt_wire::era::Version;
    use overt_wire::json::Limits;

    use super::*;

    fn request(params: &str) -> Message {
        let text = format!(r#"{{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{params}}}"#);
        Message::parse(text.into(), &Limits::default()).unwrap()
    }

    fn params(given: &str, meta: Meta<'_>) -> String {
        let message = rebuilt(&request(given), &Id::from(7), meta);
        assert_eq!(message.id(), Some(&Id::from(7)));
        message.params().value().map_or_else(String::new, |params| params.as_str().to_owned())
    }

    #[test]
    fn rpc_06_other_spellings_of_what_was_judged_do_not_go_on() {
        for (given, written) in [
            (r#"{"name":"greet","Name":"secretTool","Arguments":{"x":1}}"#, r#"{"name":"greet"}"#),
            (r#"{"NAME":"x","argumentſ":{},"name":"greet","tasK":{}}"#, r#"{"name":"greet"}"#),
            (
                r#"{"n\u0061me":"greet","arguments":{"Name":"kept"}}"#,
                r#"{"name":"greet","arguments":{"Name":"kept"}}"#,
            ),
            (r#"{"name":"greet","_META":{"x":1},"x-own":[1.0, 2]}"#, r#"{"name":"greet","x-own":[1.0, 2]}"#),
            (r#"{"_meta":{"progresstoken":5,"a":1}}"#, r#"{"_meta":{"a":1}}"#),
        ] {
            assert_eq!(params(given, Meta::Same), written);
        }
    }

    #[test]
    fn members_of_the_envelope_are_written_anew() {
        let text =
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","Method":"tools/call","PARAMS":{"name":"x"}}"#;
        let message = Message::parse(text.into(), &Limits::default()).unwrap();
        assert_eq!(
            rebuilt(&message, &Id::from(7), Meta::Same).text(),
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#
        );
    }

    #[test]
    fn meta_says_who_asks_in_the_way_of_the_upstream() {
        let caller =
            Caller { version: Version::V2026_07_28, capabilities: JsonBuf::empty_object(), info: None };
        let with = Meta::With(&caller, Some(LogLevel::Info));
        let stamped = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"info""#;
        let modern = r#"{"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","progressToken":"p","k":1}}"#;
        assert_eq!(params(modern, Meta::Without), r#"{"name":"t","_meta":{"progressToken":7,"k":1}}"#);
        assert_eq!(
            params(modern, Meta::Same),
            r#"{"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","progressToken":7,"k":1}}"#
        );
        assert_eq!(params(r#"{"name":"t"}"#, with), format!(r#"{{"name":"t","_meta":{{{stamped}}}}}"#));
        assert_eq!(
            params(r#"{"_meta":{"progressToken":1.5}}"#, with),
            format!(r#"{{"_meta":{{"progressToken":1.5,{stamped}}}}}"#)
        );
        for crossing in [Meta::Without, with] {
            assert!(!params(r#"{"name":"t","task":{"ttl":1}}"#, crossing).contains("task"));
        }
        assert_eq!(
            params(r#"{"name":"t","task":{"ttl":1}}"#, Meta::Same),
            r#"{"name":"t","task":{"ttl":1}}"#
        );
        let bare =
            r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","dev.overt/session":"s"}}"#;
        assert_eq!(params(bare, Meta::Without), "{}");
    }
}
