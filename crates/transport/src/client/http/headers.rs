//! The headers in which a modern request repeats parts of its body, so that routers need not parse
//! it.
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use overt_wire::Message;
use overt_wire::era::{Era, Version, key};
use overt_wire::param_headers::HeaderArgument;

use crate::header::{encode, name_of};

pub(super) const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(super) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
pub(super) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// Adds the headers of a message: its version, and for a modern message its method and name.
/// `settled` is the negotiated version, for messages that don't contain one.
pub(super) fn put_all(headers: &mut HeaderMap, message: &Message, settled: Option<Version>) {
    let named = message.meta().get(key::PROTOCOL_VERSION).string();
    let version = match (&named, settled) {
        (Some(version), _) => {
            put(headers, PROTOCOL_VERSION, version);
            Version::parse(version)
        }
        (None, Some(version)) => {
            headers.insert(PROTOCOL_VERSION, HeaderValue::from_static(version.as_str()));
            Some(version)
        }
        (None, None) => return,
    };
    let is_legacy = version.is_some_and(|version| version.era() == Era::Legacy);
    let Some(method) = message.method().filter(|_| !is_legacy) else { return };
    put(headers, METHOD, method.name());
    if let Some(name) = name_of(message) {
        put(headers, NAME, &name);
    }
}

/// Returns the headers that repeat arguments of a call.
pub(super) fn mirrored(arguments: &[HeaderArgument], call: &Message) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for argument in arguments {
        let name = HeaderName::try_from(format!("mcp-param-{}", argument.name()));
        if let (Ok(name), Some(value)) = (name, argument.text_in(call.arguments())) {
            put(&mut headers, name, &value);
        }
    }
    headers
}

/// Adds a header. The value is encoded if a header can't contain it unchanged.
pub(super) fn put(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(&encode(value)) {
        headers.insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use overt_wire::Id;
    use overt_wire::json::{Json, Member};
    use overt_wire::param_headers::HeaderAnnotations;

    use super::*;

    fn of(message: &Message, settled: Option<Version>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        put_all(&mut headers, message, settled);
        headers
    }

    #[test]
    fn http_08_arguments_are_repeated_in_headers() {
        let schema = r#"{"properties":{"region":{"type":"string","x-mcp-header":"Region"},
            "null":{"type":["string","null"],"x-mcp-header":"Null"}}}"#;
        let annotations = HeaderAnnotations::of(Member::Value(Json::parse(schema).unwrap()));
        let params = Json::parse(r#"{"name":"t","arguments":{"region":"süd","null":null}}"#).unwrap();
        let call = Message::request(&Id::from(1), "tools/call", Some(params));
        let headers = mirrored(annotations.arguments().unwrap(), &call);
        assert_eq!(
            (headers.len(), &headers["mcp-param-region"]),
            (1, &HeaderValue::from_static("=?base64?c8O8ZA==?="))
        );
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
