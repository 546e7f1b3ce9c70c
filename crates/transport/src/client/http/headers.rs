//! The headers with which a modern request repeats what its body says, so that routers need not parse it.
use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use overt_wire::era::{Era, Version, key};
use overt_wire::{Message, Method};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

pub(super) const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(super) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
pub(super) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// The headers of a message: its version, and for a modern one what it is about. `settled` is the version that
/// both sides have agreed on, for messages that don't name theirs.
pub(super) fn of(message: &Message, settled: Option<Version>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let named = message.meta().get(key::PROTOCOL_VERSION).string();
    let version = named.as_deref().or(settled.map(Version::as_str));
    let Some(version) = version else { return headers };
    put(&mut headers, PROTOCOL_VERSION, version);
    let is_legacy = Version::parse(version).is_some_and(|version| version.era() == Era::Legacy);
    let Some(method) = message.method().filter(|_| !is_legacy) else { return headers };
    put(&mut headers, METHOD, method.name());
    let named_by = match method {
        Method::ToolsCall | Method::PromptsGet => "name",
        Method::ResourcesRead => "uri",
        Method::TasksGet | Method::TasksUpdate | Method::TasksCancel => "taskId",
        _ => return headers,
    };
    if let Some(name) = message.params().get(named_by).string() {
        put(&mut headers, NAME, &name);
    }
    headers
}

/// Adds a header, encoded where its value can't stand in one as it is.
pub(super) fn put(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(&encode(value)) {
        headers.insert(name, value);
    }
}

/// A value as it may stand in a header: itself, or Base64 between two marks.
fn encode(value: &str) -> Cow<'_, str> {
    let plain = value.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
    let padded = value.starts_with([' ', '\t']) || value.ends_with([' ', '\t']);
    let looks_encoded = value.starts_with("=?base64?") && value.ends_with("?=");
    if plain && !padded && !looks_encoded {
        return Cow::Borrowed(value);
    }
    Cow::Owned(format!("=?base64?{}?=", STANDARD.encode(value)))
}

#[cfg(test)]
mod tests {
    use overt_wire::Id;
    use overt_wire::json::Json;

    use super::*;

    #[test]
    fn values_as_in_the_specification() {
        let cases = [
            ("us-west1", "us-west1"),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
            ("two words", "two words"),
            ("", ""),
        ];
        for (value, header) in cases {
            assert_eq!(encode(value), header);
        }
    }

    #[test]
    fn a_modern_message_is_mirrored_and_a_legacy_one_is_not() {
        let params = r#"{"name":"été","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#;
        let call = |params| Message::request(&Id::from(1), "tools/call", Some(Json::parse(params).unwrap()));
        let headers = of(&call(params), None);
        assert_eq!(headers["mcp-protocol-version"], "2026-07-28");
        assert_eq!(headers["mcp-method"], "tools/call");
        assert_eq!(headers["mcp-name"], "=?base64?w6l0w6k=?=");
        let plain = call(r#"{"name":"a"}"#);
        assert!(of(&plain, None).is_empty());
        let legacy = of(&plain, Some(Version::V2025_06_18));
        assert_eq!(
            (legacy.len(), &legacy["mcp-protocol-version"]),
            (1, &HeaderValue::from_static("2025-06-18"))
        );
        let notification = Message::notification("notifications/x", None);
        let modern = of(&notification, Some(Version::V2026_07_28));
        assert_eq!((modern.len(), &modern["mcp-method"]), (2, &HeaderValue::from_static("notifications/x")));
    }
}
